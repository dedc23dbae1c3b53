package execution

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority/queue"
)

// Order is the order in which the steps of a plan are taken (group 14.2).
type Order uint8

// The orders.
const (
	// Synchronous: the victims are evicted in the order of the plan, up to
	// Parallel of them at a time. Then the nominations of lower priority are
	// cleared, and then the preemptor is nominated (prepareCandidate). A failed
	// eviction ends the execution, so a preemptor is only nominated where every
	// victim terminates.
	Synchronous Order = iota
	// Asynchronous: the preemptor is nominated first, because a scheduler that
	// continues in the meantime must know of it. Then the nominations of lower
	// priority are cleared, then all victims but the last are evicted, up to
	// Parallel at a time, and the last one after them (prepareCandidateAsync).
	// After any failure the rest is skipped and the preemptor is activated; it
	// keeps its nomination.
	Asynchronous
)

// String returns the name of the order.
func (o Order) String() string {
	switch o {
	case Synchronous:
		return "synchronous"
	case Asynchronous:
		return "asynchronous"
	}
	return fmt.Sprintf("Order(%d)", uint8(o))
}

// Config is how an [Executor] executes plans. Only Actions is needed.
type Config struct {
	// Actions is how the executor reaches the cluster.
	Actions Actions
	// Release is whose rules hold; zero means [outrank.DefaultRelease].
	Release outrank.Release
	// Variant is whose way of executing plans is followed (groups 13.2 and 13.3); zero is
	// that of kube-scheduler. Any other has an order and events of its own, evicts victims
	// one after another, also those that are terminating or were evicted before, and sets
	// no condition on them. It is to be that of the plans.
	Variant outrank.Variant
	// Order is the order of the steps; zero is [Synchronous]. A Variant has its own.
	Order Order
	// Parallel is how many victims of a plan are evicted at a time; zero means
	// 16. With 1 everything happens in the caller's goroutine, one call of
	// Actions after the other.
	Parallel int
	// Scheduler is the name in the condition of a victim; empty means the one that
	// the preemptor names.
	Scheduler string
	// Retry is how often the patch of a status is tried: the condition of a victim,
	// a nomination that is written or cleared.
	Retry Retry
	// Nominator, if any, is told of the nominations that are set and cleared.
	// Which pods lose their nomination is then read from it at that moment, in
	// place of the plan's ClearedNominations.
	Nominator *Nominator
	// Metrics, if any, counts the victims of every plan that is begun.
	Metrics *Metrics
	// Remember is the largest number of evicted victims that are remembered
	// until [Executor.Gone] is told about them. Beyond that the oldest are
	// forgotten, and would be evicted again. Zero means 65,536.
	Remember int
}

// DefaultScheduler is the name of the scheduler where none is given.
const DefaultScheduler = outrank.DefaultScheduler

// Defaults of a Config, and a limit that keeps a mistaken number from starting
// goroutines without bound.
const (
	defaultParallel = 16
	maxParallel     = 1 << 10
	defaultRemember = 1 << 16
)

// Validate returns everything that is wrong with the configuration, in one
// *[outrank.InputError].
func (c *Config) Validate() error {
	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "executor config", Field: field, Text: fmt.Sprintf(format, args...)})
	}
	if c.Actions == nil {
		add("Actions", "missing")
	}
	if !c.Release.Known() {
		add("Release", "%v is not known", c.Release)
	}
	if _, err := c.Variant.MarshalText(); err != nil {
		add("Variant", "%d is none", uint8(c.Variant))
	}
	switch {
	case c.Order > Asynchronous:
		add("Order", "%d is none", c.Order)
	case c.Order != Synchronous && c.Variant != 0:
		add("Order", "%v, and the variant %v has its own", c.Order, c.Variant)
	}
	if c.Parallel < 0 || c.Parallel > maxParallel {
		add("Parallel", "%d is not between 0 and %d", c.Parallel, maxParallel)
	}
	if c.Remember < 0 {
		add("Remember", "%d is negative", c.Remember)
	}
	ps = append(ps, c.Retry.problem("executor config")...)
	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}

