package dryrun

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// maxWorkers keeps a mistaken number from starting goroutines without bound.
const maxWorkers = 1024

// configProblems collects what is wrong with a configuration.
type configProblems []outrank.Problem

func (ps *configProblems) add(field, format string, args ...any) {
	*ps = append(*ps, outrank.Problem{Object: "preemption config", Field: field, Text: fmt.Sprintf(format, args...)})
}

// Validate returns everything that is wrong with the settings, in one
// *[outrank.InputError].
func (c *Settings) Validate() error {
	var ps configProblems
	if !c.Release.Known() {
		ps.add("Release", "%v is not known", c.Release)
	}
	if _, err := c.Variant.MarshalText(); err != nil {
		ps.add("Variant", "%d is none", uint8(c.Variant))
	}
	if c.Workers < 0 || c.Workers > maxWorkers {
		ps.add("Workers", "%d is not between 0 and %d", c.Workers, maxWorkers)
	}

	taken := c.checkFilters(&ps)
	c.checkLists(&ps)

	ps = append(ps, policyProblems(&c.Policy)...)
	ps = append(ps, c.exactProblems()...)
	ps = append(ps, pluginsProblems(&c.Plugins)...)
	if _, missing := c.CostByRanks(); missing {
		ps.add("Cost", "missing, and the policy ranks candidates by it")
	}

	if c.Chooser != nil {
		ps = append(ps, c.Chooser.problems()...)
	}
	if c.Guard != nil {
		checkGuard(c.Guard, taken, &ps)
	}
	if c.Sample != nil {
		ps = append(ps, sampleProblems(c.Sample)...)
	}

	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}

// checkFilters checks the filters of the caller, and returns all names that are taken: a status names
// its filter, so that no two may share a name, and none may have that of a built-in one.
func (c *Settings) checkFilters(ps *configProblems) (taken map[string]bool) {
	taken = map[string]bool{}
	for _, f := range filters.BuiltIn {
		taken[f.Name] = true
	}

	for i, f := range c.Filters {
		at := fmt.Sprintf("Filters[%d]", i)
		if f == nil {
			ps.add(at, "missing")
			continue
		}
		switch {
		case f.Name == "":
			ps.add(at+".Name", "missing")
		case taken[f.Name]:
			ps.add(at+".Name", "there is another filter of the name %q", f.Name)
		}
		taken[f.Name] = true
		checkFunctions(f, at, ps)
	}
	return taken
}

// checkFunctions checks that a filter is asked in one way, and has nothing that only the other asks for.
func checkFunctions(f *preemption.Filter, at string, ps *configProblems) {
	switch {
	case f.Node == nil && f.Start == nil:
		ps.add(at, "has neither a Node nor a Start")
	case f.Node != nil && f.Start != nil:
		ps.add(at, "has a Node and a Start; it is asked by one of them")
	case f.Key != nil && f.Node == nil:
		ps.add(at+".Key", "set, and there is no Node whose answers it could tell apart")
	case f.Concerns != nil && f.Start == nil:
		ps.add(at+".Concerns", "set, and a Node is told of no pods")
	}
}

// checkLists checks what is missing from lists of the caller.
func (c *Settings) checkLists(ps *configProblems) {
	for i, name := range c.Schedulers {
		if name == "" {
			ps.add(fmt.Sprintf("Schedulers[%d]", i), "empty; a pod that names no scheduler is %s's", outrank.DefaultScheduler)
		}
	}
	for i, x := range c.Extenders {
		if x.Process == nil {
			ps.add(fmt.Sprintf("Extenders[%d].Process", i), "missing")
		}
	}
	for i, x := range c.Scorers {
		if x.Score == nil {
			ps.add(fmt.Sprintf("Scorers[%d].Score", i), "missing")
		}
	}
}

// checkGuard checks a guard, whose name stands in statuses beside those of filters.
func checkGuard(g *preemption.Guard, taken map[string]bool, ps *configProblems) {
	switch {
	case g.Name == "":
		ps.add("Guard.Name", "missing")
	case taken[g.Name]:
		ps.add("Guard.Name", "there is a filter of the name %q", g.Name)
	}
	if g.Start == nil {
		ps.add("Guard.Start", "missing")
	}
}
