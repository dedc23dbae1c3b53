package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// errParent ends a run whose parent has ended, because nothing else would end it.
var errParent = errors.New("the program that started this one has ended")

// parentSeen is the time between two checks of the parent.
const parentSeen = 200 * time.Millisecond

// withParent returns a context that ends, with errParent, when the process that started this one ends. The go
// command, for example, is killed without passing on a signal. A parent that has ended before the call is not
// noticed.
//
// After the call, writing to an output that nobody reads returns an error instead of ending the program.
func withParent(ctx context.Context) (context.Context, context.CancelFunc) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, cancel := context.WithCancelCause(ctx)
	parent := os.Getppid()
	go func() {
		for ctx.Err() == nil {
			if os.Getppid() != parent {
				cancel(errParent)
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(parentSeen):
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
