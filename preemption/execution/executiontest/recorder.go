package executiontest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
)

// Op is a kind of call that a [Recorder] receives.
type Op string

// The kinds of calls: those of [Actions], of [FailureActions] and of
// [FailureQueue].
const (
	OpLatest   Op = "latest"
	OpReject   Op = "reject"
	OpEvict    Op = "evict"
	OpNominate Op = "nominate"
	OpClear    Op = "clear nomination"
	OpActivate Op = "activate"
	OpEvent    Op = "event"
	OpUpdate   Op = "update status"
	OpRequeue  Op = "requeue"
	OpDone     Op = "done"
)

// Call is one call that a [Recorder] received.
type Call struct {
	Op Op
	// Pod is whom it is about.
	Pod *outrank.Pod
	// Node is that of a nomination or of an eviction.
	Node string
	// Eviction, Event, Condition, Nomination and Filters are set where the call
	// has them.
	Eviction   execution.Eviction
	Event      execution.Event
	Condition  execution.Condition
	Nomination execution.Nomination
	Filters    []string
	// Err is what the call answered.
	Err error
}

// String gives the call in one line.
func (c Call) String() string {
	key := "(nil)"
	if c.Pod != nil {
		key = c.Pod.Key()
	}
	text := string(c.Op) + " " + key
	switch c.Op {
	case OpNominate:
		text += " to " + c.Node
	case OpEvict:
		text += fmt.Sprintf(" (%s)", c.Condition)
	case OpEvent:
		text = "event " + c.Event.String()
	case OpUpdate:
		text += fmt.Sprintf(" (%s; %s)", c.Condition, c.Nomination)
	case OpRequeue:
		text += fmt.Sprint(" ", c.Filters)
	}
	if c.Err != nil {
		text += ": " + c.Err.Error()
	}
	return text
}

// Recorder is [Actions], [FailureActions] and a [FailureQueue] in memory, for
// tests and simulators: it writes every call down in the order of arrival, and
// does nothing else unless told to. With [ExecutorConfig].Parallel 1 that order
// is always the same; with more, calls that come at once arrive in any order.
//
// The zero value is ready: every pod is there as asked for, none waits, and
// nothing fails. The fields must not change while it is in use. Any number of
// goroutines may use it at once.
type Recorder struct {
	// Find, if set, has the latest version of pods by their key, such as
	// [Snapshot.Pod]; one that it does not find is gone.
	Find func(key string) (*outrank.Pod, bool)
	// Waiting, if set, says which pods wait to be bound.
	Waiting func(pod *outrank.Pod) bool
	// Do, if set, is what a call does besides being written down, and may make
	// it fail: its error is the answer to the caller, where the call has one. It
	// is the place to inject failures or to move a simulated cluster on.
	Do func(call Call) error

	// Find, Waiting and Do are called one at a time and must not use the
	// recorder: mu is held.
	mu    sync.Mutex
	calls []Call
}

// Calls lists what was called so far. The slice is the caller's.
func (r *Recorder) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Events lists the events so far. The slice is the caller's.
func (r *Recorder) Events() []execution.Event {
	var events []execution.Event
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
	r.calls = nil
}

// record writes a call down and gives its answer; mu is held.
func (r *Recorder) record(c Call) error {
	if r.Do != nil {
		c.Err = r.Do(c)
	}
	r.calls = append(r.calls, c)
	return c.Err
}

func (r *Recorder) locked(c Call) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.record(c)
}

// Latest gives what Find has.
func (r *Recorder) Latest(_ context.Context, pod *outrank.Pod) (*outrank.Pod, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.record(Call{Op: OpLatest, Pod: pod}); err != nil {
		return nil, err
	}
	if r.Find == nil {
		return pod, nil
	}
	if latest, ok := r.Find(pod.Key()); ok {
		return latest, nil
	}
	return nil, fmt.Errorf("pod %s: %w", pod.Key(), preemption.ErrNotFound)
}

// Reject is written down for a victim that waits, and not for others.
func (r *Recorder) Reject(_ context.Context, victim *outrank.Pod) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Waiting == nil || !r.Waiting(victim) {
		return false, nil
	}
	return true, r.record(Call{Op: OpReject, Pod: victim})
}

// Evict writes the eviction down.
func (r *Recorder) Evict(_ context.Context, e execution.Eviction) error {
	return r.locked(Call{Op: OpEvict, Pod: e.Victim, Node: e.Node, Eviction: e, Condition: e.Condition})
}

// Nominate writes the nomination down.
func (r *Recorder) Nominate(_ context.Context, pod *outrank.Pod, node string) error {
	return r.locked(Call{Op: OpNominate, Pod: pod, Node: node})
}

// ClearNomination writes down that the nomination is taken back.
func (r *Recorder) ClearNomination(_ context.Context, pod *outrank.Pod) error {
	return r.locked(Call{Op: OpClear, Pod: pod})
}

// Activate writes down that the pod is to be tried again.
func (r *Recorder) Activate(pod *outrank.Pod) {
	_ = r.locked(Call{Op: OpActivate, Pod: pod})
}

// Event writes the event down.
func (r *Recorder) Event(e execution.Event) {
	_ = r.locked(Call{Op: OpEvent, Pod: e.Pod, Event: e})
}

// UpdateStatus writes the condition and the nomination down.
func (r *Recorder) UpdateStatus(_ context.Context, pod *outrank.Pod, condition execution.Condition, nomination execution.Nomination) error {
	return r.locked(Call{Op: OpUpdate, Pod: pod, Condition: condition, Nomination: nomination})
}

// AddUnschedulableIfNotPresent writes down that the pod goes back to the queue.
func (r *Recorder) AddUnschedulableIfNotPresent(pod *outrank.Pod, filters []string) error {
	return r.locked(Call{Op: OpRequeue, Pod: pod, Filters: slices.Clone(filters)})
}

// Done writes down that the attempt is over.
func (r *Recorder) Done(pod *outrank.Pod) {
	_ = r.locked(Call{Op: OpDone, Pod: pod})
}
