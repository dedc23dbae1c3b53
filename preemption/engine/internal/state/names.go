package state

import (
	"hash/maphash"
	"math/bits"
	"sync"
)

// NodeNames are the names of the nodes by position, and finds positions by name and by slot.
// Each is made when it is first looked for, and snapshots whose nodes have one order share it.
type NodeNames struct {
	once  sync.Once
	Names []string
	// table has position+1 in its low half and a part of the name's hash in its high
	// half, 0 where it is empty, at the first place that was empty from the hash on.
	table []uint64
	// positions has the position of each slot, -1 for one without a node, and firsts the least
	// of them in each block of slots.
	placed    sync.Once
	positions []int32
	firsts    []int32
}

// Load makes the names and the table, unless they are there.
func (x *NodeNames) Load(nodes []*NodeState, order []int32) {
	x.once.Do(func() {
		x.Names = make([]string, len(order))
		x.table = make([]uint64, 1<<(1+bits.Len(uint(len(order)))))
		for position, slot := range order {
			x.Names[position] = nodes[slot].Name
			x.insert(int32(position))
		}
	})
}

func (x *NodeNames) insert(position int32) {
	hash, last := HashOfName(x.Names[position]), uint64(len(x.table)-1)
	at := hash & last
	for x.table[at] != 0 {
		at = (at + 1) & last
	}
	x.table[at] = hash&^positionMask | uint64(position+1)
}

const positionMask = 1<<32 - 1

// HashOfName returns the hash by which a node's name is found.
func HashOfName(name string) uint64 { return maphash.String(hashSeed, name) }

// Position returns the position of a name with this hash, not ok if no node has it.
func (x *NodeNames) Position(name string, hash uint64) (position int32, ok bool) {
	last := uint64(len(x.table) - 1)
	for at := hash & last; x.table[at] != 0; at = (at + 1) & last {
		entry := x.table[at]
		if i := int32(entry&positionMask) - 1; (entry^hash)>>32 == 0 && x.Names[i] == name {
			return i, true
		}
	}
	return 0, false
}
