package tenancy

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/outrank-go/outrank"
)

// Selection is a rule of Kueue's PreemptionConfig. It adds candidates beyond those of the queue's policy, even from
// queues within their quota (group 24.9). Its JSON is Kueue's, except for the trigger, which Kueue writes in an
// object of its own.
type Selection struct {
	// Name is unique among the rules of the queue. Answers refer to the rule by this name.
	Name string `json:"name"`
	// Trigger is Always or InsufficientQuota. Both add candidates if those of the policy are not enough, and
	// InsufficientQuota only after all rules with Always. Kueue's third trigger is about topologies, which are
	// not known here, and is an error.
	Trigger string `json:"-"`
	// Preemptor and PreemptorClasses select the workloads that may preempt by the rule. Nil selects all.
	Preemptor        *outrank.LabelSelector `json:"preemptorSelector,omitempty"`
	PreemptorClasses *Classes               `json:"preemptorPriorityClassSelector,omitempty"`
	// Candidates select the victims. A workload is a candidate if one of them selects it.
	Candidates []Selector `json:"candidateSelectors,omitempty"`
}

// Classes selects workloads by the names of their priority classes.
type Classes struct {
	// Names lists the selected classes; an empty list selects all. NotNames lists classes that are excluded.
	Names    []string `json:"matchNames,omitempty"`
	NotNames []string `json:"notMatchNames,omitempty"`
}

// Selector selects candidates. All of its conditions have to hold.
type Selector struct {
	// Scope says how near the candidate's queue is to the preemptor's: WithinLocalQueue, WithinClusterQueue,
	// WithinParentCohort, WithinCohortTree or AnyClusterQueue.
	Scope string `json:"scope"`
	// Queues selects by the labels of the candidate's queue, Labels by the labels of the candidate. Nil selects
	// all.
	Queues *outrank.LabelSelector `json:"clusterQueueSelector,omitempty"`
	Labels *outrank.LabelSelector `json:"labelSelector,omitempty"`
	// Numbers selects by labels whose values are numbers, Priority by priority and priority class. Nil selects
	// all.
	Numbers  []NumberLabel `json:"numericLabels,omitempty"`
	Priority *PriorityIs   `json:"priority,omitempty"`
}

// NumberLabel selects candidates by a label whose value is a 32-bit integer.
type NumberLabel struct {
	Key string `json:"key"`
	// Fallback is used if the label of a workload is missing or not a number. If it is nil, such a workload is
	// not selected.
	Fallback *int32 `json:"fallbackValue,omitempty"`
	// Comparison is LessThan, LessThanOrEqual, GreaterThan or GreaterThanOrEqual: the relation in which the
	// candidate's number must be to the preemptor's. If it is empty, the numbers are not compared.
	Comparison string `json:"comparison,omitempty"`
	// Least and Most bound the candidate's number. Nil means no bound.
	Least *int32 `json:"minValue,omitempty"`
	Most  *int32 `json:"maxValue,omitempty"`
}

// PriorityIs selects candidates by their priority.
type PriorityIs struct {
	// Mode selects the priorities that are compared: Base for those without boosts, Boosted for those with
	// boosts. Comparison is as in NumberLabel. Either both are set or neither.
	Mode       string `json:"mode,omitempty"`
	Comparison string `json:"comparison,omitempty"`
	Classes
}

// triggers lists the supported triggers, in the order in which their rules are tried.
var triggers = []string{"Always", "InsufficientQuota"}

// comparisons maps Kueue's names to comparisons of a candidate's number (c) with the preemptor's (p).
var comparisons = map[string]func(candidate, preemptor int64) bool{
	"LessThan":           func(c, p int64) bool { return c < p },
	"LessThanOrEqual":    func(c, p int64) bool { return c <= p },
	"GreaterThan":        func(c, p int64) bool { return c > p },
	"GreaterThanOrEqual": func(c, p int64) bool { return c >= p },
}

// scopes maps Kueue's names to conditions on the queues of candidate and preemptor. Every scope but the first contains
// the preemptor's whole queue.
var scopes = map[string]func(candidate, preemptor *party) bool{
	"WithinLocalQueue":   func(c, p *party) bool { return c.at == p.at && c.local == p.local },
	"WithinClusterQueue": func(c, p *party) bool { return c.at == p.at },
	"WithinParentCohort": func(c, p *party) bool { return c.at == p.at || p.hasParent && c.parent == p.parent },
	"WithinCohortTree":   func(c, p *party) bool { return c.top == p.top },
	"AnyClusterQueue":    func(*party, *party) bool { return true },
}

