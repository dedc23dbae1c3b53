package work_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/work"
)

// counting is a context that ends with its last look.
type counting struct {
	context.Context
	looks, last int
}

func (c *counting) Err() error {
	if c.looks++; c.looks >= c.last {
		return context.Canceled
	}
	return nil
}

func TestWatch(t *testing.T) {
	ctx := &counting{Context: context.Background(), last: 3}
	w := work.NewWatch(ctx)
	turns := 0
	for !w.Ended(1) {
		turns++
	}
	require.Equal(t, 3*work.Each-1, turns)
	require.ErrorIs(t, w.Err(), context.Canceled)
	require.True(t, w.Ended(5*work.Each))
	require.Equal(t, 3, ctx.looks, "a context that has ended is not asked again")

	many := work.NewWatch(&counting{Context: context.Background(), last: 1})
	require.True(t, many.Ended(work.Each), "turns count at once, too")

	var never work.Watch
	require.False(t, never.Ended(math.MaxInt))
	require.NoError(t, never.Err())
}
