package history

import (
	"encoding/binary"
	"slices"
	"time"
)

// link is the end of a chain: a lineage, and how the lineage before it evicted it.
// Chains share their beginnings. Once a link is made, nothing changes but what its cascade points to.
type link struct {
	lineage string
	// before is nil where the chain begins: that lineage was not evicted, and
	// time and node are empty.
	before  *link
	length  int // the links from the beginning up to this one
	time    time.Time
	node    string
	cascade *cascade // shared by all chains with this beginning
}

// cascade has all chains that begin with the same preemption.
type cascade struct {
	longest int // how many links its longest chain ever had
}

// begin returns the empty chain of a lineage.
func begin(lineage string) *link { return &link{lineage: lineage, cascade: &cascade{}} }

// find returns the link of a lineage in the chain that ends here, nil if it has none. Time is linear
// in the length of the chain.
func (l *link) find(lineage string) *link {
	for ; l != nil; l = l.before {
		if l.lineage == lineage {
			return l
		}
	}
	return nil
}

// cascades counts the cascades.
type cascades struct {
	maxChain int // the links at which a chain is cut
	// count has by number of links how many cascades have a longest chain of so many.
	count []int
	cut   int // how often a chain was cut
	// longest ends the longest chain of all, the first of equal length.
	longest *link
}

// extend adds a link to a chain, or begins a new chain where this one has its
// largest length.
func (c *cascades) extend(from *link, next link) *link {
	if from.length >= c.maxChain {
		from = begin(from.lineage)
		c.cut++
	}

	next.before = from
	next.length = from.length + 1
	next.cascade = from.cascade
	c.grow(next.cascade, next.length)
	if c.longest == nil || next.length > c.longest.length {
		c.longest = &next
	}
	return &next
}

// grow counts a cascade under a new length, if that is longer than before.
func (c *cascades) grow(cascade *cascade, length int) {
	if length <= cascade.longest {
		return
	}
	for len(c.count) <= length {
		c.count = append(c.count, 0)
	}
	if cascade.longest > 0 {
		c.count[cascade.longest]--
	}
	cascade.longest = length
	c.count[length]++
}

// cycleCounts counts rounds by cycle.
type cycleCounts struct {
	maxCycles int // the distinct cycles that are kept
	// known has the cycles by key: the ids of the lineages in order, the least of them
	// first, so that every rotation of a cycle has the same key.
	known map[string]*cycleCount
	// uncounted counts the rounds of cycles beyond the limit.
	uncounted int
	key       []byte // memory for the next key
}

// cycleCount is one cycle with its rounds.
type cycleCount struct {
	rounds      int
	first, last time.Time
}

// count records that a round is complete. The ids come in reverse: the next one of each
// evicted it. It reverses the slice in place.
func (c *cycleCounts) count(ids []uint32, at time.Time) {
	slices.Reverse(ids)
	start := slices.Index(ids, slices.Min(ids))
	c.key = c.key[:0]
	for i := range ids {
		c.key = binary.BigEndian.AppendUint32(c.key, ids[(start+i)%len(ids)])
	}

	known := c.known[string(c.key)]
	if known == nil {
		if len(c.known) >= c.maxCycles {
			c.uncounted++
			return
		}
		known = &cycleCount{first: at}
		c.known[string(c.key)] = known
	}
	known.rounds++
	known.last = at
}

// idsOf returns the ids in a key.
func idsOf(key string) []uint32 {
	ids := make([]uint32, 0, len(key)/4)
	for b := []byte(key); len(b) > 0; b = b[4:] {
		ids = append(ids, binary.BigEndian.Uint32(b))
	}
	return ids
}
