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

// amounts are the amounts of one resource that a pod asks of a node and that the node has. They are in
// millicores of cpu, places under "pods", and units of any other resource. None is negative.
type amounts struct {
	resource resource.Name
	// needed is the amount that the pod asks for, and offered the amount that the node offers to all pods.
	needed, offered int64
	// taken is the amount that is taken; it may be above offered. reserved is the part of it that pods nominated
	// to the node hold.
	taken, reserved int64
}

// free is the amount that is not taken. It is negative where more is taken than offered.
func (r amounts) free() int64 { return r.offered - r.taken }

// short is the amount that is missing, 0 where there is enough.
func (r amounts) short() int64 {
	return max(0, resource.SubSat(r.needed, r.free()))
}

// room returns the amounts as a report has them.
func (r amounts) room() Room {
	q := func(amount int64) resource.Quantity { return prose.Quantity(r.resource, amount) }
	return Room{
		Resource: r.resource, Needed: q(r.needed), Free: q(r.free()), Short: q(r.short()), Offered: q(r.offered),
		Reserved: q(r.reserved),
	}
}

// RoomOn compares, resource by resource, what the pod of a view asks of its node with what the node has when
// some of the possible victims are gone. The pod's place among the pods of the node comes first, then its
// resources in the order of the reference. Amounts of pods that are nominated to the node and that the pod
// has to respect are reserved. Evaluator and snapshot are those of the view ([engine.Evaluator.LookAt]). Pods
// in gone that are no possible victims are ignored.
//
// The result is nil where the filter NodeResourcesFit is off, and for a view of no node. The slice belongs to
// the caller. Time is linear in the pods of the node.
func RoomOn(e *engine.Evaluator, snap *engine.Snapshot, view preemption.NodeView, gone ...*outrank.Pod) []Room {
	if e == nil || snap == nil || view == nil || view.Node() == nil {
		return nil
	}

	away := make(map[*outrank.Pod]bool, len(gone))
	for _, p := range gone {
		away[p] = true
	}
	config := e.Config()
	rooms := roomWithout(&config, snap, view, func(p *outrank.Pod) bool { return away[p] })
	if rooms == nil {
		return nil
	}

	out := make([]Room, len(rooms))
	for i, r := range rooms {
		out[i] = r.room()
	}
	return out
}

// roomWithout returns the amounts of RoomOn by a configuration, without the possible victims that gone reports.
// A nil gone reports none.
func roomWithout(config *preemption.Config, snap *engine.Snapshot, view preemption.NodeView, gone func(*outrank.Pod) bool) []amounts {
	// Without the filter, amounts keep nobody out (rule 7.18.6).
	profile := &config.Profile
	if slices.Contains(profile.Off, preemption.NodeResourcesFit) || slices.Contains(profile.OffOnNodes, preemption.NodeResourcesFit) {
		return nil
	}

	h := newHolding(config, snap, view, gone)
	out := []amounts{h.places()}
	for _, need := range fit.Needs(h.pod, profile.IgnoredResources, profile.IgnoredResourceGroups) {
		if r, asked := h.room(need); asked {
			out = append(out, r)
		}
	}
	return out
}

// holding says which pods hold room of one node.
type holding struct {
	snap  *engine.Snapshot
	rules release.Rules
	pod   *outrank.Pod
	node  *outrank.Node
	// gone and stay are the pods of the node that are gone and the others.
	gone, stay []*outrank.Pod
	// held are the nominated pods that the pod has to respect.
	held []*outrank.Pod
	// resident is the pod itself as the node counts it, where it asks for room to grow (rule 7.19.1); nil for a
	// pod that asks for a place.
	resident *outrank.Pod
}

// newHolding sorts the pods of the view's node into those that are gone and those that stay.
func newHolding(config *preemption.Config, snap *engine.Snapshot, view preemption.NodeView, gone func(*outrank.Pod) bool) *holding {
	h := &holding{snap: snap, rules: release.Of(release.Release(snap.Release())), pod: view.Pod(), node: view.Node()}

	// gone is asked about possible victims alone: the caller may name other pods, and they stay.
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

// places returns the amounts of "pods". Each pod takes one place. A pod that grows in place counts twice
// (rule 7.19.5).
func (h *holding) places() amounts {
	held := int64(len(h.held))
	return amounts{
		resource: resource.Pods, needed: 1, offered: h.node.Allocatable.Amount(resource.Pods),
		taken: int64(len(h.stay)) + held, reserved: held,
	}
}

// room returns the amounts of a resource that the pod needs. A pod that grows in place asks for the amount
// that the node does not count yet. If that is nothing it asks at all only for standard resources (rules
// 7.19.4 and 7.19.11).
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

// taken is the amount of a resource that the pods that stay take.
func (h *holding) taken(name resource.Name) int64 {
	// The snapshot has the sum over all pods of the node. Subtracting from it is right unless the sum has
	// stopped at the largest int64; then the pods that stay are added up.
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

// takes is the amount of a resource that a running pod takes.
func (h *holding) takes(p *outrank.Pod, name resource.Name) int64 { return takes(h.snap, p, name) }

// takes is the amount of a resource that a running pod takes, as its node counts it (group 2.2).
func takes(snap *engine.Snapshot, p *outrank.Pod, name resource.Name) int64 {
	return max(0, resource.Amount(name, p.RunningRequestOf(snap.Release(), name)))
}

// nominatedFor lists the pods nominated to a node that a pod has to respect, the most important first. They
// have at least its priority and belong to schedulers that share their nominations. Pods that are being
// deleted do not count and, in v1.36, neither do gated ones (rules 7.16.1, 7.16.3, 7.16.5 and 7.16.6).
func nominatedFor(config *preemption.Config, snap *engine.Snapshot, pod *outrank.Pod, node string) []*outrank.Pod {
	gated := release.Of(release.Release(snap.Release())).GatedNominations
	return slices.DeleteFunc(snap.NominatedTo(node), func(p *outrank.Pod) bool {
		return p.PriorityValue() < pod.PriorityValue() || p.Key() == pod.Key() || p.Terminating() || p.Gated() && !gated ||
			len(config.Profile.Schedulers) > 0 && !slices.Contains(config.Profile.Schedulers, p.Scheduler())
	})
}
