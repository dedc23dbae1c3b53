//go:build !kube136

package plugin

import (
	"context"
	"slices"

	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// placedGroup lets the scheduler place a group. The scheduler's snapshot must allow changes meanwhile.
type placedGroup struct {
	scheduler fwk.MutableSnapshotSharedLister
	place     fwk.PodGroupSchedulingFunc
	// aside are nodes that keep all their pods.
	aside map[string]bool
	// placed, if set, receives each place.
	placed func(fwk.ProposedAssignment)
	// failed is the error with which placing ended.
	failed error
	// refused is the scheduler's answer if the group has no place.
	refused *fwk.Status
	// assignments are the places.
	assignments []fwk.ProposedAssignment
	// away are the pods that were taken out of the scheduler's snapshot, by node.
	away map[string][]fwk.PodInfo
}

// places is a [preemption.PlaceFunc]. It takes the pods that are away in the draft out of the scheduler's
// snapshot and lets the scheduler place the group.
func (g *placedGroup) places(ctx context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
	if g.failed = g.remove(ctx, draft); g.failed != nil {
		return nil, nil, g.failed
	}

	placed, said := g.place(ctx)
	switch {
	case said.IsSuccess():
	case said.IsRejected():
		g.refused = said
		return nil, &preemption.Refusal{Reason: said.Message()}, nil
	default:
		g.failed = said.AsError()
		return nil, nil, g.failed
	}

	g.assignments = placed.ProposedAssignments
	on := map[outrank.Key]string{}
	for _, at := range g.assignments {
		on[keyOf(at.GetPod())] = at.GetNodeName()
		if g.placed != nil {
			g.placed(at)
		}
	}

	// The plan lists the places in the order of the pods, not in that of the scheduler's answer.
	var answer []preemption.Assignment
	for _, pod := range pods {
		if node := on[pod.Key()]; node != "" {
			answer = append(answer, preemption.Assignment{Pod: pod, Node: node})
		}
	}
	return answer, nil, nil
}

// on returns the pods of the group that have their places in a view, by node. A nil group has none.
func (g *placedGroup) on(view preemption.View) map[string][]fwk.PodInfo {
	placed := map[string][]fwk.PodInfo{}
	if g == nil {
		return placed
	}
	for _, at := range g.assignments {
		key, node := keyOf(at.GetPod()), at.GetNodeName()
		if slices.ContainsFunc(view.PodsOn(node), func(p *outrank.Pod) bool { return p.Key() == key }) {
			placed[node] = append(placed[node], at.GetPodInfo())
		}
	}
	return placed
}

// remove takes out of the scheduler's snapshot the pods that are away in the draft.
func (g *placedGroup) remove(ctx context.Context, draft preemption.Draft) error {
	infos, err := g.scheduler.NodeInfos().List()
	if err != nil {
		return err
	}
	there := map[outrank.Key]bool{}
	for n := range draft.Nodes() {
		for _, p := range draft.PodsOn(n.Name) {
			there[p.Key()] = true
		}
	}

	// On a node that is left out no pod may leave; a pod there that the draft does not know is one that is not
	// understood.
	g.away = map[string][]fwk.PodInfo{}
	for _, info := range infos {
		if g.aside[info.Node().Name] {
			continue
		}
		for _, on := range info.GetPods() {
			if !there[keyOf(on.GetPod())] {
				g.away[info.Node().Name] = append(g.away[info.Node().Name], on)
			}
		}
	}

	for node, pods := range g.away { // in any order: they do not depend on each other
		for _, pod := range pods {
			if err := g.scheduler.RemovePod(klog.FromContext(ctx), pod.GetPod(), node); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginGroup prepares the filter for the decision about a group. The scheduler's states of the pods become known
// when they get their places.
func (f *framework) beginGroup(ctx context.Context, group *placedGroup) {
	f.ctx, f.group, f.attempts = ctx, group, map[outrank.Key]attempt{}
	group.placed = func(at fwk.ProposedAssignment) {
		f.attempts[keyOf(at.GetPod())] = attempt{at.GetPod(), at.GetCycleState()}
	}
}
