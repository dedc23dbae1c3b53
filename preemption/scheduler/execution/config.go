package execution

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// Order is the order in which the steps of a plan are taken (group 14.2). The empty order stands for the
// order of the release: [Asynchronous], as in kube-scheduler, or [Synchronous] if the feature gate
// SchedulerAsyncPreemption is off.
type Order string

// The orders.
const (
	// Synchronous: the victims are evicted in the order of the plan, up to Parallel of them at a time. Then the
	// nominations of lower priority are cleared, and then the preemptor is nominated (prepareCandidate). A
	// failed eviction ends the execution, so that a preemptor is nominated only once every victim terminates.
	Synchronous Order = "synchronous"
	// Asynchronous: the preemptor is nominated first, because a scheduler that continues in the meantime must
	// know of it. Then the nominations of lower priority are cleared, then all victims but the last are
	// evicted, up to Parallel at a time, and the last one after them (prepareCandidateAsync). After any failure
	// the rest is skipped and the preemptor is activated; it keeps its nomination.
	Asynchronous Order = "asynchronous"
)

// resolve returns the order for plans of a release and a variant if the configured order is o.
func (o Order) resolve(r outrank.Release, v outrank.Variant) Order {
	switch {
	case v != 0:
		return Synchronous // the variants have steps of their own, one after another
	case o != "":
		return o
	case release.Release(r).Asynchronous():
		return Asynchronous
	}
	return Synchronous
}

// Config says how an [Executor] executes plans and deals with pods that were not placed. The release and
// the variant come with each plan.
type Config struct {
	// Actions are the functions through which the executor reaches the cluster.
	Actions Actions
	// Order is the order of the steps. Zero means the order of the release. It has no effect on plans of a
	// variant, which have an order of their own.
	Order Order
	// Parallel is the number of victims of a plan that are evicted at a time. Zero means
	// 16. With 1 everything happens in the caller's goroutine, one call of
	// Actions after the other.
	Parallel int
	// Scheduler is the name of the scheduler in the condition of a victim. Empty means the scheduler that
	// the preemptor names.
	Scheduler string
	// Tries is how often the patch of a status is tried at most. Patches set the condition of a victim,
	// of a pod that was not placed and of its group, and set or clear a nomination. Zero
	// means 4, as in the reference; 1 means that none is tried again.
	Tries int
	// Wait waits for a duration before the next try: 10 ms at first, then five times as
	// long each time. Its error, usually the context's, ends the tries. Nil means that tries follow each other
	// without a wait. Several goroutines may call it at once.
	Wait func(ctx context.Context, d time.Duration) error
	// Nominator, if any, is told of the nominations that are set, kept and cleared. It must know the
	// nominations that plans are made with: of a plan's ClearedNominations the executor clears only those that
	// the Nominator still has, for the plan's node and a lower priority than the preemptor's (rule 14.3.7).
	Nominator *Nominator
	// Remember is the largest number of evicted victims that are remembered until Executor.Gone is called for
	// them. Beyond that the oldest are forgotten, and would be evicted again. Zero means 65,536.
	Remember int
}

var errNoConfig = fmt.Errorf("%w: no configuration", outrank.ErrInvalid)

// These are the defaults of a Config. maxParallel keeps a mistaken number from starting
// goroutines without bound.
const (
	defaultParallel = 16
	maxParallel     = 1 << 10
	defaultRemember = 1 << 16
)

// validate returns an error that lists everything that is wrong with the configuration, nil if nothing is.
func (c *Config) validate() error {
	if c == nil {
		return errNoConfig
	}

	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "executor config", Field: field, Text: fmt.Sprintf(format, args...)})
	}

	if c.Order != "" && c.Order != Synchronous && c.Order != Asynchronous {
		add("Order", "%q is none", c.Order)
	}
	if c.Parallel < 0 || c.Parallel > maxParallel {
		add("Parallel", "%d is not between 0 and %d", c.Parallel, maxParallel)
	}
	if c.Remember < 0 {
		add("Remember", "%d is negative", c.Remember)
	}
	if c.Tries < 0 || c.Tries > maxTries {
		add("Tries", "%d is not between 0 and %d", c.Tries, maxTries)
	}
	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}
