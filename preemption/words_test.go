package preemption

import (
	"testing"

	"github.com/stretchr/testify/assert"

	names "github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// The rooms that cannot know the words have lists of their own, which are the same.
func TestWordsAreThoseOfTheRoomsBelow(t *testing.T) {
	assert.Equal(t, names.Names(), builtInFilters)
	assert.Equal(t, []string{
		NodeUnschedulable, NodeName, TaintToleration, NodeAffinity, NodePorts, DeferredPodScheduling, NodeResourcesFit,
		VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone, PodTopologySpread, InterPodAffinity, NodeDeclaredFeatures,
	}, builtInFilters)
	for i, name := range []string{rank.Violations, rank.TopPriority, rank.PrioritySum, rank.Victims, rank.Start} {
		assert.Equal(t, Rank{Name: name}, DefaultRanks()[i])
	}
}
