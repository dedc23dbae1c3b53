package execution

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// ErrRetriable is to be wrapped by an error of [Actions] if the patch of a status failed for a reason that may
// pass: a conflict, an internal error of the server, a server that is unavailable, or a refused connection
// (rule 14.1.6). The executor then makes the same call again, up to [Config].Tries times in all. An eviction
// whose deletion failed must not wrap it, because a deletion is tried once.
var ErrRetriable = errors.New("it may work when tried again")

// retry says how often the patch of a status is tried, and how to wait before the next try.
type retry struct {
	tries int
	wait  func(ctx context.Context, d time.Duration) error
}

const (
	defaultTries = 4
	maxTries     = 1 << 10
	firstWait    = 10 * time.Millisecond
	waitFactor   = 5
)

// do calls f until it succeeds, fails with another error than ErrRetriable, or has been called as often as
// tries allows.
func (r *retry) do(ctx context.Context, f func() error) error {
	tries, wait := r.tries, firstWait
	for {
		err := f()
		tries--
		if tries == 0 || !errors.Is(err, ErrRetriable) || ctx.Err() != nil {
			return err
		}
		if r.wait != nil {
			if stop := r.wait(ctx, wait); stop != nil {
				return fmt.Errorf("%w, and waiting to try again: %w", err, stop)
			}
		}

		// The wait stops growing before a multiplication would overflow it.
		wait *= waitFactor
		if wait > math.MaxInt64/waitFactor {
			wait = math.MaxInt64 / waitFactor
		}
	}
}
