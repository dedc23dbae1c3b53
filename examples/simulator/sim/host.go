package sim

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// host is a node with its usage.
type host struct {
	node *outrank.Node
	// has is what the node offers, used what its pods ask for; both are amounts by column.
	has, used []int64
	// slots is the most pods that the node takes.
	slots int64
	// tiers divide the usage by the pods' level, the lowest level first.
	tiers []tier
	// rooms remember what roomFor has computed since the node, its pods or its claims last changed.
	rooms []room
	// claims are the claims of the pods that wait for room on this node.
	claims []*claim
	// removed is set once the node is gone.
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

// claim is the demand of a pod on its nominated node.
type claim struct {
	obj  *outrank.Pod
	asks []int64
}

// demand is what a pod demands of a node.
type demand struct {
	// asks are the requested amounts by column.
	asks []int64
	// level is the pod's priority. Pods of the level stay or a higher one cannot be pushed out.
	level, stay int64
}

// room is what a node has left for a pod of a level once every pod below the level stay has left.
type room struct {
	level, stay int64
	// slots and left count the pods that stay alone; freeSlots and free also take away what is kept
	// for nominated pods.
	slots, freeSlots int64
	left, free       []int64
}

// count counts a pod of a level on the node; with sign -1 it counts it no longer.
func (h *host) count(level int64, asks []int64, sign int64) {
	h.rooms = h.rooms[:0]
	i, found := slices.BinarySearchFunc(h.tiers, level, func(t tier, level int64) int { return cmp.Compare(t.level, level) })
	if !found {
		h.tiers = slices.Insert(h.tiers, i, tier{level: level, used: make([]int64, len(asks))})
	}

	// A tier without pods is dropped, so that levels that are no longer used do not pile up.
	t := &h.tiers[i]
	addTo(t.used, asks, sign)
	t.pods += sign
	if t.pods == 0 {
		h.tiers = slices.Delete(h.tiers, i, i+1)
	}
}

// keepRoom begins to keep room for a claim.
func (h *host) keepRoom(c *claim) {
	h.rooms = h.rooms[:0]
	h.claims = append(h.claims, c)
}

// giveUpRoom keeps no more room for a claim.
func (h *host) giveUpRoom(c *claim) {
	h.rooms = h.rooms[:0]
	h.claims = slices.DeleteFunc(h.claims, func(other *claim) bool { return other == c })
}

// set replaces the node; its usage stays.
func (h *host) set(n *outrank.Node, has []int64) {
	h.rooms = h.rooms[:0]
	h.node, h.has = n, has
	h.slots = n.Allocatable.Amount(resource.Pods)
}

// roomFor returns the room for a demand: the remembered one, or a new one that the node then remembers.
// Of the demand it depends only on the two levels, so that pods of equal levels share it.
func (h *host) roomFor(d *demand) *room {
	for i := range h.rooms {
		if r := &h.rooms[i]; r.stay == d.stay && r.level == d.level {
			return r
		}
	}

	// The tiers are in ascending order, so those that stay are the last ones.
	r := room{level: d.level, stay: d.stay, slots: h.slots, left: slices.Clone(h.has)}
	for i := len(h.tiers) - 1; i >= 0 && h.tiers[i].level >= d.stay; i-- {
		r.slots -= h.tiers[i].pods
		addTo(r.left, h.tiers[i].used, -1)
	}

	// Filters ask a node twice, with its nominated pods and without them, and both answers count.
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

// mayTake reports whether the node has enough for a pod with the demand if all pods
// leave that it may push out. Sums that have saturated count for less than they are.
func (h *host) mayTake(d *demand) bool {
	r := h.roomFor(d)
	return r.slots >= 1 && r.freeSlots >= 1 && suffices(r.left, d.asks) && suffices(r.free, d.asks)
}

// counts reports whether room is kept against the demand for a pod that is nominated: one of the same
// level or a higher one that could be placed now. The schedulers of a simulation share their nominations.
func (d *demand) counts(nominated *outrank.Pod) bool {
	return int64(nominated.PriorityValue()) >= d.level && !nominated.Gated() && !nominated.Terminating()
}
