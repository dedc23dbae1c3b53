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

// Config is how a [Queue] orders and delays pods. Its zero value does what
// today's kube-scheduler does.
type Config struct {
	// Release is whose rules hold; zero means outrank.DefaultRelease.
	Release outrank.Release
	// Variant is whose queue it is. That of v1.13 has no backoff, and no hints (group
	// 5.9); with it InitialBackoff, MaxBackoff, NoEarlyPop and Helps must not be set. That
	// of the simplified variant is today's.
	Variant outrank.Variant
	// InitialBackoff is how long a pod waits after its first failed attempt.
	// Each further one doubles it, up to MaxBackoff; errors are counted apart.
	// Zero means one second and ten.
	InitialBackoff, MaxBackoff time.Duration
	// UnschedulableTimeout is how long after its last attempt an unschedulable
	// pod is tried again without an event that may help it. Zero means
	// five minutes, and a minute for the Variant v1.13.
	UnschedulableTimeout time.Duration
	// NoEarlyPop keeps a pod in backoff for as long as that lasts. Without it,
	// the first pod that did not fit is popped early where no pod is active, and
	// backoff goes by whole seconds (rules 5.3.3 to 5.3.5; upstream's feature
	// SchedulerPopFromBackoffQ).
	NoEarlyPop bool
	// Gates are checks that a pod has to pass before it is active or in backoff,
	// in this order. Scheduling gates in a pod's spec come before them and need no
	// gate here. While a preemption is carried out for a pod beside the scheduler,
	// the gate of execution.Executor.Preempting keeps it out.
	Gates []Gate
	// Compare orders the active pods, and groups, whose entries have no Pod: it is negative if a is
	// to be popped before b. Ties are broken by CompareEntries. Nil means CompareEntries alone.
	Compare func(a, b *Entry) int
	// Helps decides whether an event may help an unschedulable pod, or a pod that
	// came back from an attempt during which the event came in; nil is Helps by the rules of the
	// Release. It is asked once more with the PendingFilters alone where there are any.
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
	// may change with time; see Queue for when the question is asked again.
	Holds func(pod *outrank.Pod) bool
	// Events are the kinds of events after which the gate is asked again, as upstream
	// those that the plugin is registered for; none means all. From v1.37 on an event
	// of the empty kind is always one of them (rule 5.2.8).
	Events []ClusterEventKind
}

// validate returns everything that is wrong with the configuration.
func (c *Config) validate() error {
	if c == nil {
		return errNoConfig
	}
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

// gateOf names the first gate that holds the pod, empty where none does.
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
