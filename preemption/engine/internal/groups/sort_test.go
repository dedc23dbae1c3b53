package groups

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// groupsPreempt is the release with the gates of groups.
func groupsPreempt(t *testing.T) outrank.Release {
	t.Helper()
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	return release
}

// unitOfPods is what the rules say of a unit, in plain values.
type unitOfPods struct {
	priority, rank, pods int
	start                time.Time
	name                 string
}

// sortsBefore is group 12.7, line by line.
func sortsBefore(u, v unitOfPods) int {
	return cmp.Or(
		cmp.Compare(v.priority, u.priority), // 12.7.1: the higher priority
		cmp.Compare(v.rank, u.rank),         // 12.7.2: a group before a pod
		cmp.Compare(v.pods, u.pods),         // 12.7.3: more pods
		u.start.Compare(v.start),            // 12.7.4: the earlier start
		cmp.Compare(u.name, v.name),
	)
}

// However many units there are, they are in the order of group 12.7.
func TestUnitsAreSorted(t *testing.T) {
	t.Parallel()
	release := groupsPreempt(t)
	rapid.Check(t, func(t *rapid.T) {
		c := &outrank.Cluster{Release: release, Nodes: []*outrank.Node{{Name: "n1"}, {Name: "n2"}}}
		for _, name := range []string{"g", "h"} {
			c.Groups = append(c.Groups, &outrank.PodGroup{Name: name, DisruptionMode: outrank.DisruptPodGroup})
		}
		priorities := rapid.SliceOfN(rapid.OneOf(rapid.Int32Range(-3, 3), rapid.Int32Max(math.MaxInt32-1)), 1, 4).Draw(t, "priorities")
		starts := rapid.SliceOfN(rapid.Int64Range(-1<<33, 1<<36), 1, 40).Draw(t, "starts")
		for i := range rapid.SampledFrom([]int{3, 256, 700}).Draw(t, "pods") {
			p := &outrank.Pod{
				Name: fmt.Sprint("p", i*7919%700), NodeName: fmt.Sprint("n", 1+i%2),
				Priority: outrank.Priority(rapid.SampledFrom(priorities).Draw(t, "priority")),
			}
			if start := rapid.SampledFrom(starts).Draw(t, "start"); start%3 != 0 {
				p.StartTime = time.Unix(start, start&3)
			}
			if i%50 == 49 {
				p.Group = rapid.SampledFrom([]string{"g", "h"}).Draw(t, "group")
			}
			c.Pods = append(c.Pods, p)
		}
		snap, err := state.New(c, state.UsualTraits)
		require.NoError(t, err)
		terms := dryrun.TermsOf(preemption.Config{})
		preemptor := &outrank.Pod{Name: "preemptor", Priority: outrank.Priority(math.MaxInt32)}
		r, err := begin(context.Background(), &terms, snap, &preemption.GroupRequest{Pods: []*outrank.Pod{preemptor}, Now: now}, true)
		require.NoError(t, err)

		units := r.possible()
		r.sort(units)
		var told []unitOfPods
		for i := range units {
			told = append(told, plainly(r.podsOf(&units[i]), units[i].single()))
		}
		require.True(t, slices.IsSortedFunc(told, sortsBefore), "%v", told)
		require.Len(t, slices.Compact(told), len(units), "each once")
	})
}

// plainly says what the rules say of pods that leave together.
func plainly(states []*state.PodState, single bool) unitOfPods {
	u := unitOfPods{rank: 1, pods: len(states), name: states[0].Pod.Group}
	if single {
		u.rank, u.name = 0, states[0].Pod.Name
	}
	for i, s := range states {
		start := s.Pod.StartTime
		if start.IsZero() {
			start = now
		}
		if i == 0 || start.Before(u.start) {
			u.start = start
		}
		if single {
			u.priority = int(s.Pod.PriorityValue())
		}
	}
	return u
}