// Executor executes plans through a caller's [Actions]. It remembers the victims
// that it has evicted, and evicts none twice while its eviction is in progress.
// Any number of goroutines may use it at once, also for plans that share victims.
//
// [NewExecutor] makes one; the zero Executor executes nothing, and its error wraps
// [outrank.ErrInvalid].
//
// It starts no goroutine that outlives a call, in either order. A caller that
// wants a plan executed in the background puts "go" before the call, and keeps
// the preemptor out of the queue while [Executor.Preempting] returns true.
type Executor struct {
	config    Config
	rules     release.Rules
	evictions *evictions

	mu sync.Mutex
	// underway are the preemptors whose plan is being executed, by key: one, but for
	// pods that had the same name one after the other.
	underway map[outrank.Key][]*preemptorState
	// leaves are the groups whose pods are kept out of the queue, by key.
	leaves map[outrank.Key]*preemptorState
}

// preemptorState is what a preemptor still waits for.
type preemptorState struct {
	// pod is the preemptor, nil for a group.
	pod *outrank.Pod
	// lastVictim is the identity of the last victim once its eviction begins.
	// lastGone is set when that victim is reported gone.
	lastVictim string
	lastGone   bool
	// leaves are the groups of a group as preemptor that pods name.
	leaves []outrank.Key
}

// NewExecutor checks the configuration and returns an executor; see
// [Config.Validate] for the error.
func NewExecutor(config Config) (*Executor, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	switch {
	case config.Variant != 0:
		config.Parallel = 1
	case config.Parallel == 0:
		config.Parallel = defaultParallel
	}
	if config.Remember == 0 {
		config.Remember = defaultRemember
	}
	return &Executor{config: config, rules: release.Of(release.Release(config.Release)), evictions: newEvictions(config.Remember), underway: map[outrank.Key][]*preemptorState{}, leaves: map[outrank.Key]*preemptorState{}}, nil
}

// Execute does what the plan says (chapter 14):
//
//  1. The latest version of the preemptor is fetched. Where it is gone, being
//     deleted or bound by now, nothing is done, and the report's result says so
//     without an error.
//  2. The victims are evicted. A victim that is terminating is passed over, and
//     so is a victim that this executor has evicted before. A victim that waits
//     to be bound is rejected. Any other victim gets the condition
//     DisruptionTarget and is deleted. "Not found" is success. An event is
//     posted about every victim that was rejected or evicted, in the order of
//     the plan.
//  3. Pods of lower priority that are nominated to the node lose their
//     nomination. A failure here is in the report and ends nothing. In
//     [Asynchronous] order the preemptor is activated in the end after such a
//     failure, and after a pod that was not found, as in the reference. From v1.37
//     on it is also activated where the last victim was rejected while it waited,
//     because nothing will be heard of that one's end (rule 14.2.8).
//  4. The preemptor is nominated to the node, unless it is there already, for a
//     [preemption.Plan.Resize].
//
// [Order] says in what order steps 2 to 4 are taken. Where all victims are
// terminating, [Asynchronous] order takes step 4 alone, and before v1.37 counts no
// victims (rule 14.5.8). The call returns when all
// is done; the victims may take long after that to terminate.
//
// A failure, or the end of the context, interrupts the execution: calls that
// have begun are finished, the rest is skipped, and the error wraps every cause.
// The report is never nil and says for each victim what was done; its result is
// [Interrupted]. The plan can be tried again at any time, because no eviction
// that was done is done twice. Which victims are reached before a failure
// depends on the plan, Parallel and the Actions, and not on how fast they
// answer: victims are evicted in groups of Parallel, and a group that was begun
// is finished.
//
// It differs from the reference in this:
//
//   - The preemptor is nominated here. In the reference the failure path does
//     that, at once after the synchronous order and beside the asynchronous one.
//   - Victims are evicted in groups, and a victim that fails does not cancel
//     those that were begun with it; in the reference the others may or may not
//     be reached.
//   - A preemptor that is being deleted counts as gone.
//   - No victim is evicted twice, but by a [Config.Variant]: the reference trusts the
//     victim's deletion time, which it may read late.
//
// An error that wraps [preemption.ErrState] without anything done is about a
// plan that is not to preempt, or a preemptor whose plan is being executed at
// that time. An error that wraps [outrank.ErrInvalid] is about a plan without a
// preemptor or with a victim that is nil, or about no context.
//
// Beside the calls of Actions the cost is linear in the victims.
func (e *Executor) Execute(ctx context.Context, plan *preemption.Plan) (*Report, error) {
	if err := e.ready(ctx); err != nil {
		return &Report{}, err
	}
	if err := checkPlan(plan); err != nil {
		return &Report{}, err
	}
	x := newExecution(e, plan)
	if !e.begin(x, nil) {
		return x.report, fmt.Errorf("pod %s: %w: it is preempting already", plan.Pod.Key(), preemption.ErrState)
	}
	err := x.run(ctx)
	return x.report, err
}

