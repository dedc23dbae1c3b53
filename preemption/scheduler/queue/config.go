package queue

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// These are the durations of kube-scheduler v1.36.
const (
	defaultInitialBackoff       = time.Second
	defaultMaxBackoff           = 10 * time.Second
	defaultUnschedulableTimeout = 5 * time.Minute
)

// timeoutV113 is the default of UnschedulableTimeout for the variant v1.13 (rule 13.2.9).
const timeoutV113 = time.Minute

// Config says how a [Queue] orders and delays pods. With its zero value the queue works like
// today's kube-scheduler.
type Config struct {
	// Release selects the rules by which the queue works. Zero means outrank.DefaultRelease.
	Release outrank.Release
	// Variant is the variant of the scheduler. The queue of v1.13 has no backoff and no hints (group
	// 5.9): with it InitialBackoff, MaxBackoff, NoEarlyPop and Helps must not be set. The simplified
	// variant has today's queue.
	Variant outrank.Variant
	// InitialBackoff is how long a pod waits after its first failed attempt. Each further failed attempt
	// doubles the wait, up to MaxBackoff; attempts that end in an error are counted apart. Zero means
	// one second for InitialBackoff and ten for MaxBackoff.
	InitialBackoff, MaxBackoff time.Duration
	// UnschedulableTimeout is the time from the last attempt with an unschedulable pod until it is tried
	// again without an event that may help it. Zero means five minutes, and one minute for the variant
	// v1.13.
	UnschedulableTimeout time.Duration
	// NoEarlyPop keeps a pod in backoff until its backoff is over. Without it, the first pod in backoff is
	// popped early while no pod is active, and the end of a backoff is cut to a whole second (rules 5.3.3
	// to 5.3.5; upstream's feature SchedulerPopFromBackoffQ).
	NoEarlyPop bool
	// Gates are checks that a pod must pass before it is active or in backoff, in this order. The
	// scheduling gates in a pod's spec come before them and need no gate here. Where plans are
	// carried out beside the scheduler, execution.Executor.Preempting is the gate that keeps preemptors
	// out of the queue meanwhile.
	Gates []Gate
	// Compare orders the active pods and groups; the entry of a group has no Pod. It is negative if a is
	// to be popped before b. CompareEntries breaks ties. Nil means CompareEntries alone.
	Compare func(a, b *Entry) int
	// Helps decides whether an event may help an unschedulable pod, or a pod that comes back from the
	// attempt during which the event came in. Nil means the function Helps with Release. For a pod with
	// PendingFilters it is asked once more with these alone. Like Compare it must not change the entry,
	// keep it, or call the queue, which is locked meanwhile.
	Helps func(e *Entry, event ClusterEvent) bool
}

var errNoConfig = fmt.Errorf("%w: no configuration", outrank.ErrInvalid)

// schedulingGates is the name of the gate that every [Queue] asks first: no pod is tried
// while its spec has scheduling gates (rule 5.2.3).
const schedulingGates = "SchedulingGates"

// Gate is a check that a pod must pass before it can be tried (upstream's PreEnqueue plugin). A pod that it
// holds waits in the gated pool.
type Gate struct {
	// Name identifies the gate. It stands in Entry.Gate while the gate holds the pod, and must not be empty.
	Name string
	// Holds reports whether the pod is to be kept out. Like Config.Helps it must not change the pod or call the
	// queue, which is locked meanwhile. The answer may change with time; Queue says when the gate is asked
	// again.
	Holds func(pod *outrank.Pod) bool
	// Events are the kinds of events after which the gate is asked again (upstream: the events that the
	// plugin is registered for). None means all. From v1.37 on an event of the empty kind is always
	// one of them (rule 5.2.8).
	Events []ClusterEventKind
}

// validate returns an error that lists everything that is wrong with the configuration, nil if nothing is.
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

	// The two are compared with the defaults filled in, which means something only if nothing else is wrong.
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

// old reports whether the queue works like that of v1.13.
func (c *Config) old() bool { return c.Variant == outrank.VariantV1_13 }

// addUnknownThen adds a problem for each setting that is set but unknown to the queue of v1.13.
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

// filledIn returns the configuration with defaults in place of zero values.
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
		c.Helps = newHints(c.Release, &rules).help
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
