package explain

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// amounts are what a pod asks of a node and what the node has of it.
type amounts struct {
	resource resource.Name
	// needed is what the pod needs, offered what the node offers to pods, taken what is
	// taken of that, and reserved the part of taken that pods nominated to the node hold:
	// millicores of cpu, units of any other resource, places under "pods". None is below
	// 0, and taken may be above offered.
	needed, offered, taken, reserved int64
}

// free is what is not taken; below 0 where more is taken than offered.
func (r amounts) free() int64 { return r.offered - r.taken }

// short is how much more would have to be free, 0 where there is enough.
func (r amounts) short() int64 {
	return max(0, resource.SubSat(r.needed, r.free()))
}

// room is what a report says of them.
func (r amounts) room() Room {
	q := func(amount int64) resource.Quantity { return prose.Quantity(r.resource, amount) }
	return Room{
		Resource: r.resource, Needed: q(r.needed), Free: q(r.free()), Short: q(r.short()), Offered: q(r.offered),
		Reserved: q(r.reserved),
	}
}

// RoomOn returns what the pod of a view asks of its node and what there is of it, with some of the
// possible victims gone: its place among the node's pods first, then its resources in the order of the
// reference. What is nominated to the node and counts is reserved. Evaluator and snapshot are those of the
// view ([engine.Evaluator.LookAt]). Other pods than possible victims are ignored.
//
// It is nil where the filter NodeResourcesFit is off, and for a view of no node. The slice is the
// caller's. Time is that of the pods that are gone.
func RoomOn(e *engine.Evaluator, snap *engine.Snapshot, view preemption.NodeView, gone ...*outrank.Pod) []Room {
	if e == nil || snap == nil || view == nil || view.Node() == nil {
		return nil
	}
	away := make(map[*outrank.Pod]bool, len(gone))
	for _, p := range gone {
		away[p] = true
	}
	config := e.Config()
	of := roomWithout(&config, snap, view, func(p *outrank.Pod) bool { return away[p] })
	if of == nil {
		return nil
	}
	out := make([]Room, len(of))
	for i, r := range of {
		out[i] = r.room()
	}
	return out
}

// roomWithout is RoomOn by a configuration, without the possible victims of which gone is true; nil means none.
func roomWithout(config *preemption.Config, snap *engine.Snapshot, view preemption.NodeView, gone func(*outrank.Pod) bool) []amounts {
	if off := config.Profile; slices.Contains(off.Off, preemption.NodeResourcesFit) || slices.Contains(off.OffOnNodes, preemption.NodeResourcesFit) {
		return nil
	}
	n := newHolding(config, snap, view, gone)
	out := []amounts{n.places()}
	for _, need := range fit.Needs(n.pod, config.Profile.IgnoredResources, config.Profile.IgnoredResourceGroups) {
		if r, asked := n.room(need); asked {
			out = append(out, r)
		}
	}
	return out
}

// holding is who holds what of one node.
type holding struct {
	snap  *engine.Snapshot
	rules release.Rules
	pod   *outrank.Pod
	node  *outrank.Node
	// gone have left the node, and stay are there. Only one of them is used for a resource.
	gone, stay []*outrank.Pod
	// held are the nominated pods that the pod has to leave room for.
	held []*outrank.Pod
	// resident is the pod itself as the node counts it, where it asks for room to grow (rule 7.19.1); nil for a pod
	// that asks for a place.
	resident *outrank.Pod
}

func newHolding(config *preemption.Config, snap *engine.Snapshot, view preemption.NodeView, gone func(*outrank.Pod) bool) *holding {
	h := &holding{snap: snap, rules: release.Of(release.Release(snap.Release())), pod: view.Pod(), node: view.Node()}

	// The possible victims on the node are some of its pods, in an order of their own.
	away := map[*outrank.Pod]bool{}
	if gone != nil {
		for _, p := range view.Possible() {
			away[p] = gone(p)
		}
	}
	for _, p := range snap.PodsOn(h.node.Name) {
		if away[p] {
			h.gone = append(h.gone, p)
		} else {
			h.stay = append(h.stay, p)
		}
	}

	h.held = nominatedFor(config, snap, h.pod, h.node.Name)
	if h.rules.DeferredResizes && h.pod.ResizeDeferred && h.pod.NodeName != "" && snap.NodeOf(h.pod.Key()) == h.node.Name {
		h.resident, _ = snap.Pod(h.pod.Key())
	}
	return h
}

// places are those that the node has for pods, of which each takes one.
func (h *holding) places() amounts {
	held := int64(len(h.held))
	return amounts{resource.Pods, 1, h.node.Allocatable.Amount(resource.Pods), int64(len(h.stay)) + held, held}
}

// room is what there is of a resource. A pod that grows in place asks for what the node does not count yet, and not
// at all for a resource beside the standard ones of which that is nothing (rules 7.19.4 and 7.19.11).
func (h *holding) room(need fit.Need) (r amounts, asked bool) {
	r = amounts{resource: need.Name, needed: need.Amount, offered: max(0, h.node.Allocatable.Amount(need.Name))}
	if h.resident != nil {
		r.needed = max(0, need.Amount-h.takes(h.resident, need.Name))
		if r.needed == 0 && !fit.Standard(need.Name) {
			return r, false
		}
	}
	for _, p := range h.held {
		r.reserved = resource.AddSat(r.reserved, max(0, resource.Amount(need.Name, p.RequestOf(need.Name))))
	}
	r.taken = resource.AddSat(h.taken(need.Name), r.reserved)
	return r, true
}

// taken is what the pods that stay take of a resource. The sum of all pods is at hand; only where it is too large for
// an int64 do those that stay have to be added up.
func (h *holding) taken(name resource.Name) int64 {
	if used := h.snap.Used(h.node.Name, name); used < math.MaxInt64 {
		for _, p := range h.gone {
			used -= h.takes(p, name)
		}
		return used
	}
	sum := int64(0)
	for _, p := range h.stay {
		sum = resource.AddSat(sum, h.takes(p, name))
	}
	return sum
}

// takes is what a running pod takes of a resource.
func (h *holding) takes(p *outrank.Pod, name resource.Name) int64 { return takes(h.snap, p, name) }

// takes is what a running pod takes of a resource, as its node counts it.
func takes(snap *engine.Snapshot, p *outrank.Pod, name resource.Name) int64 {
	return max(0, resource.Amount(name, p.RunningRequestOf(snap.Release(), name)))
}

// nominatedFor lists the pods nominated to a node that a pod has to leave room for, by importance: those of at least
// its priority and of the schedulers that share their nominations, unless they are being deleted or, in v1.36, gated
// (rules 7.16.1, 7.16.3, 7.16.5 and 7.16.6).
func nominatedFor(config *preemption.Config, snap *engine.Snapshot, pod *outrank.Pod, node string) []*outrank.Pod {
	gated := release.Of(release.Release(snap.Release())).GatedNominations
	return slices.DeleteFunc(snap.NominatedTo(node), func(p *outrank.Pod) bool {
		return p.PriorityValue() < pod.PriorityValue() || p.Key() == pod.Key() || p.Terminating() || p.Gated() && !gated ||
			len(config.Profile.Schedulers) > 0 && !slices.Contains(config.Profile.Schedulers, p.Scheduler())
	})
}
