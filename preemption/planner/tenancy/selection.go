package tenancy

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/outrank-go/outrank"
)

// Selection is a rule of Kueue's PreemptionConfig. It adds candidates to those of a queue's policy,
// also from queues that have no more than their own (group 24.9). Its JSON is that of Kueue, except for the
// trigger, which stands in an object of its own there.
type Selection struct {
	// Name is unique among the rules of the queue. Answers name the rule by it.
	Name string `json:"name"`
	// Trigger is Always, or InsufficientQuota: only if the others are not enough. Kueue's third
	// trigger asks about topologies, which are not known here, and is an error.
	Trigger string `json:"-"`
	// Preemptor and PreemptorClasses select the workloads that may use the rule. Nil selects all.
	Preemptor        *outrank.LabelSelector `json:"preemptorSelector,omitempty"`
	PreemptorClasses *Classes               `json:"preemptorPriorityClassSelector,omitempty"`
	// Candidates select the victims. A workload is a candidate if one of them selects it.
	Candidates []Selector `json:"candidateSelectors,omitempty"`
}

// Classes selects workloads by the names of their priority classes.
type Classes struct {
	// Names lists the classes that are selected; none stands for all. NotNames lists classes that are not.
	Names    []string `json:"matchNames,omitempty"`
	NotNames []string `json:"notMatchNames,omitempty"`
}

// Selector selects candidates. All of its conditions have to hold.
type Selector struct {
	// Scope says how near the candidate's queue is to the preemptor's: WithinLocalQueue, WithinClusterQueue,
	// WithinParentCohort, WithinCohortTree or AnyClusterQueue.
	Scope string `json:"scope"`
	// Queues selects by the labels of queues, Labels by those of workloads. Nil selects all.
	Queues *outrank.LabelSelector `json:"clusterQueueSelector,omitempty"`
	Labels *outrank.LabelSelector `json:"labelSelector,omitempty"`
	// Numbers select by labels that are numbers, Priority by priorities and classes. Nil selects all.
	Numbers  []NumberLabel `json:"numericLabels,omitempty"`
	Priority *PriorityIs   `json:"priority,omitempty"`
}

// NumberLabel selects candidates by a label whose value is a number of 32 bits.
type NumberLabel struct {
	Key string `json:"key"`
	// Fallback is the number of a workload whose label is missing or no number. Without a fallback such a
	// workload is not selected.
	Fallback *int32 `json:"fallbackValue,omitempty"`
	// Comparison is LessThan, LessThanOrEqual, GreaterThan or GreaterThanOrEqual. It says how the
	// candidate's number compares with the preemptor's. Empty compares nothing.
	Comparison string `json:"comparison,omitempty"`
	// Least and Most are the bounds of the candidate's number; nil for none.
	Least *int32 `json:"minValue,omitempty"`
	Most  *int32 `json:"maxValue,omitempty"`
}

// PriorityIs selects candidates by their priority.
type PriorityIs struct {
	// Mode is Base for priorities as they are, or Boosted for priorities with their boosts. Comparison
	// is that of NumberLabel. Both are set or neither.
	Mode       string `json:"mode,omitempty"`
	Comparison string `json:"comparison,omitempty"`
	Classes
}

// triggers are the two that quotas can tell, in the order in which their rules are asked.
var triggers = []string{"Always", "InsufficientQuota"}

// comparisons compare a candidate's number with the preemptor's, by Kueue's names.
var comparisons = map[string]func(candidate, preemptor int64) bool{
	"LessThan":           func(c, p int64) bool { return c < p },
	"LessThanOrEqual":    func(c, p int64) bool { return c <= p },
	"GreaterThan":        func(c, p int64) bool { return c > p },
	"GreaterThanOrEqual": func(c, p int64) bool { return c >= p },
}

