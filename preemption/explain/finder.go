package explain

import (
	"context"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// finder finds what stands behind the answers of nodes to one pod.
type finder struct {
	// ctx is that of the call. A finder lasts no longer.
	ctx  context.Context
	snap *engine.Snapshot
	pod  *outrank.Pod
	// tolerations are those of the pod.
	tolerations fit.Tolerations
	config      preemption.Config
	// lookAt turns to a node; what it showed before is over then.
	lookAt  func(node string) (preemption.NodeView, error)
	classes []*outrank.PriorityClass
	copies  func(*outrank.Pod) bool
	most    int

	// The indexes are made when they are first needed.
	neighbours *neighbourIndex
	spread     *spreadIndex
	// nearest is the node on which the least room is missing; nil where none is short of it.
	nearest *closest
}

// place is a node with the pods that are thought away.
type place struct {
	node *outrank.Node
	view preemption.NodeView
	// gone is true of the pods that are away; nil where all are there. gonePods lists
	// them, those on other nodes included.
	gone     func(*outrank.Pod) bool
	gonePods []*outrank.Pod
}

// isGone reports whether a pod is thought away.
func (at *place) isGone(p *outrank.Pod) bool { return at.gone != nil && at.gone(p) }

// at turns to a node as it is.
func (f *finder) at(name string) (*place, error) {
	view, err := f.lookAt(name)
	if err != nil {
		return nil, err
	}
	return &place{node: view.Node(), view: view}, nil
}

// without is a place with pods gone.
func (at *place) without(pods []*outrank.Pod) *place {
	set := make(map[*outrank.Pod]bool, len(pods))
	for _, p := range pods {
		set[p] = true
	}
	return &place{node: at.node, view: at.view, gone: func(p *outrank.Pod) bool { return set[p] }, gonePods: pods}
}

// empty is a place with every possible victim gone.
func (at *place) empty() *place { return at.without(at.view.Possible()) }

// present lists the pods on the node that are not thought away, the most important
// first.
func (f *finder) present(at *place) []*outrank.Pod {
	pods := f.snap.PodsOn(at.node.Name)
	return slices.DeleteFunc(pods, func(p *outrank.Pod) bool {
		return at.isGone(p) || p.Key() == f.pod.Key()
	})
}

// holders lists who can hold things on the node: the pods that are present and, behind
// them, those that are nominated to it and count.
func (f *finder) holders(at *place) []*outrank.Pod {
	return append(f.present(at), f.nominated(at)...)
}

// nominated lists the pods nominated to the node that the preemptor has to leave room for.
func (f *finder) nominated(at *place) []*outrank.Pod {
	return nominatedFor(&f.config, f.snap, f.pod, at.node.Name)
}

// room is what the preemptor asks of the node and what there is of it, without the pods that are thought away.
func (f *finder) room(at *place) []amounts { return roomWithout(&f.config, f.snap, at.view, at.gone) }

// leaveTogether reports whether two running pods leave together: both are of one group that leaves whole, or they are
// the same pod (rules 12.6.3 and 12.6.4).
func (f *finder) leaveTogether(a, b *outrank.Pod) bool {
	if a.Key() == b.Key() {
		return a.UID == b.UID || a.UID == "" || b.UID == ""
	}
	group, composite := f.snap.LeavesWith(a)
	if group == nil && composite == nil {
		return false
	}
	otherGroup, otherComposite := f.snap.LeavesWith(b)
	return group == otherGroup && composite == otherComposite
}

// isCopy reports whether a pod is a copy of the preemptor, such as another replica of its
// controller.
func (f *finder) isCopy(p *outrank.Pod) bool {
	if p.Key() == f.pod.Key() {
		return false
	}
	return f.copies != nil && f.copies(p) ||
		p.Owner != (outrank.Owner{}) && p.Owner == f.pod.Owner && p.NamespaceName() == f.pod.NamespaceName()
}

// ref refers to a pod on a node.
func (f *finder) ref(p *outrank.Pod, node string) *Pod {
	return &Pod{Key: p.Key(), Priority: f.snap.CountsAs(p), Node: node}
}

// cut shortens the lists of things.
func (o *Obstacle) cut(most int) {
	o.More = 0
	o.Taints = cut(o.Taints, most, &o.More)
	o.Names = cut(o.Names, most, &o.More)
	o.Labels = cut(o.Labels, most, &o.More)
	o.Terms = cut(o.Terms, most, &o.More)
	o.Ports = cut(o.Ports, most, &o.More)
	o.Volumes = cut(o.Volumes, most, &o.More)
	if o.Filter == preemption.NodeVolumeLimits {
		o.Short = cut(o.Short, most, &o.More)
	}
	o.Spread = cut(o.Spread, most, &o.More)
	o.Neighbours = cut(o.Neighbours, most, &o.More)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// disabled reports whether preemption is switched off.
func (f *finder) disabled() bool {
	return slices.Contains(f.config.Profile.Off, preemption.DefaultPreemption)
}
