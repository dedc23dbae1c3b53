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
	// has and used are amounts by column.
	has, used []int64
	// slots is the most pods that it takes, tiers the usage by level, the lowest
	// first.
	slots int64
	tiers []tier
	// rooms are the results since these changed.
	rooms []room
	// claims are those of the pods that wait for room on it.
	claims []*claim
	// removed is set once the node is gone.
	removed bool
}

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

// demand is the demand of a pod on nodes: amounts by column. Its level is the
// priority; pods of the level stay and of higher ones remain where they are.
type demand struct {
	asks        []int64
	level, stay int64
}

// room is a node's rest for pods of a level that may push out those below
// another one: left, and of that free beside the pods that room is kept for.
type room struct {
	level, stay      int64
	slots, freeSlots int64
	left, free       []int64
}

// count counts a pod of a level on the node, or ends that.
func (h *host) count(level int64, asks []int64, sign int64) {
	h.rooms = h.rooms[:0]
	at, found := slices.BinarySearchFunc(h.tiers, level, func(t tier, level int64) int { return cmp.Compare(t.level, level) })
	if !found {
		h.tiers = slices.Insert(h.tiers, at, tier{level: level, used: make([]int64, len(asks))})
	}
	t := &h.tiers[at]
	addTo(t.used, asks, sign)
	if t.pods += sign; t.pods == 0 {
		h.tiers = slices.Delete(h.tiers, at, at+1)
	}
}

// keepRoom begins to keep room for a claim, giveUpRoom ends it.
func (h *host) keepRoom(c *claim) {
	h.rooms = h.rooms[:0]
	h.claims = append(h.claims, c)
}

func (h *host) giveUpRoom(c *claim) {
	h.rooms = h.rooms[:0]
	h.claims = slices.DeleteFunc(h.claims, func(other *claim) bool { return other == c })
}

// set replaces the node; its usage stays.
func (h *host) set(n *outrank.Node, has []int64) {
	h.rooms = h.rooms[:0]
	h.node, h.has, h.slots = n, has, n.Allocatable.Amount(resource.Pods)
}

// roomFor computes the room for a demand, if the node does not remember it.
func (h *host) roomFor(d *demand) *room {
	for i := range h.rooms {
		if r := &h.rooms[i]; r.stay == d.stay && r.level == d.level {
			return r
		}
	}
	r := room{level: d.level, stay: d.stay, slots: h.slots, left: slices.Clone(h.has)}
	for i := len(h.tiers) - 1; i >= 0 && h.tiers[i].level >= d.stay; i-- {
		r.slots -= h.tiers[i].pods
		addTo(r.left, h.tiers[i].used, -1)
	}
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

// counts reports whether room is kept for a pod that is nominated, and not the one
// of the demand. The schedulers of a simulation share their nominations.
func (d *demand) counts(nominated *outrank.Pod) bool {
	return int64(nominated.PriorityValue()) >= d.level && !nominated.Gated() && !nominated.Terminating()
}
