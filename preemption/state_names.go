package preemption

import (
	"hash/maphash"
	"math/bits"
	"sync"
)

// nodeNames are the names of the nodes by position, and finds positions by name. It is
// made when a name is first looked for, and snapshots whose nodes have one order share it.
type nodeNames struct {
	once  sync.Once
	names []string
	// table has position+1 in its low half and a part of the name's hash in its high
	// half, 0 where it is empty, at the first place that was empty from the hash on.
	table []uint64
}

// namesInOrder returns the names of the nodes.
func (s *Snapshot) namesInOrder() *nodeNames {
	x := s.names
	x.once.Do(func() { x.load(s) })
	return x
}

func (x *nodeNames) load(s *Snapshot) {
	x.names = make([]string, len(s.order))
	x.table = make([]uint64, 1<<(1+bits.Len(uint(len(s.order)))))
	last := uint64(len(x.table) - 1)
	for position, slot := range s.order {
		name := s.nodes[slot].name
		x.names[position] = name
		hash := hashOfName(name)
		at := hash & last
		for x.table[at] != 0 {
			at = (at + 1) & last
		}
		x.table[at] = hash&^positionMask | uint64(position+1)
	}
}

const positionMask = 1<<32 - 1

func hashOfName(name string) uint64 { return maphash.String(hashSeed, name) }

// position returns the position of a name with this hash, not ok if no node has it.
func (x *nodeNames) position(name string, hash uint64) (position int32, ok bool) {
	last := uint64(len(x.table) - 1)
	for at := hash & last; x.table[at] != 0; at = (at + 1) & last {
		entry := x.table[at]
		if i := int32(entry&positionMask) - 1; (entry^hash)>>32 == 0 && x.names[i] == name {
			return i, true
		}
	}
	return 0, false
}
