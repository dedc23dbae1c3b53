package preemption

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	builtins "github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// The rooms that cannot know the words have lists of their own, which are the same.
func TestWordsAreThoseOfTheRoomsBelow(t *testing.T) {
	assert.Equal(t, builtins.Names(), builtInFilters)
	assert.Equal(t, []string{
		NodeUnschedulable, NodeName, TaintToleration, NodeAffinity, NodePorts, DeferredPodScheduling, NodeResourcesFit,
		VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone, PodTopologySpread, InterPodAffinity, NodeDeclaredFeatures,
	}, builtInFilters)
	for i, name := range []string{rank.Violations, rank.TopPriority, rank.PrioritySum, rank.Victims, rank.Start} {
		assert.Equal(t, Rank{Name: name}, DefaultRanks()[i])
	}
}

// The filters of the book are all that there are, in the order of each release (rules 7.1.4 and 7.1.7).
func TestEveryFilterIsKnown(t *testing.T) {
	namesOf := func(r outrank.Release) (names []string) {
		a := newAttempt(&outrank.Cluster{Release: r}, &Config{}, &outrank.Pod{}, time.Time{})
		for _, f := range a.filtersOf() {
			names = append(names, f.name)
		}
		return names
	}
	assert.Equal(t, builtins.Names(), namesOf(outrank.V1_36))
	swapped := slices.Clone(builtins.Names())
	swapped[0], swapped[1] = swapped[1], swapped[0]
	assert.Equal(t, swapped, namesOf(outrank.V1_37))
}
