package workload

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

// Each so many pods of a class are a gang, which comes with the last of them.
func TestGangs(t *testing.T) {
	items := sampleItems(t)
	got, groups, err := Gangs(items, 4)
	require.NoError(t, err)
	require.Empty(t, testdiff.Diff(sampleItems(t), items), "the items are only read")
	require.Len(t, got, len(items))
	before := map[string]Item{}
	classes := map[string]int{}
	for _, item := range items {
		before[item.Pod.Name] = item
		classes[item.Class]++
	}
	want := 0
	for _, n := range classes {
		want += n / 4
	}
	require.Len(t, groups, want)
	members := map[string][]Item{}
	for i, item := range got {
		require.True(t, i == 0 || got[i-1].Arrival <= item.Arrival)
		if item.Pod.Group == "" {
			require.Equal(t, before[item.Pod.Name], item)
			continue
		}
		members[item.Pod.Group] = append(members[item.Pod.Group], item)
	}
	for i, g := range groups {
		require.Equal(t, fmt.Sprintf("gang-%d", i+1), g.Name)
		require.Equal(t, outrank.GangPolicy, g.Policy)
		require.Equal(t, outrank.DisruptPodGroup, g.DisruptionMode)
		list := members[g.Name]
		require.Len(t, list, int(g.MinCount))
		latest := list[0].Arrival
		for _, item := range list {
			was := before[item.Pod.Name]
			require.Equal(t, list[0].Class, item.Class)
			require.Equal(t, *g.Priority, *item.Pod.Priority)
			require.Equal(t, latest, item.Arrival)
			require.LessOrEqual(t, was.Arrival, item.Arrival)
			require.Equal(t, was.Duration, item.Duration)
		}
	}
	for _, size := range []int{-1, 0, 1, MostGang + 1} {
		_, _, err := Gangs(items, size)
		require.ErrorIs(t, err, outrank.ErrInvalid)
	}
}
