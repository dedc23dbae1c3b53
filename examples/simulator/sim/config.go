package sim

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/history"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Defaults of a [Config].
const (
	DefaultGrace         = outrank.DefaultGracePeriod
	DefaultRecreateDelay = time.Second
)

// Config has the rules of a run. Its zero value is one scheduler that decides
// what kube-scheduler does and takes the least allocated node; nobody makes
// evicted pods anew.
type Config struct {
	// Start is the time at which the run begins; zero means the first of January
	// 2000. It matters only for pods of the cluster that have a start time or a deletion time already.
	Start time.Time
	// End is the longest time that the run lasts; zero means until nothing happens
	// any more.
	End time.Duration

	// Schedulers share one queue, and each pod goes through the cycle of
	// its own scheduler, as with the profiles of one kube-scheduler. None means
	// one, the zero value. The Variant of their preemption is the same for
	// all, and also holds for the queue and for carrying plans out.
	Schedulers []Scheduler
	// SchedulerOf returns the name of a pod's scheduler; nil means the first for
	// all. A name that no scheduler has is an error.
	SchedulerOf func(*outrank.Pod) string
	// Discipline is the kind of queue. Queue says how a PriorityQueue orders and
	// delays.
	Discipline Discipline
	Queue      queue.Config
	// Cycle is the time that the scheduler takes for one pod before it looks at the next one. Zero means
	// that it takes no time. Pods may then try again and again in the same moment, because each takes away
	// what another was promised; Simulation.Step ends that with an error.
	Cycle time.Duration
	// Order is the order in which the steps of a plan are taken. Zero means the order of the cluster's
	// release. Any other order switches the release's feature gate SchedulerAsyncPreemption, so
	// that plans are made for it. A variant has its own order.
	Order execution.Order

	// Grace is the time that an evicted or deleted pod has to end where neither
	// the pod, its Work nor the policy names one; nil means DefaultGrace.
	Grace *time.Duration
	// Recreate says how controllers replace evicted pods.
	Recreate Recreate
	// Kubelets, if set, admit pods to their nodes and evict them under pressure. Without kubelets
	// pods run as soon as they are bound. Kubelets and groups of pods do not go together.
	Kubelets *Kubelets
	// Scale returns the number of pods that a controller is meant to have, which
	// budgets may depend on; nil means those that exist (see pdb.StatusInput).
	Scale func(owner outrank.Owner, namespace string) (int32, bool)

	// OneByOne makes every attempt by itself, with a question to the scheduler's
	// rules. Without it equal pods share the answer that nothing helps until a
	// change concerns them: the result is the same, sooner. The caller's own rules in
	// Scheduler.Preemption, and the gates, order and hints of Queue, are asked about every
	// pod in either case.
	OneByOne bool

	// Bind, if set, binds a pod to the node that was found for it. An error means that
	// this failed: the pod goes back to the queue, without a nomination, and others may
	// use the room. It is tried again for as long as that fails; from v1.37 on at once,
	// a few times, where the error wraps execution.ErrRetriable.
	Bind func(pod *outrank.Pod, node *outrank.Node) error
	// Evict, if set, is asked before a victim of a plan is told to go; preemptor is the pod that
	// room is made for, or one pod of the gang. An error means that this failed: the
	// victim stays, and the preemptor goes back to the queue and is tried again for as long as
	// that fails.
	Evict func(victim, preemptor *outrank.Pod) error

	// Seed decides among nodes of equal score, and where a sample of nodes begins for a pod; with
	// zero the first in the cluster's order is taken.
	Seed uint64
	// History limits the cascades and cycles that are followed.
	History history.Config

	// Decided, if set, receives every plan that is about to be carried out, and
	// its origin. It must change none of that. Unlike Observe it does not make
	// attempts go one by one.
	Decided func(Decision) error
	// Observe, if set, receives every event, in order, and must not change it. It makes
	// attempts go one by one, since each that comes to nothing is an event.
	Observe func(Event)
	// Follow, if set, receives the same events in the same order, without their Text and without
	// Refused attempts. It costs a run next to nothing. It is the hook for what a pod goes
	// through: Bound, Evicted with its cause, Left, Ended. It must not change what it is given.
	Follow func(Event)
	// Audit makes the run check itself at every event, by books of its own: that no node is
	// overcommitted, that every pod's life adds up, and that lost work does. A finding ends the run
	// with an error that wraps ErrAudit. Time is linear in the pods on a node for each pod that is bound
	// to it.
	Audit bool
	// Sample, if set, receives the usage, the waiting pods and the evicted pods
	// after every step that changed them. The sample's slice and maps are used
	// again. The levels are in the order of Simulation.Resources.
	Sample func(chart.Sample)
	// Progress, if set, is called after every step, and once for attempts that are
	// made together.
	Progress func()
}

