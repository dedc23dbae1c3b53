//go:build !kube136

package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/examples/kubescheduler/internal/handedout"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

var _ fwk.PodGroupPostFilterPlugin = (*Plugin)(nil)

// PodGroupPostFilter decides which pods have to leave so that the pods of a group can run together. The scheduler
// decides about the places of the pods, once, with every possible victim away. Results and texts are those of
// DefaultPreemption.
func (p *Plugin) PodGroupPostFilter(ctx context.Context, cycle fwk.PodGroupCycleState, group fwk.PodGroupInfo, place fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	if because := p.handsOverGroup(); because != "" {
		return p.handOverGroup(ctx, because, group, place)
	}

	result, said, err := p.postFilterGroup(ctx, group, place)
	if err != nil {
		klog.FromContext(ctx).V(preemptLevel).Info("DefaultPreemption decides", "group", klog.KRef(group.GetNamespace(), group.GetName()), "because", err)
		return p.fallback.PodGroupPostFilter(ctx, cycle, group, place)
	}
	return result, said
}

// postFilterGroup decides about a group with this module and carries the plan out. It changes the scheduler's
// snapshot meanwhile and restores it. The error aside means that DefaultPreemption decides instead; any other
// error is in the status.
func (p *Plugin) postFilterGroup(ctx context.Context, group fwk.PodGroupInfo, place fwk.PodGroupSchedulingFunc) (result *fwk.PodGroupPostFilterResult, said *fwk.Status, aside error) {
	// Without the right to change the snapshot there is no decision, which is counted and reported like any other.
	scheduler := p.handle.MutableSnapshotSharedLister()
	if err := scheduler.StartMutations(); err != nil {
		err = notStarted(err)
		d := Decision{Err: err}
		p.observe("podgroup", d)
		p.options.Metrics.Counts.AddGroupPreemption(nil)
		p.tellGroup(ctx, group, d)
		return nil, groupFails(err), nil
	}
	defer func() {
		if err := scheduler.EndMutations(); err != nil {
			said = groupFails(notEnded(err))
		}
	}()

	// DefaultPreemption counts the attempt if it decides.
	d, queued, err := p.decideGroup(ctx, group, place)
	if errors.Is(err, errAside) {
		return nil, nil, err
	}
	p.options.Metrics.Counts.AddGroupPreemption(d.Group)
	p.tellGroup(ctx, group, d)
	if err != nil {
		return nil, groupFails(err), nil
	}

	// The group may fit as things are by now: then it is nominated and nobody has to leave.
	plan := d.Group
	said = fwk.NewStatus(code(plan.Status.Code), groupSays(plan))
	if !said.IsSuccess() {
		return nil, said, nil
	}
	if plan.Outcome == preemption.Preempts {
		if err := p.carryOutGroup(ctx, queued, plan); err != nil {
			return nil, groupFails(err), nil
		}
	}
	return nominateGroup(plan), said, nil
}

// groupSays returns the plan's message to the group, which begins with "pod group preemption: ".
func groupSays(plan *preemption.GroupPlan) string {
	return fwk.NewStatus(fwk.Unschedulable, plan.Status.Reasons...).Message()
}

// code translates a code of this module into the scheduler's.
func code(of preemption.Code) fwk.Code {
	switch of {
	case preemption.Success:
		return fwk.Success
	case preemption.Unschedulable:
		return fwk.Unschedulable
	case preemption.UnschedulableAndUnresolvable:
		return fwk.UnschedulableAndUnresolvable
	}
	return fwk.Error
}

func nominateGroup(plan *preemption.GroupPlan) *fwk.PodGroupPostFilterResult {
	infos := map[types.NamespacedName]*fwk.NominatingInfo{}
	for _, at := range plan.Nominations {
		infos[convert.PodName(at.Pod)] = &fwk.NominatingInfo{NominatedNodeName: at.Node, NominatingMode: fwk.ModeOverride}
	}
	return &fwk.PodGroupPostFilterResult{NominatingInfos: infos}
}

