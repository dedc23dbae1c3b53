package execution_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

var errConflict = fmt.Errorf("conflict: %w", execution.ErrRetriable)

// failing lets the first calls of an operation fail.
func failing(op string, times int, err error) func(executiontest.Call) error {
	return func(c executiontest.Call) error {
		if c.Op != op || times == 0 {
			return nil
		}
		times--
		return err
	}
}

// Patches of a status that failed in passing are made again, as often as the
// setting says, and nothing else is (rule 14.1.6).
func TestPatchesAreTriedAgain(t *testing.T) {
	const never = 1 << 30
	for _, c := range []struct {
		name  string
		op    string
		times int
		err   error
		tries int
		want  string
		fails bool
	}{
		{"a conflict on a victim", "evict", 1, errConflict, 0, "latest p|evict a!|evict a|event a|clear nomination lower|nominate p n1", false},
		{"four tries by default", "evict", never, errConflict, 0, "latest p|evict a!|evict a!|evict a!|evict a!", true},
		{"the last one works", "evict", 3, errConflict, 0, "latest p|evict a!|evict a!|evict a!|evict a|event a|clear nomination lower|nominate p n1", false},
		{"two tries", "evict", never, errConflict, 2, "latest p|evict a!|evict a!", true},
		{"none again", "evict", never, errConflict, 1, "latest p|evict a!", true},
		{"an error that stays", "evict", never, errBusy, 0, "latest p|evict a!", true},
		{"clearing", "clear nomination", 2, errConflict, 0, "latest p|evict a|event a|clear nomination lower!|clear nomination lower!|clear nomination lower|nominate p n1", false},
		{"clearing fails", "clear nomination", never, errConflict, 2, "latest p|evict a|event a|clear nomination lower!|clear nomination lower!|nominate p n1", false},
		{"nominating", "nominate", 1, errConflict, 0, "latest p|evict a|event a|clear nomination lower|nominate p n1!|nominate p n1", false},
		{"fetching is no patch", "latest", 1, errConflict, 0, "latest p!", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &executiontest.Recorder{Do: failing(c.op, c.times, c.err)}
			plan := planFor(victimsNamed("a")...)
			plan.ClearedNominations = []*outrank.Pod{waitingPod("lower", 1)}
			_, err := newExecutor(t, execution.Config{Actions: r.Actions(), Tries: c.tries, Order: execution.Synchronous}).Execute(context.Background(), plan)
			assert.Equal(t, c.fails, err != nil, "%v", err)
			assert.Equal(t, c.want, strings.Join(story(r), "|"))
		})
	}
}

// The waits between the tries are the caller's, and are as long as the reference's.
func TestWaitsBetweenTries(t *testing.T) {
	var waits []time.Duration
	wait := func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}
	r := &executiontest.Recorder{Do: failing("update status", 1<<30, errConflict)}
	h := newExecutor(t, execution.Config{Actions: r.Actions(), Tries: 30, Wait: wait})
	_, err := h.Fail(context.Background(), execution.Failure{Entry: entryOf(pendingPod("p")), Err: errBusy})
	require.ErrorIs(t, err, execution.ErrRetriable)
	require.Len(t, waits, 29)
	assert.Equal(t, []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 250 * time.Millisecond}, waits[:3])
	for i, d := range waits[1:] {
		assert.GreaterOrEqual(t, d, waits[i], "they do not overflow")
	}

	r = &executiontest.Recorder{Do: failing("update status", 1, errConflict)}
	h = newExecutor(t, execution.Config{Actions: r.Actions()})
	_, err = h.Fail(context.Background(), execution.Failure{Entry: entryOf(pendingPod("p")), Err: errBusy})
	require.NoError(t, err)
	assert.Equal(t, "latest p|event p|update status p!|update status p", strings.Join(story(r), "|"))
}

// Neither a wait that was ended nor a context that has ended is followed by another
// try.
func TestEndOfTries(t *testing.T) {
	ended := errors.New("ended")
	for _, c := range []struct {
		name   string
		wait   func(context.Context, time.Duration) error
		cancel bool
	}{
		{"the wait fails", func(context.Context, time.Duration) error { return ended }, false},
		{"the context ends", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			calls := 0
			r := &executiontest.Recorder{Do: func(call executiontest.Call) error {
				if call.Op != "evict" {
					return nil
				}
				calls++
				if c.cancel {
					cancel()
				}
				return errConflict
			}}
			e := newExecutor(t, execution.Config{Actions: r.Actions(), Wait: c.wait})
			_, err := e.Execute(ctx, planFor(victimsNamed("a")...))
			require.ErrorIs(t, err, execution.ErrRetriable)
			assert.Equal(t, !c.cancel, errors.Is(err, ended))
			assert.Equal(t, 1, calls)
		})
	}
	_, err := execution.NewExecutor(execution.Config{Tries: -1})
	require.ErrorIs(t, err, outrank.ErrInvalid)
}
