package preemption

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

var errNoConfig = fmt.Errorf("%w: no configuration", outrank.ErrInvalid)

// builtInFilters are the names that filters of the caller cannot have.
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
// pairs that do not go together, two filters of one name, a filter without a function. It changes
// nothing.
func (c *Config) Validate() error {
	if c == nil {
		return errNoConfig
	}
	var ps configProblems
	if _, err := c.Variant.MarshalText(); err != nil {
		ps.add("Variant", "%d is none", uint8(c.Variant))
	}
	c.Profile.check(&ps)
	if c.Sample != nil {
		c.Sample.check(&ps)
	}
	names := c.checkFilters(&ps)
	for i := range c.Extenders {
		if c.Extenders[i].Process == nil {
			ps.add(fmt.Sprintf("Extenders[%d].Process", i), "missing")
		}
	}
	c.checkGuard(&ps, names)
	c.checkVictims(&ps)
	c.checkBudgets(&ps)
	c.checkRanks(&ps)
	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}

// checkFilters returns the names that are taken.
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

// checkVictims checks how victims are chosen, and what does not go with that.
func (c *Config) checkVictims(ps *configProblems) {
	limit := 0
	switch rule := c.Victims.(type) {
	case nil:
		return
	default: // its address, or what embeds it
		ps.add("Victims", "a %T is none of Exact, Across and Chooser", rule)
		return
	case Chooser:
		if rule.Name == "" {
			ps.add("Victims.Name", "missing")
		}
		if rule.Choose == nil {
			ps.add("Victims.Choose", "missing")
		}
		return
	case Exact:
		limit = rule.Limit
	case Across:
		if limit = rule.Limit; c.Sample != nil {
			ps.add("Sample", "victims on several nodes are looked for on every node")
		}
	}
	if limit < 0 {
		ps.add("Victims.Limit", "%d is negative", limit)
	}

	// What is left is about the best victims: nothing else may choose or change them, and one cost is
	// what a search can bound.
	if c.Guard != nil {
		ps.add("Guard", "the best victims are not chosen by it")
	}
	if len(c.Extenders) > 0 {
		ps.add("Extenders", "they can change victims that are the best")
	}
	c.checkSearched(ps)
}

// checkSearched checks that the ranks can be searched by.
func (c *Config) checkSearched(ps *configProblems) {
	costs := 0
	for i := range c.Ranks {
		if c.Ranks[i].Figure != nil {
			ps.add(fmt.Sprintf("Ranks[%d].Figure", i), "the best victims are those with the best figures, and this one is known once they are chosen")
		}
		if !c.Ranks[i].costs() {
			continue
		}
		if costs++; costs > 1 {
			ps.add(fmt.Sprintf("Ranks[%d].Cost", i), "the best victims are searched for by one cost, and there is another")
		}
	}
}

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

func (c *Config) checkRanks(ps *configProblems) {
	taken := map[string]bool{}
	for i := range c.Ranks {
		at, r := fmt.Sprintf("Ranks[%d]", i), &c.Ranks[i]
		rule := rank.Of(r.Name)
		switch {
		case r.Name == "":
			ps.add(at+".Name", "missing")
		case r.Name == rank.NodeOrder:
			ps.add(at+".Name", "%q is what documents say where no rank decides", r.Name)
		case taken[r.Name]:
			ps.add(at, "there is another rank of the name %q", r.Name)
		case r.Cost != nil && r.Figure != nil:
			ps.add(at, "has a Cost and a Figure; it compares one of them")
		case rule != nil && (r.Cost != nil && rule.Cost == nil || r.Figure != nil):
			ps.add(at+".Name", "%q is a rank of kube-scheduler's, which has a figure already", r.Name)
		case rule == nil && r.Cost == nil && r.Figure == nil:
			ps.add(at, "%q is no rank of kube-scheduler's, and has neither a Cost nor a Figure", r.Name)
		}
		taken[r.Name] = true
	}
}

func (s *Sample) check(ps *configProblems) {
	if s.Percent > 100 {
		ps.add("Sample.Percent", "%d is more than 100", s.Percent)
	}
	if s.Percent < 0 && s.Minimum < 0 {
		ps.add("Sample.Percent", "none at the same time as Sample.Minimum")
	}
}

func (p *Profile) check(ps *configProblems) {
	for i, name := range p.Schedulers {
		if name == "" {
			ps.add(fmt.Sprintf("Profile.Schedulers[%d]", i), "empty; a pod that names no scheduler is %s's", outrank.DefaultScheduler)
		}
	}
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
	p.checkAffinity(ps)
	hard := false
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

// checkAffinity holds AddedAffinity to what a pod's node affinity is held to. Besides,
// kube-scheduler does not start with a term that it cannot read (rule 7.18.3).
func (p *Profile) checkAffinity(ps *configProblems) {
	if p.AddedAffinity == nil || len(p.AddedAffinity.NodeSelectorTerms) == 0 {
		return
	}
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
	for i := range p.AddedAffinity.NodeSelectorTerms {
		if text := fit.TermProblem(&p.AddedAffinity.NodeSelectorTerms[i]); text != "" {
			ps.add(fmt.Sprintf("%s[%d]", list, i), "%s", text)
		}
	}
}
