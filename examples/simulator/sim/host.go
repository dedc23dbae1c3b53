package sim

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// host is a node with what is used of it.
type host struct {
	node *outrank.Node
	// has are the amounts that the node offers, and used those that its pods request, both by column.
	has, used []int64
	// slots is the number of pods that the node takes at most.
	slots int64
	// tiers split the usage by the level of the pods, the lowest level first.
	tiers []tier
	// rooms caches the results of roomFor. It is emptied when the node, its pods or its claims change.
	rooms []room
	// claims are the reservations for waiting pods that are nominated to this node.
	claims []*claim
	// removed is set once the node has been removed.
	removed bool
}

// name returns the name of the node.
func (h *host) name() string { return h.node.Name }

// tier is the usage of a node by the pods of one level.
type tier struct {
	level int64
	used  []int64
	pods  int64
}

// claim is a reservation for a waiting pod on its nominated node.
type claim struct {
	obj  *outrank.Pod
	asks []int64
}

// demand is what one pod requests of a node, and which pods may be preempted for it.
type demand struct {
	// asks are the requested amounts by column.
	asks []int64
	// level is the priority of the pod. Pods whose level is at least stay cannot be preempted for it.
	level, stay int64
}

// room is what a node has left for a pod of a level, once every pod whose level is below stay has left.
type room struct {
	level, stay int64
	// slots and left only subtract the pods that stay. freeSlots and free also subtract the reservations for
	// nominated pods.
	slots, freeSlots int64
	left, free       []int64
}

// count counts a pod of a level on the node; with sign -1 it stops counting it.
func (h *host) count(level int64, asks []int64, sign int64) {
	h.rooms = h.rooms[:0]
	i, found := slices.BinarySearchFunc(h.tiers, level, func(t tier, level int64) int { return cmp.Compare(t.level, level) })
	if !found {
		h.tiers = slices.Insert(h.tiers, i, tier{level: level, used: make([]int64, len(asks))})
	}

	// An empty tier is removed, so that tiers do not accumulate.
	t := &h.tiers[i]
	addTo(t.used, asks, sign)
	t.pods += sign
	if t.pods == 0 {
		h.tiers = slices.Delete(h.tiers, i, i+1)
	}
}

// keepRoom adds a reservation.
func (h *host) keepRoom(c *claim) {
	h.rooms = h.rooms[:0]
	h.claims = append(h.claims, c)
}

// giveUpRoom removes a reservation.
func (h *host) giveUpRoom(c *claim) {
	h.rooms = h.rooms[:0]
	h.claims = slices.DeleteFunc(h.claims, func(other *claim) bool { return other == c })
}

// set replaces the version of the node. The usage stays.
func (h *host) set(n *outrank.Node, has []int64) {
	h.rooms = h.rooms[:0]
	h.node, h.has = n, has
	h.slots = n.Allocatable.Amount(resource.Pods)
}

// roomFor returns the room for a demand, from the cache if possible. It depends on the two levels of the
// demand alone, so that pods of equal levels share it.
func (h *host) roomFor(d *demand) *room {
	for i := range h.rooms {
		if r := &h.rooms[i]; r.stay == d.stay && r.level == d.level {
			return r
		}
	}

	// Tiers are in ascending order, so the pods that stay are in the last ones.
	r := room{level: d.level, stay: d.stay, slots: h.slots, left: slices.Clone(h.has)}
	for i := len(h.tiers) - 1; i >= 0 && h.tiers[i].level >= d.stay; i-- {
		r.slots -= h.tiers[i].pods
		addTo(r.left, h.tiers[i].used, -1)
	}

	// Filters judge a node twice, with its nominated pods and without them, and the pod must pass both.
	r.freeSlots, r.free = r.slots, slices.Clone(r.left)
	for _, c := range h.claims {
		if d.counts(c.obj) {
			r.freeSlots--
			addTo(r.free, c.asks, -1)
		}
	}

	h.rooms = append(h.rooms, r)
	return &h.rooms[len(h.rooms)-1]
}

// mayTake reports whether the node has room for the demand once all pods that may be preempted have left. It
// never reports true because of an overflow: saturated sums count for less.
func (h *host) mayTake(d *demand) bool {
	r := h.roomFor(d)
	return r.slots >= 1 && r.freeSlots >= 1 && suffices(r.left, d.asks) && suffices(r.free, d.asks)
}

// counts reports whether the reservation of a nominated pod counts against the demand: the pod must have the
// same or a higher level, and be ready to be placed. All schedulers of a simulation share the nominations.
func (d *demand) counts(nominated *outrank.Pod) bool {
	return int64(nominated.PriorityValue()) >= d.level && !nominated.Gated() && !nominated.Terminating()
}