// scopes say whether a candidate is near enough to the preemptor. Every scope but the first has the whole of the
// preemptor's own queue.
var scopes = map[string]func(candidate, preemptor *party) bool{
	"WithinLocalQueue":   func(c, p *party) bool { return c.at == p.at && c.local == p.local },
	"WithinClusterQueue": func(c, p *party) bool { return c.at == p.at },
	"WithinParentCohort": func(c, p *party) bool { return c.at == p.at || p.hasParent && c.parent == p.parent },
	"WithinCohortTree":   func(c, p *party) bool { return c.top == p.top },
	"AnyClusterQueue":    func(*party, *party) bool { return true },
}

// party is a workload as selectors see it.
type party struct {
	at, parent, top int // its queue, the cohort of that, and the top above; without a cohort the queue is the top
	hasParent       bool
	queue, labels   map[string]string // the labels of the queue and of the workload
	local, class    string            // the local queue and the priority class
	base, boosted   int64             // the priority without and with the boost
}

// priorities are what is compared in each mode.
var priorities = map[string]func(p *party) int64{
	"Base":    func(p *party) int64 { return p.base },
	"Boosted": func(p *party) int64 { return p.boosted },
}

// allows reports whether a class is selected. A workload without a class is selected unless Names lists some.
func (c *Classes) allows(name string) bool {
	return c == nil || (len(c.Names) == 0 || name != "" && slices.Contains(c.Names, name)) && (name == "" || !slices.Contains(c.NotNames, name))
}

// picks reports whether a selector matches labels. A nil selector picks everything here.
func picks(s *outrank.LabelSelector, labels map[string]string) bool {
	return s == nil || s.Matches(labels)
}

// number returns the number that the label of a workload stands for. It is not ok without a fallback for a label
// that is missing or no number.
func (n *NumberLabel) number(p *party) (number int64, ok bool) {
	if v, err := strconv.ParseInt(p.labels[n.Key], 10, 32); err == nil {
		return v, true
	}
	if n.Fallback == nil {
		return 0, false
	}
	return int64(*n.Fallback), true
}

// selects reports whether a candidate's number is within the bounds, and compares with the preemptor's as it should.
func (n *NumberLabel) selects(candidate, preemptor *party) bool {
	v, ok := n.number(candidate)
	if !ok || n.Least != nil && v < int64(*n.Least) || n.Most != nil && v > int64(*n.Most) {
		return false
	}
	if n.Comparison == "" {
		return true
	}
	own, ok := n.number(preemptor)
	return ok && comparisons[n.Comparison](v, own)
}

// selects reports whether a candidate's class is allowed, and its priority compares with the preemptor's as it should.
func (p *PriorityIs) selects(candidate, preemptor *party) bool {
	if p == nil {
		return true
	}
	priority := priorities[p.Mode] // nil without a mode, which compares nothing
	return p.allows(candidate.class) && (priority == nil || comparisons[p.Comparison](priority(candidate), priority(preemptor)))
}

// selects reports whether all conditions of a selector hold for a candidate.
func (s *Selector) selects(candidate, preemptor *party) bool {
	return scopes[s.Scope](candidate, preemptor) && picks(s.Queues, candidate.queue) && picks(s.Labels, candidate.labels) &&
		s.Priority.selects(candidate, preemptor) &&
		!slices.ContainsFunc(s.Numbers, func(n NumberLabel) bool { return !n.selects(candidate, preemptor) })
}

// selects reports whether the rule makes a workload a candidate (rules 24.9.1 and 24.9.3).
func (s *Selection) selects(candidate, preemptor *party) bool {
	return picks(s.Preemptor, preemptor.labels) && s.PreemptorClasses.allows(preemptor.class) &&
		slices.ContainsFunc(s.Candidates, func(x Selector) bool { return x.selects(candidate, preemptor) })
}

