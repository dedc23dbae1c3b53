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

// Config has the rules of a run. The zero value has one scheduler that preempts as kube-scheduler does and
// places pods on the least allocated node. Evicted pods are not recreated.
type Config struct {
	// Start is the date at which the run begins; zero means the first of January 2000. It matters only for
	// pods of the initial cluster that already have a start or deletion time.
	Start time.Time
	// End is the longest duration of the run; zero means until nothing more happens.
	End time.Duration

	// Schedulers share one queue. Each pod goes through the cycle of its own scheduler, as with the profiles
	// of one kube-scheduler. None means one scheduler, the zero value. All must have the same Variant in
	// their Preemption, which also applies to the queue and to carrying out plans.
	Schedulers []Scheduler
	// SchedulerOf returns the name of a pod's scheduler; nil means the first one for all pods. An unknown
	// name is an error.
	SchedulerOf func(*outrank.Pod) string
	// Discipline is the kind of queue. Queue configures a PriorityQueue: its order and its delays.
	Discipline Discipline
	Queue      queue.Config
	// Cycle is the time that a scheduling cycle takes. With zero it takes no time, and pods may retry forever
	// in the same moment, each taking away what another was promised; Simulation.Step ends that with an
	// error.
	Cycle time.Duration
	// Order is the order in which the steps of a plan are carried out. Zero means the order of the cluster's
	// release. Any other order switches the release's feature gate SchedulerAsyncPreemption, so that plans
	// are made for it. A variant has its own order.
	Order execution.Order

	// Grace is the grace period of evicted and deleted pods, if neither the pod, its Work nor the policy
	// names one; nil means DefaultGrace.
	Grace *time.Duration
	// Recreate says how controllers replace evicted pods.
	Recreate Recreate
	// Kubelets, if set, admit pods to their nodes and evict pods under pressure. Without kubelets pods run as
	// soon as they are bound. Kubelets cannot be combined with groups of pods.
	Kubelets *Kubelets
	// Scale returns the number of replicas that a controller is meant to have, which budgets may depend on.
	// Nil means the number of pods that exist (see pdb.StatusInput).
	Scale func(owner outrank.Owner, namespace string) (int32, bool)

	// OneByOne makes every attempt ask the scheduler's rules. Otherwise equal pods share the answer that
	// nothing helps, until a change concerns them; the result is the same, but comes sooner. Functions of the
	// caller in Scheduler.Preemption and Queue are asked about every pod in either case.
	OneByOne bool

	// Bind, if set, binds a pod to the node that was found for it. If it fails, the pod goes back to the
	// queue without a nomination, and others may use the room. The pod is tried again as long as Bind fails.
	// From v1.37 on it is tried again at once, a few times, if the error wraps execution.ErrRetriable.
	Bind func(pod *outrank.Pod, node *outrank.Node) error
	// Evict, if set, is called before a victim of a plan is evicted; preemptor is the pod that room is made
	// for, or one pod of the gang. If it fails, the victim stays, and the preemptor goes back to the queue
	// and is tried again as long as Evict fails.
	Evict func(victim, preemptor *outrank.Pod) error

	// Seed decides among nodes of equal score, and where the sample of nodes begins for a pod. With zero it
	// is the first node in the order of the cluster.
	Seed uint64
	// History limits the cascades and cycles that are followed.
	History history.Config

	// Decided, if set, receives every plan that is about to be carried out, and where it comes from. It must
	// not change any of that. Unlike Observe, it does not make attempts go one by one.
	Decided func(Decision) error
	// Observe, if set, receives every event in order, and must not change it. It makes attempts go one by
	// one, because each failed attempt is an event.
	Observe func(Event)
	// Follow, if set, receives the same events in the same order, without their Text and without Refused
	// attempts, at next to no cost. It tells what happens to pods: Bound, Evicted with its cause, Left,
	// Ended. It must not change what it is given.
	Follow func(Event)
	// Audit makes the run check itself at every event, with books of its own: no node is overcommitted, and
	// the life of every pod and the lost work add up. A finding ends the run with an error that wraps
	// ErrAudit. Each binding takes time linear in the pods on the node.
	Audit bool
	// Sample, if set, receives the usage, the waiting pods and the evicted pods after every step that changed
	// them. The slice and the maps of the sample are reused. Levels are in the order of Simulation.Resources.
	Sample func(chart.Sample)
	// Progress, if set, is called after every step. Attempts that are made together count as one step.
	Progress func()
}

