package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// errParent ends a run after its parent: nobody is left to end it.
var errParent = errors.New("the program that started this one has ended")

// parentSeen is the time between two looks at the parent.
const parentSeen = 200 * time.Millisecond

// withParent returns a context that ends, with errParent, when the process that has started
// this one does. The go command, for one, passes no signal on before it is killed. A
// parent that ended before the call is not noticed.
//
// From then on a write to output that nobody reads is an error, not the end of the program.
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
