package queue

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// Durations of kube-scheduler v1.36.
const (
	defaultInitialBackoff       = time.Second
	defaultMaxBackoff           = 10 * time.Second
	defaultUnschedulableTimeout = 5 * time.Minute
)

// timeoutV113 is defaultUnschedulableTimeout of v1.13 (rule 13.2.9).
const timeoutV113 = time.Minute

// Config says how a [Queue] orders and delays pods. Its zero value does what
// today's kube-scheduler does.
type Config struct {
	// Release is the release by whose rules the queue works. Zero means outrank.DefaultRelease.
	Release outrank.Release
	// Variant is the variant of the scheduler. The queue of v1.13 has no backoff and no hints (group
	// 5.9): with it InitialBackoff, MaxBackoff, NoEarlyPop and Helps must not be set. The simplified
	// variant has today's queue.
	Variant outrank.Variant
	// InitialBackoff is how long a pod waits after its first failed attempt.
	// Each further one doubles the wait, up to MaxBackoff; errors are counted apart.
	// Zero means one second for the first and ten for the second.
	InitialBackoff, MaxBackoff time.Duration
	// UnschedulableTimeout is how long after its last attempt an unschedulable
	// pod is tried again without an event that may help it. Zero means
	// five minutes, and a minute for the Variant v1.13.
	UnschedulableTimeout time.Duration
	// NoEarlyPop keeps a pod in backoff until its backoff is over. Without it,
	// the first pod in backoff is popped early while no pod is active, and
	// backoff goes by whole seconds (rules 5.3.3 to 5.3.5; upstream's feature
	// SchedulerPopFromBackoffQ).
	NoEarlyPop bool
	// Gates are checks that a pod must pass before it is active or in backoff,
	// in this order. Scheduling gates in a pod's spec come before them and need no
	// gate here. For plans that are carried out beside the scheduler, execution.Executor.Preempting
	// is the gate that keeps their preemptors out.
	Gates []Gate
	// Compare orders the active pods and groups; the entry of a group has no Pod. It is negative if a is
	// to be popped before b. CompareEntries breaks ties. Nil means CompareEntries alone.
	Compare func(a, b *Entry) int
	// Helps decides whether an event may help an unschedulable pod, or a pod that
	// comes back from an attempt during which the event came in. Nil means the function Helps with
	// Release. For a pod with PendingFilters it is asked once more with these alone.
	// Like Compare it must not change the entry, keep it, or call the
	// queue, which is locked meanwhile.
	Helps func(e *Entry, event ClusterEvent) bool
}

var errNoConfig = fmt.Errorf("%w: no configuration", outrank.ErrInvalid)

// schedulingGates is the check that every [Queue] makes first: no pod is tried
// while it has scheduling gates (rule 5.2.3).
const schedulingGates = "SchedulingGates"

// Gate is a check before the queue (upstream's PreEnqueue plugin): a pod that it
// holds waits as gated.
type Gate struct {
	// Name stands in Entry.Gate while the gate holds the pod.
	Name string
	// Holds reports whether the pod is to be kept out. Like Config.Helps it must
	// not change the pod or call the queue, which is locked meanwhile. The answer
	// may change with time; Queue says when the gate is asked again.
	Holds func(pod *outrank.Pod) bool
	// Events are the kinds of events after which the gate is asked again (upstream: those that the
	// plugin is registered for). None means all. From v1.37 on an event
	// of the empty kind is always one of them (rule 5.2.8).
	Events []ClusterEventKind
}

// validate returns everything that is wrong with the configuration.
func (c *Config) validate() error {
	if c == nil {
		return errNoConfig
	}

	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "queue config", Field: field, Text: fmt.Sprintf(format, args...)})
	}
	if !c.Release.Known() {
		add("Release", "%v is not known", c.Release)
	}
	if _, err := c.Variant.MarshalText(); err != nil {
		add("Variant", "%d is none", uint8(c.Variant))
	}
	if c.old() {
		c.addUnknownThen(add)
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
			add(d.field, "%v is negative", d.value)
		}
	}

	// The two are compared with their defaults, which make no sense for a configuration that is wrong.
	if set := c.filledIn(); len(ps) == 0 && set.InitialBackoff > set.MaxBackoff {
		add("MaxBackoff", "%v is less than InitialBackoff, %v", set.MaxBackoff, set.InitialBackoff)
	}

	for i := range c.Gates {
		if c.Gates[i].Holds == nil {
			add(fmt.Sprintf("Gates[%d].Holds", i), "missing")
		}
		if c.Gates[i].Name == "" {
			add(fmt.Sprintf("Gates[%d].Name", i), "missing")
		}
	}
	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}

// old reports whether the queue is that of v1.13.
func (c *Config) old() bool { return c.Variant == outrank.VariantV1_13 }

// addUnknownThen adds the settings that are set and that the queue of v1.13 does not have.
func (c *Config) addUnknownThen(add func(field, format string, args ...any)) {
	for _, x := range []struct {
		field string
		set   bool
	}{
		{"InitialBackoff", c.InitialBackoff != 0}, {"MaxBackoff", c.MaxBackoff != 0},
		{"NoEarlyPop", c.NoEarlyPop}, {"Helps", c.Helps != nil},
	} {
		if x.set {
			add(x.field, "set, and the variant %v has none", c.Variant)
		}
	}
}

// filledIn returns the configuration with the defaults for what is zero.
func (c Config) filledIn() Config {
	if c.InitialBackoff == 0 {
		c.InitialBackoff = defaultInitialBackoff
	}
	if c.MaxBackoff == 0 {
		c.MaxBackoff = defaultMaxBackoff
	}
	if c.UnschedulableTimeout == 0 && c.old() {
		c.UnschedulableTimeout = timeoutV113
	}
	if c.UnschedulableTimeout == 0 {
		c.UnschedulableTimeout = defaultUnschedulableTimeout
	}
	if c.Helps == nil {
		rules := release.Of(release.Release(c.Release))
		c.Helps = func(e *Entry, event ClusterEvent) bool { return helpsBy(&rules, e, event) }
	}
	return c
}

// gateOf returns the name of the first gate that holds the pod, empty if none does.
func (c *Config) gateOf(pod *outrank.Pod) string {
	if pod.Gated() {
		return schedulingGates
	}
	for i := range c.Gates {
		if c.Gates[i].Holds(pod) {
			return c.Gates[i].Name
		}
	}
	return ""
}
