package history_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/planner/history"
)

var now = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)

// entries reads one preemption a line, "preemptor > victim victim", a second
// apart, each on a node of its own number.
func entries(text string) []history.Preemption {
	var out []history.Preemption
	for line := range strings.Lines(strings.TrimSpace(text)) {
		preemptor, victims, _ := strings.Cut(strings.TrimSpace(line), ">")
		n := len(out) + 1
		out = append(out, history.Preemption{
			Time: now.Add(time.Duration(n) * time.Second), Node: fmt.Sprintf("n%d", n),
			Preemptor: strings.TrimSpace(preemptor), Victims: strings.Fields(victims),
		})
	}
	return out
}

func historyOf(t require.TestingT, config history.Config, es []history.Preemption) *history.Log {
	h, err := history.New(config)
	require.NoError(t, err)
	for _, e := range es {
		require.NoError(t, h.Record(e))
	}
	return h
}

// brief writes the parts of a summary that the table below looks at.
func brief(r history.Summary) string {
	var parts []string
	for _, links := range slices.Sorted(maps.Keys(r.Cascades)) {
		parts = append(parts, fmt.Sprintf("%d of %d", r.Cascades[links], links))
	}
	if steps := r.LongestCascade; len(steps) > 0 {
		chain := steps[0].Preemptor
		for _, s := range steps {
			chain += " " + s.Node + " " + s.Victims[0]
		}
		parts = append(parts, chain)
	}
	for _, c := range r.Cycles {
		parts = append(parts, fmt.Sprintf("%s → %s: %d", strings.Join(c.Lineages, " → "), c.Lineages[0], c.Times))
	}
	for _, p := range r.Repeats {
		parts = append(parts, strings.TrimSuffix(fmt.Sprintf("%s evicted %d by %s", p.Lineage, p.Times, p.Preemptor), " by "))
	}
	return strings.Join(parts, "; ")
}

