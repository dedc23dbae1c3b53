package differential

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Harness is a version of Kubernetes to compare with.
type Harness struct {
	// Release has the rules that outrank follows.
	Release outrank.Release
	// Convert converts the objects of a case into outrank's cluster. The preemptor is among its pods.
	Convert func(*Case) (*outrank.Cluster, error)
	// Filter makes the filter for the devices of a case; nil if no case has devices.
	Filter func(*Case) (DeviceFilter, error)
	// Failed returns the errors of nodes in one of which an attempt for devices ends, none if it ends in none; nil if
	// no case has devices.
	Failed func(*preemption.Plan) []string
	// ClockEachTime says that the reference reads the clock at each comparison of pods without a start time, as
	// v1.36 does. The order of several of them with the same priority on a node is then an accident of the sort.
	// All but the first of them are given a start.
	ClockEachTime bool
}

// Result is a case with both answers and their differences.
type Result struct {
	Reference, Outrank *Answer
	// Differences is empty if the two agree.
	Differences []string
	// Tied says that the reference could have chosen another node as well.
	Tied bool
	// Apart says that outrank differs on purpose and nothing is compared, because the preemptor names a claim
	// that does not exist (rule 7.10.4).
	Apart bool
}

// Run puts a case to both sides and compares their answers.
func (h *Harness) Run(c *Case) (*Result, error) {
	c = h.Distinct(c)
	want, err := RunReference(c, Instead{})
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	return h.Judge(c, want)
}

// Judge compares an answer of the reference, perhaps from another process, with outrank's.
func (h *Harness) Judge(c *Case, want *Answer) (*Result, error) {
	r := &Result{Reference: want}
	cluster, err := h.Convert(c)
	if err != nil {
		return nil, fmt.Errorf("conversion: %w", err)
	}
	ours, err := h.decide(c, cluster)
	if err != nil {
		return nil, fmt.Errorf("outrank: %w", err)
	}

	r.Outrank = ours.answer(want.Nominated)
	r.Tied = ours.tied
	want = want.comparable(c, r.Outrank, ours.extenderFails)
	want = want.comparableDevices(c, r.Outrank)
	if r.Apart = c.lacksClaim(c.Preemptor); r.Apart {
		return r, nil
	}
	r.Differences = Compare(want, r.Outrank)
	r.Differences = append(r.Differences, ours.problems...)
	return r, nil
}

// oneWithoutStart returns a copy of the case in which each node has at most one pod without a start time for each
// priority. The others are given one.
func oneWithoutStart(c *Case) *Case {
	type place struct {
		node     string
		priority int32
	}
	seen := map[place]bool{}
	s := *c
	s.Pods = slices.Clone(c.Pods)
	for i, p := range s.Pods {
		if p.Spec.NodeName == "" || p.Status.StartTime != nil {
			continue
		}
		at := place{node: p.Spec.NodeName}
		if p.Spec.Priority != nil {
			at.priority = *p.Spec.Priority
		}
		if seen[at] {
			s.Pods[i] = p.DeepCopy()
			s.Pods[i].Status.StartTime = &metav1.Time{Time: start.Add(-time.Hour)}
		}
		seen[at] = true
	}
	return &s
}

// decided is outrank's decision about a case.
type decided struct {
	// Plan has the nodes and the candidates before extenders have a say in them.
	*preemption.Plan
	// ranked has the candidates that extenders leave; nil if they fail.
	ranked *preemption.Plan
	// failure is the result of the attempt if no node takes the pod.
	failure execution.Failure
	// told is the plan that the attempt carries out and reports; nil for none.
	told *preemption.Plan
	// extenderFails says that preemption ends with the error of an extender.
	extenderFails bool
	// queued says that the part of the queue in which the pod ends is compared.
	queued  bool
	pod     *outrank.Pod
	release outrank.Release
	// importance has the importance of each pod of the case.
	importance map[outrank.Key]string
	// tied says that several candidates are equal in every rank.
	tied bool
	// problems are contradictions among outrank's own answers.
	problems []string
	// ended says that the attempt ended with an error before preemption was asked.
	ended bool
	// idle are claims of the pod. One of them is given up.
	idle []string
	// errors are the errors of the nodes. One of them ends the attempt.
	errors []string
}

// decide returns outrank's decision about the preemptor of a case.
func (h *Harness) decide(c *Case, cluster *outrank.Cluster) (*decided, error) {
	cluster.Release = h.Release
	pod := cluster.Pod(c.Preemptor.Namespace, c.Preemptor.Name)
	if pod == nil {
		return nil, errors.New("the preemptor is not in the cluster")
	}
	snap, err := engine.NewSnapshot(cluster)
	if err != nil {
		return nil, err
	}
	if c.Around.Any() {
		return h.decideAround(c, snap, pod)
	}
	if c.Devices.Classes != nil {
		return h.decideDevices(c, cluster, pod)
	}
	d, err := h.decideAbout(snap, preemption.Config{Profile: preemption.Profile{Schedulers: c.Profiles()}}, pod, time.Now())
	if err != nil {
		return nil, err
	}
	d.queued = true
	for _, p := range c.Pods {
		d.importance[outrank.Key(p.Namespace+"/"+p.Name)] = importance(p)
	}
	return d, nil
}