// ready reports a call that cannot begin.
func (e *Executor) ready(ctx context.Context) error {
	switch {
	case e.evictions == nil:
		return fmt.Errorf("executor: %w: it was not made by NewExecutor", outrank.ErrInvalid)
	case ctx == nil:
		return fmt.Errorf("executor: %w: no context", outrank.ErrInvalid)
	}
	return nil
}

func checkPlan(plan *preemption.Plan) error {
	switch {
	case plan == nil || plan.Outcome != preemption.Preempt:
		return fmt.Errorf("plan: %w: there is nothing to execute", preemption.ErrState)
	case plan.Pod == nil:
		return fmt.Errorf("plan: %w: no preemptor", outrank.ErrInvalid)
	}
	for i, v := range plan.Victims {
		if v.Pod == nil {
			return fmt.Errorf("plan for pod %s: %w: victim %d is missing", plan.Pod.Key(), outrank.ErrInvalid, i)
		}
	}
	return nil
}

// Preempting reports whether a plan of the pod with this key (namespace/name) is
// being executed, so that the pod has to be kept out of the queue
// (IsPodRunningPreemption). It returns false as soon as the last victim is
// reported gone: if the pod were kept out until Execute returns, it could miss
// the event that makes room for it. Constant time.
func (e *Executor) Preempting(key outrank.Key) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.underway[key], (*preemptorState).waits)
}

// waits reports whether the preemptor still waits for a victim to be gone.
func (s *preemptorState) waits() bool { return !s.lastGone }

// Gate keeps a pod out of a queue while the executor is Preempting for it (rule
// 14.2.5), and the pods of a group while it is PreemptingGroup (rule 14.6.4). It is one of the Gates of the queue's configuration. The queue asks again
// at the next event, so that Gone has to be called before the queue is told that the
// victim has left.
func (e *Executor) Gate() queue.Gate {
	return queue.Gate{Name: "Preempting", Holds: e.holds}
}

// Gone tells the executor that a pod does not exist any more, or was not evicted
// after all, so that it need not be remembered. It has to be called for every
// pod that goes: until then a victim without a UID stands in the way of a later
// pod of its name. For a pod that was no victim it does nothing. Time is linear
// in the plans that are being executed.
func (e *Executor) Gone(pod *outrank.Pod) {
	if pod == nil || e.evictions == nil {
		return
	}
	id := identityOf(pod)
	e.evictions.forget(id)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, states := range e.underway {
		for _, s := range states {
			if s.lastVictim == id {
				s.lastGone = true
			}
		}
	}
}

// begin records that the preemptor's plan is being executed. It returns false if
// one is already.
func (e *Executor) begin(x *execution, leaves []outrank.Key) bool {
	s := &preemptorState{leaves: leaves}
	if x.group == nil {
		s.pod = x.plan.Pod
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if slices.ContainsFunc(e.underway[x.key], func(other *preemptorState) bool { return s.pod == nil || samePod(other.pod, s.pod) }) {
		return false
	}
	e.underway[x.key] = append(e.underway[x.key], s)
	for _, leaf := range leaves {
		e.leaves[leaf] = s
	}
	x.state = s
	return true
}

// setLastVictim records the last victim that the preemptor waits for.
func (e *Executor) setLastVictim(s *preemptorState, victim *outrank.Pod) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.lastVictim = identityOf(victim)
}

func (e *Executor) end(key outrank.Key, s *preemptorState) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, leaf := range s.leaves {
		if e.leaves[leaf] == s {
			delete(e.leaves, leaf)
		}
	}
	e.underway[key] = slices.DeleteFunc(e.underway[key], func(other *preemptorState) bool { return other == s })
	if len(e.underway[key]) == 0 {
		delete(e.underway, key)
	}
}

func notFound(err error) bool { return errors.Is(err, preemption.ErrNotFound) }
