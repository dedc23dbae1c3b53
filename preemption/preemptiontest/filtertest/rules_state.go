package filtertest

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// checkNil checks that states and clones are not nil pointers.
func checkNil(s *scene) *Violation {
	a := s.begin()
	if a == nil || a.state == nil {
		return nil
	}
	if isNil(a.state) {
		return s.violation(ruleNil, "Start returned a nil %T in a state that is not nil; return nil itself", a.state)
	}
	if c := a.clone("clone"); isNil(c.state) {
		return s.violation(ruleNil, "Clone returned nil")
	}
	return nil
}

// checkReadOnly looks for a change of the filter's input after each call.
func checkReadOnly(s *scene) *Violation {
	a := s.begin()
	steps := []func(){func() {}} // the first look comes after Start, before any other call
	if a != nil {
		for n := range s.here.nodes() {
			steps = append(steps, s.everyCall(a, n)...)
		}
	}
	for _, step := range steps {
		step()
		if what := s.changed(); what != "" {
			return s.violation(ruleReadOnly, "the last call changed %s", what)
		}
	}
	return nil
}

// everyCall returns calls of all methods about one node, one call for each step.
func (s *scene) everyCall(a *attempt, n *outrank.Node) []func() {
	check := func() { a.check(n) }
	steps := []func(){check}
	victims := s.victims(n, s.here.pod)
	for _, p := range victims {
		steps = append(steps, func() { a.remove(p, n) })
	}
	steps = append(steps, check)
	for _, p := range victims {
		steps = append(steps, func() { a.add(p, n) })
	}
	var clone *attempt
	steps = append(steps, func() { clone = a.clone("clone") })
	for _, p := range s.nominated(n) {
		steps = append(steps, func() { clone.add(p, n) })
	}
	return append(steps, func() { clone.check(n) })
}

// checkSameAnswer asks one state twice, another state of the same snapshot, and a state of
// a snapshot with equal objects.
func checkSameAnswer(s *scene) *Violation {
	for n := range s.here.nodes() {
		a, again := s.begin(), s.start("again", s.here.pod, s.here.snap)
		equal := s.start("equal", s.untouched.pod, s.untouched.snap)
		switch {
		case (a == nil) != (again == nil) || (a == nil) != (equal == nil):
			return s.violation(ruleSameAnswer, "Start returned an error, but not every time")
		case a == nil:
			return nil
		case (a.state == nil) != (again.state == nil) || (a.state == nil) != (equal.state == nil):
			return s.violation(ruleSameAnswer, "Start returned nil, but not every time")
		}

		// The answers may differ neither between calls, nor between states, nor between equal snapshots.
		first := a.check(n)
		if got := a.check(n); !same(got, first) {
			return s.violation(ruleSameAnswer, "the same state said %s before", textOf(first))
		}
		if got := again.check(n); !same(got, first) {
			return s.violation(ruleSameAnswer, "another state of the snapshot said %s", textOf(first))
		}
		twin := s.untouched.node(n.Name)
		if got := equal.check(twin); !same(got, first) {
			return s.violation(ruleSameAnswer, "a state of a snapshot of equal objects said %s", textOf(first))
		}
	}
	return nil
}

// checkStatus checks the codes and reasons of the answers of dry runs.
func checkStatus(s *scene) *Violation {
	for n := range s.here.nodes() {
		a := s.begin()
		if a == nil {
			return nil
		}
		for _, status := range (logged{a}).run(n, s.victims(n, s.here.pod)) {
			switch {
			case !given(status.Code):
				return s.violation(ruleStatus, "the code %s is not a filter's to give", status.Code)
			case status.Code == preemption.Success && len(status.Reasons) > 0:
				return s.violation(ruleStatus, "Success came with reasons: %q", status.Reasons)
			}
		}
	}
	return nil
}

// checkKeptStatus compares the answers of dry runs on all nodes with copies made when they were returned.
func checkKeptStatus(s *scene) *Violation {
	a := s.begin()
	if a == nil {
		return nil
	}
	var kept []preemption.Status
	var copies [][]string
	for n := range s.here.nodes() {
		for _, p := range append(s.victims(n, s.here.pod), nil) {
			status := a.check(n)
			kept = append(kept, status)
			copies = append(copies, slices.Clone(status.Reasons))
			if p != nil {
				a.remove(p, n)
			}

			// Any call may change an earlier answer, so all answers so far are compared after each.
			for i, k := range kept {
				if !slices.Equal(k.Reasons, copies[i]) {
					return s.violation(ruleKeptStatus, "the reasons %q of an earlier status have become %q", copies[i], k.Reasons)
				}
			}
		}
		a.addAll(s.victims(n, s.here.pod), n)
	}
	return nil
}

// checkCheck removes pods twice, with and without checks of all nodes in between, and compares the answers.
func checkCheck(s *scene) *Violation {
	for n := range s.here.nodes() {
		victims := s.victims(n, s.here.pod)
		for count := range len(victims) + 1 {
			plain, asked := s.begin(), s.start("asked", s.here.pod, s.here.snap)
			if plain == nil || asked == nil {
				return nil
			}

			plain.removeAll(victims[:count], n)
			asked.checkAll()
			for _, p := range victims[:count] {
				asked.remove(p, n)
				asked.checkAll()
			}
			if want, got := plain.check(n), asked.check(n); !same(got, want) {
				return s.violation(ruleCheck, "without the checks in between it said %s", textOf(want))
			}
		}
	}
	return nil
}

// checkUnresolvable removes all victims of nodes that are unresolvable, which must not make the pod fit.
func checkUnresolvable(s *scene) *Violation {
	for n := range s.here.nodes() {
		a := s.begin()
		if a == nil {
			return nil
		}
		if a.check(n).Code != preemption.UnschedulableAndUnresolvable {
			continue
		}
		a.removeAll(s.victims(n, s.here.pod), n)
		if a.check(n).Code == preemption.Success {
			return s.violation(ruleUnresolvable, "the node was unresolvable before; the answer should have been Unschedulable")
		}
	}
	return nil
}

// given reports whether a filter may answer with a code.
func given(c preemption.Code) bool {
	return c == preemption.Success || c == preemption.Unschedulable || c == preemption.UnschedulableAndUnresolvable
}
