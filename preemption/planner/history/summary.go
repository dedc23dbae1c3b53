package history

import (
	"cmp"
	"slices"
	"time"
)

// Summary has the findings of a [Log] up to the time of the call. It belongs to the
// caller. The summary of an empty log is the zero value.
type Summary struct {
	// Preemptions is the number of recorded preemptions, and Evictions the number of all their victims.
	Preemptions, Evictions int

	// Cascades[n] is the number of cascades whose longest chain has n links, for n of two or more.
	// It is nil if there is no cascade.
	Cascades map[int]int
	// LongestCascade is the longest chain, and the earliest one among those of equal length. Each preemption in it
	// has one victim, which is the preemptor of the next. It is empty if there is no cascade.
	LongestCascade []Preemption
	// CutCascades counts how often a chain was cut because it had reached Config.MaxChain.
	CutCascades int

	// Cycles lists the distinct cycles. The one with the most rounds comes first;
	// equal ones are sorted by length, the longest first, and then by name.
	Cycles []Cycle
	// OtherRounds counts the rounds of cycles beyond Config.MaxCycles, which are not in Cycles.
	OtherRounds int

	// Repeats lists the lineages that more than one preemption evicted. The one
	// evicted most often comes first; equal ones are sorted by name.
	Repeats []Repeat
}

// Cycle is a ring of lineages in which each evicts the next.
type Cycle struct {
	// Lineages starts with the name that sorts first. Each lineage evicts the
	// next one, and the last evicts the first.
	Lineages []string
	// Recurrence counts the rounds. A round is dated by the eviction that completes it.
	Recurrence
}

// Recurrence says how often something has happened, and when it happened first and last.
type Recurrence struct {
	Times       int
	First, Last time.Time
}

// Repeat is a lineage that was evicted more than once.
type Repeat struct {
	Lineage string
	// Recurrence counts the preemptions that evicted it.
	Recurrence
	// Preemptor is the lineage that evicted it every time. It is empty if several
	// lineages did.
	Preemptor string
}

// Summary returns the findings so far; recording may continue afterwards. It takes the
// time of sorting the lineages and cycles that are kept.
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

// report fills in the cascades of a summary. A single link is not a cascade.
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

// distinctCycles returns the cycles with the names of their lineages, sorted as in Summary.Cycles.
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

		// A key starts with the least id, which means nothing to a reader. The ring is turned to start with the least
		// name instead.
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

// repeats returns the lineages that were evicted more than once, sorted as in Summary.Repeats.
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
