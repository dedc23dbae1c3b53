package queue

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// Durations of kube-scheduler v1.36.
const (
	DefaultInitialBackoff       = time.Second
	DefaultMaxBackoff           = 10 * time.Second
	DefaultUnschedulableTimeout = 5 * time.Minute
)

// timeoutV113 is DefaultUnschedulableTimeout of v1.13 (rule 13.2.9).
const timeoutV113 = time.Minute

// Config is how a [Queue] orders and delays pods. Its zero value does what
// today's kube-scheduler does.
type Config struct {
	// Release is whose rules hold; zero means [outrank.DefaultRelease].
	Release outrank.Release
	// Variant is whose queue it is. That of v1.13 has no backoff, and no hints (group
	// 5.9); with it InitialBackoff, MaxBackoff, NoEarlyPop and Helps must not be set. That
	// of the simplified variant is today's.
	Variant outrank.Variant
	// InitialBackoff is how long a pod waits after its first failed attempt.
	// Each further one doubles it, up to MaxBackoff; errors are counted apart.
	// Zero means [DefaultInitialBackoff] and [DefaultMaxBackoff].
	InitialBackoff, MaxBackoff time.Duration
	// UnschedulableTimeout is how long after its last attempt an unschedulable
	// pod is tried again without an event that may help it. Zero means
	// [DefaultUnschedulableTimeout], and a minute for the Variant v1.13.
	UnschedulableTimeout time.Duration
	// NoEarlyPop keeps a pod in backoff for as long as that lasts. Without it,
	// the first pod that did not fit is popped early where no pod is active, and
	// backoff goes by whole seconds (rules 5.3.3 to 5.3.5; upstream's feature
	// SchedulerPopFromBackoffQ).
	NoEarlyPop bool
	// Gates are checks that a pod has to pass before it is active or in backoff,
	// in this order. Scheduling gates in a pod's spec come before them and need no
	// gate here. While a preemption is carried out for a pod beside the scheduler,
	// Gate of execution.Executor keeps it out.
	Gates []Gate
	// Compare orders the active pods, and groups, whose entries have no Pod: it is
	// negative if a is to be popped before b. Ties are broken by [CompareEntries]. Nil means CompareEntries alone.
	Compare func(a, b *Entry) int
	// Helps decides whether an event may help an unschedulable pod, or a pod that
	// came back from an attempt during which the event came in; nil is [HelpsIn] the
	// Release. It is asked once more with the PendingFilters alone where there are any.
	// Like Compare it must not change the entry, keep it, or call the
	// queue, which is locked meanwhile.
	Helps func(e *Entry, event ClusterEvent) bool
}

// Validate returns everything that is wrong with the configuration, in one
// *[outrank.InputError].
func (c *Config) Validate() error {
	var ps []outrank.Problem
	if !c.Release.Known() {
		ps = append(ps, outrank.Problem{Object: "queue config", Field: "Release", Text: fmt.Sprintf("%v is not known", c.Release)})
	}
	if _, err := c.Variant.MarshalText(); err != nil {
		ps = append(ps, outrank.Problem{Object: "queue config", Field: "Variant", Text: fmt.Sprintf("%d is none", uint8(c.Variant))})
	}
	if c.old() {
		ps = append(ps, c.unknownThen()...)
	}
	for _, d := range []struct {
		field string
		value time.Duration
	}{
		{"InitialBackoff", c.InitialBackoff},
		{"MaxBackoff", c.MaxBackoff},
		{"UnschedulableTimeout", c.UnschedulableTimeout},
	} {
		if d.value < 0 {
			ps = append(ps, outrank.Problem{Object: "queue config", Field: d.field, Text: fmt.Sprintf("%v is negative", d.value)})
		}
	}
	if set := c.filledIn(); len(ps) == 0 && set.InitialBackoff > set.MaxBackoff {
		text := fmt.Sprintf("%v is less than InitialBackoff, %v", set.MaxBackoff, set.InitialBackoff)
		ps = append(ps, outrank.Problem{Object: "queue config", Field: "MaxBackoff", Text: text})
	}
	for i := range c.Gates {
		if c.Gates[i].Holds == nil {
			ps = append(ps, outrank.Problem{Object: "queue config", Field: fmt.Sprintf("Gates[%d].Holds", i), Text: "missing"})
		}
		if c.Gates[i].Name == "" {
			ps = append(ps, outrank.Problem{Object: "queue config", Field: fmt.Sprintf("Gates[%d].Name", i), Text: "missing"})
		}
	}
	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}

