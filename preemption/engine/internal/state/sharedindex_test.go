package state_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Neither side of a shared index sees the changes of the other, and changes do not pile up.
func TestIndexSettles(t *testing.T) {
	x := state.NewSharedIndex[int](0)
	for i := range 1000 {
		x.Set(fmt.Sprint(i), i)
	}
	y := x.Share()
	for i := range 1000 {
		switch i % 3 {
		case 0:
			y.Remove(fmt.Sprint(i))
		case 1:
			y.Set(fmt.Sprint(i), -i)
		}
	}
	y.Set("new", 1)
	assert.Less(t, len(y.Changes), 500, "changes pile up")
	for i := range 1000 {
		v, ok := x.Get(fmt.Sprint(i))
		assert.True(t, ok && v == i, "the other side changed: %d is %d", i, v)
		v, ok = y.Get(fmt.Sprint(i))
		assert.Equal(t, i%3 != 0, ok)
		if ok {
			assert.Equal(t, map[int]int{1: -i, 2: i}[i%3], v)
		}
	}
	count := 0
	y.Each(func(string, int) { count++ })
	assert.Equal(t, 1000-334+1, count)
}
