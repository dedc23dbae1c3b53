package work

import "context"

// Each is the number of turns of loops between two looks at a context. A turn is a small piece of work, such as
// to match a selector or to add a pod to a node.
const Each = 1024

// Watch tells a long loop whether the context of its call has ended. Asking the context at every turn would
// take longer than the turn, so a Watch counts turns and looks at the context once in Each of them. The zero
// Watch never ends. No two goroutines may use one at once.
type Watch struct {
	ctx context.Context
	// turns counts the turns since the last look at the context. err is the context's error at that look.
	turns int
	err   error
}

// NewWatch returns a Watch of a context.
func NewWatch(ctx context.Context) Watch { return Watch{ctx: ctx} }

// Ended counts turns, and looks at the context once Each turns have passed since the last look. It reports
// whether the context had ended at the last look.
func (w *Watch) Ended(turns int) bool {
	if w.turns += turns; w.turns >= Each && w.err == nil && w.ctx != nil {
		w.turns, w.err = 0, w.ctx.Err()
	}
	return w.err != nil
}

// Err returns the error of the context at the last look.
func (w *Watch) Err() error { return w.err }
