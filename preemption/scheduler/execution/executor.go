package execution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Executor executes plans through a caller's [Actions], and puts pods that were not placed back into their
// queue. It remembers the victims that it has evicted, and does not evict one twice while its eviction is in
// progress. Any number of goroutines may use it at once, even for plans that share victims.
//
// [NewExecutor] makes one. The zero Executor executes nothing; its error wraps
// [outrank.ErrInvalid].
//
// It starts no goroutine that outlives a call, in either order. A caller that wants a plan executed in the
// background puts "go" before the call, and keeps the preemptor out of the queue while [Executor.Preempting]
// returns true.
type Executor struct {
	// These fields come from the Config. Missing actions, and the numbers in together and retry, have their
	// defaults.
	actions   Actions
	wanted    Order
	together  int
	scheduler string
	retry     retry
	nominator *Nominator

	evictions *evictions

	// mu guards the maps below and the states in them.
	mu sync.Mutex
	// underway has the preemptors whose plan is being executed, by key. Pods that had the same name one
	// after another are chained through preemptorState.other.
	underway map[outrank.Key]*preemptorState
	// leaves maps the key of each group whose pods are kept out of the queue to the preemptor.
	leaves map[outrank.Key]*preemptorState
}

var errNoExecutor = fmt.Errorf("%w: no executor", outrank.ErrInvalid)

// preemptorState is a preemptor whose plan is being executed, with the victim that it waits for.
type preemptorState struct {
	// pod is the preemptor, nil for a group.
	pod *outrank.Pod
	// lastVictim is the identity of the victim that is evicted last, empty until its eviction begins.
	lastVictim string
	// lastGone says that the last victim was reported gone, or that there is none to evict.
	lastGone bool
	// refused says that another plan of the preemptor was refused meanwhile.
	refused bool
	// leaves are the keys of the pod groups that the members of a group preemptor name, nil for a pod.
	leaves []outrank.Key
	// other is another preemptor with this key, nil for none.
	other *preemptorState
}

// NewExecutor checks the configuration and returns an executor. The error lists everything that is wrong
// with the configuration, in one *[outrank.InputError].
func NewExecutor(config Config) (*Executor, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	e := &Executor{
		actions: config.Actions, scheduler: config.Scheduler,
		wanted: config.Order, together: cmp.Or(config.Parallel, defaultParallel),
		retry: retry{cmp.Or(config.Tries, defaultTries), config.Wait}, nominator: config.Nominator,
		underway: map[outrank.Key]*preemptorState{}, leaves: map[outrank.Key]*preemptorState{},
	}
	e.actions.complete()
	e.evictions = newEvictions(cmp.Or(config.Remember, defaultRemember))
	return e, nil
}

// ready returns an error if no call can begin: NewExecutor did not make the executor, or there is no
// context.
func (e *Executor) ready(ctx context.Context) error {
	switch {
	case e.evictions == nil:
		return fmt.Errorf("executor: %w: it was not made by NewExecutor", outrank.ErrInvalid)
	case ctx == nil:
		return fmt.Errorf("executor: %w: no context", outrank.ErrInvalid)
	}
	return nil
}

// canExecute returns an error if the executor cannot execute plans: it is not ready, or has no action Evict.
func (e *Executor) canExecute(ctx context.Context) error {
	if err := e.ready(ctx); err != nil {
		return err
	}
	if e.actions.Evict == nil {
		return fmt.Errorf("executor: %w: no action to evict", outrank.ErrInvalid)
	}
	return nil
}

// Preempting reports whether a plan of this pod, or of a group that the pod belongs to, is being
// executed, so that the pod must be kept out of the queue (rules 14.2.5 and 14.6.4;
// IsPodRunningPreemption). A gate of a queue asks it:
//
//	queue.Gate{Name: "Preempting", Holds: executor.Preempting}
//
// The queue asks again at the next event, so Gone must be called before the queue is told that
// a victim has left. Preempting returns false as soon as the last victim is reported gone: if the pod were
// kept out until Execute returns, it could miss the event that makes room for it. A pod without a UID
// stands for any pod with its name. Constant time.
func (e *Executor) Preempting(pod *outrank.Pod) bool {
	if pod == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.leaves[pod.GroupKey()]; pod.Group != "" && s != nil && s.waits() {
		return true
	}
	for s := e.underway[pod.Key()]; s != nil; s = s.other {
		if samePod(s.pod, pod) && s.waits() {
			return true
		}
	}
	return false
}

// waits reports whether the preemptor still waits for a victim to be gone.
func (s *preemptorState) waits() bool { return !s.lastGone }

// Gone tells the executor that a pod does not exist any more, or was not evicted after all, so that it need not
// be remembered. It must be called for every pod that goes: otherwise a later pod with the name of a victim
// without a UID counts as evicted already. For a pod that was no victim it does nothing. Time is linear in the
// plans that are being executed.
func (e *Executor) Gone(pod *outrank.Pod) {
	if pod == nil || e.evictions == nil {
		return
	}
	id := identityOf(pod)
	e.evictions.forget(id)

	// The pod may be the last victim of several plans.
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.underway {
		for ; s != nil; s = s.other {
			if s.lastVictim == id {
				s.lastGone = true
			}
		}
	}
}

// setLastVictim records the victim whose end lets the preemptor back into the queue.
func (e *Executor) setLastVictim(s *preemptorState, victim *outrank.Pod) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.lastVictim = identityOf(victim)
}

// end records that the preemptor's plan is not being executed any more.
func (e *Executor) end(key outrank.Key, s *preemptorState) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, leaf := range s.leaves {
		if e.leaves[leaf] == s {
			delete(e.leaves, leaf)
		}
	}

	// The state leaves the chain of preemptors with its key.
	first := e.underway[key]
	switch {
	case first != s:
		for first.other != s {
			first = first.other
		}
		first.other = s.other
	case s.other != nil:
		e.underway[key] = s.other
	default:
		delete(e.underway, key)
	}
}

// notFound reports whether the error of an action says that the pod does not exist.
func notFound(err error) bool { return errors.Is(err, preemption.ErrNotFound) }