// Decision is a plan with victims, before it is carried out. It is valid during the call.
type Decision struct {
	// Plan is set for a pod and Group for a gang. The other field is nil.
	Plan  *preemption.Plan
	Group *preemption.GroupPlan
	// Evaluator made the plan from Snapshot, in its present state, at Time.
	Evaluator *engine.Evaluator
	Snapshot  *engine.Snapshot
	Time      time.Time
}

// Scheduler is one set of rules for scheduling pods.
type Scheduler struct {
	// Name appears in metrics and in the conditions of victims; empty means default-scheduler.
	Name string
	// Preemption configures which pods have to leave.
	Preemption preemption.Config
	// Score chooses among the feasible nodes: the highest score wins. Nil means LeastAllocated.
	Score Score
	// Scorer, if set, replaces Score, which must be nil then. It compares the nodes with each other. With
	// &score.Scorer{} pods go where the default profile of kube-scheduler puts them; that takes about 3 ms of
	// a core for a pod with 5,000 feasible nodes.
	Scorer Scorer
}

// Discipline is a kind of queue.
type Discipline uint8

// The kinds of queue.
const (
	// PriorityQueue is the queue of queue.New.
	PriorityQueue Discipline = iota
	// FIFOQueue is the queue of queue.NewFIFO, which orders pods by arrival.
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

// Recreate says how controllers replace pods that were evicted, or lost with their node. The new pod belongs
// to the same lineage, has another name and UID, and starts its work from the beginning.
type Recreate struct {
	Rule RecreateRule
	// Delay is the time between the moment that Rule names and the arrival of the new pod; zero means
	// DefaultRecreateDelay.
	Delay time.Duration
	// Change, if set, may change the new pod before anybody sees it, such as its priority after too many
	// evictions. The pod is a copy of the first one of its lineage. It shares pointers with that one: replace
	// their values, and do not write to them. evictions is the number of evictions of the lineage so far. It
	// is 0 if its pods were only lost or rejected until now.
	Change func(made *outrank.Pod, evictions int)
}

// RecreateRule says when a pod is recreated.
type RecreateRule uint8

// The rules for recreating pods.
const (
	// RecreateNever does not replace pods.
	RecreateNever RecreateRule = iota
	// RecreateWhenGone waits until the evicted pod is gone, as a job does. A pod that finishes its work
	// within its grace period is not replaced.
	RecreateWhenGone
	// RecreateWhenEvicted makes the new pod at the time of the eviction, while the evicted pod still
	// terminates, as a replica set does.
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

// Validate returns everything that is wrong with the configuration, as one *[outrank.InputError].
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

// checkChoices rejects unknown values, and values that contradict the variant.
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

// checkParts rejects what the queue and the history reject.
func (c *Config) checkParts(ps *problems) {
	queued := c.Queue
	queued.Variant = c.variant()
	_, err := queue.New(queued)
	ps.join("simulation config", "Queue", err)
	_, err = history.New(c.History)
	ps.join("simulation config", "History", err)
}

// checkSchedulers rejects schedulers with equal names or different variants, and what the rules of a
// scheduler reject.
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

// grace returns the grace period of a pod that has none of its own.
func (c *Config) grace() time.Duration {
	if c.Grace == nil {
		return DefaultGrace
	}
	return *c.Grace
}

// filledIn returns the configuration with the defaults filled in.
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