// decideGroup brings the snapshot up to date and asks for a plan. It leaves the scheduler's snapshot changed.
func (p *Plugin) decideGroup(ctx context.Context, info fwk.PodGroupInfo, place fwk.PodGroupSchedulingFunc) (d Decision, queued *queue.Group, err error) {
	begun := time.Now()
	defer func() {
		d.Err, d.Decided = err, time.Since(begun)-d.Followed
		p.observe("podgroup", d) // the reference calls a tree of groups so, too
	}()

	// The profiles share the snapshot. One decision at a time brings it up to date and searches it.
	process := p.process
	process.deciding.Lock()
	defer process.deciding.Unlock()
	problems, err := process.state.follow(ctx)
	if err != nil {
		return d, nil, fmt.Errorf("following the cluster: %w", err)
	}
	if err := p.setAside(ctx, problems); err != nil {
		return d, nil, err
	}
	d.Followed = time.Since(begun)

	queued, err = p.queued(info)
	if err != nil {
		return d, nil, p.strange(err)
	}
	request := preemption.GroupRequest{Now: p.now(), Refused: true}
	for _, member := range queued.Members {
		request.Pods = append(request.Pods, member.Pod)
	}

	placed := &placedGroup{scheduler: p.handle.MutableSnapshotSharedLister(), place: place, aside: process.aside.nodes}
	evaluator, err := p.evaluatorForGroup(ctx, placed)
	if err != nil {
		return d, nil, err
	}
	request.Place = placed.places

	// The plan knows the scheduler's refusal by its text alone. An error of placing is returned as the scheduler
	// worded it, and a refusal keeps its code.
	d.Group, err = p.planGroup(ctx, evaluator, request)
	switch {
	case placed.failed != nil:
		d.Group, err = nil, placed.failed
	case err == nil && placed.refused != nil && d.Group.Outcome == preemption.NothingHelps:
		d.Group.Status.Code = status(placed.refused).Code
	}
	return d, queued, err
}

// planGroup asks for a plan. Nominations that the pods have from an earlier attempt do not count, because the
// queue has handed the pods out (rule 12.9.5). If there are any, the decision is made on a copy of the snapshot.
func (p *Plugin) planGroup(ctx context.Context, evaluator *engine.Evaluator, request preemption.GroupRequest) (plan *preemption.GroupPlan, err error) {
	again := false
	err = p.process.state.view(func(snap *engine.Snapshot) (err error) {
		if again = handedout.Nominated(snap, request.Pods); !again {
			plan, err = evaluator.PreemptGroup(ctx, snap, request)
		}
		return err
	})
	if again {
		return handedout.PreemptGroup(ctx, evaluator, p.process.state.mirror.Snapshot(), request)
	}
	return plan, err
}

// queued returns the group in the form in which the executor takes it.
func (p *Plugin) queued(info fwk.PodGroupInfo) (*queue.Group, error) {
	group := &queue.Group{}
	var err error
	if tree := info.GetCompositePodGroup(); tree != nil {
		group.Composite, err = convert.CompositePodGroup(tree)
	} else {
		group.PodGroup, err = convert.PodGroup(info.GetPodGroup())
	}
	if err != nil {
		return nil, err
	}

	for _, pod := range info.GetUnscheduledPods() {
		member, err := p.process.state.mirror.Preemptor(pod)
		if err != nil {
			return nil, err
		}
		group.Members = append(group.Members, queue.Entry{Pod: member})
	}
	return group, nil
}

// carryOutGroup carries the plan out: at once, or in the background.
func (p *Plugin) carryOutGroup(ctx context.Context, group *queue.Group, plan *preemption.GroupPlan) error {
	by, uid := "podgroup", ""
	if group.Composite != nil {
		by, uid = "compositepodgroup", group.Composite.UID
	} else {
		uid = group.PodGroup.UID
	}

	run := func(ctx context.Context) (*execution.Report, error) {
		report, err := p.process.executor.ExecuteGroup(ctx, group, plan)
		p.options.Metrics.Counts.AddExecution(report, err)
		return report, err
	}
	if !p.options.asynchronous() {
		_, err := p.timed(ctx, by, run)
		return err
	}

	// The scheduler activates a whole group with any of its pods, so that one of them stands for all.
	first, _ := group.Members[0].Pod.Value.(*v1.Pod)
	members := make([]types.UID, len(group.Members))
	for i, member := range group.Members {
		members[i] = types.UID(member.Pod.UID)
	}
	p.fly(p.process.under.begin(types.UID(uid), podsOf(plan.Victims), members...), first, by, run)
	return nil
}

// evaluatorForGroup returns the evaluator for a group. Whether an unknown filter has a say about its pods is not
// known before they have their places. So the scheduler's filters are asked whenever there are unknown ones.
func (p *Plugin) evaluatorForGroup(ctx context.Context, group *placedGroup) (*engine.Evaluator, error) {
	all, err := p.evaluators()
	if err != nil {
		return nil, err
	}
	e := all.usual
	if len(e.framework.unknown) == 0 {
		return e.plain, nil
	}
	e.framework.beginGroup(ctx, group)
	return e.asking, nil
}