// checkedFurther checks the further rules of a queue and returns copies. It calls bad for each problem.
func checkedFurther(rules []Selection, bad func(field, format string, args ...any)) (out []Selection) {
	names := map[string]bool{}
	for i, s := range rules {
		c := checker{bad, fmt.Sprintf("Policy.Further[%d]", i)}
		c.must(s.Name != "", ".Name", "missing")
		c.must(s.Name == "" || !names[s.Name], ".Name", "there is another rule %s", s.Name)
		names[s.Name] = true
		if s.Trigger == "QuotaFeasibleAndInsufficientTopology" { // rule 24.9.2
			c.must(false, ".Trigger", "rule %s asks about topologies, which are not known here", s.Name)
		} else {
			c.must(slices.Contains(triggers, s.Trigger), ".Trigger", "there is no trigger %q", s.Trigger)
		}

		s.Preemptor = c.labels(".Preemptor", s.Preemptor)
		s.PreemptorClasses = s.PreemptorClasses.clone()
		s.Candidates = slices.Clone(s.Candidates)
		for j := range s.Candidates {
			c.under(".Candidates[%d]", j).selector(&s.Candidates[j])
		}
		out = append(out, s)
	}
	return out
}

// checker reports problems of one part of a queue. field names the part.
type checker struct {
	bad   func(field, format string, args ...any)
	field string
}

// under returns a checker for the i-th element of a field of the part.
func (c checker) under(format string, i int) checker {
	c.field += fmt.Sprintf(format, i)
	return c
}

// must reports a problem of a field unless something is ok.
func (c checker) must(ok bool, field, format string, args ...any) {
	if !ok {
		c.bad(c.field+field, format, args...)
	}
}

func (c checker) comparison(field, name string) {
	c.must(name == "" || comparisons[name] != nil, field, "there is no comparison %q", name)
}

// selector checks a selector that is a copy, and makes it independent of the original.
func (c checker) selector(x *Selector) {
	c.must(scopes[x.Scope] != nil, ".Scope", "there is no scope %q", x.Scope)
	x.Queues = c.labels(".Queues", x.Queues)
	x.Labels = c.labels(".Labels", x.Labels)

	// Pointers of the configuration are not kept.
	x.Numbers = slices.Clone(x.Numbers)
	for k := range x.Numbers {
		n := &x.Numbers[k]
		c := c.under(".Numbers[%d]", k)
		c.must(n.Key != "", ".Key", "missing")
		c.comparison(".Comparison", n.Comparison)
		c.must(n.Least == nil || n.Most == nil || *n.Least <= *n.Most, ".Least", "it is above Most")
		n.Fallback = copyOf(n.Fallback)
		n.Least = copyOf(n.Least)
		n.Most = copyOf(n.Most)
	}

	if x.Priority != nil {
		p := *x.Priority
		p.Classes = *p.Classes.clone()
		c.must(p.Mode == "" || priorities[p.Mode] != nil, ".Priority.Mode", "there is no mode %q", p.Mode)
		c.comparison(".Priority.Comparison", p.Comparison)
		c.must((p.Mode == "") == (p.Comparison == ""), ".Priority", "Mode and Comparison go together")
		x.Priority = &p
	}
}

// labels checks and copies a label selector.
func (c checker) labels(field string, s *outrank.LabelSelector) *outrank.LabelSelector {
	if err := s.Validate(); err != nil {
		c.must(false, field, "%v", err)
	}
	if s == nil {
		return nil
	}
	out := &outrank.LabelSelector{MatchLabels: maps.Clone(s.MatchLabels), MatchExpressions: slices.Clone(s.MatchExpressions)}
	for i := range out.MatchExpressions {
		out.MatchExpressions[i].Values = slices.Clone(out.MatchExpressions[i].Values)
	}
	return out
}

func (c *Classes) clone() *Classes {
	if c == nil {
		return nil
	}
	return &Classes{slices.Clone(c.Names), slices.Clone(c.NotNames)}
}

func copyOf(p *int32) *int32 {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
