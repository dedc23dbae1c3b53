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

// Style says how much the victims of one decision may take from a queue (group 24.5). With the empty style no queue
// and no cohort falls below its quota, in any resource that the preemptor asks for.
type Style string

// The styles that follow other schedulers.
const (
	// Kueue allows the last victim of a queue to bring it below its quota.
	Kueue Style = "Kueue"
	// YuniKorn allows that, too. The preemptor's queue ends within its quota, and its victims use no more than it
	// was short of. Pods of the preemptor's own queue, pods of a higher priority, and pods that use nothing of
	// what the preemptor asks for are no victims.
	YuniKorn Style = "YuniKorn"
)

// Options says how tenants share a cluster.
type Options struct {
	// Tree has the quota and the policy of each queue.
	Tree *Tree
	// QueueOf returns the name of a pod's queue, or the empty string. Pods without a queue may only preempt one
	// another, by lower priority. A running pod whose queue is not in the tree is never a victim. QueueOf must
	// always return the same for the same pod.
	QueueOf func(p *outrank.Pod) string
	// Uses returns the amounts that a pod uses of the quotas. Nil means its requests as a running pod, by the
	// release of the cluster, and 1 of "pods". Resources without a quota in the tree are ignored, and each amount
	// counts as 2^47 at most.
	Uses func(p *outrank.Pod) resource.List
	// QueuedAt returns when a pod began to wait, for LowerOrNewer. Nil means its start time; a pod without one
	// counts as the first to wait if it is the preemptor, and as the last if it is a victim.
	QueuedAt func(p *outrank.Pod) time.Time
	// Boost returns an amount that is added to the priority of a pod with a queue (rule 24.2.5). Nil adds
	// nothing.
	Boost func(p *outrank.Pod) int32
	// Protection spares pods that started a short while before the time of Rules.At.
	Protection Protection
	// StartedAt returns when a pod was allowed to run, and the zero time for a pod that no window spares. Nil
	// means its start time.
	StartedAt func(p *outrank.Pod) time.Time
	Style     Style
	// Fair makes shares decide if the preemptor's queue would use more than its quota. Nil means that shares
	// are not compared.
	Fair *Fair
}

// Rules are rules for package preemption, made by [New]. They never change; any number of goroutines may use them
// at once. Rules with options that New refuses are of no use: their filter and guard return an error when they start,
// and without a Tree or QueueOf, as in the zero Rules, Take lets nobody preempt.
type Rules struct {
	Options
	now time.Time
	// made is the original of rules that At returned, and nil for rules that New returned. The original holds the
	// filter and the trackers, which all of them share.
	made   *Rules
	once   sync.Once // makes the filter
	filter preemption.Filter
	// trackers maps a release to the tracker of the amounts that the queues use.
	trackers sync.Map
}

