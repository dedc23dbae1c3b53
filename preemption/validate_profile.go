package preemption

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// check checks the settings of a profile.
func (p *Profile) check(ps *configProblems) {
	for i, name := range p.Schedulers {
		if name == "" {
			ps.add(fmt.Sprintf("Profile.Schedulers[%d]", i), "empty; a pod that names no scheduler is %s's", outrank.DefaultScheduler)
		}
	}
	p.checkOff(ps)
	p.checkAffinity(ps)
	p.checkConstraints(ps)
}

// checkOff checks the names of plugins that are switched off. DefaultPreemption is not asked about nodes, so it
// can only be off altogether.
func (p *Profile) checkOff(ps *configProblems) {
	for i, name := range p.Off {
		if name != DefaultPreemption && !slices.Contains(builtInFilters, name) {
			ps.add(fmt.Sprintf("Profile.Off[%d]", i), "there is no plugin %q here", name)
		}
	}
	for i, name := range p.OffOnNodes {
		if !slices.Contains(builtInFilters, name) {
			ps.add(fmt.Sprintf("Profile.OffOnNodes[%d]", i), "there is no built-in filter %q", name)
		}
	}
}

// checkConstraints checks the default constraints. A constraint of DoNotSchedule needs a SpreadSelector, which
// says which pods it counts (rule 7.18.8).
func (p *Profile) checkConstraints(ps *configProblems) {
	hard := false // whether there is one of DoNotSchedule
	for i := range p.DefaultConstraints {
		at, c := fmt.Sprintf("Profile.DefaultConstraints[%d].", i), &p.DefaultConstraints[i]
		if c.MaxSkew < 1 {
			ps.add(at+"MaxSkew", "%d is less than 1", c.MaxSkew)
		}
		if c.TopologyKey == "" {
			ps.add(at+"TopologyKey", "missing")
		}
		if c.LabelSelector != nil {
			ps.add(at+"Selector", "default constraints have none: SpreadSelector says which pods count")
		}

		switch c.WhenUnsatisfiable {
		case "", outrank.DoNotSchedule:
			hard = true
		case outrank.ScheduleAnyway:
		default:
			ps.add(at+"WhenUnsatisfiable", "there is no policy %q", c.WhenUnsatisfiable)
		}
	}
	if p.SpreadSelector == nil && hard {
		ps.add("Profile.SpreadSelector", "missing: which pods DefaultConstraints count depends on it")
	}
}

// checkAffinity checks AddedAffinity. One without terms is valid and matches no node.
func (p *Profile) checkAffinity(ps *configProblems) {
	if p.AddedAffinity == nil || len(p.AddedAffinity.NodeSelectorTerms) == 0 {
		return
	}

	// The rules for a pod's own node affinity apply, so it is validated as part of a pod. Only the name of the
	// field has to be replaced.
	const list = "Profile.AddedAffinity.nodeSelectorTerms"
	pod := outrank.Pod{Name: "any", Affinity: outrank.Affinity{NodeAffinity: p.AddedAffinity}}
	var wrong *outrank.InputError
	if errors.As(pod.Validate(), &wrong) {
		for i := range wrong.Problems {
			_, field, _ := strings.Cut(wrong.Problems[i].Field, "nodeSelectorTerms")
			ps.add(list+field, "%s", wrong.Problems[i].Text)
		}
		return
	}

	// A pod may carry a term that no node can match (rule 7.5.9). kube-scheduler does not start with such
	// a term in its configuration (rule 7.18.3).
	for i := range p.AddedAffinity.NodeSelectorTerms {
		if text := fit.TermProblem(&p.AddedAffinity.NodeSelectorTerms[i]); text != "" {
			ps.add(fmt.Sprintf("%s[%d]", list, i), "%s", text)
		}
	}
}
