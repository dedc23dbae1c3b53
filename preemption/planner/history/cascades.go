package history

import (
	"encoding/binary"
	"slices"
	"time"
)

// link is the last link of a chain: a lineage, with the time and node at which the lineage before it evicted it. The
// links before it may be shared by several chains, so a link never changes, except through its cascade.
type link struct {
	lineage string
	// before is nil at the beginning of a chain. The lineage there was not
	// evicted, so time and node are empty.
	before  *link
	length  int // number of links from the beginning up to this one
	time    time.Time
	node    string
	cascade *cascade // shared by all chains with the same beginning
}

// cascade is shared by all chains that begin with the same preemption.
type cascade struct {
	longest int // number of links in the longest chain that it ever had
}

// begin returns a chain that starts with a lineage and has no links yet.
func begin(lineage string) *link { return &link{lineage: lineage, cascade: &cascade{}} }

// find returns the link of a lineage in the chain that ends here, or nil. It takes time linear in the
// length of the chain.
func (l *link) find(lineage string) *link {
	for ; l != nil; l = l.before {
		if l.lineage == lineage {
			return l
		}
	}
	return nil
}

// cascades counts the cascades by the lengths of their longest chains.
type cascades struct {
	maxChain int // number of links at which a chain is cut
	// count[n] is the number of cascades whose longest chain has n links.
	count []int
	cut   int // how often a chain was cut
	// longest is the last link of the longest chain, the earliest among equal ones.
	longest *link
}

// extend adds a link to a chain. If the chain has maxChain links already, it is cut, and
// the link begins a new one.
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

// grow counts a cascade under a new length if it is longer than its longest chain so far.
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

// cycleCounts counts the rounds of each cycle.
type cycleCounts struct {
	maxCycles int // number of distinct cycles that are kept
	// known maps keys to cycles. A key has the ids of the lineages in order, the least id
	// first, so that every rotation of a cycle has the same key.
	known map[string]*cycleCount
	// uncounted is the number of rounds of cycles beyond maxCycles.
	uncounted int
	key       []byte // buffer for keys
}

// cycleCount has the number of rounds of one cycle, and the times of the first and the last.
type cycleCount struct {
	rounds      int
	first, last time.Time
}

// count records a complete round. In ids each lineage was evicted by the one after it; count
// reverses the slice in place.
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

// idsOf decodes the ids of a key.
func idsOf(key string) []uint32 {
	ids := make([]uint32, 0, len(key)/4)
	for b := []byte(key); len(b) > 0; b = b[4:] {
		ids = append(ids, binary.BigEndian.Uint32(b))
	}
	return ids
}
