package tenancy

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/outrank-go/outrank"
)

// Selection is a rule of Kueue's PreemptionConfig: it adds candidates to those of a queue's policy,
// whichever quotas they keep (group 24.9). Its JSON is that of Kueue, but for the trigger, which
// stands in an object of its own there.
type Selection struct {
	// Name tells the rule from the others of the queue, and stands in answers.
	Name string `json:"name"`
	// Trigger is Always, or InsufficientQuota: only if the others are not enough. Kueue's third
	// trigger asks about topologies, which are not known here, and is an error.
	Trigger string `json:"-"`
	// Preemptor selects the workloads that may use the rule; nil selects all, as do Classes that
	// are nil.
	Preemptor        *outrank.LabelSelector `json:"preemptorSelector,omitempty"`
	PreemptorClasses *Classes               `json:"preemptorPriorityClassSelector,omitempty"`
	// Candidates select the victims: each that one of them selects.
	Candidates []Selector `json:"candidateSelectors,omitempty"`
}

// Classes selects workloads by the names of their priority classes.
type Classes struct {
	// Names lists those that may be; none stands for all. NotNames lists those that may not.
	Names    []string `json:"matchNames,omitempty"`
	NotNames []string `json:"notMatchNames,omitempty"`
}

// Selector selects candidates. All that it says has to hold.
type Selector struct {
	// Scope is WithinLocalQueue, WithinClusterQueue, WithinParentCohort, WithinCohortTree or
	// AnyClusterQueue: how near the candidate's queue is to the preemptor's.
	Scope string `json:"scope"`
	// Queues selects by the labels of queues, Labels by those of workloads; nil selects all.
	Queues *outrank.LabelSelector `json:"clusterQueueSelector,omitempty"`
	Labels *outrank.LabelSelector `json:"labelSelector,omitempty"`
	// Numbers select by labels that are numbers; Priority by priorities and classes, nil by none.
	Numbers  []NumberLabel `json:"numericLabels,omitempty"`
	Priority *PriorityIs   `json:"priority,omitempty"`
}

// NumberLabel selects candidates by a label whose value is a number of 32 bits.
type NumberLabel struct {
	Key string `json:"key"`
	// Fallback stands for a label that is missing or no number; without it nobody is selected.
	Fallback *int32 `json:"fallbackValue,omitempty"`
	// Comparison is LessThan, LessThanOrEqual, GreaterThan or GreaterThanOrEqual: what the
	// candidate's number is of the preemptor's. Empty compares nothing.
	Comparison string `json:"comparison,omitempty"`
	// Least and Most are the bounds of the candidate's number; nil for none.
	Least *int32 `json:"minValue,omitempty"`
	Most  *int32 `json:"maxValue,omitempty"`
}

// PriorityIs selects candidates by their priority.
type PriorityIs struct {
	// Mode is Base for priorities as they are, or Boosted for those with their boosts. Comparison
	// is as in NumberLabel. There are both of them or neither.
	Mode       string `json:"mode,omitempty"`
	Comparison string `json:"comparison,omitempty"`
	Classes
}

// The two triggers that quotas can tell, in the order in which their rules are asked.
var triggers = []string{"Always", "InsufficientQuota"}

// comparisons hold a candidate's number to the preemptor's, by Kueue's names.
var comparisons = map[string]func(candidate, preemptor int64) bool{
	"LessThan":           func(c, p int64) bool { return c < p },
	"LessThanOrEqual":    func(c, p int64) bool { return c <= p },
	"GreaterThan":        func(c, p int64) bool { return c > p },
	"GreaterThanOrEqual": func(c, p int64) bool { return c >= p },
}

// scopes say whether a candidate is near enough to the preemptor. The preemptor's own queue is
// in every one but the first.
var scopes = map[string]func(candidate, preemptor *party) bool{
	"WithinLocalQueue":   func(c, p *party) bool { return c.at == p.at && c.local == p.local },
	"WithinClusterQueue": func(c, p *party) bool { return c.at == p.at },
	"WithinParentCohort": func(c, p *party) bool { return c.at == p.at || p.hasParent && c.parent == p.parent },
	"WithinCohortTree":   func(c, p *party) bool { return c.top == p.top },
	"AnyClusterQueue":    func(*party, *party) bool { return true },
}

