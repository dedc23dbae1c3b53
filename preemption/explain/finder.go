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

// finder finds the obstacles behind the answers of nodes about one pod.
type finder struct {
	// ctx is the context of the call. A finder does not outlive the call.
	ctx  context.Context
	snap *engine.Snapshot
	pod  *outrank.Pod
	// tolerations has the tolerations of the pod.
	tolerations fit.Tolerations
	config      preemption.Config
	// lookAt returns the view of a node. The view is valid until the next call.
	lookAt func(node string) (preemption.NodeView, error)
	// classes and copies are the fields of Options; copies may be nil.
	classes []*outrank.PriorityClass
	copies  func(*outrank.Pod) bool
	// most is the length at which a list is cut.
	most int

	// neighbours and spread are built when they are first needed, from the snapshot at that time.
	neighbours *neighbourIndex
	spread     *spreadIndex
	// nearest is the node that lacks the least room. It is nil if no node lacks room.
	nearest *closest
}

// place is a node with some pods taken to be gone.
type place struct {
	node *outrank.Node
	view preemption.NodeView
	// gone reports whether a pod is taken to be gone; nil means that none is. gonePods lists these pods,
	// including those on other nodes.
	gone     func(*outrank.Pod) bool
	gonePods []*outrank.Pod
}

// isGone reports whether a pod is taken to be gone.
func (at *place) isGone(p *outrank.Pod) bool { return at.gone != nil && at.gone(p) }

// placeOn returns a node with no pod gone. The place that it returned before must not be used any more.
func (f *finder) placeOn(name string) (*place, error) {
	view, err := f.lookAt(name)
	if err != nil {
		return nil, err
	}
	return &place{node: view.Node(), view: view}, nil
}

// without returns the node with these pods gone, and no others.
func (at *place) without(pods []*outrank.Pod) *place {
	set := make(map[*outrank.Pod]bool, len(pods))
	for _, p := range pods {
		set[p] = true
	}
	return &place{node: at.node, view: at.view, gone: func(p *outrank.Pod) bool { return set[p] }, gonePods: pods}
}

// empty returns the node with every possible victim gone.
func (at *place) empty() *place { return at.without(at.view.Possible()) }

// present lists the pods on the node that are not gone, without the preemptor, the most important first.
func (f *finder) present(at *place) []*outrank.Pod {
	pods := f.snap.PodsOn(at.node.Name)
	return slices.DeleteFunc(pods, func(p *outrank.Pod) bool {
		return at.isGone(p) || p.Key() == f.pod.Key()
	})
}

// holders lists the pods that can hold a port or a volume of the node: first the pods that are present, then the
// nominated pods that the preemptor has to respect.
func (f *finder) holders(at *place) []*outrank.Pod {
	return append(f.present(at), f.nominated(at)...)
}

// nominated lists the pods nominated to the node that the preemptor has to leave room for.
func (f *finder) nominated(at *place) []*outrank.Pod {
	return nominatedFor(&f.config, f.snap, f.pod, at.node.Name)
}

// room compares what the preemptor asks of the node with what the node has without the pods that are gone.
func (f *finder) room(at *place) []amounts { return roomWithout(&f.config, f.snap, at.view, at.gone) }

// leaveTogether reports whether two running pods leave together: they belong to one group that leaves as a whole,
// or they are the same pod (rules 12.6.3 and 12.6.4).
func (f *finder) leaveTogether(a, b *outrank.Pod) bool {
	// The UID distinguishes a pod from its successor of the same name. If a UID is missing, the name decides.
	if a.Key() == b.Key() {
		return a.UID == b.UID || a.UID == "" || b.UID == ""
	}

	group, composite := f.snap.LeavesWith(a)
	if group == nil && composite == nil {
		return false // the pod leaves by itself
	}
	otherGroup, otherComposite := f.snap.LeavesWith(b)
	return group == otherGroup && composite == otherComposite
}

// isCopy reports whether a pod is a copy of the preemptor: it has the same controller, or Options.Copies says so.
func (f *finder) isCopy(p *outrank.Pod) bool {
	if p.Key() == f.pod.Key() {
		return false
	}
	return f.copies != nil && f.copies(p) ||
		p.Owner != (outrank.Owner{}) && p.Owner == f.pod.Owner && p.NamespaceName() == f.pod.NamespaceName()
}

// ref returns a reference to a pod on a node.
func (f *finder) ref(p *outrank.Pod, node string) *Pod {
	return &Pod{Key: p.Key(), Priority: f.snap.CountsAs(p), Node: node}
}

// cut shortens each list of the obstacle to most entries, and sets More to the number of entries left out. Short is
// only cut if its entries are drivers of volumes (NodeVolumeLimits).
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

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// disabled reports whether the configuration switches preemption off.
func (f *finder) disabled() bool {
	return slices.Contains(f.config.Profile.Off, preemption.DefaultPreemption)
}
