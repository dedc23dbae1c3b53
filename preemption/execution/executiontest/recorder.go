// Package executiontest answers: what did an executor or a failure handler ask
// of the cluster? A [Recorder] stands in for the cluster and for the queue in
// tests and in simulators. It writes down every call, and its fields decide what
// the calls return.
//
// The package needs no test framework. A recorder may be used by any number of
// goroutines at once; each call takes constant time beside the caller's own
// functions.
package executiontest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/priority/queue"
)

// Op is a kind of call that a [Recorder] receives.
type Op string

// The kinds of calls: those of [execution.Actions], of
// [execution.FailureActions] and of [execution.FailureQueue], and Bind of attempt.Actions.
const (
	OpLatest   Op = "latest"
	OpReject   Op = "reject"
	OpEvict    Op = "evict"
	OpNominate Op = "nominate"
	OpClear    Op = "clear nomination"
	OpActivate Op = "activate"
	OpEvent    Op = "event"
	OpUpdate   Op = "update status"
	OpGroup    Op = "update group"
	OpRequeue  Op = "requeue"
	OpDone     Op = "done"
	OpBind     Op = "bind"
)

// Call is one call that a [Recorder] received.
type Call struct {
	Op Op
	// Pod is the pod that the call is about.
	Pod *outrank.Pod
	// Node is the node of a nomination, of an eviction or of a binding.
	Node string
	// Eviction, Event, Condition, Nomination, Entry and Now are set where the
	// call has them.
	Eviction   execution.Eviction
	Event      outrank.Event
	Condition  outrank.PodCondition
	Nomination execution.Nomination
	Group      execution.GroupStatus
	Entry      queue.Entry
	Now        time.Time
	// Err is the error that the call returned.
	Err error
}

// String returns the call in one line.
func (c Call) String() string {
	key := "(nil)"
	if c.Pod != nil {
		key = string(c.Pod.Key())
	}
	text := string(c.Op) + " " + key
	switch c.Op {
	case OpNominate, OpBind:
		text += " to " + c.Node
	case OpEvict:
		text += fmt.Sprintf(" (%s)", c.Condition)
	case OpEvent:
		text = "event " + c.Event.String()
	case OpUpdate:
		text += fmt.Sprintf(" (%s; %s)", c.Condition, c.Nomination)
	case OpGroup:
		text = fmt.Sprintf("%s %s (%s)", c.Op, c.Group.Key, c.Condition)
	case OpRequeue:
		text += fmt.Sprint(" ", c.Entry.FailedFilters)
	}
	if c.Err != nil {
		text += ": " + c.Err.Error()
	}
	return text
}

// Recorder is [execution.Actions], [execution.FailureActions] and an
// [execution.FailureQueue] in memory. It writes every call down in the order of
// arrival, and does nothing else unless its fields say so. With
// [execution.Config].Parallel 1 that order is always the same; with more, calls
// that are made at once arrive in any order.
//
// The zero value is ready: every pod exists as it was asked for, none waits to be
// bound, and nothing fails. The fields must not change while it is in use. Any
// number of goroutines may use it at once.
type Recorder struct {
	// Find, if set, returns the latest version of a pod by its key, such as
	// [engine.Snapshot.Pod]; a pod that it does not find is gone.
	Find func(key outrank.Key) (*outrank.Pod, bool)
	// Waiting, if set, says which pods wait to be bound.
	Waiting func(pod *outrank.Pod) bool
	// Do, if set, is called for every call, and its error is what the call
	// returns, where a call returns one. It is the place to inject failures or
	// to change a simulated cluster.
	Do func(call Call) error

	// Find, Waiting and Do are called one at a time and must not use the
	// recorder: mu is held.
	mu       sync.Mutex
	recorded []Call
}

var errNoRecorder = fmt.Errorf("%w: no recorder", outrank.ErrInvalid)

var (
	_ execution.Actions        = (*Recorder)(nil)
	_ execution.FailureActions = (*Recorder)(nil)

	_ execution.GroupFailureActions = (*Recorder)(nil)

	_ execution.FailureQueue = (*Recorder)(nil)
)

// Calls returns the calls so far. The slice is the caller's.
func (r *Recorder) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.recorded)
}

// Events returns the events so far. The slice is the caller's.
func (r *Recorder) Events() []outrank.Event {
	var events []outrank.Event
	for _, c := range r.Calls() {
		if c.Op == OpEvent {
			events = append(events, c.Event)
		}
	}
	return events
}