// party is a workload as selectors see it: its queue with the cohort and the top above, and what
// both say of themselves. Without a cohort the queue is the top.
type party struct {
	at, parent, top int
	hasParent       bool
	queue, labels   map[string]string
	local, class    string
	base, boosted   int64
}

// priorities are what is compared in each mode.
var priorities = map[string]func(p *party) int64{
	"Base":    func(p *party) int64 { return p.base },
	"Boosted": func(p *party) int64 { return p.boosted },
}

// allows reports whether a class is one of those.
func (c *Classes) allows(name string) bool {
	return c == nil || (len(c.Names) == 0 || name != "" && slices.Contains(c.Names, name)) && (name == "" || !slices.Contains(c.NotNames, name))
}

// picks is Matches, but for a nil selector, which picks everything here.
func picks(s *outrank.LabelSelector, labels map[string]string) bool {
	return s == nil || s.Matches(labels)
}

// of returns the number that the label of a workload stands for.
func (n *NumberLabel) of(p *party) (number int64, ok bool) {
	if v, err := strconv.ParseInt(p.labels[n.Key], 10, 32); err == nil {
		return v, true
	}
	if n.Fallback == nil {
		return 0, false
	}
	return int64(*n.Fallback), true
}

func (n *NumberLabel) selects(candidate, preemptor *party) bool {
	v, ok := n.of(candidate)
	if !ok || n.Least != nil && v < int64(*n.Least) || n.Most != nil && v > int64(*n.Most) {
		return false
	}
	if n.Comparison == "" {
		return true
	}
	own, ok := n.of(preemptor)
	return ok && comparisons[n.Comparison](v, own)
}

func (p *PriorityIs) selects(candidate, preemptor *party) bool {
	if p == nil {
		return true
	}
	of := priorities[p.Mode]
	return p.allows(candidate.class) && (of == nil || comparisons[p.Comparison](of(candidate), of(preemptor)))
}

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

// checkedFurther checks and copies the further rules of a queue. It calls bad for each problem.
func checkedFurther(rules []Selection, bad func(field, format string, args ...any)) (out []Selection) {
	names := map[string]bool{}
	for i, s := range rules {
		c := checker{bad, fmt.Sprintf("Policy.Further[%d]", i)}
		c.must(s.Name != "", ".Name", "missing")
		c.must(s.Name == "" || !names[s.Name], ".Name", "there is another rule %s", s.Name)
		names[s.Name] = true
		if s.Trigger == "QuotaFeasibleAndInsufficientTopology" {
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

// checker reports problems of one part of a queue.
type checker struct {
	bad   func(field, format string, args ...any)
	field string
}

func (c checker) under(format string, i int) checker {
	c.field += fmt.Sprintf(format, i)
	return c
}

func (c checker) must(ok bool, field, format string, args ...any) {
	if !ok {
		c.bad(c.field+field, format, args...)
	}
}

func (c checker) comparison(field, name string) {
	c.must(name == "" || comparisons[name] != nil, field, "there is no comparison %q", name)
}

// selector checks a copy of a selector and makes it independent of the original.
func (c checker) selector(x *Selector) {
	c.must(scopes[x.Scope] != nil, ".Scope", "there is no scope %q", x.Scope)
	x.Queues, x.Labels = c.labels(".Queues", x.Queues), c.labels(".Labels", x.Labels)
	x.Numbers = slices.Clone(x.Numbers)
	for k := range x.Numbers {
		n := &x.Numbers[k]
		c := c.under(".Numbers[%d]", k)
		c.must(n.Key != "", ".Key", "missing")
		c.comparison(".Comparison", n.Comparison)
		c.must(n.Least == nil || n.Most == nil || *n.Least <= *n.Most, ".Least", "it is above Most")
		n.Fallback, n.Least, n.Most = copyOf(n.Fallback), copyOf(n.Least), copyOf(n.Most)
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