// old reports whether the queue is that of v1.13.
func (c *Config) old() bool { return c.Variant == outrank.VariantV1_13 }

// unknownThen returns the settings that the queue of v1.13 does not have.
func (c *Config) unknownThen() (ps []outrank.Problem) {
	for _, x := range []struct {
		field string
		set   bool
	}{
		{"InitialBackoff", c.InitialBackoff != 0}, {"MaxBackoff", c.MaxBackoff != 0},
		{"NoEarlyPop", c.NoEarlyPop}, {"Helps", c.Helps != nil},
	} {
		if x.set {
			ps = append(ps, outrank.Problem{Object: "queue config", Field: x.field, Text: fmt.Sprintf("set, and the variant %v has none", c.Variant)})
		}
	}
	return ps
}

// filledIn returns the configuration with the defaults for what is zero.
func (c Config) filledIn() Config {
	if c.InitialBackoff == 0 {
		c.InitialBackoff = DefaultInitialBackoff
	}
	if c.MaxBackoff == 0 {
		c.MaxBackoff = DefaultMaxBackoff
	}
	if c.UnschedulableTimeout == 0 && c.old() {
		c.UnschedulableTimeout = timeoutV113
	}
	if c.UnschedulableTimeout == 0 {
		c.UnschedulableTimeout = DefaultUnschedulableTimeout
	}
	if c.Helps == nil {
		rules := release.Of(release.Release(c.Release))
		c.Helps = func(e *Entry, event ClusterEvent) bool { return helpsBy(&rules, e, event) }
	}
	return c
}

// backoffAfter returns how long a pod waits after so many failures. Doubling stops
// before it could overflow, so it takes at most some 60 steps.
func (c *Config) backoffAfter(failures int) time.Duration {
	return c.backoffUpTo(failures, c.MaxBackoff)
}

// backoffUpTo is backoffAfter with another ceiling.
func (c *Config) backoffUpTo(failures int, most time.Duration) time.Duration {
	d := c.InitialBackoff
	for range failures - 1 {
		if d > most/2 {
			return most
		}
		d *= 2
	}
	return d
}

// backoffEnd returns when the backoff of an attempt ends that failed now (rules
// 5.3.1, 5.3.2 and 5.3.4).
func (c *Config) backoffEnd(now time.Time, e *Entry) time.Time {
	return c.backoffEndUpTo(now, e, c.MaxBackoff)
}

// backoffEndUpTo is backoffEnd with another ceiling.
func (c *Config) backoffEndUpTo(now time.Time, e *Entry, most time.Duration) time.Time {
	failures := e.Refusals
	if e.Errors > 0 {
		failures = e.Errors
	}
	end := now.Add(c.backoffUpTo(failures, most))
	if !c.NoEarlyPop {
		end = end.Truncate(backoffWindow)
	}
	return end
}

// backoffOver returns the first moment at which a backoff with this end is over
// (rule 5.3.5); the zero time for a pod that never failed.
func (c *Config) backoffOver(end time.Time) time.Time {
	if c.NoEarlyPop || end.IsZero() {
		return end
	}
	return end.Add(backoffWindow)
}

// backoffWindow is what backoff is counted in. All pods whose backoff ends within
// one window are sorted by the order of the active pods.
const backoffWindow = time.Second

// order is the order of the active pool.
func (c *Config) order(a, b *item) int {
	if c.Compare != nil {
		if o := c.Compare(&a.Entry, &b.Entry); o != 0 {
			return o
		}
	}
	return CompareEntries(&a.Entry, &b.Entry)
}
