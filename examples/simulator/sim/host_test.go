package sim

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
)

// holding is a node of 4 of the one resource and 4 slots with pods of these
// priorities, which take 1 each.
func holding(priorities ...int32) *host {
	h := &host{node: &outrank.Node{Name: "n"}, has: []int64{4}, slots: 4}
	for _, priority := range priorities {
		h.count(int64(priority), []int64{1}, 1)
	}
	return h
}

func promised(priority int32) *pod {
	return &pod{obj: &outrank.Pod{Name: "promised", Priority: outrank.Priority(priority), NominatedNodeName: "n"}, asks: []int64{1}, phase: Queued}
}

// The pods of the level and above leave a rest of a node, where each takes a slot; the
// rest without the room of nominated pods of the level and above is free.
func TestRoom(t *testing.T) {
	for _, tt := range []struct {
		name            string
		level, stay     int64
		slots, left     int64
		freeSlots, free int64
	}{
		{"all but the lowest stay", 10, 10, 2, 2, 1, 1},
		{"the one of the level is heeded, and not the lower one", 11, 11, 4, 4, 4, 4},
		{"nobody leaves", 10, math.MinInt64, 1, 1, 0, 0},
		{"nobody leaves, and both are heeded", 5, math.MinInt64, 1, 1, -1, -1},
		{"the same again", 10, math.MinInt64, 1, 1, 0, 0},
	} {
		h := holding(10, 10, 0)
		h.claims = []*claim{{promised(10).obj, []int64{1}}, {promised(5).obj, []int64{1}}}
		a := &demand{asks: []int64{1}, level: tt.level, stay: tt.stay}
		r := h.roomFor(a)
		require.Equal(t, []int64{tt.slots, tt.left, tt.freeSlots, tt.free}, []int64{r.slots, r.left[0], r.freeSlots, r.free[0]}, tt.name)
	}
}

// A node remembers its room by level, and forgets it when a pod is nominated to
// it or not any more.
func TestRoomIsRemembered(t *testing.T) {
	h := holding(10, 10, 0)
	c := &cluster{hosts: map[string]*host{"n": h}}
	high, low := &demand{level: 10, stay: math.MinInt64}, &demand{level: 5, stay: math.MinInt64}
	for _, a := range []*demand{high, low} {
		require.EqualValues(t, 1, h.roomFor(a).freeSlots)
	}
	p := promised(5)
	p.shown = p.obj
	c.reserve(p)
	require.EqualValues(t, 1, h.roomFor(high).freeSlots)
	require.EqualValues(t, 0, h.roomFor(low).freeSlots)
	p.shown = nil
	c.reserve(p)
	require.EqualValues(t, 1, h.roomFor(low).freeSlots)
}

// Attempts that were refused in numbers count once each, also where no attempt of the kind was
// made one by one.
func TestRefusedAttemptsAreCounted(t *testing.T) {
	for _, before := range []int{0, 2} {
		s := &Simulation{config: Config{Cycle: time.Second}, tally: &tally{}, schedulers: &schedulers{inOrder: []*schedulerState{{name: "x", refused: 3}}}}
		attempt := metrics.Attempt{Result: "unschedulable", Profile: "x"}
		for range before {
			took := time.Second
			s.tally.metrics.AddFailure("x", &execution.Verdict{}, &took)
		}
		h := s.metrics().AttemptDurations[attempt]
		require.EqualValues(t, before+3, h.Count())
		require.Equal(t, seconds(before+3), h.Sum)
	}
}