// check returns an *[outrank.InputError] with every problem of the options.
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

	// Only Tree.Reclaim knows further rules. A tree that has some is refused, so that they are not ignored silently.
	if o.Tree != nil { // further rules (rule 24.9.5)
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

// New returns rules with these options. The error is an *[outrank.InputError] with every problem of the options.
func New(o Options) (*Rules, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Fair != nil {
		o.Fair = &Fair{slices.Clone(o.Fair.Strategies), o.Fair.SharesAlone}
	}
	return &Rules{Options: o}, nil
}

// At returns the same rules at a point in time: windows of protection that have ended by then spare nobody. In rules
// without a time every window is open. The filter is the same at all times.
func (r *Rules) At(now time.Time) *Rules {
	return &Rules{Options: r.Options, now: now, made: r.origin()}
}

// origin returns the rules that hold the filter and the trackers, and makes the filter at the first call.
func (r *Rules) origin() *Rules {
	if r.made != nil {
		return r.made
	}
	r.once.Do(func() { r.filter = preemption.Filter{Name: "QueueQuota", Concerns: r.queued, Start: r.startFilter} })
	return r
}

// until returns the end of the open window that spares a pod from a rule, or the zero time. No window spares a
// terminating pod.
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

// RetryAt returns when the first window ends that alone spares a pod from the preemptor. Before that time the
// preemptor has no further victims (rule 24.8.5). It is zero if there is no such window. RetryAt calls Take for
// each of the pods.
func (r *Rules) RetryAt(preemptor *outrank.Pod, running []*outrank.Pod) (first time.Time) {
	free := &Rules{Options: r.Options, now: r.now}
	free.Protection = Protection{} // so that Take answers as if there were no windows
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

// takers returns the rules by which a pod may leave if Take names this one. With Fair a reclaimed pod can also leave by
// its queue's share: only the guard can tell, because it knows all victims.
func (r *Rules) takers(rule string) []string {
	switch {
	case rule == "":
		return nil
	case rule == ruleReclaimed && r.Fair != nil:
		return []string{ruleReclaimed, ruleFairShare}
	}
	return []string{rule}
}

// lowerPriority is the rule by which a pod without a queue preempts another one.
const lowerPriority = "lower priority"

// Take reports whether the preemptor may preempt a pod, judging by these two pods only, and by which rule; see
// [preemption.Eligibility].Take. [Taken] lists the rules; between pods without a queue it is "lower
// priority". Whether several victims may leave together is up to the guard. If either pod is nil, Take returns false.
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

// ruleBetween returns the rule by which the preemptor may preempt a pod that no window spares, and the empty string if
// there is none.
func (r *Rules) ruleBetween(preemptor, victim *outrank.Pod) string {
	mine, theirs := r.QueueOf(preemptor), r.QueueOf(victim)
	if mine == "" || theirs == "" { // pods without a queue have rules of their own (rule 24.5.1)
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

	// A preemptor without a time counts as the first to wait, and a victim without a time as the last.
	p := &r.Tree.nodes[a].policy
	x := r.ranked(preemptor, time.Time{})
	y := r.ranked(victim, latest)
	switch {
	// In the style of YuniKorn the policies do not matter (rule 24.5.4).
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

// sharesResource reports whether a victim uses any resource that the preemptor asks for. Any release will do: releases
// differ in how much a pod uses while it is resized, but not in whether it uses a resource.
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

// latest stands in for a missing time. It is later than the start of any pod.
var latest = time.Unix(math.MaxInt32, 0)

// ranked returns the boosted priority of a pod, and the time at which it began to wait. A pod without that time gets
// otherwise.
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

// uses returns the amounts that a pod uses of the quotas in a cluster of this release, and marks the resources that it
// names.
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

// amounts appends the amounts of uses. Without Options.Uses it avoids building a resource list.
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

// onePod is the amount that each pod uses of the quota of pods.
var onePod = resource.List{resource.Pods: resource.New(1)}

// mostOfPod bounds each amount of a pod; it is 128 TiB of memory, for example. So sums of tens of thousands of pods do
// not overflow.
const mostOfPod = 1 << 47

// asks returns the queue of a preemptor, and the amounts that it asks for. The queue is none for a pod without a
// queue. It is an error if the queue is not in the tree, or if New would refuse the options.
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
		asked[i] = v > 0 // naming a resource with 0 asks for nothing (rule 24.3.8)
	}
	return at, amounts, asked, nil
}

// clusterUsage counts the amounts that the queues use through the running pods of a cluster.
type clusterUsage struct {
	*usage
	rules   *Rules
	release outrank.Release
}

// change adds the amounts of a pod to its queue if by is 1, and subtracts them if by is -1. A pod without a queue in the
// tree changes nothing.
func (c clusterUsage) change(p *outrank.Pod, by int64) {
	if at, ok := c.Tree.byName[c.rules.QueueOf(p)]; ok {
		var room [8]int64 // on the stack: saves an allocation for trees with few resources
		c.add(at, c.rules.amounts(room[:0], p, c.release), by)
	}
}

// Add counts a pod that runs on a node.
func (c clusterUsage) Add(p *outrank.Pod, _ *outrank.Node) { c.change(p, 1) }

// Remove no longer counts a pod.
func (c clusterUsage) Remove(p *outrank.Pod, _ *outrank.Node) { c.change(p, -1) }

// Clone returns a copy with amounts of its own.
func (c clusterUsage) Clone() preemption.ClusterState {
	return clusterUsage{c.usage.clone(), c.rules, c.release}
}
