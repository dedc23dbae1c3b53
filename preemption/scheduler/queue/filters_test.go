package queue

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/internal/filter"
)

// Every event that the entry of a filter names is a kind of this queue.
func TestEveryEventOfAFilterIsKnown(t *testing.T) {
	for _, e := range filter.Entries() {
		for kind := range e.Helped {
			assert.Contains(t, append([]ClusterEventKind{EventPodUpdated}, eventKinds...), ClusterEventKind(kind), "%s: an event that helps", e.Name)
		}
	}
}
