package tenancy

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// Style says how far a queue may be taken from (group 24.5). With the empty style no queue and no cohort
// falls below what is its own, of anything that the preemptor asks for.
type Style string

// The styles of others.
const (
	// Kueue lets the last victim of a queue bring it below what is its own.
	Kueue Style = "Kueue"
	// YuniKorn does, too. The preemptor's queue ends within what is its own, and takes no more than it
	// is short of that. Nobody takes from their own queue, nor a pod that has nothing of what the preemptor
	// asks for, nor a pod of a higher priority.
	YuniKorn Style = "YuniKorn"
)

// Options says how tenants share a cluster.
type Options struct {
	// Tree has the amounts of each queue. A pod's queues are in it.
	Tree *Tree
	// QueueOf returns the queue of a pod, or the empty text: pods without a queue take
	// from one another by lower priority, as they do without tenants, and from nobody
	// else. A running pod of a queue that is not in the tree is never a victim. It always
	// returns the same for the same pod.
	QueueOf func(p *outrank.Pod) string
	// Uses returns the amounts that a pod takes of the quotas. Nil means its requests as it runs, by the
	// release of the cluster that is asked about, and 1 of "pods". Resources that the tree has no quota of do
	// not count, and no amount counts as more than 2^47.
	Uses func(p *outrank.Pod) resource.List
	// QueuedAt returns when a pod began to wait, for LowerOrNewer; nil means its start time, and
	// that the preemptor waited first.
	QueuedAt func(p *outrank.Pod) time.Time
	// Boost returns what is added to the priority of a pod of a queue (rule 24.2.5); nil adds nothing.
	Boost func(p *outrank.Pod) int32
	// Protection spares pods that started a short while before the time of Rules.At.
	Protection Protection
	// StartedAt returns when a pod was allowed to run, zero for one that no window spares; nil means
	// its start time.
	StartedAt func(p *outrank.Pod) time.Time
	Style     Style
	// Fair compares shares where the preemptor would have more than its own.
	Fair *Fair
}

// Rules are rules for package preemption. They never change; any number of goroutines
// may use them at once. [New] makes them. By Rules with options that New refuses, such as the zero
// Rules, nobody may take from anybody, and the filter and the guard do not start.
type Rules struct {
	Options
	now time.Time
	// made are the rules that At made these from. They have the filter and the trackers of both. Nil stands for
	// rules that New made.
	made   *Rules
	once   sync.Once // makes the filter
	filter preemption.Filter
	// trackers has by release the tracker of what the queues use.
	trackers sync.Map
}

// check returns everything that is wrong with options, in one *[outrank.InputError].
func (o *Options) check() error {
	var ps []outrank.Problem
	add := func(field, text string) {
		ps = append(ps, outrank.Problem{Object: "tenancy options", Field: field, Text: text})
	}
	if o.Tree == nil {
		add("Tree", "missing")
	}
	if o.QueueOf == nil {
		add("QueueOf", "missing")
	}
	o.Protection.check("tenancy options", &ps)
	if o.Tree != nil { // rule 24.9.5
		for i := range o.Tree.nodes {
			if n := &o.Tree.nodes[i]; len(n.further) > 0 {
				add("Tree", fmt.Sprintf("queue %s has the rule %s, and pods on nodes know no further rules", n.name, n.further[0].Name))
			}
		}
	}

	if o.Style != "" && o.Style != Kueue && o.Style != YuniKorn {
		add("Style", fmt.Sprintf("there is no style %q", o.Style))
	}
	if o.Fair != nil && !validStrategies(o.Fair.Strategies) {
		add("Fair.Strategies", fmt.Sprintf("there is no way to decide by %v", o.Fair.Strategies))
	}
	if o.Fair != nil && o.Style == YuniKorn {
		add("Fair", "YuniKorn does not compare shares")
	}

	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}

// New returns rules with these options. The error is an *[outrank.InputError] with everything that is wrong
// with them.
func New(o Options) (*Rules, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Fair != nil {
		o.Fair = &Fair{slices.Clone(o.Fair.Strategies), o.Fair.SharesAlone}
	}
	return &Rules{Options: o}, nil
}