func TestSummary(t *testing.T) {
	for _, tt := range []struct {
		name, entries string
		config        history.Config
		want          string
	}{
		{name: "nothing"},
		{name: "one eviction is no cascade", entries: "a > b"},
		{name: "nobody left", entries: "a >\n b > c", want: ""},
		{
			name:    "a cascade is as long as its links",
			entries: "a > b\n b > c\n c > d",
			want:    "1 of 3; a n1 b n2 c n3 d",
		},
		{
			name:    "a preemptor that was not evicted begins anew",
			entries: "a > b\n c > d",
		},
		{
			name:    "what happened before the eviction does not follow from it",
			entries: "b > c\n a > b",
		},
		{
			name:    "two victims that both go on are one cascade",
			entries: "a > b c\n b > d\n c > e",
			want:    "1 of 2; a n1 b n2 d",
		},
		{
			name:    "victims of one lineage are one link",
			entries: "a > b b\n b > c c",
			want:    "1 of 2; a n1 b n2 c",
		},
		{
			name:    "the latest eviction is the one that counts",
			entries: "x > a\n a > b\n c > b\n b > d\n d > e",
			want:    "1 of 2; 1 of 3; c n3 b n4 d n5 e; b evicted 2",
		},
		{
			name:    "of equals the first is the longest",
			entries: "d > e\n e > f\n a > b\n b > c",
			want:    "2 of 2; d n1 e n2 f",
		},
		{
			name:    "two that swap places go round once for every two evictions",
			entries: "a > b\n b > a\n a > b\n b > a\n a > b",
			want:    "a → b → a: 2; b evicted 3 by a; a evicted 2 by b",
		},
		{
			name:    "the same cycle wherever it begins",
			entries: "b > c\n c > a\n a > b\n z > c\n c > a\n a > b\n b > c",
			want:    "1 of 2; 1 of 3; z n4 c n5 a n6 b; a → b → c → a: 2; c evicted 3; a evicted 2 by c; b evicted 2 by a",
		},
		{
			name:    "a cycle within a cycle is counted apart",
			entries: "a > b\n b > c\n c > b\n b > a",
			want:    "1 of 2; a n1 b n2 c; a → b → a: 1; b → c → b: 1; b evicted 2",
		},
		{
			name:    "a way into a cycle is a cascade, the rounds are not",
			entries: "x > a\n a > b\n b > a\n a > b\n b > a",
			want:    "1 of 2; x n1 a n2 b; a → b → a: 2; a evicted 3; b evicted 2 by a",
		},
		{
			name:    "a lineage that evicts itself",
			entries: "a > a\n a > a",
			want:    "a → a: 2; a evicted 2 by a",
		},
		{
			name:    "a victim of its own and others at once: all from the same chain",
			entries: "a > a b",
			want:    "a → a: 1",
		},
		{
			name:    "again and again by others, and no cycle",
			entries: "a > v\n b > v\n c > v\n a > v",
			want:    "v evicted 4",
		},
		{
			name: "too long after is no consequence", entries: "a > b\n x > y\n b > c\n b > d\n d > e",
			config: history.Config{Within: 2 * time.Second},
			want:   "2 of 2; a n1 b n3 c",
		},
		{
			name: "a chain that is too long is cut", entries: "a > b\n b > c\n c > d\n d > e\n e > f",
			config: history.Config{MaxChain: 2},
			want:   "2 of 2; a n1 b n2 c",
		},
		{
			name: "a cycle that a cut falls into is not seen", entries: "a > b\n b > c\n c > d\n d > a",
			config: history.Config{MaxChain: 2},
			want:   "2 of 2; a n1 b n2 c",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := brief(historyOf(t, tt.config, entries(tt.entries)).Summary())
			if diff := testdiff.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	h := historyOf(t, history.Config{MaxCycles: 1, MaxChain: 3}, entries(`
		a > b b c
		b > a
		c > d
		d > c
		a > b
		b > a
		a > e
		e > f
		f > g
		g > h`))
	r := h.Summary()
	want := history.Summary{
		Preemptions: 10, Evictions: 12, Cascades: map[int]int{3: 1},
		CutCascades: 1, OtherRounds: 1,
	}
	r.LongestCascade, r.Cycles, r.Repeats = nil, nil, nil
	if diff := testdiff.Diff(want, r); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	cycles := h.Summary().Cycles
	first, last := now.Add(2*time.Second), now.Add(6*time.Second)
	if diff := testdiff.Diff([]history.Cycle{{Lineages: []string{"a", "b"}, Recurrence: history.Recurrence{Times: 2, First: first, Last: last}}}, cycles); diff != "" {
		t.Errorf("the first cycle is kept (-want +got):\n%s", diff)
	}
}

func TestSummaryIsTheCallersOwn(t *testing.T) {
	h := historyOf(t, history.Config{}, entries("a > b\n b > c\n c > a"))
	r, want := h.Summary(), h.Summary()
	r.LongestCascade[0].Victims[0], r.Cycles[0].Lineages[1] = "x", "x"
	if diff := testdiff.Diff(want, h.Summary()); diff != "" {
		t.Errorf("changing a report changed the next (-want +got):\n%s", diff)
	}
}

func TestRecordRefuses(t *testing.T) {
	good := history.Preemption{Time: now, Preemptor: "a", Victims: []string{"b"}}
	for _, tt := range []struct {
		name, want string
		change     func(e *history.Preemption)
	}{
		{"time", "preemption 2: Time", func(e *history.Preemption) { e.Time = now.Add(-1) }},
		{"preemptor", "preemption 2: Preemptor: missing", func(e *history.Preemption) { e.Preemptor = "" }},
		{"victim", "preemption 2: Victims[1]: missing", func(e *history.Preemption) { e.Victims = []string{"b", ""} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := historyOf(t, history.Config{}, []history.Preemption{good})
			before := h.Summary()
			bad := good
			tt.change(&bad)
			err := h.Record(bad)
			require.ErrorIs(t, err, outrank.ErrInvalid)
			require.ErrorContains(t, err, tt.want)
			require.Equal(t, before, h.Summary(), "a refused entry changes nothing")
		})
	}
}

func TestConfigRefuses(t *testing.T) {
	_, err := history.New(history.Config{Within: -1, MaxChain: -2, MaxCycles: -3})
	var in *outrank.InputError
	require.True(t, errors.As(err, &in))
	require.Len(t, in.Problems, 3)
	require.ErrorContains(t, err, "history config: MaxChain: -2 is negative")
}

func TestLineageOf(t *testing.T) {
	require.Equal(t, "default/web", history.LineageOf(&outrank.Pod{Name: "web"}))
	require.Equal(t, "shop/ReplicaSet/web", history.LineageOf(&outrank.Pod{
		Namespace: "shop", Name: "web-x7", Owner: outrank.Owner{Kind: "ReplicaSet", Name: "web"},
	}))
}

// Two pods that evict each other for ever need no more memory than two pods that
// did so twice, and a long cycle no more than its length.
func TestMemory(t *testing.T) {
	h := historyOf(t, history.Config{}, nil)
	es := entries("a > b\n b > c\n c > a")
	round := func() {
		for _, e := range es {
			e.Time = now
			require.NoError(t, h.Record(e))
		}
	}
	round()
	// Each round makes the links to b and c anew, and lists the ids once.
	allocs := testing.AllocsPerRun(10_000, round)
	require.LessOrEqual(t, allocs, 8.0)
	r := h.Summary()
	require.Len(t, r.Cycles, 1)
	require.Len(t, r.LongestCascade, 2)
	require.Zero(t, r.OtherRounds)
}

func ExampleLog() {
	log, err := history.New(history.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	at := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	for _, pair := range [][2]string{
		{"shop", "batch"}, {"batch", "report"},
		{"red", "blue"}, {"blue", "red"}, {"red", "blue"}, {"blue", "red"},
	} {
		at = at.Add(time.Minute)
		entry := history.Preemption{Time: at, Node: "n1", Preemptor: pair[0], Victims: pair[1:]}
		if err := log.Record(entry); err != nil {
			fmt.Println(err)
			return
		}
	}
	r := log.Summary()
	for _, step := range r.LongestCascade {
		fmt.Println(step.Time.Format(time.TimeOnly), step.Preemptor, "evicts", step.Victims[0], "from", step.Node)
	}
	for _, c := range r.Cycles {
		fmt.Println(strings.Join(c.Lineages, " → "), "rounds:", c.Times)
	}
	for _, p := range r.Repeats {
		fmt.Println(p.Lineage, "was evicted by", p.Times, "preemptions")
	}
	// Output:
	// 12:01:00 shop evicts batch from n1
	// 12:02:00 batch evicts report from n1
	// blue → red rounds: 2
	// blue was evicted by 2 preemptions
	// red was evicted by 2 preemptions
}

func ExampleLineageOf() {
	pod := &outrank.Pod{Name: "web-5d9-x7k", Owner: outrank.Owner{Kind: "ReplicaSet", Name: "web-5d9"}}
	fmt.Println(history.LineageOf(pod))
	// Output: default/ReplicaSet/web-5d9
}
