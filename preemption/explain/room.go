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

// amounts compares what a pod asks of a node with what the node has, in one resource. cpu is counted in millicores,
// and any other resource in whole units. No amount is negative.
type amounts struct {
	resource resource.Name
	// needed is the amount that the pod asks for, and offered the amount that the node offers to all pods.
	needed, offered int64
	// taken is the amount that is in use; it may be above offered. reserved is the part of it that is kept for
	// pods nominated to the node.
	taken, reserved int64
}

// free returns the amount that is not taken. It is negative if more is taken than offered.
func (r amounts) free() int64 { return r.offered - r.taken }

// short returns the amount that is missing, 0 if there is enough.
func (r amounts) short() int64 {
	return max(0, resource.SubSat(r.needed, r.free()))
}

// room converts the amounts for a report.
func (r amounts) room() Room {
	q := func(amount int64) resource.Quantity { return prose.Quantity(r.resource, amount) }
	return Room{
		Resource: r.resource, Needed: q(r.needed), Free: q(r.free()), Short: q(r.short()), Offered: q(r.offered),
		Reserved: q(r.reserved),
	}
}

// RoomOn compares, resource by resource, what the pod of a view asks of its node with what the node has when
// some of the possible victims are gone. The number of pods on the node comes first, then the pod's resources in the
// order of kube-scheduler. The requests of nominated pods that the pod has to respect are reserved. The evaluator and
// the snapshot must be those with which the view was made ([engine.Evaluator.LookAt]). Pods in gone that are no
// possible victims are ignored.
//
// The result is nil if the filter NodeResourcesFit is off, or the view has no node. The slice belongs to the
// caller. Time is linear in the pods of the node.
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

// roomWithout returns the amounts of RoomOn for a configuration, without the possible victims for which gone returns
// true. A nil gone means that none are gone.
func roomWithout(config *preemption.Config, snap *engine.Snapshot, view preemption.NodeView, gone func(*outrank.Pod) bool) []amounts {
	// If the filter is off, amounts keep no pod out (rule 7.18.6).
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

// holding says which pods use room of one node.
type holding struct {
	snap  *engine.Snapshot
	rules release.Rules
	pod   *outrank.Pod
	node  *outrank.Node
	// gone lists the pods of the node that are taken to be gone, and stay the others.
	gone, stay []*outrank.Pod
	// held lists the nominated pods that the pod has to respect.
	held []*outrank.Pod
	// resident is the running pod itself, if it asks for room for a resize in place (rule 7.19.1). It is nil for a
	// pending pod.
	resident *outrank.Pod
}

// newHolding finds the pods that use room of the view's node, and separates those that are gone.
func newHolding(config *preemption.Config, snap *engine.Snapshot, view preemption.NodeView, gone func(*outrank.Pod) bool) *holding {
	h := &holding{snap: snap, rules: release.Of(release.Release(snap.Release())), pod: view.Pod(), node: view.Node()}

	// gone is only asked about possible victims. The caller may name other pods, too, but these stay.
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

// places returns the amounts of the resource "pods", of which each pod uses 1. A pod that is resized in place counts
// twice (rule 7.19.5).
func (h *holding) places() amounts {
	held := int64(len(h.held))
	return amounts{
		resource: resource.Pods, needed: 1, offered: h.node.Allocatable.Amount(resource.Pods),
		taken: int64(len(h.stay)) + held, reserved: held,
	}
}

// room returns the amounts of a resource that the pod needs. A pod that is resized in place only asks for the increase
// over the amount that the node counts for it already. If there is no increase, it still asks for standard
// resources, but not for others (rules 7.19.4 and 7.19.11); asked is false then.
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

// taken returns the amount of a resource that the pods that stay use.
func (h *holding) taken(name resource.Name) int64 {
	// The snapshot has the sum over all pods of the node, from which the gone ones are subtracted. That is wrong if
	// the sum has saturated at the largest int64; the pods that stay are added up then.
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

// takes returns the amount of a resource that a running pod uses.
func (h *holding) takes(p *outrank.Pod, name resource.Name) int64 { return takes(h.snap, p, name) }

// takes returns the amount of a resource that a running pod uses, as its node counts it (group 2.2).
func takes(snap *engine.Snapshot, p *outrank.Pod, name resource.Name) int64 {
	return max(0, resource.Amount(name, p.RunningRequestOf(snap.Release(), name)))
}

// nominatedFor lists the pods nominated to a node that a pod has to respect, the most important first. They
// have at least the pod's priority, and belong to schedulers that share their nominations. Terminating pods do not
// count, and gated pods only from v1.37 on (rules 7.16.1, 7.16.3, 7.16.5 and 7.16.6).
func nominatedFor(config *preemption.Config, snap *engine.Snapshot, pod *outrank.Pod, node string) []*outrank.Pod {
	gated := release.Of(release.Release(snap.Release())).GatedNominations
	return slices.DeleteFunc(snap.NominatedTo(node), func(p *outrank.Pod) bool {
		return p.PriorityValue() < pod.PriorityValue() || p.Key() == pod.Key() || p.Terminating() || p.Gated() && !gated ||
			len(config.Profile.Schedulers) > 0 && !slices.Contains(config.Profile.Schedulers, p.Scheduler())
	})
}
