// Package executiontest answers: what did an executor, or an attempt, ask of the cluster? A [Recorder] stands
// in for the cluster in tests and in simulators. It writes down every call, and its fields decide what the
// calls return.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
// The package needs no test framework. Any number of goroutines may use a recorder at once. Each call takes
// constant time, apart from the caller's own functions.
package executiontest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// The kinds of calls, which are the values of [Call].Op.
const (
	opLatest   = "latest"
	opReject   = "reject"
	opEvict    = "evict"
	opNominate = "nominate"
	opClear    = "clear nomination"
	opActivate = "activate"
	opEvent    = "event"
	opUpdate   = "update status"
	opGroup    = "update group"
	opBind     = "bind"
)

// Call is one call that a [Recorder] received.
type Call struct {
	// Op is the kind of call: "latest", "reject", "evict", "nominate", "clear nomination",
	// "activate", "event", "update status", "update group" or "bind".
	Op string
	// Pod is the pod that the call is about.
	Pod *outrank.Pod
	// Node is the node of a nomination, of an eviction or of a binding.
	Node string
	// Eviction, Event, Condition, Nomination and Group are the arguments of the call. They are zero for
	// a kind of call without such an argument.
	Eviction   execution.Eviction
	Event      outrank.Event
	Condition  outrank.PodCondition
	Nomination execution.Nomination
	Group      outrank.Key
	// Err is the error that the call returned.
	Err error
}

// String returns the call in one line.
func (c Call) String() string {
	key := "(nil)"
	if c.Pod != nil {
		key = string(c.Pod.Key())
	}
	text := c.Op + " " + key
	switch c.Op {
	case opNominate, opBind:
		text += " to " + c.Node
	case opEvict:
		text += fmt.Sprintf(" (%s)", c.Condition)
	case opEvent:
		text = "event " + c.Event.String()
	case opUpdate:
		text += fmt.Sprintf(" (%s; %s)", c.Condition, c.Nomination)
	case opGroup:
		text = fmt.Sprintf("%s %s (%s)", c.Op, c.Group, c.Condition)
	}
	if c.Err != nil {
		text += ": " + c.Err.Error()
	}
	return text
}

// Recorder stands in for a cluster, which an [execution.Executor] reaches through its Actions. It records
// every call in the order of arrival, and does nothing else unless its fields say so. With
// [execution.Config].Parallel 1 that order is always the same; with more, calls that are
// made at once arrive in any order.
//
// The zero value is ready: every pod exists as it was asked for, none waits to be bound, and nothing fails. The
// fields must not change while it is in use. Any number of goroutines may use it at once.
type Recorder struct {
	// Find, if set, returns the latest version of a pod by its key, like
	// engine.Snapshot.Pod. A pod that it does not find is gone.
	Find func(key outrank.Key) (*outrank.Pod, bool)
	// Waiting, if set, says which pods wait to be bound.
	Waiting func(pod *outrank.Pod) bool
	// Do, if set, is called for every recorded call. If the call can return an error, it
	// returns the error of Do. Use it to inject failures, or to change a simulated cluster.
	Do func(call Call) error

	// mu guards recorded. It is held while Find, Waiting and Do are called, so they are called one at
	// a time and must not use the recorder.
	mu       sync.Mutex
	recorded []Call
}

var errNoRecorder = fmt.Errorf("%w: no recorder", outrank.ErrInvalid)

// Actions returns actions that record their calls. A call of Reject is recorded only for a victim that waits
// to be bound.
func (r *Recorder) Actions() execution.Actions {
	return execution.Actions{
		Latest: r.latest, Reject: r.reject, Evict: r.evict,
		Nominate: func(_ context.Context, pod *outrank.Pod, node string) error {
			return r.record(Call{Op: opNominate, Pod: pod, Node: node})
		},
		ClearNomination: func(_ context.Context, pod *outrank.Pod) error {
			return r.record(Call{Op: opClear, Pod: pod})
		},
		Activate: func(pod *outrank.Pod) { _ = r.record(Call{Op: opActivate, Pod: pod}) },
		Event:    func(e outrank.Event) { _ = r.record(Call{Op: opEvent, Pod: e.Pod, Event: e}) },
		UpdateStatus: func(_ context.Context, pod *outrank.Pod, condition outrank.PodCondition, nomination execution.Nomination) error {
			return r.record(Call{Op: opUpdate, Pod: pod, Condition: condition, Nomination: nomination})
		},
		UpdateGroupStatus: func(_ context.Context, group outrank.Key, condition outrank.PodCondition) error {
			return r.record(Call{Op: opGroup, Group: group, Condition: condition})
		},
		Bind: func(_ context.Context, pod *outrank.Pod, node string) error {
			return r.record(Call{Op: opBind, Pod: pod, Node: node})
		},
	}
}

// Calls returns the calls so far. The slice belongs to the caller.
func (r *Recorder) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.recorded)
}

// append records a call and returns its error; mu is held.
func (r *Recorder) append(c Call) error {
	if r.Do != nil {
		c.Err = r.Do(c)
	}
	r.recorded = append(r.recorded, c)
	return c.Err
}

func (r *Recorder) record(c Call) error {
	if r == nil {
		return errNoRecorder
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.append(c)
}

// latest returns the pod that Find returns, or the pod itself without Find.
func (r *Recorder) latest(_ context.Context, pod *outrank.Pod) (*outrank.Pod, error) {
	if r == nil {
		return nil, errNoRecorder
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.append(Call{Op: opLatest, Pod: pod}); err != nil {
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

func (r *Recorder) reject(_ context.Context, victim *outrank.Pod) (bool, error) {
	if r == nil {
		return false, errNoRecorder
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Waiting == nil || !r.Waiting(victim) {
		return false, nil
	}
	return true, r.append(Call{Op: opReject, Pod: victim})
}

func (r *Recorder) evict(_ context.Context, e execution.Eviction) error {
	return r.record(Call{Op: opEvict, Pod: e.Victim, Node: e.Node, Eviction: e, Condition: e.Condition})
}