// Reset forgets all calls.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recorded = nil
}

// append writes a call down and returns its error; mu is held.
func (r *Recorder) append(c Call) error {
	if r.Do != nil {
		c.Err = r.Do(c)
	}
	r.recorded = append(r.recorded, c)
	return c.Err
}

func (r *Recorder) record(c Call) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.append(c)
}

// Latest returns what Find returns.
func (r *Recorder) Latest(_ context.Context, pod *outrank.Pod) (*outrank.Pod, error) {
	if r == nil {
		return nil, errNoRecorder
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.append(Call{Op: OpLatest, Pod: pod}); err != nil {
		return nil, err
	}
	if r.Find == nil {
		return pod, nil
	}
	if pod == nil {
		return nil, fmt.Errorf("latest version: %w: no pod", outrank.ErrInvalid)
	}
	if latest, ok := r.Find(pod.Key()); ok {
		return latest, nil
	}
	return nil, fmt.Errorf("pod %s: %w", pod.Key(), preemption.ErrNotFound)
}

// Reject is written down for a victim that waits, and not for others.
func (r *Recorder) Reject(_ context.Context, victim *outrank.Pod) (bool, error) {
	if r == nil {
		return false, errNoRecorder
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Waiting == nil || !r.Waiting(victim) {
		return false, nil
	}
	return true, r.append(Call{Op: OpReject, Pod: victim})
}

// Evict writes the eviction down.
func (r *Recorder) Evict(_ context.Context, e execution.Eviction) error {
	if r == nil {
		return errNoRecorder
	}
	return r.record(Call{Op: OpEvict, Pod: e.Victim, Node: e.Node, Eviction: e, Condition: e.Condition})
}

// Nominate writes the nomination down.
func (r *Recorder) Nominate(_ context.Context, pod *outrank.Pod, node string) error {
	if r == nil {
		return errNoRecorder
	}
	return r.record(Call{Op: OpNominate, Pod: pod, Node: node})
}

// ClearNomination writes down that the nomination is cleared.
func (r *Recorder) ClearNomination(_ context.Context, pod *outrank.Pod) error {
	if r == nil {
		return errNoRecorder
	}
	return r.record(Call{Op: OpClear, Pod: pod})
}

// Activate writes down that the pod is to be tried again.
func (r *Recorder) Activate(pod *outrank.Pod) {
	_ = r.record(Call{Op: OpActivate, Pod: pod})
}

// Event writes the event down.
func (r *Recorder) Event(e outrank.Event) {
	_ = r.record(Call{Op: OpEvent, Pod: e.Pod, Event: e})
}

// UpdateStatus writes the condition and the nomination down.
func (r *Recorder) UpdateStatus(_ context.Context, pod *outrank.Pod, condition outrank.PodCondition, nomination execution.Nomination) error {
	if r == nil {
		return errNoRecorder
	}
	return r.record(Call{Op: OpUpdate, Pod: pod, Condition: condition, Nomination: nomination})
}

// UpdateGroupStatus writes the condition of a group down.
func (r *Recorder) UpdateGroupStatus(_ context.Context, s execution.GroupStatus) error {
	if r == nil {
		return errNoRecorder
	}
	return r.record(Call{Op: OpGroup, Group: s, Condition: s.Condition})
}

// Bind writes the binding down.
func (r *Recorder) Bind(_ context.Context, pod *outrank.Pod, node string) error {
	if r == nil {
		return errNoRecorder
	}
	return r.record(Call{Op: OpBind, Pod: pod, Node: node})
}

// AddUnschedulableIfNotPresent writes down that the pod of the entry goes back to
// the queue.
func (r *Recorder) AddUnschedulableIfNotPresent(e queue.Entry, now time.Time) error {
	if r == nil {
		return errNoRecorder
	}
	e.FailedFilters, e.PendingFilters = slices.Clone(e.FailedFilters), slices.Clone(e.PendingFilters)
	return r.record(Call{Op: OpRequeue, Pod: e.Pod, Entry: e, Now: now})
}

// Done writes down that the attempt is over. It returns false if Do fails.
func (r *Recorder) Done(e queue.Entry) bool {
	return r.record(Call{Op: OpDone, Pod: e.Pod, Entry: e}) == nil
}