// party has everything that selectors read of a workload.
type party struct {
	at, parent, top int // nodes: its queue, the queue's cohort, and the root; without a cohort the queue is the root
	hasParent       bool
	queue, labels   map[string]string // labels of the queue and of the workload
	local, class    string            // local queue and priority class
	base, boosted   int64             // priority without and with the boost
}

// priorities maps each mode of PriorityIs to the priority that it compares.
var priorities = map[string]func(p *party) int64{
	"Base":    func(p *party) int64 { return p.base },
	"Boosted": func(p *party) int64 { return p.boosted },
}

// allows reports whether a priority class is selected. The empty name, of a workload without a class, is selected unless
// Names is set.
func (c *Classes) allows(name string) bool {
	return c == nil || (len(c.Names) == 0 || name != "" && slices.Contains(c.Names, name)) && (name == "" || !slices.Contains(c.NotNames, name))
}

// picks reports whether a selector matches labels. Unlike in Kubernetes, a nil selector matches everything.
func picks(s *outrank.LabelSelector, labels map[string]string) bool {
	return s == nil || s.Matches(labels)
}

// number returns the number in a workload's label, or the fallback if the label is missing or not a number. It is not
// ok if there is no fallback either.
func (n *NumberLabel) number(p *party) (number int64, ok bool) {
	if v, err := strconv.ParseInt(p.labels[n.Key], 10, 32); err == nil {
		return v, true
	}
	if n.Fallback == nil {
		return 0, false
	}
	return int64(*n.Fallback), true
}

// selects reports whether a candidate's number is within the bounds, and in the right relation to the preemptor's.
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

// selects reports whether a candidate's class is allowed, and its priority is in the right relation to the preemptor's.
// A nil PriorityIs selects all.
func (p *PriorityIs) selects(candidate, preemptor *party) bool {
	if p == nil {
		return true
	}
	priority := priorities[p.Mode] // nil without a mode: priorities are not compared then
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

// checkedFurther checks the further rules of a queue, and returns deep copies. It calls bad for each problem.
func checkedFurther(rules []Selection, bad func(field, format string, args ...any)) (out []Selection) {
	names := map[string]bool{}
	for i, s := range rules {
		c := checker{bad, fmt.Sprintf("Policy.Further[%d]", i)}
		c.must(s.Name != "", ".Name", "missing")
		c.must(s.Name == "" || !names[s.Name], ".Name", "there is another rule %s", s.Name)
		names[s.Name] = true
		if s.Trigger == "QuotaFeasibleAndInsufficientTopology" { // Kueue has it, but it needs topologies (rule 24.9.2)
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

// checker reports problems of one part of a queue's configuration. field is the path of the part.
type checker struct {
	bad   func(field, format string, args ...any)
	field string
}

// under returns a checker for the i-th element of a list in the part. format names the list, such as ".Numbers[%d]".
func (c checker) under(format string, i int) checker {
	c.field += fmt.Sprintf(format, i)
	return c
}

// must reports a problem of a field of the part unless ok is true.
func (c checker) must(ok bool, field, format string, args ...any) {
	if !ok {
		c.bad(c.field+field, format, args...)
	}
}

// comparison reports a problem if there is no comparison of this name. The empty name is allowed.
func (c checker) comparison(field, name string) {
	c.must(name == "" || comparisons[name] != nil, field, "there is no comparison %q", name)
}

// selector checks a selector, and replaces everything that it points to by copies. x itself must be a copy.
func (c checker) selector(x *Selector) {
	c.must(scopes[x.Scope] != nil, ".Scope", "there is no scope %q", x.Scope)
	x.Queues = c.labels(".Queues", x.Queues)
	x.Labels = c.labels(".Labels", x.Labels)

	// A tree keeps no pointers into the caller's configuration.
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

	// A mode without a comparison, or the reverse, would silently compare nothing.
	if x.Priority != nil {
		p := *x.Priority
		p.Classes = *p.Classes.clone()
		c.must(p.Mode == "" || priorities[p.Mode] != nil, ".Priority.Mode", "there is no mode %q", p.Mode)
		c.comparison(".Priority.Comparison", p.Comparison)
		c.must((p.Mode == "") == (p.Comparison == ""), ".Priority", "Mode and Comparison go together")
		x.Priority = &p
	}
}

// labels checks a label selector, and returns a deep copy; nil stays nil.
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

// clone returns a deep copy; nil stays nil.
func (c *Classes) clone() *Classes {
	if c == nil {
		return nil
	}
	return &Classes{slices.Clone(c.Names), slices.Clone(c.NotNames)}
}

// copyOf returns a pointer to a copy of the number; nil stays nil.
func copyOf(p *int32) *int32 {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