// Decision is a plan with victims, before it is carried out. It is valid during the call.
type Decision struct {
	// Plan is set for a pod, Group for a gang; the other field is nil.
	Plan  *preemption.Plan
	Group *preemption.GroupPlan
	// Evaluator made the plan of Snapshot, as that is now, at Time.
	Evaluator *engine.Evaluator
	Snapshot  *engine.Snapshot
	Time      time.Time
}

// Scheduler is one set of rules for scheduling pods.
type Scheduler struct {
	// Name stands in metrics and in the victims' conditions; empty means
	// default-scheduler.
	Name string
	// Preemption decides which pods have to leave.
	Preemption preemption.Config
	// Score picks among the nodes that take a pod: the highest wins. Nil means
	// LeastAllocated.
	Score Score
	// Scorer, if set, picks in place of Score, which must be nil then. It compares the
	// nodes with each other. With &score.Scorer{} the pods go where kube-scheduler's default
	// profile puts them; that takes some 3 ms of a core for a pod that 5,000 nodes take.
	Scorer Scorer
}

// Discipline is a kind of queue.
type Discipline uint8

// The disciplines.
const (
	// PriorityQueue is a queue.Queue.
	PriorityQueue Discipline = iota
	// FIFOQueue is the queue of queue.NewFIFO.
	FIFOQueue
)

// String names the discipline.
func (d Discipline) String() string {
	switch d {
	case PriorityQueue:
		return "priority"
	case FIFOQueue:
		return "fifo"
	}
	return fmt.Sprintf("Discipline(%d)", uint8(d))
}

// Recreate says how controllers replace pods that were evicted, or lost with
// their node. The new pod is of the same lineage, has another name and UID, and
// begins its work from nothing.
type Recreate struct {
	Rule RecreateRule
	// Delay is the time between the moment of the rule and the arrival of the
	// new pod; zero means DefaultRecreateDelay.
	Delay time.Duration
	// Change, if set, may change the new pod before anybody sees it. The pod is a copy of the first one
	// of its lineage. So a controller may give its pods another
	// priority when they are evicted too often. Pointers of the pod are shared: replace
	// their values, and do not write to them. evictions counts the evictions of the lineage so
	// far. It is 0 if the pod was lost or turned away before any was evicted.
	Change func(made *outrank.Pod, evictions int)
}

// RecreateRule says when a pod is recreated.
type RecreateRule uint8

// The rules.
const (
	// RecreateNever leaves evicted pods away.
	RecreateNever RecreateRule = iota
	// RecreateWhenGone waits until the evicted pod is gone, as a job does. A pod
	// that comes to its end within its grace period has finished, and is not recreated.
	RecreateWhenGone
	// RecreateWhenEvicted makes the new pod at once, while the evicted one is
	// still there, as a replica set does.
	RecreateWhenEvicted
)

// String names the rule.
func (r RecreateRule) String() string {
	switch r {
	case RecreateNever:
		return "never"
	case RecreateWhenGone:
		return "when gone"
	case RecreateWhenEvicted:
		return "when evicted"
	}
	return fmt.Sprintf("RecreateRule(%d)", uint8(r))
}

