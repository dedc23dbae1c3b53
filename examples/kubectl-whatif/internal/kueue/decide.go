package kueue

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/clock"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// Outcome says whether a workload is admitted, and at what price.
type Outcome string

// The outcomes.
const (
	Fits         Outcome = "fits"         // quota is free
	Preempts     Outcome = "preempts"     // others have to leave
	Waits        Outcome = "waits"        // quota is taken, and no rule lets the workload take enough
	Inadmissible Outcome = "inadmissible" // the workload would not be admitted without any others either
)

// Answer says what Kueue would do with a workload.
type Answer struct {
	// Workload is the workload in question. Its LocalQueue, its ClusterQueue and the cohorts above follow.
	Workload     outrank.Key `json:"workload"`
	LocalQueue   outrank.Key `json:"localQueue,omitempty"`
	ClusterQueue string      `json:"clusterQueue,omitempty"`
	Cohorts      []string    `json:"cohorts,omitempty"`
	// Priority is the effective priority. Boost is the part of it that an annotation adds.
	Priority int64 `json:"priority"`
	Boost    int32 `json:"boost,omitempty"`
	// Uses has the amounts that the workload takes of quotas, by resource@flavor. Scarce lists the quotas of
	// which too little is free.
	Uses    resource.List   `json:"uses,omitempty"`
	Scarce  []resource.Name `json:"scarce,omitempty"`
	Outcome Outcome         `json:"outcome"`
	// Reasons says why the workload waits or is inadmissible.
	Reasons []string `json:"reasons,omitempty"`
	// Victims lists the workloads that have to leave.
	Victims []Victim `json:"victims,omitempty"`
	// RetryAt is the end of the first window of protection that keeps a workload from leaving. Kueue asks again
	// then. Then is the answer at the first end of a window at which the workload in question is admitted, if
	// nothing else changes.
	RetryAt clock.Time `json:"retryAt,omitzero"`
	Then    *Then      `json:"then,omitempty"`
	// Ahead lists the workloads that wait in the same ClusterQueue and come first.
	Ahead []string `json:"ahead,omitempty"`
}

// Then is an answer at a later time.
type Then struct {
	At      clock.Time `json:"at"`
	Victims []Victim   `json:"victims,omitempty"`
}

// Victim is a workload that has to leave, with the rule that allows it.
type Victim struct {
	Workload     string        `json:"workload"`
	ClusterQueue string        `json:"clusterQueue"`
	Rule         string        `json:"rule"`
	Priority     int64         `json:"priority"`
	Uses         resource.List `json:"uses"`
	Started      clock.Time    `json:"started,omitzero"`
	Leaving      bool          `json:"leaving,omitempty"`
}

// Ask answers about a workload at a time. The error says what cannot be decided about.
func Ask(c *Cluster, s *Settings, asked *Asked, now time.Time) (*Answer, []Caveat, error) {
	m, err := build(c, s)
	if err != nil {
		return nil, nil, err
	}
	d := &question{model: m, asked: asked, now: now, answer: &Answer{Workload: asked.name, LocalQueue: asked.local}}
	if err := d.decide(); err != nil {
		return nil, nil, err
	}
	d.addCaveats()
	return d.answer, m.caveats, nil
}

// question is the question about one workload while it is being answered.
type question struct {
	*model
	asked *Asked
	now   time.Time
	// queue is the workload's ClusterQueue. It is nil until findQueue has found it.
	queue *clusterQueue
	tree  *tenancy.Tree
	// workload is the workload in question in the form of package tenancy.
	workload tenancy.Workload
	answer   *Answer
}

// refuse records that the workload is inadmissible, and why.
func (d *question) refuse(format string, args ...any) error {
	d.answer.Outcome = Inadmissible
	d.answer.Reasons = append(d.answer.Reasons, fmt.Sprintf(format, args...))
	return nil
}

// decide finds the outcome.
func (d *question) decide() (err error) {
	if d.workload, err = d.incoming(d.asked, d.now); err != nil {
		return err
	}
	a := d.answer
	a.Priority, a.Boost = int64(d.workload.Priority)+int64(d.workload.Boost), d.workload.Boost
	if d.asked.holds {
		return fmt.Errorf("%s has quota already", d.asked.object)
	}

	if why := d.findQueue(); why != "" {
		return d.refuse("%s", why)
	}

	// The tree has all queues of the dump, because queues borrow from each other.
	d.workload.Queue = a.ClusterQueue
	if d.tree, err = tenancy.NewTree(d.config); err != nil {
		return err
	}

	ways, why := d.ways()
	if len(ways) == 0 {
		a.Reasons = why
		return d.refuse("no flavor of clusterqueue %s takes it", a.ClusterQueue)
	}
	return d.tryWays(ways)
}

