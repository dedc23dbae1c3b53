package preemption

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

var errNoConfig = fmt.Errorf("%w: no configuration", outrank.ErrInvalid)

// builtInFilters are the names of the built-in filters. A filter of the caller cannot have one of them.
var builtInFilters = []string{
	NodeUnschedulable, NodeName, TaintToleration, NodeAffinity, NodePorts, DeferredPodScheduling, NodeResourcesFit,
	VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone, PodTopologySpread, InterPodAffinity, NodeDeclaredFeatures,
}

// configProblems collects what is wrong with a configuration.
type configProblems []outrank.Problem

func (ps *configProblems) add(field, format string, args ...any) {
	*ps = append(*ps, outrank.Problem{Object: "preemption config", Field: field, Text: fmt.Sprintf(format, args...)})
}

// Validate returns everything that is wrong with the configuration in one *[outrank.InputError]:
// settings that do not go together, two filters of one name, a filter without a function. It changes
// nothing. The configuration is valid if the error is nil.
func (c *Config) Validate() error {
	if c == nil {
		return errNoConfig
	}

	// Problems are listed in this order, which is nearly the order of the fields.
	var ps configProblems
	if _, err := c.Variant.MarshalText(); err != nil {
		ps.add("Variant", "%d is none", uint8(c.Variant))
	}
	c.Profile.check(&ps)
	if c.Sample != nil {
		c.Sample.check(&ps)
	}
	taken := c.checkFilters(&ps)
	c.checkExtenders(&ps)
	c.checkGuard(&ps, taken)
	c.checkVictims(&ps)
	c.checkBudgets(&ps)
	c.checkRanks(&ps)

	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}

// checkFilters checks the caller's filters, and returns the names that filters have.
func (c *Config) checkFilters(ps *configProblems) (taken map[string]bool) {
	taken = map[string]bool{}
	for _, name := range builtInFilters {
		taken[name] = true
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
		f.check(at, ps)
	}
	return taken
}

// check checks that the functions of a filter go together.
func (f *Filter) check(at string, ps *configProblems) {
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

func (c *Config) checkExtenders(ps *configProblems) {
	for i := range c.Extenders {
		if c.Extenders[i].Process == nil {
			ps.add(fmt.Sprintf("Extenders[%d].Process", i), "missing")
		}
	}
}

// checkGuard checks the guard. Its name appears where the names of filters appear, so it must differ from all
// of them.
func (c *Config) checkGuard(ps *configProblems, taken map[string]bool) {
	if c.Guard == nil {
		return
	}

	switch {
	case c.Guard.Name == "":
		ps.add("Guard.Name", "missing")
	case taken[c.Guard.Name]:
		ps.add("Guard.Name", "there is a filter of the name %q", c.Guard.Name)
	}
	if c.Guard.Start == nil {
		ps.add("Guard.Start", "missing")
	}
}

// checkVictims checks the rule that chooses victims, and the settings that do not go with it.
func (c *Config) checkVictims(ps *configProblems) {
	switch rule := c.Victims.(type) {
	case nil:
	case Chooser:
		rule.check(ps)
	case Exact:
		c.checkSearch(rule.Limit, ps)
	case Across:
		if c.Sample != nil {
			ps.add("Sample", "victims on several nodes are looked for on every node")
		}
		c.checkSearch(rule.Limit, ps)

	// For the compiler a pointer to one of the three is a VictimRule, too, and so is a type that embeds one.
	default:
		ps.add("Victims", "a %T is none of Exact, Across and Chooser", rule)
	}
}

func (r *Chooser) check(ps *configProblems) {
	if r.Name == "" {
		ps.add("Victims.Name", "missing")
	}
	if r.Choose == nil {
		ps.add("Victims.Choose", "missing")
	}
}

// checkSearch checks the settings that do not go with a search for the best victims: a guard, an extender or a
// rank that chooses or changes victims in a way that the search cannot follow (rules 13.4.9 and 13.6.11).
func (c *Config) checkSearch(limit int, ps *configProblems) {
	if limit < 0 {
		ps.add("Victims.Limit", "%d is negative", limit)
	}
	if c.Guard != nil {
		ps.add("Guard", "the best victims are not chosen by it")
	}
	if len(c.Extenders) > 0 {
		ps.add("Extenders", "they can change victims that are the best")
	}
	c.checkSearchedRanks(ps)
}

// checkSearchedRanks checks that a search can bound the figure of each rank before all victims are known:
// a Figure looks at the finished candidate, and the searches bound the sum of one cost (rule 13.4.9).
func (c *Config) checkSearchedRanks(ps *configProblems) {
	costs := 0
	for i := range c.Ranks {
		if c.Ranks[i].Figure != nil {
			ps.add(fmt.Sprintf("Ranks[%d].Figure", i), "the best victims are those with the best figures, and this one is known once they are chosen")
		}
		if !c.Ranks[i].costs() {
			continue
		}
		costs++
		if costs > 1 {
			ps.add(fmt.Sprintf("Ranks[%d].Cost", i), "the best victims are searched for by one cost, and there is another")
		}
	}
}

// checkBudgets checks how budgets count. A guard and an extender may insist on victims that violate one,
// so that neither goes with NeverViolate (rules 13.5.4 and 13.6.11).
func (c *Config) checkBudgets(ps *configProblems) {
	if c.Budgets > NeverViolate {
		ps.add("Budgets", "there is no way %d to charge them", uint8(c.Budgets))
	}
	if c.Budgets != NeverViolate {
		return
	}

	if c.Guard != nil {
		ps.add("Guard", "a guard does not go with budgets that are never violated")
	}
	if len(c.Extenders) > 0 {
		ps.add("Extenders", "they can choose victims that violate a budget, and none may be violated")
	}
}

// checkRanks checks the ranks: each has a name of its own and one figure to compare, which a built-in rank
// has already.
func (c *Config) checkRanks(ps *configProblems) {
	taken := map[string]bool{}
	for i := range c.Ranks {
		at, r := fmt.Sprintf("Ranks[%d]", i), &c.Ranks[i]
		rule := rank.Of(r.Name) // nil for a rank of the caller

		switch {
		case r.Name == "":
			ps.add(at+".Name", "missing")
		case r.Name == rank.NodeOrder:
			ps.add(at+".Name", "%q is what documents say where no rank decides", r.Name)
		case taken[r.Name]:
			ps.add(at, "there is another rank of the name %q", r.Name)
		case r.Cost != nil && r.Figure != nil:
			ps.add(at, "has a Cost and a Figure; it compares one of them")

		// A built-in rank with a Cost of its own uses it, and ignores the one that is set here.
		case rule != nil && (r.Cost != nil && rule.Cost == nil || r.Figure != nil):
			ps.add(at+".Name", "%q is a rank of kube-scheduler's, which has a figure already", r.Name)
		case rule == nil && r.Cost == nil && r.Figure == nil:
			ps.add(at, "%q is no rank of kube-scheduler's, and has neither a Cost nor a Figure", r.Name)
		}
		taken[r.Name] = true
	}
}

// check checks the limits of a sample. Without a percentage and a minimum none would be enough, so that
// every candidate would be dropped (rule 10.1.5).
func (s *Sample) check(ps *configProblems) {
	if s.Percent > 100 {
		ps.add("Sample.Percent", "%d is more than 100", s.Percent)
	}
	if s.Percent < 0 && s.Minimum < 0 {
		ps.add("Sample.Percent", "none at the same time as Sample.Minimum")
	}
}
