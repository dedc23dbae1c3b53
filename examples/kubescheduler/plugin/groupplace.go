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

// placedGroup lets the scheduler place a group, within a session of changes of
// the scheduler's snapshot.
type placedGroup struct {
	scheduler fwk.MutableSnapshotSharedLister
	place     fwk.PodGroupSchedulingFunc
	// aside are nodes that are left as they are.
	aside map[string]bool
	// placed, if set, receives each place.
	placed func(fwk.ProposedAssignment)
	// failed is the error in which placing ended, and refused the answer that there is no place.
	failed  error
	refused *fwk.Status
	// assignments are the places, and away the pods that were taken out for them, by node.
	assignments []fwk.ProposedAssignment
	away        map[string][]fwk.PodInfo
}

// places is a [preemption.PlaceFunc]: the scheduler places the group with those pods away
// that are away in the draft.
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
	var answer []preemption.Assignment
	for _, pod := range pods { // in their order, whatever that of the answer is
		if node := on[pod.Key()]; node != "" {
			answer = append(answer, preemption.Assignment{Pod: pod, Node: node})
		}
	}
	return answer, nil, nil
}

// on has the pods that are in their places in a view, by node; without a group it is empty.
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

// remove takes the pods out of the scheduler's snapshot that are away in the draft.
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

// beginGroup is called before the decision about a group.
func (f *framework) beginGroup(ctx context.Context, group *placedGroup) {
	f.ctx, f.group, f.attempts = ctx, group, map[outrank.Key]attempt{}
	group.placed = func(at fwk.ProposedAssignment) {
		f.attempts[keyOf(at.GetPod())] = attempt{at.GetPod(), at.GetCycleState()}
	}
}
