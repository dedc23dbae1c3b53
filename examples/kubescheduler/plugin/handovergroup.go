//go:build !kube136

package plugin

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	kubepreemption "k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// MoreImportantFunc is the type of the hook [Options].MoreImportantVictim.
type MoreImportantFunc = defaultpreemption.MoreImportantVictimFunc

// groupFeatures sets the gates of groups as the release has them: a program may have named a release with other
// settings than the process. A scheduler that does not manage groups cannot look them up for DefaultPreemption.
func (p *Plugin) groupFeatures(of *feature.Features) {
	gates := p.release.Gates()
	of.EnableGenericWorkload = gates["GenericWorkload"] && p.handle.PodGroupManager() != nil
	of.EnableCompositePodGroup = of.EnableGenericWorkload && gates["CompositePodGroup"]
	of.EnablePodGroupPreemptionPolicy = gates["PodGroupPreemptionPolicy"]
}

// setHooks gives DefaultPreemption the hooks of the options.
func (o *Options) setHooks(of *defaultpreemption.DefaultPreemption) {
	if o.IsEligiblePod != nil {
		of.IsEligiblePod = o.IsEligiblePod
	}
	if o.MoreImportantVictim != nil {
		of.MoreImportantVictim = o.MoreImportantVictim
	}
}

// found notes the candidate of DefaultPreemption's last decision about a group, because its answer does not name
// the victims. The candidate is nil if there is none, or if all its victims are leaving already.
type found struct {
	mu        sync.Mutex // DefaultPreemption tells several victims to go at once
	candidate kubepreemption.Candidate
}

// follow makes DefaultPreemption note the candidate in place of telling its victims to go.
func (f *found) follow(of *defaultpreemption.DefaultPreemption) {
	of.Executor.PreemptPod = func(_ context.Context, c kubepreemption.Candidate, _ kubepreemption.ExecutorPreemptor, _ *v1.Pod, _ string) (bool, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.candidate = c
		return false, nil
	}
}

// handsOverGroup returns the reason why DefaultPreemption must find the victims for a group; it is empty if this
// module finds them. Every foreign filter counts: which of them have a say about the pods is known only once the
// scheduler has placed the group, and it places a group once. The hooks are not asked about groups.
func (p *Plugin) handsOverGroup() HandOver {
	if len(p.unfollowed) > 0 {
		return ForGates
	}
	if of := p.foreign(); len(of.filters) > 0 || of.reserve {
		return ForFilters
	}
	return ""
}

// handOverGroup lets DefaultPreemption find the victims for a group, and carries the plan out. DefaultPreemption
// counts what the scheduler's own metrics say about groups, except for the time of carrying out.
func (p *Plugin) handOverGroup(ctx context.Context, because HandOver, group fwk.PodGroupInfo, place fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	p.tellWhy(ctx)
	result, answer, d := p.decideGroupByStock(ctx, because, group, place)
	p.observe("podgroup", d)
	p.tellGroup(ctx, group, d)
	if d.Err == nil && d.Group.Outcome == preemption.Preempts && len(d.Group.Victims) > 0 {
		if err := p.carryOutGroup(ctx, queuedByStock(d.Group, group), d.Group); err != nil {
			return nil, groupFails(err)
		}
	}
	return result, answer
}

// decideGroupByStock asks DefaultPreemption for the answer about a group, and makes the decision from it.
func (p *Plugin) decideGroupByStock(ctx context.Context, because HandOver, group fwk.PodGroupInfo, place fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status, Decision) {
	p.process.deciding.Lock()
	defer p.process.deciding.Unlock()
	p.found.candidate = nil

	begun := time.Now()
	result, answer := p.runStockForGroup(ctx, group, place)
	d := Decision{HandedOver: because, Decided: time.Since(begun)}
	if answer.Code() == fwk.Error {
		d.Err = answer.AsError()
		return result, answer, d
	}

	d.Group = p.groupFound(group, result, answer)
	if tree := group.GetCompositePodGroup(); tree != nil {
		if d.Group.Composite, d.Err = convert.CompositePodGroup(tree); d.Err != nil {
			return nil, groupFails(d.Err), d
		}
	}
	return result, answer, d
}

