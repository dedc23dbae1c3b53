package work

import "context"

// Each is how many turns of loops lie between two looks at a context. A turn may match a selector or add a pod
// to a node.
const Each = 1024

// Watch tells a long loop whether the context of its call has ended. A loop that takes a moment for each of its
// turns cannot ask the context every time, so that a Watch counts turns and looks after some of them. The zero Watch never ends. No two goroutines may
// use one at once.
type Watch struct {
	ctx   context.Context
	turns int
	err   error
}

// NewWatch watches a context.
func NewWatch(ctx context.Context) Watch { return Watch{ctx: ctx} }

// Ended counts so many turns, looks at the context where it is time to, and reports whether that has ended by
// the last look.
func (w *Watch) Ended(turns int) bool {
	if w.turns += turns; w.turns >= Each && w.err == nil && w.ctx != nil {
		w.turns, w.err = 0, w.ctx.Err()
	}
	return w.err != nil
}

// Err is the error of the context by the last look.
func (w *Watch) Err() error { return w.err }
