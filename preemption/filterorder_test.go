package preemption

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	builtins "github.com/outrank-go/outrank/internal/filter"
)

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
