package history

import (
	"cmp"
	"slices"
	"time"
)

// Summary has the findings of a [Log] up to some moment. It is a value of the
// caller's own. The summary of an empty log is the zero value.
type Summary struct {
	// Preemptions and Evictions count the preemptions, and the victims in them.
	Preemptions, Evictions int

	// Cascades counts the cascades by the number of links in their longest chain, two or more. It is nil
	// where there is none.
	Cascades map[int]int
	// LongestCascade is the longest chain of all, the earliest of equal length. Each preemption in it has one
	// victim, which is the preemptor of the next. It is empty where there is no cascade.
	LongestCascade []Preemption
	// CutCascades is how often a chain was cut because it was too long.
	CutCascades int

	// Cycles are the distinct cycles, sorted by rounds, the most first, then by
	// length, the longest first, then by name.
	Cycles []Cycle
	// OtherRounds counts the rounds of cycles beyond the limit, which are not in Cycles.
	OtherRounds int

	// Repeats are the lineages that more than one preemption evicted, sorted by
	// how often, the most first, then by name.
	Repeats []Repeat
}

// Cycle is a ring of lineages that evict one another.
type Cycle struct {
	// Lineages begins with the least name. Each evicts the next, and the last
	// evicts the first.
	Lineages []string
	// Recurrence counts the rounds. A round happens when it is complete.
	Recurrence
}

// Recurrence says how often something has happened, and when it did the first time and the last.
type Recurrence struct {
	Times       int
	First, Last time.Time
}

// Repeat is a lineage that was evicted again and again.
type Repeat struct {
	Lineage string
	// Recurrence counts the preemptions that evicted it.
	Recurrence
	// Preemptor is the lineage that evicted it every time; empty if there were
	// several.
	Preemptor string
}

// Summary returns the findings so far; recording may continue afterwards. Time
// is linear in the lineages and cycles that are kept, and that of sorting them.
func (h *Log) Summary() Summary {
	r := Summary{
		Preemptions: h.preemptions, Evictions: h.evictions,
		CutCascades: h.cascades.cut,
		OtherRounds: h.cycles.uncounted, Repeats: h.repeats(),
	}
	h.cascades.report(&r)
	r.Cycles = h.distinctCycles()
	return r
}

// report enters the cascades into a summary. A single link is no cascade.
func (c *cascades) report(r *Summary) {
	for links, n := range c.count {
		if links >= 2 && n > 0 {
			if r.Cascades == nil {
				r.Cascades = map[int]int{}
			}
			r.Cascades[links] = n
		}
	}

	if c.longest == nil || c.longest.length < 2 {
		return
	}
	for l := c.longest; l.before != nil; l = l.before {
		r.LongestCascade = append(r.LongestCascade, Preemption{
			Time: l.time, Node: l.node, Preemptor: l.before.lineage, Victims: []string{l.lineage},
		})
	}
	slices.Reverse(r.LongestCascade)
}

// distinctCycles returns the cycles by name, sorted as Summary.Cycles says.
func (h *Log) distinctCycles() []Cycle {
	names := make([]string, len(h.lineages))
	for name, l := range h.lineages {
		names[l.id] = name
	}

	var out []Cycle
	for key, c := range h.cycles.known {
		ids := idsOf(key)
		ring := make([]string, len(ids))
		for i, id := range ids {
			ring[i] = names[id]
		}

		// Ids are numbered by first eviction, which says nothing to a reader: the least name comes first.
		start := slices.Index(ring, slices.Min(ring))
		ring = slices.Concat(ring[start:], ring[:start])
		out = append(out, Cycle{ring, Recurrence{c.rounds, c.first, c.last}})
	}
	slices.SortFunc(out, func(a, b Cycle) int {
		return cmp.Or(
			cmp.Compare(b.Times, a.Times),
			cmp.Compare(len(b.Lineages), len(a.Lineages)),
			slices.Compare(a.Lineages, b.Lineages),
		)
	})
	return out
}

// repeats returns the lineages that were evicted more than once, sorted as Summary.Repeats says.
func (h *Log) repeats() []Repeat {
	var out []Repeat
	for _, l := range h.lineages {
		if l.times < 2 {
			continue
		}
		r := Repeat{Lineage: l.name, Recurrence: Recurrence{l.times, l.first, l.last}}
		if !l.several {
			r.Preemptor = l.by
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Repeat) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Lineage, b.Lineage))
	})
	return out
}
