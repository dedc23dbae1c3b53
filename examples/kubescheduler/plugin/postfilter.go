package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// PostFilter decides which pods have to leave so that the pod can run, nominates it and
// carries the plan out. The result and the texts are those of DefaultPreemption: an empty
// nomination where nothing helps, none at all where the pod may not preempt, extenders have
// left no candidate or there was an error, so that the pod keeps its own.
func (p *Plugin) PostFilter(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, said fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	decide := p.decide
	if because := p.handsOver(cycle, pod); because != "" {
		decide = func(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, said fwk.NodeToStatusReader) (Decision, error) {
			return p.decideByStock(ctx, because, cycle, pod, said)
		}
	}
	d, err := decide(ctx, cycle, pod, said)
	if errors.Is(err, errAside) { // who counts the attempt
		klog.FromContext(ctx).V(preemptLevel).Info("DefaultPreemption decides", "pod", klog.KObj(pod), "because", err)
		return p.fallback.PostFilter(ctx, cycle, pod, said)
	}
	p.options.Metrics.Counts.AddPreemption()
	p.tell(ctx, pod, d)
	if err != nil {
		return nil, fwk.AsStatus(fmt.Errorf("preemption: %w", err))
	}
	change, text := p.answer(d)
	switch {
	case change.Override && change.Node != "":
		p.process.devices.keep(pod, d)
		if err := p.carryOut(ctx, pod, d.Plan); err != nil {
			p.process.devices.drop(pod.UID)
			return nil, fwk.AsStatus(fmt.Errorf("preemption: %w", err))
		}
		return nominate(change.Node), fwk.NewStatus(fwk.Success, text)
	case change.Override:
		p.process.devices.end(pod.UID)
		return nominate(""), fwk.NewStatus(fwk.Unschedulable, text)
	}
	if d.inMemory != "" { // the scheduler would take the API's word and forget it
		return nominate(d.inMemory), fwk.NewStatus(fwk.Unschedulable, text)
	}
	return nil, fwk.NewStatus(fwk.Unschedulable, text)
}

func nominate(node string) *fwk.PostFilterResult {
	return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{NominatedNodeName: node, NominatingMode: fwk.ModeOverride}}
}

// decide brings the snapshot up to date and asks for a plan. The pod is the
// informer's version, which may be newer than the one that was tried.
func (p *Plugin) decide(ctx context.Context, cycle fwk.CycleState, tried *v1.Pod, said fwk.NodeToStatusReader) (d Decision, err error) {
	begun := time.Now()
	defer func() {
		d.Err, d.Decided = err, time.Since(begun)-d.Followed
		p.observe("pod", d)
	}()
	pod, err := p.pods.Pods(tried.Namespace).Get(tried.Name)
	if err != nil {
		return d, err
	}

	// One decision at a time follows the cluster and asks it: profiles share the snapshot.
	p.process.deciding.Lock()
	defer p.process.deciding.Unlock()
	problems, err := p.process.state.follow(ctx)
	if err != nil {
		return d, fmt.Errorf("following the cluster: %w", err)
	}
	if err := p.setAside(ctx, problems); err != nil {
		return d, err
	}
	if err := p.process.devices.follow(pod); err != nil {
		return d, err
	}
	d.Followed = time.Since(begun)

	preemptor, err := p.process.state.mirror.Preemptor(pod)
	if err != nil {
		return d, p.strange(err)
	}
	evaluator, err := p.evaluatorFor(ctx, cycle, pod)
	if err != nil {
		return d, err
	}

	// A nomination may be known in memory alone so far.
	request := preemption.Request{Pod: p.process.devices.nominated(preemptor), Now: p.now()}
	if request.Pod != preemptor {
		d.inMemory = request.Pod.NominatedNodeName
	}

	// The scheduler has filtered the nodes; the sample begins where its own preemption would.
	err = p.viewFor(pod, func(snap *engine.Snapshot) (err error) {
		statuses := p.process.devices.statuses(p.process.aside.statuses(snap, said))
		request.Statuses = func(position int, _ *outrank.Node) (preemption.Status, bool) { return statuses[position], true }
		request.Offset = int(p.args.offset(helpable(statuses), pod))
		if d.Plan, err = evaluator.Preempt(ctx, snap, request); err == nil {
			d.Nomination, err = p.process.devices.nomination(snap, d.Plan)
		}
		return err
	})

	// A plan with an error beside it says what the nodes answered, and is carried out by nobody.
	if err == nil {
		err = d.Plan.Err()
	} else if d.Plan != nil {
		err = told(err)
	}
	if err != nil {
		d.Plan = nil
	}
	return d, err
}

// helpable counts the nodes where preemption may help.
func helpable(said []preemption.Status) (nodes int32) {
	for i := range said {
		if said[i].Code == preemption.Unschedulable {
			nodes++
		}
	}
	return nodes
}

// status translates the status of a node. Only Unschedulable lets preemption
// help, as in the reference, which looks for that code.
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
	case fwk.Error:
		of.Code = preemption.Contradiction
	default:
		of.Code = preemption.UnschedulableAndUnresolvable
	}
	return of
}

// carryOut carries the plan out: now, or in the background.
func (p *Plugin) carryOut(ctx context.Context, pod *v1.Pod, plan *preemption.Plan) error {
	// A pod's plan counts no groups among its victims in the reference, either.
	p.options.Metrics.Counts.AddDisruptions("pod", 0, plan.Score.Violations)
	run := func(ctx context.Context) (*execution.Report, error) {
		report, err := p.process.executor.Execute(ctx, plan)
		p.options.Metrics.Counts.AddExecution(report, err)
		p.countVictims(pod, report)
		return report, err
	}
	if !p.options.asynchronous() {
		_, err := p.timed(ctx, "pod", run)
		return err
	}
	p.fly(p.process.under.begin(pod.UID, podsOf(plan.Victims)), pod, "pod", run)
	return nil
}

// toldToGo is how many victims were told to go.
func toldToGo(report *execution.Report) (n int) {
	for _, v := range report.Victims {
		switch v.Result {
		case execution.Evicted, execution.RejectedWhileWaiting:
			n++
		}
	}
	return n
}

// countVictims counts the pods that were told to go for a pod. Whether it still waits is asked
// afterwards: the end of one that has a node by now may have been noticed before.
func (p *Plugin) countVictims(preemptor *v1.Pod, report *execution.Report) {
	p.options.Metrics.AddVictims(string(preemptor.UID), toldToGo(report))
	now, err := p.pods.Pods(preemptor.Namespace).Get(preemptor.Name)
	if err != nil || now.UID != preemptor.UID || now.Spec.NodeName != "" {
		p.options.Metrics.EndPreemptor(string(preemptor.UID))
	}
}