// Validate names everything that is wrong with the configuration, in one
// *[outrank.InputError].
func (c *Config) Validate() error {
	var ps problems
	for _, d := range []struct {
		field string
		value time.Duration
	}{
		{"End", c.End}, {"Cycle", c.Cycle}, {"Recreate.Delay", c.Recreate.Delay}, {"Grace", c.grace()},
	} {
		if d.value < 0 || d.value > horizon {
			ps.add("simulation config", d.field, "%v is not between 0 and %v", d.value, horizon)
		}
	}

	c.checkChoices(&ps)
	c.checkParts(&ps)
	c.checkSchedulers(&ps)
	c.Kubelets.check(&ps)
	return ps.err()
}

// checkChoices refuses values that are none of those there are, and those that contradict the variant.
func (c *Config) checkChoices(ps *problems) {
	if c.Discipline > FIFOQueue {
		ps.add("simulation config", "Discipline", "%d is none", c.Discipline)
	}
	if c.Order != "" && c.Order != execution.Synchronous && c.Order != execution.Asynchronous {
		ps.add("simulation config", "Order", "%q is none", c.Order)
	}
	if c.Recreate.Rule > RecreateWhenEvicted {
		ps.add("simulation config", "Recreate.Rule", "%d is none", c.Recreate.Rule)
	}
	if c.Queue.Variant != 0 {
		ps.add("simulation config", "Queue.Variant", "set, and it is that of the schedulers")
	}
	if c.Order == execution.Asynchronous && c.variant() != 0 {
		ps.add("simulation config", "Order", "%v, and the variant %v has its own", c.Order, c.variant())
	}
}

// checkParts refuses what the queue and the history refuse.
func (c *Config) checkParts(ps *problems) {
	queued := c.Queue
	queued.Variant = c.variant()
	_, err := queue.New(queued)
	ps.join("simulation config", "Queue", err)
	_, err = history.New(c.History)
	ps.join("simulation config", "History", err)
}

// checkSchedulers refuses schedulers of one name or of different variants, and what their rules refuse.
func (c *Config) checkSchedulers(ps *problems) {
	seen := map[string]bool{}
	for i := range c.Schedulers {
		s := &c.Schedulers[i]
		field := fmt.Sprintf("Schedulers[%d]", i)
		if seen[s.name()] {
			ps.add("simulation config", field, "there is another scheduler called %s", s.name())
		}
		seen[s.name()] = true

		ps.join("simulation config", field, s.Preemption.Validate())
		if s.Score != nil && s.Scorer != nil {
			ps.add("simulation config", field, "Score and Scorer are both set, and one of them picks")
		}
		if s.Preemption.Variant != c.variant() {
			ps.add("simulation config", field, "the variant is %v, and that of the first %v", s.Preemption.Variant, c.variant())
		}
	}
}

// variant returns the variant that all schedulers follow.
func (c *Config) variant() outrank.Variant {
	if len(c.Schedulers) == 0 {
		return 0
	}
	return c.Schedulers[0].Preemption.Variant
}

// grace returns the time to end of a pod that names none.
func (c *Config) grace() time.Duration {
	if c.Grace == nil {
		return DefaultGrace
	}
	return *c.Grace
}

// filledIn returns the configuration with defaults in place of zeros.
func (c Config) filledIn() Config {
	if c.Start.IsZero() {
		c.Start = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	if c.End == 0 {
		c.End = horizon
	}
	if len(c.Schedulers) == 0 {
		c.Schedulers = []Scheduler{{}}
	}
	if c.Recreate.Delay == 0 {
		c.Recreate.Delay = DefaultRecreateDelay
	}
	c.Kubelets = c.Kubelets.filledIn()
	return c
}

// name returns the name of the scheduler, or the default one.
func (s *Scheduler) name() string {
	if s.Name == "" {
		return outrank.DefaultScheduler
	}
	return s.Name
}
