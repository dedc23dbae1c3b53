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

// PostFilter decides which pods have to leave so that the pod can run, nominates it and carries the plan out. The
// result and the texts are those of DefaultPreemption. If nothing helps, the nomination is empty. If the pod may
// not preempt, if extenders left no candidate or after an error there is none at all, and the pod keeps the
// nomination that it has.
func (p *Plugin) PostFilter(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, said fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	decide := p.decide
	if because := p.handsOver(cycle, pod); because != "" {
		decide = func(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, said fwk.NodeToStatusReader) (Decision, error) {
			return p.decideByStock(ctx, because, cycle, pod, said)
		}
	}

	// DefaultPreemption counts the attempt in this case.
	d, err := decide(ctx, cycle, pod, said)
	if errors.Is(err, errAside) {
		klog.FromContext(ctx).V(preemptLevel).Info("DefaultPreemption decides", "pod", klog.KObj(pod), "because", err)
		return p.fallback.PostFilter(ctx, cycle, pod, said)
	}
	p.options.Metrics.Counts.AddPreemption()
	p.tell(ctx, pod, d)
	if err != nil {
		return nil, fwk.AsStatus(fmt.Errorf("preemption: %w", err))
	}

	devices := p.process.devices
	change, text := p.answer(d)
	switch {
	case change.Override && change.Node != "":
		// The devices are kept before the plan is carried out. If that fails in the background it drops them,
		// perhaps before carryOut has returned.
		devices.keep(pod, d)
		if err := p.carryOut(ctx, pod, d.Plan); err != nil {
			devices.drop(pod.UID)
			return nil, fwk.AsStatus(fmt.Errorf("preemption: %w", err))
		}
		return nominate(change.Node), fwk.NewStatus(fwk.Success, text)

	case change.Override:
		devices.end(pod.UID)
		return nominate(""), fwk.NewStatus(fwk.Unschedulable, text)
	}

	// The pod keeps its nomination. One that is known in memory alone must be named again: without a result the
	// scheduler would go by the pod in the API, which does not have it, and forget it.
	if d.inMemory != "" {
		return nominate(d.inMemory), fwk.NewStatus(fwk.Unschedulable, text)
	}
	return nil, fwk.NewStatus(fwk.Unschedulable, text)
}

func nominate(node string) *fwk.PostFilterResult {
	return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{NominatedNodeName: node, NominatingMode: fwk.ModeOverride}}
}

// decide brings the snapshot up to date and asks for a plan. The plan is for the informer's version of the pod,
// which may be newer than the version that was tried.
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

	// The profiles share the snapshot. One decision at a time brings it up to date and searches it.
	process := p.process
	process.deciding.Lock()
	defer process.deciding.Unlock()
	if err := p.followFor(ctx, pod); err != nil {
		return d, err
	}
	d.Followed = time.Since(begun)

	preemptor, err := process.state.mirror.Preemptor(pod)
	if err != nil {
		return d, p.strange(err)
	}
	evaluator, err := p.evaluatorFor(ctx, cycle, pod)
	if err != nil {
		return d, err
	}

	// The scheduler may know of a nomination that has not reached the API.
	request := preemption.Request{Pod: process.devices.nominated(preemptor), Now: p.now()}
	if request.Pod != preemptor {
		d.inMemory = request.Pod.NominatedNodeName
	}

	// The statuses are those of the scheduler's own attempt, so that no node is filtered twice. The sample begins
	// at the node that the seed determines among those where preemption may help.
	err = p.viewFor(pod, func(snap *engine.Snapshot) (err error) {
		statuses := process.devices.statuses(process.aside.statuses(snap, said))
		request.Statuses = func(position int, _ *outrank.Node) (preemption.Status, bool) { return statuses[position], true }
		request.Offset = int(p.args.offset(helpable(statuses), pod))
		if d.Plan, err = evaluator.Preempt(ctx, snap, request); err == nil {
			d.Nomination, err = process.devices.nomination(snap, d.Plan)
		}
		return err
	})

	// A plan with an error says what the nodes answered; nobody carries it out.
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

// followFor brings the snapshot, and the devices as far as the pod concerns them, up to date.
func (p *Plugin) followFor(ctx context.Context, pod *v1.Pod) error {
	problems, err := p.process.state.follow(ctx)
	if err != nil {
		return fmt.Errorf("following the cluster: %w", err)
	}
	if err := p.setAside(ctx, problems); err != nil {
		return err
	}
	return p.process.devices.follow(pod)
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

// status translates the status of a node. Preemption may help on a node only if the code is Unschedulable. Codes
// that the module does not have become UnschedulableAndUnresolvable.
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

// carryOut carries the plan out: at once, or in the background.
func (p *Plugin) carryOut(ctx context.Context, pod *v1.Pod, plan *preemption.Plan) error {
	// The reference counts no groups among the victims of a pod.
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

// toldToGo counts the victims that were told to go.
func toldToGo(report *execution.Report) (n int) {
	for _, v := range report.Victims {
		switch v.Result {
		case execution.Evicted, execution.RejectedWhileWaiting:
			n++
		}
	}
	return n
}

// countVictims counts the pods that were told to go for the preemptor.
func (p *Plugin) countVictims(preemptor *v1.Pod, report *execution.Report) {
	p.options.Metrics.AddVictims(string(preemptor.UID), toldToGo(report))

	// The preemptor may have got its node, or have gone, while the plan was carried out. The metrics were told
	// then, before AddVictims made them remember the preemptor, so that they are told once more.
	now, err := p.pods.Pods(preemptor.Namespace).Get(preemptor.Name)
	if err != nil || now.UID != preemptor.UID || now.Spec.NodeName != "" {
		p.options.Metrics.EndPreemptor(string(preemptor.UID))
	}
}