// At returns the rules as they are at a time: windows of protection that are over by then spare nobody. Rules
// without a time count every window as open. The filter is the same at all times.
func (r *Rules) At(now time.Time) *Rules {
	return &Rules{Options: r.Options, now: now, made: r.origin()}
}

// origin returns the rules that have the filter and the trackers for these.
func (r *Rules) origin() *Rules {
	if r.made != nil {
		return r.made
	}
	r.once.Do(func() { r.filter = preemption.Filter{Name: "QueueQuota", Concerns: r.queued, Start: r.startFilter} })
	return r
}

// until returns the end of the window in which a rule spares a pod; zero for none.
func (r *Rules) until(rule string, p *outrank.Pod) time.Time {
	started := p.StartTime
	if r.StartedAt != nil {
		started = r.StartedAt(p)
	}
	if p.Terminating() {
		return time.Time{}
	}
	return r.Protection.until(rule, started, r.now)
}

// RetryAt returns the first end of a window that alone spares a pod from the preemptor: until then
// it finds no other victims (rule 24.8.5). It is zero where there is
// no such window. Time is that of asking Take about each pod.
func (r *Rules) RetryAt(preemptor *outrank.Pod, running []*outrank.Pod) (first time.Time) {
	free := &Rules{Options: r.Options, now: r.now}
	free.Protection = Protection{} // Take says then what the preemptor could take without windows
	for _, p := range running {
		by, _ := free.Take(preemptor, p)
		for _, rule := range r.takers(by) {
			if end := r.until(rule, p); !end.IsZero() && (first.IsZero() || end.Before(first)) {
				first = end
			}
		}
	}
	return first
}

// takers returns the rules by which a pod can leave where Take names one. Between queues that compare shares the
// guard decides whether it is reclaimed or goes by its share, so that either may be.
func (r *Rules) takers(rule string) []string {
	switch {
	case rule == "":
		return nil
	case rule == ruleReclaimed && r.Fair != nil:
		return []string{ruleReclaimed, ruleFairShare}
	}
	return []string{rule}
}

// lowerPriority is the rule between pods without a queue.
const lowerPriority = "lower priority"

// Take reports whether the preemptor may take a pod, whatever its priority, by what is known of the two
// alone, and by which rule; see [preemption.Eligibility].Take. The rule is one of those of [Taken], or
// "lower priority" between pods without a queue. The guard decides about several victims together.
// A nil pod takes nobody, and nobody takes a nil pod.
func (r *Rules) Take(preemptor, victim *outrank.Pod) (rule string, ok bool) {
	if r.Tree == nil || r.QueueOf == nil || preemptor == nil || victim == nil {
		return "", false
	}
	by := r.ruleBetween(preemptor, victim)
	for _, taker := range r.takers(by) {
		if r.until(taker, victim).IsZero() {
			return by, true
		}
	}
	return "", false
}

// ruleBetween returns the rule by which the preemptor may take a pod if no window spares it; empty where it may not.
func (r *Rules) ruleBetween(preemptor, victim *outrank.Pod) string {
	mine, theirs := r.QueueOf(preemptor), r.QueueOf(victim)
	if mine == "" || theirs == "" { // rule 24.5.1
		if mine == theirs && victim.PriorityValue() < preemptor.PriorityValue() {
			return lowerPriority
		}
		return ""
	}
	a, known := r.Tree.byName[mine]
	b, also := r.Tree.byName[theirs]
	if !known || !also {
		return ""
	}

	// A preemptor without a time counts as the first to wait, and a victim without one as the last.
	p := &r.Tree.nodes[a].policy
	x := r.ranked(preemptor, time.Time{})
	y := r.ranked(victim, latest)
	switch {
	// The style of YuniKorn (rule 24.5.4).
	case r.Style == YuniKorn && (a == b || y.priority > x.priority || r.Tree.root(a) != r.Tree.root(b) || !r.sharesResource(preemptor, victim)):
		return ""
	case r.Style == YuniKorn:
		return ruleReclaimed
	case a == b && p.Within.allows(x, y):
		return ruleWithin
	case a != b && r.Tree.root(a) == r.Tree.root(b) && p.Reclaim.allows(x, y):
		return ruleReclaimed
	}
	return ""
}

