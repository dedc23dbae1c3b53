package execution

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/outrank-go/outrank"
)

// ErrRetriable is wrapped by an error of [Actions] where the
// patch of a status failed for a reason that may pass: a conflict, an internal
// error of the server, a server that is unavailable, or a refused connection (rule
// 14.1.6). The same call is then made again, as [Retry] says. An eviction whose
// deletion failed must not wrap it, because a deletion is tried once.
var ErrRetriable = errors.New("it may work when tried again")

// Retry is how often the patch of a status is tried. Its zero value tries as often
// as the reference, without a wait in between.
type Retry struct {
	// Tries is how often a patch is tried at most. Zero means 4, as in the
	// reference; with 1 none is tried again.
	Tries int
	// Wait waits for a duration before the next try: 10 ms, then five times as
	// long each time. Its error, mostly that of the context, ends the tries. Nil
	// does not wait. Several goroutines may call it at once.
	Wait func(ctx context.Context, d time.Duration) error
}

const (
	defaultTries = 4
	maxTries     = 1 << 10
	firstWait    = 10 * time.Millisecond
	waitFactor   = 5
)

// problem says what is wrong with the setting, nil if nothing is.
func (r *Retry) problem() []outrank.Problem {
	if r.Tries >= 0 && r.Tries <= maxTries {
		return nil
	}
	return []outrank.Problem{{Object: "executor config", Field: "Retry.Tries", Text: fmt.Sprintf("%d is not between 0 and %d", r.Tries, maxTries)}}
}

// do calls f until it does not fail with ErrRetriable any more, or has failed as
// often as it may.
func (r *Retry) do(ctx context.Context, f func() error) error {
	tries := r.Tries
	if tries == 0 {
		tries = defaultTries
	}
	wait := firstWait
	for {
		err := f()
		tries--
		if tries == 0 || !errors.Is(err, ErrRetriable) || ctx.Err() != nil {
			return err
		}
		if r.Wait != nil {
			if stop := r.Wait(ctx, wait); stop != nil {
				return fmt.Errorf("%w, and waiting to try again: %w", err, stop)
			}
		}
		if wait *= waitFactor; wait > math.MaxInt64/waitFactor {
			wait = math.MaxInt64 / waitFactor
		}
	}
}
