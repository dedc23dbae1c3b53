package execution

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Order is the order in which a plan is carried out (section 10).
type Order uint8

// The orders.
const (
	// Synchronous: the victims, in the order of the plan and up to Parallel of
	// them at a time; then the nominations of lower priority are cleared; then
	// the preemptor is nominated (prepareCandidate). A failure among the victims
	// ends it, so that a preemptor is only nominated where all are on their way.
	Synchronous Order = iota
	// Asynchronous: the preemptor is nominated first, as a scheduler that goes
	// on in the meantime must know of it; then the nominations of lower priority
	// are cleared; then all victims but the last, up to Parallel at a time; and
	// the last after them (prepareCandidateAsync). After any failure the rest is
	// skipped and the preemptor is activated; it keeps its nomination.
	Asynchronous
)

// String names the order.
func (o Order) String() string {
	switch o {
	case Synchronous:
		return "synchronous"
	case Asynchronous:
		return "asynchronous"
	}
	return fmt.Sprintf("Order(%d)", uint8(o))
}

// ExecutorConfig is how plans are carried out. Only Actions is needed.
type ExecutorConfig struct {
	// Actions is how to reach the cluster.
	Actions Actions
	Order   Order
	// Parallel is how many victims of a plan are told to go at a time; zero
	// means 16. With 1 everything happens in the caller's goroutine, one call
	// of Actions after the other.
	Parallel int
	// Scheduler is the name that stands in the victims' condition; empty means
	// default-scheduler.
	Scheduler string
	// Nominator, if any, is kept in line with what is nominated and cleared.
	// Which pods lose their nomination is then read from it when the time comes,
	// in place of the plan's ClearedNominations.
	Nominator *Nominator
	// Metrics, if any, counts the victims of every plan that is begun.
	Metrics *Metrics
	// Remember is how many evicted victims are kept in mind at most until
	// [Executor.Gone] is told about them; beyond that the oldest are forgotten,
	// and would be told to go again. Zero means 65536.
	Remember int
}

// Defaults of an ExecutorConfig, and a limit to what it may ask for.
const (
	defaultParallel  = 16
	defaultRemember  = 1 << 16
	maxParallel      = 1 << 10
	DefaultScheduler = "default-scheduler"
)

// Validate names everything that is wrong with the configuration, in one
// *[outrank.InputError].
func (c *ExecutorConfig) Validate() error {
	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "executor config", Field: field, Text: fmt.Sprintf(format, args...)})
	}
	if c.Actions == nil {
		add("Actions", "missing")
	}
	if c.Order > Asynchronous {
		add("Order", "%d is none", c.Order)
	}
	if c.Parallel < 0 || c.Parallel > maxParallel {
		add("Parallel", "%d is not between 0 and %d", c.Parallel, maxParallel)
	}
	if c.Remember < 0 {
		add("Remember", "%d is negative", c.Remember)
	}
	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}

// Executor carries plans out through a caller's [Actions]. It knows the victims
// that it has told to go and never tells one twice while that is under way.
// Any number of goroutines may use it at once, also for plans that share
// victims.
//
// It starts no goroutine that outlives a call, in either order: whoever wants a
// plan carried out in the background says "go" before the call, and keeps the
// preemptor out of the queue while [Executor.Preempting] says so.
type Executor struct {
	config  ExecutorConfig
	leaving *leaving

	mu sync.Mutex
	// underway are the preemptors whose plan is being carried out, by key.
	underway map[string]*awaited
}

// awaited is what a preemptor still waits for.
type awaited struct {
	// last is the identity of the last victim once its turn has come; over is
	// set when that is reported gone.
	last string
	over bool
}

// NewExecutor checks the configuration and prepares an executor; see
// [ExecutorConfig.Validate] for the error.
func NewExecutor(config ExecutorConfig) (*Executor, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if config.Parallel == 0 {
		config.Parallel = defaultParallel
	}
	if config.Remember == 0 {
		config.Remember = defaultRemember
	}
	if config.Scheduler == "" {
		config.Scheduler = DefaultScheduler
	}
	return &Executor{config: config, leaving: newLeaving(config.Remember), underway: map[string]*awaited{}}, nil
}

