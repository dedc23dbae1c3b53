package main

import (
	"context"
	"io"
)

// interruption is the error of a call that the user has interrupted. It says what the answer contains, and
// wraps [context.Canceled].
type interruption string

const (
	beforeAll  interruption = "interrupted before the run; nothing was simulated"
	duringRun  interruption = "interrupted; this is what was simulated until then"
	withoutEnd interruption = "interrupted; there is no answer"
)

func (i interruption) Error() string { return string(i) }

// Unwrap returns [context.Canceled].
func (i interruption) Unwrap() error { return context.Canceled }

// orInterrupted returns the result of f, or the interruption if the context ends before f does. Then it does
// not wait for f, which may block forever, for example on a pipe into which nobody writes. f must not touch
// anything that the caller still uses.
func orInterrupted[T any](ctx context.Context, i interruption, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}

	// The channel has room for the answer, so that a late f ends although nobody receives it.
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

// until is a reader that fails once its context has ended.
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
