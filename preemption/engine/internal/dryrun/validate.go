package dryrun

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// maxWorkers keeps a mistaken number from starting goroutines without bound.
const maxWorkers = 1024

// Validate returns everything that is wrong with the settings, in one
// *[outrank.InputError].
func (c *Settings) Validate() error {
	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: fmt.Sprintf(format, args...)})
	}
	if !c.Release.Known() {
		add("Release", "%v is not known", c.Release)
	}
	if _, err := c.Variant.MarshalText(); err != nil {
		add("Variant", "%d is none", uint8(c.Variant))
	}
	if c.Workers < 0 || c.Workers > maxWorkers {
		add("Workers", "%d is not between 0 and %d", c.Workers, maxWorkers)
	}
	taken := map[string]bool{}
	for _, f := range filters.BuiltIn {
		taken[f.Name] = true
	}
	for i, f := range c.Filters {
		at := fmt.Sprintf("Filters[%d]", i)
		if f == nil {
			add(at, "missing")
			continue
		}
		switch {
		case f.Name == "":
			add(at+".Name", "missing")
		case taken[f.Name]:
			add(at+".Name", "there is another filter of the name %q", f.Name)
		}
		taken[f.Name] = true
		switch {
		case f.Node == nil && f.Start == nil:
			add(at, "has neither a Node nor a Start")
		case f.Node != nil && f.Start != nil:
			add(at, "has a Node and a Start; it is asked by one of them")
		case f.Key != nil && f.Node == nil:
			add(at+".Key", "set, and there is no Node whose answers it could tell apart")
		case f.Concerns != nil && f.Start == nil:
			add(at+".Concerns", "set, and a Node is told of no pods")
		}
	}
	for i, name := range c.Schedulers {
		if name == "" {
			add(fmt.Sprintf("Schedulers[%d]", i), "empty; a pod that names no scheduler is %s's", outrank.DefaultScheduler)
		}
	}
	for i, x := range c.Extenders {
		if x.Process == nil {
			add(fmt.Sprintf("Extenders[%d].Process", i), "missing")
		}
	}
	for i, x := range c.Scorers {
		if x.Score == nil {
			add(fmt.Sprintf("Scorers[%d].Score", i), "missing")
		}
	}
	ps = append(ps, policyProblems(&c.Policy)...)
	ps = append(ps, c.exactProblems()...)
	ps = append(ps, pluginsProblems(&c.Plugins)...)
	if _, missing := c.CostByRanks(); missing {
		add("Cost", "missing, and the policy ranks candidates by it")
	}
	if c.Chooser != nil {
		ps = append(ps, c.Chooser.problems()...)
	}
	switch {
	case c.Guard == nil:
	case c.Guard.Name == "":
		add("Guard.Name", "missing")
	case taken[c.Guard.Name]:
		add("Guard.Name", "there is a filter of the name %q", c.Guard.Name)
	}
	if c.Guard != nil && c.Guard.Start == nil {
		add("Guard.Start", "missing")
	}
	if c.Sample != nil {
		ps = append(ps, sampleProblems(c.Sample)...)
	}
	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}
