//go:build !race

// The race detector has pools drop things at random, so that nothing can be
// counted under it.

package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// Pods without volumes cost nothing, whatever volumes other pods have.
func TestVolumesOfOthersCostNothing(t *testing.T) {
	c, p := gen.Benchmark(50, 10, 0)
	allocations := func() float64 {
		snap, e := newSnapshot(t, c), newEvaluator(t, preemption.Config{})
		return testing.AllocsPerRun(20, func() {
			if _, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now}); err != nil {
				t.Fatal(err)
			}
		})
	}
	before := allocations()
	for i, q := range c.Pods {
		q.Volumes = []outrank.Volume{handle(fmt.Sprint(i)), mounts(outrank.ISCSI), alone("c")}
	}
	assert.Equal(t, before, allocations())
}
