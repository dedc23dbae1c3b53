package plugin

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
)

// PostFilter decides who has to leave so that the pod can run, nominates it and has the
// plan carried out. The result and the texts are those of DefaultPreemption: an empty
// nomination where nothing helps, none at all where the pod may not preempt or something
// went wrong, so that the pod keeps what it has.
func (p *Plugin) PostFilter(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, said fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	p.options.Metrics.Counts.AddPreemption()
	d, err := p.decide(ctx, cycle, pod, said)
	p.tell(ctx, pod, d)
	if err != nil {
		return nil, fwk.AsStatus(fmt.Errorf("preemption: %w", err))
	}
	switch d.Plan.Outcome {
	case preemption.Preempt:
		if err := p.carryOut(ctx, pod, d.Plan); err != nil {
			return nil, fwk.AsStatus(fmt.Errorf("preemption: %w", err))
		}
		return nominate(d.Plan.Node), fwk.NewStatus(fwk.Success, p.says(d.Plan))
	case preemption.NothingHelps:
		return nominate(""), fwk.NewStatus(fwk.Unschedulable, p.says(d.Plan))
	}
	return nil, fwk.NewStatus(fwk.Unschedulable, p.says(d.Plan))
}

func nominate(node string) *fwk.PostFilterResult {
	return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{NominatedNodeName: node, NominatingMode: fwk.ModeOverride}}
}

// decide brings the snapshot up to date and asks for a plan. The pod is the one that the
// informer knows, which may be newer than the one that was tried.
func (p *Plugin) decide(ctx context.Context, cycle fwk.CycleState, tried *v1.Pod, said fwk.NodeToStatusReader) (d Decision, err error) {
	begun := time.Now()
	defer func() {
		d.Err, d.Decided = err, time.Since(begun)-d.Followed
		p.observe(d)
	}()
	pod, err := p.pods.Pods(tried.Namespace).Get(tried.Name)
	if err != nil {
		return d, err
	}
	p.deciding.Lock()
	defer p.deciding.Unlock()
	if err := p.state.follow(ctx); err != nil {
		return d, fmt.Errorf("following the cluster: %w", err)
	}
	d.Followed = time.Since(begun)
	preemptor, err := p.state.mirror.Preemptor(pod)
	if err != nil {
		return d, err
	}
	evaluator, err := p.evaluatorFor(ctx, cycle, pod)
	if err != nil {
		return d, err
	}
	err = p.state.view(func(snap *preemption.Snapshot) (err error) {
		d.Plan, err = evaluator.PreemptRequest(ctx, snap, preemption.Request{Pod: preemptor, Now: p.now(), StatusesInOrder: statuses(snap, said)})
		return err
	})
	return d, err
}

// statuses are what the scheduler's filters said of the nodes.
func statuses(snap *preemption.Snapshot, said fwk.NodeToStatusReader) []preemption.Status {
	list := make([]preemption.Status, 0, snap.NumNodes())
	for node := range snap.Nodes() {
		list = append(list, status(said.Get(node.Name)))
	}
	return list
}

// status translates the status of a node. Anything that is neither a success nor
// Unschedulable is nothing that preemption can help, as in the reference, which looks for
// that code.
func status(s *fwk.Status) preemption.Status {
	if s == nil {
		return preemption.Status{}
	}
	of := preemption.Status{Filter: s.Plugin(), Reasons: s.Reasons()}
	switch s.Code() {
	case fwk.Success:
		of.Code = preemption.Success
	case fwk.Unschedulable:
		of.Code = preemption.Unschedulable
	default:
		of.Code = preemption.UnschedulableAndUnresolvable
	}
	return of
}

// carryOut has the plan carried out: now, or in the background.
func (p *Plugin) carryOut(ctx context.Context, pod *v1.Pod, plan *preemption.Plan) error {
	// A pod's plan counts no groups among its victims in the reference, either.
	p.options.Metrics.Counts.AddDisruptions(execution.ByPod, 0, plan.Violations())
	if !p.options.asynchronous() {
		_, err := p.timed(ctx, execution.ByPod, func(ctx context.Context) (*execution.Report, error) { return p.executor.Execute(ctx, plan) })
		return err
	}
	p.fly(p.under.begin(pod.UID, podsOf(plan.Victims)), execution.ByPod, func(ctx context.Context) (*execution.Report, error) {
		return p.executor.Execute(ctx, plan)
	})
	return nil
}