// CarryOut does what the plan says (section 10):
//
//  1. The latest version of the preemptor is fetched. Where it is gone, being
//     deleted or bound by now, nothing is done, and the report's ending says so
//     without an error.
//  2. The victims leave. One that is terminating is passed over, as is one that
//     this executor has told to go before; one that waits to be bound is
//     rejected; any other gets the condition DisruptionTarget and is deleted.
//     "Not found" is success. An event is posted about every victim that was
//     rejected or evicted, in the order of the plan.
//  3. Pods of lower priority that are nominated to the node lose that. A failure
//     here stands in the report and ends nothing. In [Asynchronous] order it has
//     the preemptor activated in the end, as in the reference.
//  4. The preemptor is nominated to the node.
//
// In what order steps 2 to 4 are taken is for [Order] to say. The call returns
// when all is done, and the victims may take long after that to end.
//
// A failure, or the end of the context, ends it half way: what has begun is
// finished, the rest is skipped, and the error wraps every cause. The report is
// never nil, and says for each victim what was done; its ending is
// [Interrupted]. The preemptor can be tried again at any time, as nothing that
// was done is done twice. Which victims are reached before a failure depends on
// the plan, Parallel and the Actions, and not on how fast they answer: victims
// go in groups of Parallel, and a group that was begun is finished.
//
// It differs from the reference in this:
//
//   - The preemptor is nominated here; there it is by the failure path, at once
//     after the synchronous order and beside the asynchronous one.
//   - Victims go in groups, and one that fails does not call off those that were
//     begun with it; there the others may or may not be reached.
//   - A preemptor that is being deleted counts as gone.
//   - A plan whose victims are all terminating is carried out, and counted, in
//     [Asynchronous] order, too; there even the nominations stay as they are.
//   - Nobody is told to go twice: the reference trusts the victim's deletion
//     time, which it may read late.
//
// An error that wraps [ErrState] without anything done is about a plan that is
// not to preempt, or a preemptor whose plan is being carried out at that time;
// one that wraps [outrank.ErrInvalid] about a plan without a preemptor or with
// a victim that is nil.
func (e *Executor) CarryOut(ctx context.Context, plan *preemption.Plan) (*Report, error) {
	if err := checkPlan(plan); err != nil {
		return &Report{}, err
	}
	c := newCarrying(e, plan)
	if !e.begin(plan.Pod.Key()) {
		return c.report, fmt.Errorf("pod %s: %w: it is preempting already", plan.Pod.Key(), preemption.ErrState)
	}
	err := c.run(ctx)
	return c.report, err
}

func checkPlan(plan *preemption.Plan) error {
	switch {
	case plan == nil || plan.Outcome != preemption.Preempt:
		return fmt.Errorf("plan: %w: there is nothing to carry out", preemption.ErrState)
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
// being carried out, so that it is to be kept out of the queue
// (IsPodRunningPreemption). It is not any more as soon as the last victim is
// reported gone: were the pod kept out until CarryOut returns, the news that
// makes room for it could come too early to be heard.
func (e *Executor) Preempting(key string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	w := e.underway[key]
	return w != nil && !w.over
}

// Gone tells that a pod is not there any more, or was not evicted after all, so
// that it need not be kept in mind. It is to be called for every pod that goes:
// a victim without a UID stands in the way of a later pod of its name until then.
// For a pod that was no victim it does nothing.
func (e *Executor) Gone(pod *outrank.Pod) {
	if pod == nil {
		return
	}
	id := identityOf(pod)
	e.leaving.forget(id)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.underway {
		if w.last == id {
			w.over = true
		}
	}
}

// begin notes that the preemptor's plan is under way, false if one is already.
func (e *Executor) begin(key string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.underway[key] != nil {
		return false
	}
	e.underway[key] = &awaited{}
	return true
}

// lastOf notes that a victim is the last that the preemptor waits for.
func (e *Executor) lastOf(key string, victim *outrank.Pod) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.underway[key].last = identityOf(victim)
}

func (e *Executor) end(key string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.underway, key)
}

func notFound(err error) bool { return errors.Is(err, preemption.ErrNotFound) }
