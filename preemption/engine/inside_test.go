package engine_test

import (
	"context"
	"reflect"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// The tests of this folder stand outside of package engine. A test inside of it would have every package
// between it and these tests compiled a second time. A few of them look at the indexes of a snapshot, and
// set what no caller sets of an evaluator. They reach both by the functions below.

// stateOf returns the state that a snapshot wraps. It is nil for the zero Snapshot until its first change.
func stateOf(s *engine.Snapshot) *state.Snapshot { return *hiddenField[*state.Snapshot](s, "of") }

// snapshotOf wraps a state as a snapshot.
func snapshotOf(of *state.Snapshot) *engine.Snapshot {
	var s engine.Snapshot
	*hiddenField[*state.Snapshot](&s, "of") = of
	return &s
}

// termsOf returns the terms by which an evaluator decides. What the test changes in them is the evaluator's.
func termsOf(e *engine.Evaluator) *dryrun.Terms { return hiddenField[dryrun.Terms](e, "terms") }

// setChunk sets how many nodes a worker takes at a time.
func setChunk(e *engine.Evaluator, chunk int) { termsOf(e).Chunk = chunk }

// preemptGroupRemembering is PreemptGroup with another bound on the answers that are remembered.
func preemptGroupRemembering(e *engine.Evaluator, snap *engine.Snapshot, req preemption.GroupRequest, answers int) (*preemption.GroupPlan, error) {
	other := *e
	termsOf(&other).Answers = answers
	return other.PreemptGroup(context.Background(), snap, req)
}

// hiddenField returns a pointer to a field of the structure behind a pointer. It panics unless the field has
// the type F, because the conversion itself checks nothing.
func hiddenField[F any](structure any, name string) *F {
	field := reflect.ValueOf(structure).Elem().FieldByName(name)
	if want := reflect.TypeFor[F](); field.Type() != want {
		panic("field " + name + " is a " + field.Type().String() + ", not a " + want.String())
	}
	return (*F)(field.Addr().UnsafePointer())
}