// runStockForGroup asks DefaultPreemption's evaluator of groups, which needs only the scheduler's snapshot. It
// counts the attempt as DefaultPreemption does.
func (p *Plugin) runStockForGroup(ctx context.Context, group fwk.PodGroupInfo, place fwk.PodGroupSchedulingFunc) (result *fwk.PodGroupPostFilterResult, answer *fwk.Status) {
	defer func() { metrics.WorkloadPreemptionAttempts.WithLabelValues(answer.Code().String()).Inc() }()

	gates := p.release.Gates()
	features := feature.Features{EnablePodGroupPreemptionPolicy: gates["PodGroupPreemptionPolicy"], EnableCompositePodGroup: gates["CompositePodGroup"]}
	evaluator := kubepreemption.NewPodGroupEvaluator(idle{p.handle}, p.stock.Executor, features)

	snapshot := p.handle.MutableSnapshotSharedLister()
	if err := snapshot.StartMutations(); err != nil {
		return nil, groupFails(notStarted(err))
	}
	defer func() {
		if err := snapshot.EndMutations(); err != nil {
			answer = groupFails(notEnded(err))
		}
	}()

	result, answer = evaluator.Preempt(ctx, group, place)
	if text := answer.Message(); text != "" {
		answer = fwk.NewStatus(answer.Code(), groupPrefix+text)
	}
	return result, answer
}

// notStarted is the error of a snapshot that cannot be changed, notEnded of one that cannot be restored.
func notStarted(err error) error { return fmt.Errorf("failed to start mutations: %w", err) }
func notEnded(err error) error   { return fmt.Errorf("failed to end mutations: %w", err) }

const groupPrefix = "pod group preemption: "

// groupFound returns the plan that DefaultPreemption's answer describes. It has as many victims against a budget
// as DefaultPreemption counts, but they may be other victims.
func (p *Plugin) groupFound(group fwk.PodGroupInfo, result *fwk.PodGroupPostFilterResult, answer *fwk.Status) *preemption.GroupPlan {
	plan := &preemption.GroupPlan{
		Group: outrank.NewKey(group.GetNamespace(), group.GetName()), Release: p.release, Outcome: preemption.NothingHelps,
		Status: preemption.Status{Code: status(answer).Code, Reasons: answer.Reasons()},
	}
	if result != nil {
		for _, pod := range group.GetUnscheduledPods() {
			if at := result.NominatingInfos[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}]; at != nil {
				plan.Nominations = append(plan.Nominations, preemption.Assignment{Pod: plain(pod), Node: at.NominatedNodeName})
			}
		}
	}

	// DefaultPreemption tells why a group may not preempt by its text alone.
	why := strings.TrimPrefix(answer.Message(), groupPrefix)
	switch {
	case why == preemption.PolicyNever.Message():
		plan.Outcome, plan.Ineligible = preemption.NotEligible, preemption.PolicyNever
	case why == "ongoing preemption on nominated nodes":
		plan.Outcome, plan.Ineligible = preemption.NotEligible, preemption.VictimsTerminating
	case answer.IsSuccess():
		plan.Outcome, plan.Placement = preemption.Preempts, plan.Nominations
	}

	if c := p.found.candidate; c != nil {
		plan.Victims = victimsOf(c)
		p.leaveTogether(plan.Victims)
	}
	return plan
}

// victimsOf returns the victims of a candidate for a group. DefaultPreemption tells how many violations there
// are, but neither the pods nor the budgets: the first victims have one unnamed budget each.
func victimsOf(c kubepreemption.Candidate) (victims []preemption.Victim) {
	for i, v := range c.Victims().Pods {
		victim := preemption.Victim{Pod: plain(v)}
		if int64(i) < c.Victims().NumPDBViolations {
			victim.Violated = make([]*outrank.PodDisruptionBudget, 1)
		}
		victims = append(victims, victim)
	}
	return victims
}

// leaveTogether notes for each victim the group that it leaves with, as far as this plugin's own view of the
// cluster knows.
func (p *Plugin) leaveTogether(victims []preemption.Victim) {
	err := p.process.state.view(func(snap *engine.Snapshot) error {
		for i := range victims {
			v := &victims[i]
			v.Group, v.Composite = snap.LeavesWith(v.Pod)
		}
		return nil
	})
	if err != nil {
		klog.Background().V(2).Info("No view of the victims' groups", "err", err)
	}
}

// queuedByStock returns the group of a plan in the form in which the executor takes it.
func queuedByStock(plan *preemption.GroupPlan, info fwk.PodGroupInfo) *queue.Group {
	group := &queue.Group{Composite: plan.Composite}
	if plan.Composite == nil {
		single := info.GetPodGroup()
		group.PodGroup = &outrank.PodGroup{Namespace: single.Namespace, Name: single.Name, UID: string(single.UID)}
	}
	for _, pod := range info.GetUnscheduledPods() {
		group.Members = append(group.Members, queue.Entry{Pod: plain(pod)})
	}
	return group
}

// groupFails returns the message to a group for which no decision could be made.
func groupFails(err error) *fwk.Status {
	return fwk.AsStatus(fmt.Errorf("%s%w", groupPrefix, err))
}
