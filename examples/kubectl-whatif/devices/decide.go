package main

import (
	"context"
	"slices"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/brief"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// rules decides in one way about a cluster with devices.
type rules struct {
	filter *devices.Filter
	snap   *engine.Snapshot
	// eval decides with the filter as it was after the last set.
	eval    *engine.Evaluator
	now     time.Time
	workers int
}

// newRules makes rules that decide as the release of the cluster does, or as KEP-5690 proposes.
func newRules(d *dump, now time.Time, workers int, proposed bool) (*rules, error) {
	filter, err := devices.New(d.objects, devices.Config{Release: d.cluster.Release, DRAPreemption: proposed, Now: now})
	if err != nil {
		return nil, err
	}
	r := &rules{filter: filter, now: now, workers: workers}
	if r.snap, err = engine.NewSnapshot(filter.Cluster(d.cluster)); err != nil {
		return nil, err
	}
	return r, r.makeEvaluator()
}

// makeEvaluator makes the evaluator from the objects that the filter has now.
func (r *rules) makeEvaluator() error {
	eval, err := engine.New(preemption.Config{
		Filters:     []*preemption.Filter{r.filter.Filter()},
		Profile:     preemption.Profile{Schedulers: []string{outrank.DefaultScheduler}},
		Eligibility: preemption.Eligibility{Refuse: r.filter.Refuse},
	})
	r.eval = eval.Parallel(r.workers)
	return err
}

// set replaces the objects about devices.
func (r *rules) set(o devices.Objects) error {
	if err := r.filter.Set(o); err != nil {
		return err
	}
	return r.makeEvaluator()
}

// way is the answer of one way to decide. It has names and figures instead of the objects themselves.
type way struct {
	// Rules names the way to decide: a release such as v1.37, or KEP-5690.
	Rules string `json:"rules"`
	// Says is the answer in a sentence.
	Says     string             `json:"says"`
	Outcome  preemption.Outcome `json:"outcome"`
	Node     string             `json:"node,omitempty"`
	Victims  []victim           `json:"victims"`
	Devices  []given            `json:"devices"`
	Feasible int                `json:"feasible"`
	Turned   []count            `json:"turnedDown"`
	Helpless []count            `json:"unhelpful"`
	Why      *explain.Report    `json:"why"`
	Exact    *exact             `json:"exact,omitempty"`
	Plugin   string             `json:"plugin,omitempty"`
	// Failed is the error in which the attempt ends, or may end; nil for none. The outcome is nothing-helps if the
	// attempt is certain to end in it. Feasible and Turned count what the nodes say by themselves.
	Failed    *failed `json:"failed,omitempty"`
	explained *preemption.Plan
}

// victim is a pod that has to leave, with the claims that are freed once all victims have left.
type victim struct {
	Key      outrank.Key   `json:"key"`
	Priority int32         `json:"priority"`
	Class    string        `json:"priorityClass,omitempty"`
	Owner    string        `json:"owner,omitempty"`
	Budgets  []outrank.Key `json:"budgets,omitempty"`
	Frees    []outrank.Key `json:"frees"`
	Why      string        `json:"why,omitempty"`
}

// given is a claim of the pod with the devices that it would get.
type given struct {
	Claim   outrank.Key `json:"claim"`
	Devices []string    `json:"devices"`
}

// count is a number of nodes with the same answer.
type count struct {
	Nodes   int      `json:"nodes"`
	Filter  string   `json:"filter,omitempty"`
	Reasons []string `json:"reasons"`
	Names   []string `json:"names"`
}

// exact compares a decision with the best one by the same ranks.
type exact struct {
	Best    preemption.Outcome `json:"outcome"`
	Node    string             `json:"node,omitempty"`
	Victims []outrank.Key      `json:"victims"`
	// Better is the first rank in which the best decision is better. It is empty if the best decision is not
	// better.
	Better string `json:"better,omitempty"`
	// Sure says how certain it is that no decision is better.
	Sure string `json:"sure,omitempty"`
}

// asking says what is asked of a way in addition to the decision.
type asking struct {
	classes []*outrank.PriorityClass
	exact   bool
}

// decide answers about a pod.
func (r *rules) decide(pod *outrank.Pod, ask asking) (*way, error) {
	ctx, request := context.Background(), preemption.Request{Pod: pod, Now: r.now}
	e, err := r.eval.Explain(ctx, r.snap, request)
	if err != nil {
		return nil, console.Unusable("the pod", err)
	}

	w := &way{Feasible: e.Feasible, Victims: []victim{}, Devices: []given{}}
	w.Turned = counts(e, e.TurnedDown, func(n *preemption.NodeReport) (preemption.Status, bool) { return n.Status, true })
	if f := devices.Failed(e); f != nil {
		w.Failed = (*failed)(f)
		e = inError(e, f)
	}

	w.Outcome, w.Node, w.explained = e.Outcome, e.Node, e
	if w.Why, err = explain.Ask(ctx, explain.Question{Evaluator: r.eval, Snapshot: r.snap, Request: request, Plan: e}, explain.Options{Classes: ask.classes}); err != nil {
		return nil, console.Unusable("the pod", err)
	}
	w.Helpless = counts(e, brief.Unhelpful(e), brief.InVain)

	// An attempt that ends in an error comes to none of the steps for a pod that fits nowhere.
	if w.fails() {
		return w, nil
	}

	// If no eviction helps, the plugin may release an allocation of the pod itself.
	if e.Outcome == preemption.NothingHelps {
		wayOut, idle, err := r.filter.WayOut(e, r.snap)
		if err != nil {
			return nil, console.Unusable("the pod", err)
		}
		for _, c := range idle {
			w.Plugin = "plugin " + wayOut.Name + " gives up the allocation of claim " + string(claimKey(c)) + ", which cannot be used on a node and which nobody else has; the pod is tried again then"
		}
	}

	if ask.exact {
		if w.Exact, err = r.best(ctx, e); err != nil {
			return nil, console.Unusable("the pod", err)
		}
	}
	return w, nil
}

// best compares a decision with the best one by the same ranks.
func (r *rules) best(ctx context.Context, e *preemption.Plan) (*exact, error) {
	regret, err := joint.RegretOf(ctx, r.eval, r.snap, e, r.now)
	if err != nil {
		return nil, err
	}

	out := &exact{Best: regret.Best.Outcome, Node: regret.Best.Node, Victims: []outrank.Key{}}
	for i := range regret.Best.Victims {
		out.Victims = append(out.Victims, regret.Best.Victims[i].Pod.Key())
	}

	if regret.By != "" {
		out.Better = explain.RankText(regret.By)
	}
	if regret.Best.ClusterCertificate != nil {
		out.Sure = regret.Certainty()
	}
	return out, nil
}

// counts adds to each count the names of its nodes. statusOf returns the status under which a node is counted,
// and whether it is counted at all.
func counts(e *preemption.Plan, list []preemption.Count, statusOf func(*preemption.NodeReport) (preemption.Status, bool)) []count {
	out := make([]count, 0, len(list))
	for i := range list {
		c := count{Nodes: list[i].Nodes, Filter: list[i].Filter, Reasons: list[i].Reasons, Names: []string{}}
		for j := range e.Nodes {
			if s, counted := statusOf(&e.Nodes[j]); counted && s.Code == list[i].Code && s.Filter == c.Filter && slices.Equal(s.Reasons, c.Reasons) {
				c.Names = append(c.Names, e.Nodes[j].Node)
			}
		}
		out = append(out, c)
	}
	return out
}

// settle adds which pods leave, which claims are freed, and which devices the pod gets, if any pod leaves.
// allocator finds the devices.
func (w *way) settle(d *dump, allocator *rules) {
	if w.Outcome != preemption.Preempts {
		return
	}
	for i := range w.explained.Victims {
		v := &w.explained.Victims[i]
		one := victim{Key: v.Pod.Key(), Priority: v.Pod.PriorityValue(), Class: v.Pod.PriorityClassName, Owner: v.Pod.Owner.String(), Frees: []outrank.Key{}}
		for _, b := range v.Violated {
			one.Budgets = append(one.Budgets, b.Key())
		}
		// The report may have fewer victims than the plan.
		if i < len(w.Why.Victims.Items) {
			one.Why = w.Why.Victims.Items[i].Text()
		}
		w.Victims = append(w.Victims, one)
	}

	n := allocator.devicesFor(w.explained.Pod, w.Node, w.explained.Victims)
	if n == nil {
		return
	}

	w.Devices = givenBy(n.Claims)
	for _, uid := range n.Freed {
		w.free(d, uid)
	}
}

// free records a claim that is freed once the victims that use it have left.
func (w *way) free(d *dump, uid types.UID) {
	for _, c := range d.objects.Claims {
		if c.UID != uid {
			continue
		}
		for i := range w.Victims {
			if slices.ContainsFunc(c.Status.ReservedFor, func(r resourcev1.ResourceClaimConsumerReference) bool {
				return outrank.NewKey(c.Namespace, r.Name) == w.Victims[i].Key
			}) {
				w.Victims[i].Frees = append(w.Victims[i].Frees, claimKey(c))
			}
		}
	}
}

// devicesFor finds the devices that a pod gets on a node once the victims have left. It is nil for a pod
// without claims to allocate. If the allocator fails with the devices that the victims release, it tries
// without them, and returns nil if that fails, too.
func (r *rules) devicesFor(pod *outrank.Pod, node string, gone []preemption.Victim) *devices.Nomination {
	for _, victims := range [][]preemption.Victim{gone, nil} {
		plan := &preemption.Plan{Pod: pod, Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: node, Victims: victims}}
		if n, err := r.filter.Nomination(r.snap, plan); err == nil {
			return n
		}
	}
	return nil
}

// givenBy lists allocated claims with their devices.
func givenBy(claims []*resourcev1.ResourceClaim) []given {
	out := []given{}
	for _, c := range claims {
		g := given{Claim: claimKey(c), Devices: []string{}}
		for i := range c.Status.Allocation.Devices.Results {
			g.Devices = append(g.Devices, deviceName(&c.Status.Allocation.Devices.Results[i]))
		}
		out = append(out, g)
	}
	return out
}

// deviceName returns the full name of an allocated device.
func deviceName(r *resourcev1.DeviceRequestAllocationResult) string {
	name := r.Driver + "/" + r.Pool + "/" + r.Device
	if r.AdminAccess != nil && *r.AdminAccess {
		name += " (admin access)"
	}
	return name
}
