package queue

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// Pop sleeps until what it waits for, no longer, and nothing stays behind: a
// bubble does not end while a goroutine in it sleeps.
func TestPopWaits(t *testing.T) {
	far := noon.Add(time.Hour)
	for _, c := range []struct {
		name    string
		before  []func(*desk) // leaves no active pod
		between func(*desk)   // must not wake it
		wake    func(*desk)
	}{
		{name: "added", wake: add("p1")},
		{name: "updated", wake: update(waiting("p1"))},
		{name: "put back in between", before: []func(*desk){add("p1"), pop("p1")}, between: fail("p1", fit), wake: flushAt(far)},
		{name: "flushed from backoff", before: []func(*desk){add("p1"), pop("p1"), fail("p1")}, between: flush(0), wake: flushAt(far)},
		{name: "moved", before: []func(*desk){add("p1"), pop("p1"), fail("p1", fit)}, between: moveAll(EventNodeDeleted, 0),
			wake: func(d *desk) { require.Equal(d, 1, d.q.MoveAll(ClusterEvent{}, far)) }},
		{name: "activated", before: []func(*desk){add("p1"), pop("p1"), fail("p1", fit)}, between: moveAll(EventNodeDeleted, 0), wake: activate(1, "p1")},
		{name: "moved to backoff", before: []func(*desk){add("p1"), pop("p1"), fail("p1", fit)}, wake: moveAll(EventNodeAdded, 1)},
		{name: "removed in between", between: remove(waiting("p1"), false), wake: add("p2")},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := fresh(t)
				d.now, d.attempts = noon, map[string]Entry{}
				for _, do := range c.before {
					do(d)
				}
				var returned atomic.Bool
				go func() {
					e, err := d.q.Pop(context.Background())
					assert.NoError(t, err)
					assert.NotNil(t, e.Pod)
					returned.Store(true)
				}()
				synctest.Wait()
				if c.between != nil {
					c.between(d)
					synctest.Wait()
				}
				require.False(t, returned.Load(), "it did not wait")
				c.wake(d)
				synctest.Wait()
				require.True(t, returned.Load(), "it still waits")
			})
		})
	}
}

func flushAt(at time.Time) func(*desk) { return func(d *desk) { require.Equal(d, 1, d.q.Flush(at)) } }

func TestPopContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewFIFO()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := q.Pop(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, q.Add(waiting("p1"), noon))
		_, err = q.Pop(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded, "a context that has ended gets none")
		require.Equal(t, Parts[int]{Active: 1}, q.Counts())
	})
}

// Many add, pop, put back, move and look at once; every pod is placed exactly
// once, and the end of the context ends all waiting.
func TestQueueConcurrently(t *testing.T) {
	const producers, consumers, each, tries = 4, 4, 200, 3
	queue, err := New(Config{})
	require.NoError(t, err)
	for _, q := range []*Queue{queue, NewFIFO()} {
		var clock atomic.Int64 // seconds
		now := func() time.Time { return noon.Add(time.Duration(clock.Add(1)) * time.Second) }
		var placed sync.Map
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		var left atomic.Int64
		left.Store(producers * each)
		var wg sync.WaitGroup
		for p := range producers {
			wg.Go(func() {
				for i := range each {
					assert.NoError(t, q.Add(&outrank.Pod{Name: fmt.Sprint(p, "-", i)}, now()))
				}
			})
		}
		for range consumers {
			wg.Go(func() {
				for {
					e, err := q.Pop(ctx)
					if err != nil {
						assert.ErrorIs(t, err, context.Canceled)
						return
					}
					if e.Attempts < tries {
						if e.Attempts == 1 {
							e.FailedFilters = []string{fit}
						}
						assert.NoError(t, q.AddUnschedulableIfNotPresent(e, now()))
						continue
					}
					_, twice := placed.LoadOrStore(e.Pod.Key(), true)
					assert.False(t, twice, "%s was placed twice", e.Pod.Key())
					assert.True(t, q.Done(e))
					if left.Add(-1) == 0 {
						stop()
					}
				}
			})
		}
		wg.Go(func() {
			for left.Load() > 0 {
				q.MoveAll(ClusterEvent{Kind: EventNodeAdded}, now())
				q.Flush(now())
				q.AssignedPodAdded(&outrank.Pod{Name: "n"}, now())
				q.NextReady(now())
				c := q.Pending()
				assert.LessOrEqual(t, len(c.Active)+len(c.Backoff)+len(c.Unschedulable)+len(c.InFlight), producers*each)
			}
		})
		wg.Wait()
		require.Zero(t, q.Counts())
	}
}
