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
	Waits        Outcome = "waits"        // quota is taken, and by no rule it may take enough
	Inadmissible Outcome = "inadmissible" // it could not be admitted if nobody else were there
)

// Answer says what Kueue would do with a workload.
type Answer struct {
	// Workload is that in question, with its LocalQueue, ClusterQueue and the cohorts above.
	Workload     outrank.Key `json:"workload"`
	LocalQueue   outrank.Key `json:"localQueue,omitempty"`
	ClusterQueue string      `json:"clusterQueue,omitempty"`
	Cohorts      []string    `json:"cohorts,omitempty"`
	// Priority is the priority with its Boost.
	Priority int64 `json:"priority"`
	Boost    int32 `json:"boost,omitempty"`
	// Uses are the amounts that it takes of quotas, by resource@flavor. Scarce lists those of
	// which too little is free.
	Uses    resource.List   `json:"uses,omitempty"`
	Scarce  []resource.Name `json:"scarce,omitempty"`
	Outcome Outcome         `json:"outcome"`
	// Reasons say why it waits or is inadmissible.
	Reasons []string `json:"reasons,omitempty"`
	// Victims have to leave.
	Victims []Victim `json:"victims,omitempty"`
	// RetryAt is when the first window of protection ends that keeps somebody, and with it the
	// first time that Kueue asks again. Then is the first of such times at which it is admitted,
	// if nothing else changes.
	RetryAt clock.Time `json:"retryAt,omitzero"`
	Then    *Then      `json:"then,omitempty"`
	// Ahead are workloads that wait in the same ClusterQueue and are asked about first.
	Ahead []string `json:"ahead,omitempty"`
}

// Then is an answer at a later time.
type Then struct {
	At      clock.Time `json:"at"`
	Victims []Victim   `json:"victims,omitempty"`
}

// Victim is a workload that leaves, and the rule by which it does.
type Victim struct {
	Workload     string        `json:"workload"`
	ClusterQueue string        `json:"clusterQueue"`
	Rule         string        `json:"rule"`
	Priority     int64         `json:"priority"`
	Uses         resource.List `json:"uses"`
	Started      clock.Time    `json:"started,omitzero"`
	Leaving      bool          `json:"leaving,omitempty"`
}

// Ask answers about a workload at a time. The error names what cannot be decided.
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

// question is one question.
type question struct {
	*model
	asked    *Asked
	now      time.Time
	queue    *clusterQueue
	tree     *tenancy.Tree
	workload tenancy.Workload
	answer   *Answer
}

// no is an answer without a decision by quotas.
func (d *question) refuse(format string, args ...any) error {
	d.answer.Outcome = Inadmissible
	d.answer.Reasons = append(d.answer.Reasons, fmt.Sprintf(format, args...))
	return nil
}

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

// findQueue goes from the LocalQueue to the ClusterQueue, and says what stands in the way.
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
	parents := map[string]string{}
	for _, c := range d.cohorts {
		parents[c.Metadata.Name] = c.parent()
	}
	for name := d.queue.cohort(); name != "" && !slices.Contains(a.Cohorts, name); name = parents[name] {
		a.Cohorts = append(a.Cohorts, name)
	}
	for _, x := range []struct{ object, policy string }{
		{"LocalQueue " + string(a.LocalQueue), local.Spec.Stop}, {"ClusterQueue " + a.ClusterQueue, d.queue.Spec.Stop},
	} {
		if x.policy != "" && x.policy != "None" {
			return fmt.Sprintf("%s is stopped (stopPolicy %s)", x.object, x.policy)
		}
	}
	for _, c := range d.queue.Status.Conditions {
		if c.Type == "Active" && c.Status == "False" {
			return fmt.Sprintf("ClusterQueue %s is not active (%s)", a.ClusterQueue, c.Reason)
		}
	}
	if d.asked.inactive {
		return "it is not active (spec.active)"
	}
	return d.namespaceProblem()
}

