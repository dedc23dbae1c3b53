package main

import (
	"context"
	"io"
)

// interruption ends a call early. It has the result until then, and wraps
// [context.Canceled].
type interruption string

const (
	beforeAll  interruption = "interrupted before the run; nothing was simulated"
	duringRun  interruption = "interrupted; this is what was simulated until then"
	withoutEnd interruption = "interrupted; there is no answer"
)

func (i interruption) Error() string { return string(i) }

// Unwrap returns [context.Canceled].
func (i interruption) Unwrap() error { return context.Canceled }

// orInterrupted returns the result of f, or the interruption where the context ended
// meanwhile. It does not wait for f then: f may be held up for ever, by a pipe into
// which nobody writes for example, and touches nothing that the caller goes on with.
func orInterrupted[T any](ctx context.Context, i interruption, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}

	// The channel has room for the answer, so that a late f ends although nobody waits for it any more.
	done := make(chan answer, 1)
	go func() {
		value, err := f()
		done <- answer{value, err}
	}()

	select {
	case a := <-done:
		if ctx.Err() != nil {
			return a.value, i
		}
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, i
	}
}

// until is a reader that fails once the context has ended.
type until struct {
	ctx context.Context
	in  io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.in.Read(p)
}
