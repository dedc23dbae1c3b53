package history_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/planner/history"
)

// oracle applies the definitions of chapter 16 to the whole list of
// preemptions, anew for every question, in time quadratic in the list.
type oracle struct {
	config  history.Config
	entries []history.Preemption
}

// oracleChain is a chain with the entry that it begins with: the first lineage
// has no step, and the others were the victims of entries.
type oracleChain struct {
	beginning string // tells one cascade from another
	lineages  []string
	entries   []int // entries[i] evicted lineages[i+1]
}

// before is the chain that entry i continues.
func (o *oracle) before(i int) oracleChain {
	e := o.entries[i]
	for j := i - 1; j >= 0; j-- {
		if slices.Contains(o.entries[j].Victims, e.Preemptor) {
			if o.config.Within > 0 && e.Time.Sub(o.entries[j].Time) > o.config.Within {
				break
			}
			chain, _, _ := o.after(j, e.Preemptor)
			return chain
		}
	}
	return oracleChain{beginning: fmt.Sprint(i), lineages: []string{e.Preemptor}}
}

// after is the chain of a victim of entry j, with the round that it completed,
// if any, and whether the chain was cut.
func (o *oracle) after(j int, victim string) (chain oracleChain, round []string, cut bool) {
	chain = o.before(j)
	if at := slices.Index(chain.lineages, victim); at >= 0 {
		round = slices.Clone(chain.lineages[at:])
		return oracleChain{chain.beginning, chain.lineages[:at+1], chain.entries[:at]}, round, false
	}
	if o.config.MaxChain > 0 && len(chain.entries) == o.config.MaxChain {
		chain, cut = oracleChain{beginning: fmt.Sprint(j, victim), lineages: []string{o.entries[j].Preemptor}}, true
	}
	chain.lineages = append(slices.Clone(chain.lineages), victim)
	chain.entries = append(slices.Clone(chain.entries), j)
	return chain, nil, cut
}

// rotated begins a ring with its least name.
func rotated(ring []string) []string {
	at := slices.Index(ring, slices.Min(ring))
	return slices.Concat(ring[at:], ring[:at])
}

func (o *oracle) report() history.Summary {
	r := history.Summary{Preemptions: len(o.entries)}
	var longest oracleChain
	cascades := map[string]int{}
	var rings []history.Cycle
	for j, e := range o.entries {
		r.Evictions += len(e.Victims)
		for _, victim := range slices.Compact(slices.Sorted(slices.Values(e.Victims))) {
			chain, round, cut := o.after(j, victim)
			if cut {
				r.CutCascades++
			}
			if len(chain.entries) > len(longest.entries) {
				longest = chain
			}
			if round == nil {
				cascades[chain.beginning] = max(cascades[chain.beginning], len(chain.entries))
				continue
			}
			rings = o.addRound(&r, rings, history.Cycle{Lineages: rotated(round), Recurrence: history.Recurrence{Times: 1, First: e.Time, Last: e.Time}})
		}
	}
	o.addCascades(&r, cascades, longest)
	r.Cycles = ordered(rings)
	r.Repeats = o.repeats()
	return r
}

func (o *oracle) addRound(r *history.Summary, rings []history.Cycle, round history.Cycle) []history.Cycle {
	for i := range rings {
		if slices.Equal(rings[i].Lineages, round.Lineages) {
			rings[i].Times++
			rings[i].Last = round.Last
			return rings
		}
	}
	if o.config.MaxCycles > 0 && len(rings) == o.config.MaxCycles {
		r.OtherRounds++
		return rings
	}
	return append(rings, round)
}

func (o *oracle) addCascades(r *history.Summary, lengths map[string]int, longest oracleChain) {
	for n := 2; n <= len(longest.entries); n++ {
		for _, length := range lengths {
			if length == n {
				if r.Cascades == nil {
					r.Cascades = map[int]int{}
				}
				r.Cascades[n]++
			}
		}
	}
	if len(longest.entries) < 2 {
		return
	}
	for i, j := range longest.entries {
		r.LongestCascade = append(r.LongestCascade, history.Preemption{
			Time: o.entries[j].Time, Node: o.entries[j].Node,
			Preemptor: longest.lineages[i], Victims: []string{longest.lineages[i+1]},
		})
	}
}

// ordered sorts by the documented order, one key after the other from the last.
func ordered(cs []history.Cycle) []history.Cycle {
	slices.SortStableFunc(cs, func(a, b history.Cycle) int { return slices.Compare(a.Lineages, b.Lineages) })
	slices.SortStableFunc(cs, func(a, b history.Cycle) int { return len(b.Lineages) - len(a.Lineages) })
	slices.SortStableFunc(cs, func(a, b history.Cycle) int { return b.Times - a.Times })
	return cs
}

func (o *oracle) repeats() []history.Repeat {
	var names []string
	for _, e := range o.entries {
		names = append(names, e.Victims...)
	}
	var out []history.Repeat
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		r := history.Repeat{Lineage: name}
		var by []string
		for _, e := range o.entries {
			if slices.Contains(e.Victims, name) {
				if r.Times == 0 {
					r.First = e.Time
				}
				r.Times++
				r.Last = e.Time
				by = append(by, e.Preemptor)
			}
		}
		if by = slices.Compact(slices.Sorted(slices.Values(by))); len(by) == 1 {
			r.Preemptor = by[0]
		}
		if r.Times > 1 {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b history.Repeat) int { return b.Times - a.Times })
	return out
}