// foreign says whether the ClusterQueue does not take the namespace.
func (d *question) namespaceProblem() string {
	namespace, _, _ := strings.Cut(string(d.asked.name), "/")
	selector := d.queue.Spec.Namespaces
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

// best tries the ways to assign flavors in their order: the first that fits, else the first for
// which others may have to leave, else the first.
func (d *question) tryWays(ways []resource.List) error {
	a := d.answer
	var first *tenancy.Answer
	chosen := 0
	for i, uses := range ways {
		t, err := d.reclaim(uses, d.now, d.admitted)
		if err != nil {
			return err
		}
		switch {
		case first == nil, t.Outcome == preemption.Fits && first.Outcome != preemption.Fits, t.Outcome == preemption.Preempts && first.Outcome == preemption.NothingHelps:
			first, chosen = t, i
		}
		if t.Outcome == preemption.Fits {
			break
		}
	}
	a.Uses = ways[chosen]
	if len(ways) > 1 && first.Outcome != preemption.Fits {
		d.caveat("clusterqueue "+a.ClusterQueue, "%d ways to assign flavors come into question, and none is free; this is the first that helps, or the first: Kueue goes by flavorFungibility", len(ways))
	}
	switch {
	case first.Outcome == preemption.Fits:
		a.Outcome = Fits
		return nil
	case first.Outcome == preemption.Preempts:
		a.Outcome, a.Victims = Preempts, victims(first)
	}
	if err := d.findScarce(); err != nil || first.Outcome == preemption.Preempts {
		return err
	}
	return d.whyNot(first)
}

// reclaim asks package tenancy.
func (d *question) reclaim(uses resource.List, at time.Time, admitted []tenancy.Workload) (*tenancy.Answer, error) {
	in := d.workload
	in.Uses = uses
	return d.tree.Reclaim(tenancy.Request{Incoming: in, Admitted: admitted, Fair: d.fair, Protection: d.protection, Now: at})
}

// scarce finds the resources of which too little is free, one by one.
func (d *question) findScarce() error {
	for _, name := range d.answer.Uses.Names() {
		t, err := d.reclaim(resource.List{name: d.answer.Uses[name]}, d.now, d.admitted)
		if err != nil {
			return err
		}
		if t.Outcome != preemption.Fits {
			d.answer.Scarce = append(d.answer.Scarce, name)
		}
	}
	return nil
}

// mostRetries bounds how many ends of windows are tried.
const mostRetries = 100

// whyNot says why nothing helps, and when to ask again.
func (d *question) whyNot(now *tenancy.Answer) error {
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

func join(names []resource.Name) string {
	var out []string
	for _, name := range names {
		out = append(out, string(name))
	}
	return strings.Join(out, ", ")
}

func victims(t *tenancy.Answer) (out []Victim) {
	for _, v := range t.Victims {
		out = append(out, Victim{
			Workload: v.Name, ClusterQueue: v.Queue, Rule: v.Rule, Priority: int64(v.Priority) + int64(v.Boost), Uses: v.Uses, Started: clock.Time{Time: v.Started}, Leaving: v.Leaving,
		})
	}
	return out
}

// about names what the answer does not look at.
func (d *question) addCaveats() {
	a := d.answer
	if d.queue == nil {
		return
	}
	object := "clusterqueue " + a.ClusterQueue
	checks := slices.Clone(d.queue.Spec.Checks)
	if s := d.queue.Spec.ChecksStrategy; s != nil {
		for _, c := range s.Checks {
			checks = append(checks, c.Name)
		}
	}
	if len(checks) > 0 {
		slices.Sort(checks)
		d.caveat(object, "once it has quota, admission checks have their say: %s", strings.Join(checks, ", "))
	}
	if d.queue.Spec.Scope != nil {
		d.caveat(object, "usage of LocalQueues in the past, which decides about the order of victims here (admissionScope), is not looked at")
	}
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

// ahead lists the workloads that wait in the same ClusterQueue and come first.
func (d *question) ahead() {
	type waiting struct {
		name     string
		priority int64
		created  time.Time
	}
	var before []waiting
	for _, w := range d.workloads {
		local := d.locals[outrank.NewKey(w.Metadata.Namespace, w.Spec.Queue)]
		if w.holds() || w.condition("Finished") != nil || w.Metadata.key() == d.asked.name || local == nil || local.Spec.ClusterQueue != d.answer.ClusterQueue {
			continue
		}
		x := waiting{string(w.Metadata.key()), int64(d.boostOf(w)), w.Metadata.Created}
		if w.Spec.Priority != nil {
			x.priority += int64(*w.Spec.Priority)
		}
		if x.priority > d.answer.Priority || x.priority == d.answer.Priority && x.created.Before(d.workload.Queued) {
			before = append(before, x)
		}
	}
	slices.SortFunc(before, func(a, b waiting) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), a.created.Compare(b.created), cmp.Compare(a.name, b.name))
	})
	for _, w := range before {
		d.answer.Ahead = append(d.answer.Ahead, w.name)
	}
	others := map[bool]string{true: "1 other that waits", false: fmt.Sprintf("%d others that wait", len(before))}[len(before) == 1]
	switch {
	case len(before) == 0:
	case d.queue.Spec.Strategy == "StrictFIFO":
		d.caveat("clusterqueue "+d.answer.ClusterQueue, "it is asked about once %s before it got quota (StrictFIFO)", others)
	default:
		d.caveat("clusterqueue "+d.answer.ClusterQueue, "it is asked about after %s, which may take the quota", others)
	}
}

// boostOf is boost without caveats.
func (d *question) boostOf(w *workload) int32 {
	quiet := model{Cluster: d.Cluster, Settings: d.Settings}
	return quiet.boost("", w.Metadata.Annotations)
}
