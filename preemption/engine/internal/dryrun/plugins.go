package dryrun

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// pluginsProblems returns what is wrong with what is changed about the filters.
func pluginsProblems(p *preemption.Plugins) []outrank.Problem {
	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{
			Object: "preemption config", Field: "Plugins." + field, Text: fmt.Sprintf(format, args...),
		})
	}
	for field, names := range map[string][]string{"Off": p.Off, "OffOnNodes": p.OffOnNodes} {
		for i, name := range names {
			if !slices.Contains(filters.BuiltInNames[:], name) {
				add(fmt.Sprintf("%s[%d]", field, i), "there is no built-in filter %q", name)
			}
		}
	}
	slices.SortFunc(ps, func(a, b outrank.Problem) int { return strings.Compare(a.Field, b.Field) })
	ps = append(ps, affinityProblems(p)...)
	for i := range p.DefaultSpread {
		at, c := fmt.Sprintf("DefaultSpread[%d].", i), &p.DefaultSpread[i]
		if c.MaxSkew < 1 {
			add(at+"MaxSkew", "%d is less than 1", c.MaxSkew)
		}
		if c.TopologyKey == "" {
			add(at+"TopologyKey", "missing")
		}
		if c.LabelSelector != nil {
			add(at+"Selector", "default constraints have none: SpreadSelector says which pods count")
		}
		switch c.WhenUnsatisfiable {
		case "", outrank.DoNotSchedule, outrank.ScheduleAnyway:
		default:
			add(at+"WhenUnsatisfiable", "there is no policy %q", c.WhenUnsatisfiable)
		}
	}
	if p.SpreadSelector == nil && filters.HardSpread(p) {
		add("SpreadSelector", "missing: which pods the constraints of DefaultSpread count depends on it")
	}
	return ps
}

// affinityProblems holds AddedAffinity to what a pod's node affinity is held to. Besides,
// kube-scheduler does not start with a term that it cannot read (rule 7.18.3).
func affinityProblems(p *preemption.Plugins) []outrank.Problem {
	if p.AddedAffinity == nil || len(p.AddedAffinity.NodeSelectorTerms) == 0 {
		return nil
	}
	const object, list = "preemption config", "Plugins.AddedAffinity.nodeSelectorTerms"
	pod := outrank.Pod{Name: "any", Affinity: outrank.Affinity{NodeAffinity: p.AddedAffinity}}
	var wrong *outrank.InputError
	if errors.As(pod.Validate(), &wrong) {
		for i := range wrong.Problems {
			_, field, _ := strings.Cut(wrong.Problems[i].Field, "nodeSelectorTerms")
			wrong.Problems[i].Object, wrong.Problems[i].Field = object, list+field
		}
		return wrong.Problems
	}
	var ps []outrank.Problem
	for i := range p.AddedAffinity.NodeSelectorTerms {
		if text := fit.TermProblem(&p.AddedAffinity.NodeSelectorTerms[i]); text != "" {
			ps = append(ps, outrank.Problem{Object: object, Field: fmt.Sprintf("%s[%d]", list, i), Text: text})
		}
	}
	return ps
}