// sharesResource reports whether a victim uses anything that the preemptor asks for. The release does not matter:
// releases differ in how much a pod takes that is being resized, and not in whether it takes anything.
func (r *Rules) sharesResource(preemptor, victim *outrank.Pod) bool {
	asks, _ := r.uses(preemptor, outrank.DefaultRelease)
	uses, _ := r.uses(victim, outrank.DefaultRelease)
	for i, v := range asks {
		if v > 0 && uses[i] > 0 {
			return true
		}
	}
	return false
}

// latest is later than any pod's start.
var latest = time.Unix(math.MaxInt32, 0)

// ranked returns a pod's priority and time. A pod without a time has the one given.
func (r *Rules) ranked(p *outrank.Pod, otherwise time.Time) ranked {
	at := otherwise
	switch {
	case r.QueuedAt != nil:
		at = r.QueuedAt(p)
	case !p.StartTime.IsZero():
		at = p.StartTime
	}
	priority := int64(p.PriorityValue())
	if r.Boost != nil {
		priority += int64(r.Boost(p))
	}
	return ranked{priority, at}
}

// uses counts what a pod takes of the quotas in a cluster of a release.
func (r *Rules) uses(p *outrank.Pod, of outrank.Release) (amounts []int64, asked []bool) {
	var l resource.List
	if r.Uses != nil {
		l = r.Uses(p)
	} else {
		l = p.RunningRequests(of).Plus(onePod)
	}
	amounts, asked, _ = r.Tree.count(l)
	for i := range amounts {
		amounts[i] = min(amounts[i], mostOfPod)
	}
	return amounts, asked
}

// amounts appends the amounts of uses, without making a list of them where Uses is not set.
func (r *Rules) amounts(to []int64, p *outrank.Pod, of outrank.Release) []int64 {
	if r.Uses != nil {
		uses, _ := r.uses(p, of)
		return append(to, uses...)
	}
	for i, name := range r.Tree.names {
		q := p.RunningRequestOf(of, name)
		if name == resource.Pods {
			q = q.Add(resource.New(1))
		}
		to = append(to, min(max(0, resource.Amount(r.Tree.bases[i], q)), mostOfPod))
	}
	return to
}

// onePod is what a pod takes of the quota of pods.
var onePod = resource.List{resource.Pods: resource.New(1)}

// mostOfPod is the most that one pod counts with: 128 TiB of memory, say. Sums of tens of
// thousands of such pods do not overflow.
const mostOfPod = 1 << 47

// asks returns the queue of a preemptor with what it asks for; the queue is none for a pod without one. An
// unknown queue is an error, and so are options that New refuses.
func (r *Rules) asks(p *outrank.Pod, of outrank.Release) (at int, amounts []int64, asked []bool, err error) {
	if err := r.check(); err != nil {
		return none, nil, nil, err
	}
	name := r.QueueOf(p)
	if name == "" {
		return none, nil, nil, nil
	}
	at, ok := r.Tree.byName[name]
	if !ok {
		return none, nil, nil, &outrank.InputError{Problems: []outrank.Problem{{
			Object: "pod " + string(p.Key()), Field: "queue", Text: fmt.Sprintf("there is no queue %q", name),
		}}}
	}

	amounts, asked = r.uses(p, of)
	for i, v := range amounts {
		asked[i] = v > 0 // rule 24.3.8
	}
	return at, amounts, asked, nil
}

// clusterUsage has the amounts that the running pods of a cluster use.
type clusterUsage struct {
	*usage
	rules   *Rules
	release outrank.Release
}

// change adds what a pod takes to its queue, or takes it away again for -1. A pod of no queue changes nothing.
func (c clusterUsage) change(p *outrank.Pod, by int64) {
	if at, ok := c.Tree.byName[c.rules.QueueOf(p)]; ok {
		var room [8]int64 // spares an allocation for trees of few resources
		c.add(at, c.rules.amounts(room[:0], p, c.release), by)
	}
}

func (c clusterUsage) Add(p *outrank.Pod, _ *outrank.Node) { c.change(p, 1) }

func (c clusterUsage) Remove(p *outrank.Pod, _ *outrank.Node) { c.change(p, -1) }

func (c clusterUsage) Clone() preemption.ClusterState {
	return clusterUsage{c.usage.clone(), c.rules, c.release}
}