// findQueue finds the ClusterQueue by way of the LocalQueue, and the cohorts above. It says why the workload is
// not taken there. It is empty if the workload is taken.
func (d *question) findQueue() string {
	a := d.answer
	if a.LocalQueue == "" {
		return "it names no LocalQueue (label " + queueLabel + ")"
	}
	local := d.locals[a.LocalQueue]
	if local == nil {
		return fmt.Sprintf("there is no LocalQueue %s in the dump", a.LocalQueue)
	}

	a.ClusterQueue = local.Spec.ClusterQueue
	if d.queue = d.clusterQueue(a.ClusterQueue); d.queue == nil {
		return fmt.Sprintf("there is no ClusterQueue %s in the dump, which LocalQueue %s names", a.ClusterQueue, a.LocalQueue)
	}
	a.Cohorts = d.cohortsAbove(d.queue)

	// Either of the two queues may be stopped, and so may the workload itself. Then quotas play no part.
	if why := stopped("LocalQueue "+string(a.LocalQueue), local.Spec.Stop); why != "" {
		return why
	}
	if why := stopped("ClusterQueue "+a.ClusterQueue, d.queue.stop()); why != "" {
		return why
	}
	if c := d.queue.inactive(); c != nil {
		return fmt.Sprintf("ClusterQueue %s is not active (%s)", a.ClusterQueue, c.Reason)
	}
	if d.asked.inactive {
		return "it is not active (spec.active)"
	}
	return d.namespaceProblem()
}

// cohortsAbove lists the cohorts of a queue from the lowest to the highest. It stops if cohorts name each other
// as parents in a circle.
func (m *model) cohortsAbove(q *clusterQueue) (out []string) {
	parents := map[string]string{}
	for _, c := range m.cohorts {
		parents[c.Metadata.Name] = c.parent()
	}
	for name := q.cohort(); name != "" && !slices.Contains(out, name); name = parents[name] {
		out = append(out, name)
	}
	return out
}

// stopped says that a queue is stopped. It is empty if the queue is not.
func stopped(object, policy string) string {
	if policy == "" || policy == "None" {
		return ""
	}
	return fmt.Sprintf("%s is stopped (stopPolicy %s)", object, policy)
}

// namespaceProblem says that the ClusterQueue does not take the namespace. It is empty if it does. A namespace
// that is not in the dump is assumed to be taken.
func (d *question) namespaceProblem() string {
	namespace, _, _ := strings.Cut(string(d.asked.name), "/")
	selector := d.queue.namespaces()
	labels, there := d.namespaces[namespace]
	switch {
	case selector == nil:
		return fmt.Sprintf("ClusterQueue %s takes no namespace (it has no namespaceSelector)", d.answer.ClusterQueue)
	case selector.Empty():
	case !there:
		d.caveat("namespace "+namespace, "not in the dump; here its labels meet the namespaceSelector of clusterqueue %s", d.answer.ClusterQueue)
	case !selector.Matches(labels):
		return fmt.Sprintf("ClusterQueue %s does not take the namespace %s (namespaceSelector)", d.answer.ClusterQueue, namespace)
	}
	return ""
}

// tryWays answers with the best of the ways to assign flavors.
func (d *question) tryWays(ways []resource.List) error {
	a := d.answer
	best, err := d.best(ways)
	if err != nil {
		return err
	}
	if len(ways) > 1 && best.Outcome != preemption.Fits {
		d.caveat("clusterqueue "+a.ClusterQueue, "%d ways to assign flavors come into question, and none is free; this is the first that helps, or the first: Kueue goes by flavorFungibility", len(ways))
	}

	switch best.Outcome {
	case preemption.Fits:
		a.Outcome = Fits
		return nil
	case preemption.Preempts:
		a.Outcome, a.Victims = Preempts, victims(best)
	}
	if err := d.findScarce(); err != nil || best.Outcome == preemption.Preempts {
		return err
	}
	return d.whyNot(best)
}

// best returns the answer about the best of the ways, and records the amounts of that way: the first way that
// fits, otherwise the first for which others may leave, otherwise the first.
func (d *question) best(ways []resource.List) (*tenancy.Answer, error) {
	var best *tenancy.Answer
	for _, uses := range ways {
		t, err := d.reclaim(uses, d.now, d.admitted)
		if err != nil {
			return nil, err
		}
		if best == nil || t.Outcome == preemption.Fits || t.Outcome == preemption.Preempts && best.Outcome == preemption.NothingHelps {
			best = t
			d.answer.Uses = uses
		}
		if t.Outcome == preemption.Fits {
			break
		}
	}
	return best, nil
}

// reclaim asks package tenancy about amounts at a time, together with the admitted workloads.
func (d *question) reclaim(uses resource.List, at time.Time, admitted []tenancy.Workload) (*tenancy.Answer, error) {
	in := d.workload
	in.Uses = uses
	return d.tree.Reclaim(tenancy.Request{Incoming: in, Admitted: admitted, Fair: d.fair, Protection: d.protection, Now: at})
}

// findScarce finds the resources of which too little is free. It asks about each one separately.
func (d *question) findScarce() error {
	a := d.answer
	for _, name := range a.Uses.Names() {
		t, err := d.reclaim(resource.List{name: a.Uses[name]}, d.now, d.admitted)
		if err != nil {
			return err
		}
		if t.Outcome != preemption.Fits {
			a.Scarce = append(a.Scarce, name)
		}
	}
	return nil
}

// mostRetries is the most ends of windows that are tried.
const mostRetries = 100

