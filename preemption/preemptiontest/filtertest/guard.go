package filtertest

import (
	"fmt"
	"reflect"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// CheckGuard is [Check] for a guard, whose answers are about the set of pods that leave and not about a
// node. It checks the rules of Check that a guard shares with a filter, and that the guard allows that
// nobody leaves. The rules about following changes, unresolvable nodes, pods that do not concern the
// filter and trackers are about filters alone. A guard must not have the name of a built-in filter either.
//
// Errors, time and goroutines are as in Check; Filter of an *[Error] is the guard's name.
func CheckGuard(guard *preemption.Guard, options Options) error {
	if err := options.validate(); err != nil {
		return err
	}
	if guard == nil {
		return fmt.Errorf("%w: no guard", outrank.ErrInvalid)
	}
	config := preemption.Config{Guard: guard}
	if err := config.Validate(); err != nil {
		return &Error{Filter: guard.Name, Violations: []Violation{{Rule: ruleNamed, Text: err.Error()}}}
	}
	c := &checker{name: guard.Name, filter: guardAsFilter(guard), options: options.withDefaults(), phases: guardPhases}
	return c.result()
}

var guardPhases = [][]checkFunc{
	{checkNil, checkReadOnly, checkSameAnswer},
	{checkNobody, checkStatus, checkKeptStatus, checkCheck, checkClone, checkRestore, checkOrder, checkAttempts},
	{checkConcurrency},
}

// guardAsFilter returns a guard as a subject: the guard is asked wherever a filter is asked about a node.
func guardAsFilter(g *preemption.Guard) subject {
	return subject{nil, func(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		state, err := g.Start([]*outrank.Pod{pod}, view)
		if state == nil || err != nil {
			return nil, err
		}
		return asState(state), nil
	}}
}

// asState wraps the state of a guard. A nil pointer becomes a nil pointer, so that [ruleNil] notices it.
func asState(state preemption.GuardState) preemption.FilterState {
	if v := reflect.ValueOf(state); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return (*guardAsState)(nil)
	}
	return &guardAsState{state}
}

// guardAsState makes the state of a guard the state of a filter, which ignores the node.
type guardAsState struct{ preemption.GuardState }

func (s *guardAsState) Check(*outrank.Node) preemption.Status { return s.GuardState.Check() }
func (s *guardAsState) Clone() preemption.FilterState         { return asState(s.GuardState.Clone()) }

// checkNobody checks [ruleNobody]: before any removal the guard must say Success.
func checkNobody(s *scene) *Violation {
	state := s.begin()
	if state == nil || state.state == nil {
		return nil
	}
	for n := range s.here.nodes() {
		if status := state.check(n); status.Code != preemption.Success {
			return s.violation(ruleNobody, "nobody is away, and it says %s", textOf(status))
		}
		return nil
	}
	return nil
}