// decideAbout explains the decision for a pod. The search without explanations must choose the same node.
func (h *Harness) decideAbout(snap *engine.Snapshot, config preemption.Config, pod *outrank.Pod, now time.Time) (*decided, error) {
	eval, err := engine.New(config)
	if err != nil {
		return nil, err
	}
	ex, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: pod, Now: now})
	if err != nil {
		return nil, err
	}
	d := &decided{Plan: ex, ranked: ex, pod: pod, release: h.Release, importance: map[outrank.Key]string{}}
	d.told = ex
	plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: now})
	if err != nil {
		return nil, err
	}
	if plan.Outcome != ex.Outcome || plan.Node != ex.Node {
		d.problems = append(d.problems, fmt.Sprintf("Preempt says %v on %q, and Explain %v on %q", plan.Outcome, plan.Node, ex.Outcome, ex.Node))
	}
	return d, nil
}

// answer returns the result of an attempt that carries the decision out. If the node that the reference chose is
// as good as the best, it is outrank's choice, too.
func (d *decided) answer(chosen string) *Answer {
	a := &Answer{Nodes: map[string]Status{}, Unhelpful: map[string]Status{}, Fits: d.fits()}
	for _, n := range d.Nodes {
		a.Nodes[n.Node] = statusFrom(n.Status, d.Refused)
		if n.AfterRemoval != nil && n.AfterRemoval.Code != preemption.Success {
			a.Unhelpful[n.Node] = statusFrom(*n.AfterRemoval, preemption.Status{})
		}
	}

	// Outrank asks all nodes, and explains more than the reference tells of such attempts.
	if a.Fits {
		a.Unhelpful = map[string]Status{}
		return a
	}
	if d.ended {
		d.carryOut(a)
		a.Nodes, a.Unhelpful, a.Errors = map[string]Status{}, map[string]Status{}, d.errors
		return a
	}

	for i := range d.Candidates {
		c := &d.Candidates[i]
		one := Candidate{Node: c.Node, Violations: c.Score.Violations}
		for _, v := range c.Victims {
			one.Victims = append(one.Victims, string(v.Pod.Key()))
			one.Importance = append(one.Importance, d.importance[v.Pod.Key()])
		}
		a.Candidates = append(a.Candidates, one)
	}
	slices.SortFunc(a.Candidates, func(x, y Candidate) int { return cmp.Compare(x.Node, y.Node) })

	if plan := d.told; plan != nil && plan.Outcome == preemption.Preempts && len(plan.Victims) > 0 {
		d.told = d.tiedPlan(chosen)
	}
	d.carryOut(a)
	a.Deallocated = d.idle
	return a
}

// fits reports whether a node takes the pod and the extenders leave one such node.
func (d *decided) fits() bool {
	return d.Outcome == preemption.Fits && d.failure.Err == nil
}

// tiedPlan returns the plan for the reference's node if that node ties with the best in all ranks. Otherwise it
// returns the plan as it is. It also notes whether there is a tie.
func (d *decided) tiedPlan(chosen string) *preemption.Plan {
	best := d.ranked.Candidates[0].Score
	ties := 0
	plan := d.told
	for i := range d.ranked.Candidates {
		c := &d.ranked.Candidates[i]
		if order, _ := c.Score.Compare(best, nil); order != 0 {
			continue
		}
		if ties++; c.Node == chosen {
			if p, err := d.ranked.For(c.Node); err == nil {
				plan = p
			}
		}
	}
	d.tied = ties > 1
	return plan
}

// carryOut writes into the answer what the attempt does and says.
func (d *decided) carryOut(a *Answer) {
	if plan := d.told; plan != nil && d.failure.Err == nil {
		a.Preempts = plan.Outcome == preemption.Preempts
		for _, v := range plan.Victims {
			if !v.Pod.Terminating() {
				a.Evicted = append(a.Evicted, string(v.Pod.Key()))
			}
		}
		for _, p := range plan.ClearedNominations {
			a.Cleared = append(a.Cleared, string(p.Key()))
		}
	}
	a.Evicted, a.Cleared = sorted(a.Evicted), sorted(a.Cleared)

	// The verdict's texts depend on the release, so a copy of the plan gets it.
	d.failure.Now, d.failure.Entry.Pod = time.Now(), d.pod
	if d.told != nil {
		own := *d.told
		own.Release = d.release
		d.failure.Plan = &own
	}
	verdict, part, err := d.handle()
	if err != nil {
		d.problems = append(d.problems, fmt.Sprintf("no verdict: %v", err))
		return
	}

	a.Event, a.Part = verdict.Event.Message, part
	a.Reason, a.Message = verdict.Condition.Reason, verdict.Condition.Message
	if a.Nominated = verdict.Nomination.Node; !verdict.Nomination.Override {
		a.Nominated = NominationKept
	}
}

// handle returns the verdict on the failure, and the part of the queue in which the pod ends.
func (d *decided) handle() (verdict *execution.Verdict, part string, err error) {
	if d.queued {
		return backInQueue(&d.failure, d.release)
	}
	verdict, err = d.failure.Verdict()
	return verdict, "", err
}

func statusFrom(s, refused preemption.Status) Status {
	if refused.Code != preemption.Success {
		s = refused
	}
	if s.Filter == extenderName {
		s.Filter = ""
	}
	return Status{Code: CodeName(s.Code), Plugin: s.Filter, Reasons: s.Reasons}
}

// CodeName returns kube-scheduler's name of a code.
func CodeName(c preemption.Code) string {
	switch c {
	case preemption.Success:
		return "Success"
	case preemption.Unschedulable:
		return "Unschedulable"
	case preemption.UnschedulableAndUnresolvable:
		return "UnschedulableAndUnresolvable"
	}
	return "Error"
}