// whyNot says why nothing helps, and when to ask again.
func (d *question) whyNot(now *tenancy.Answer) error {
	// Without the other workloads only the quotas themselves can be in the way.
	a := d.answer
	empty, err := d.reclaim(a.Uses, d.now, nil)
	if err != nil {
		return err
	}
	if empty.Outcome != preemption.Fits {
		return d.refuse("it asks for more than its queue may ever have, of %s", join(a.Scarce))
	}

	a.Outcome = Waits
	a.Reasons = append(a.Reasons, fmt.Sprintf("too little is free of %s, and by no rule it may take enough from others", join(a.Scarce)))

	// At each end of a window one more workload may be preempted, which may not be enough.
	a.RetryAt = clock.Time{Time: now.RetryAt}
	for at, tries := now.RetryAt, 0; !at.IsZero() && tries < mostRetries; tries++ {
		t, err := d.reclaim(a.Uses, at, d.admitted)
		if err != nil {
			return err
		}
		if t.Outcome == preemption.Preempts {
			a.Then = &Then{clock.Time{Time: at}, victims(t)}
			return nil
		}
		at = t.RetryAt
	}
	return nil
}

// join names resources.
func join(names []resource.Name) string {
	var out []string
	for _, name := range names {
		out = append(out, string(name))
	}
	return strings.Join(out, ", ")
}

// victims converts the victims of an answer of package tenancy.
func victims(t *tenancy.Answer) (out []Victim) {
	for _, v := range t.Victims {
		out = append(out, Victim{
			Workload: v.Name, ClusterQueue: v.Queue, Rule: v.Rule, Priority: int64(v.Priority) + int64(v.Boost), Uses: v.Uses, Started: clock.Time{Time: v.Started}, Leaving: v.Leaving,
		})
	}
	return out
}

// addCaveats names what Kueue takes into account and the answer does not.
func (d *question) addCaveats() {
	a := d.answer
	if d.queue == nil {
		return
	}

	object := "clusterqueue " + a.ClusterQueue
	if checks := d.queue.checks(); len(checks) > 0 {
		slices.Sort(checks)
		d.caveat(object, "once it has quota, admission checks have their say: %s", strings.Join(checks, ", "))
	}
	if d.queue.scoped() {
		d.caveat(object, "usage of LocalQueues in the past, which decides about the order of victims here (admissionScope), is not looked at")
	}

	// A topology concerns only the flavors that the workload uses.
	flavors := map[string]bool{}
	for name := range a.Uses {
		_, f, _ := strings.Cut(string(name), "@")
		flavors[f] = true
	}
	for _, f := range slices.Sorted(maps.Keys(flavors)) {
		if x := d.flavors[f]; x != nil && x.Spec.Topology != "" {
			d.caveat("resourceflavor "+f, "its topology %s is not looked at: Kueue may find quota and no place", x.Spec.Topology)
		}
	}

	d.ahead()
}

// ahead lists the workloads that wait in the same ClusterQueue and come first, and adds a caveat about them.
func (d *question) ahead() {
	before := d.waitingBefore()
	for _, w := range before {
		d.answer.Ahead = append(d.answer.Ahead, w.name)
	}

	others := map[bool]string{true: "1 other that waits", false: fmt.Sprintf("%d others that wait", len(before))}[len(before) == 1]
	switch {
	case len(before) == 0:
	case d.queue.strict():
		d.caveat("clusterqueue "+d.answer.ClusterQueue, "it is asked about once %s before it got quota (StrictFIFO)", others)
	default:
		d.caveat("clusterqueue "+d.answer.ClusterQueue, "it is asked about after %s, which may take the quota", others)
	}
}

// waitingWorkload is a waiting workload with everything that determines its place in the queue.
type waitingWorkload struct {
	name     string
	priority int64
	created  time.Time
}

// waitingBefore lists the workloads that wait in the same ClusterQueue and come first: workloads of a higher
// priority, and older ones of an equal priority.
func (d *question) waitingBefore() (before []waitingWorkload) {
	for _, w := range d.workloads {
		local := d.locals[outrank.NewKey(w.Metadata.Namespace, w.Spec.Queue)]
		if w.holds() || w.condition("Finished") != nil || w.Metadata.key() == d.asked.name || local == nil || local.Spec.ClusterQueue != d.answer.ClusterQueue {
			continue
		}

		x := waitingWorkload{string(w.Metadata.key()), int64(d.boostOf(w)), w.Metadata.Created}
		if w.Spec.Priority != nil {
			x.priority += int64(*w.Spec.Priority)
		}
		if x.priority > d.answer.Priority || x.priority == d.answer.Priority && x.created.Before(d.workload.Queued) {
			before = append(before, x)
		}
	}
	slices.SortFunc(before, func(a, b waitingWorkload) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), a.created.Compare(b.created), cmp.Compare(a.name, b.name))
	})
	return before
}

// boostOf returns the boost of a workload, without caveats.
func (d *question) boostOf(w *workload) int32 {
	quiet := model{Cluster: d.Cluster, Settings: d.Settings}
	return quiet.boost("", w.Metadata.Annotations)
}