func drawEntries(t *rapid.T) []history.Preemption {
	lineages := rapid.IntRange(1, 9).Draw(t, "lineages")
	name := rapid.Custom(func(t *rapid.T) string {
		return string(rune('a' + rapid.IntRange(0, lineages-1).Draw(t, "lineage")))
	})
	at := now
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) history.Preemption {
		at = at.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "seconds")) * time.Second)
		return history.Preemption{
			Time: at, Node: rapid.SampledFrom([]string{"n1", "n2"}).Draw(t, "node"),
			Preemptor: name.Draw(t, "preemptor"),
			Victims:   rapid.SliceOfN(name, 0, 3).Draw(t, "victims"),
		}
	}), 0, 40).Draw(t, "entries")
}

func drawHistoryConfig(t *rapid.T) history.Config {
	return history.Config{
		Within:    time.Duration(rapid.IntRange(0, 8).Draw(t, "within")) * time.Second,
		MaxChain:  rapid.IntRange(0, 5).Draw(t, "max chain"),
		MaxCycles: rapid.IntRange(0, 4).Draw(t, "max cycles"),
	}
}

// The incremental log agrees with the definitions after every entry.
func TestPropertyFollowsTheDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := &oracle{config: drawHistoryConfig(t)}
		es := drawEntries(t)
		h := historyOf(t, o.config, nil)
		for i, e := range es {
			if err := h.Record(e); err != nil {
				t.Fatal(err)
			}
			o.entries = es[:i+1]
			if diff := testdiff.Diff(o.report(), h.Summary()); diff != "" {
				t.Fatalf("after entry %d (-definition +history):\n%s", i+1, diff)
			}
		}
	})
}

// The order of the victims of one preemption does not matter, nothing of a
// preemption is kept or changed, and only the order of names has a meaning.
func TestPropertyIndifferent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config, es := drawHistoryConfig(t), drawEntries(t)
		want := historyOf(t, config, es).Summary()
		h := historyOf(t, config, nil)
		for _, e := range es {
			victims := slices.Clone(e.Victims)
			slices.Reverse(victims)
			given := slices.Clone(victims)
			e.Victims = given
			if err := h.Record(e); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(victims, given) {
				t.Fatalf("victims %v were changed to %v", victims, given)
			}
			for i := range given {
				given[i] = "scribbled over"
			}
		}
		if diff := testdiff.Diff(want, h.Summary()); diff != "" {
			t.Fatalf("victims in reverse (-want +got):\n%s", diff)
		}
	})
}

// Invariants of every summary.
func TestPropertyInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		es := drawEntries(t)
		r := historyOf(t, history.Config{}, es).Summary()
		for _, c := range r.Cycles {
			if len(c.Lineages) != len(slices.Compact(slices.Sorted(slices.Values(c.Lineages)))) {
				t.Fatalf("cycle %v is not simple", c)
			}
			if !happened(es, c) {
				t.Fatalf("cycle %v has a step that never was", c)
			}
		}
		for i := 1; i < len(r.LongestCascade); i++ {
			a, b := r.LongestCascade[i-1], r.LongestCascade[i]
			if a.Victims[0] != b.Preemptor || b.Time.Before(a.Time) {
				t.Fatalf("%v does not lead to %v", a, b)
			}
		}
	})
}

// happened reports whether each step of a cycle is in the entries.
func happened(es []history.Preemption, c history.Cycle) bool {
	for i, name := range c.Lineages {
		next := c.Lineages[(i+1)%len(c.Lineages)]
		if !slices.ContainsFunc(es, func(e history.Preemption) bool {
			return e.Preemptor == name && slices.Contains(e.Victims, next)
		}) {
			return false
		}
	}
	return true
}

// The time of a long run of evictions grows with its length: among few or many
// lineages, and on one long way round, on which chains are at their longest.
func BenchmarkRecord(b *testing.B) {
	for _, lineages := range []int{2, 100, 10_000} {
		b.Run(fmt.Sprintf("lineages=%d", lineages), func(b *testing.B) {
			seed := uint64(1)
			benchRecord(b, lineages, func(int) int {
				seed = seed*6364136223846793005 + 1442695040888963407
				return int(seed>>33) % lineages
			})
		})
	}
	for _, lineages := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprintf("ring=%d", lineages), func(b *testing.B) {
			benchRecord(b, lineages, func(i int) int { return (i + 1) % lineages })
		})
	}
}

func benchRecord(b *testing.B, lineages int, victim func(i int) int) {
	names := make([]string, lineages)
	for i := range names {
		names[i] = fmt.Sprintf("default/ReplicaSet/web-%d", i)
	}
	h := historyOf(b, history.Config{}, nil)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e := history.Preemption{Time: now, Node: "n", Preemptor: names[i%lineages], Victims: []string{names[victim(i)]}}
		if err := h.Record(e); err != nil {
			b.Fatal(err)
		}
	}
}
