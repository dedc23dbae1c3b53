package filtertest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// dryRuns makes a dry run on every node of the scene, and returns all answers.
func (s *scene) dryRuns(a *attempt, pod *outrank.Pod) []preemption.Status {
	var list []preemption.Status
	for n := range s.here.nodes() {
		list = append(list, logged{a}.run(n, s.victims(n, pod))...)
	}
	return list
}

// alone returns the answers of an attempt with no other one under way. The result is false if Start returns an
// error.
func (s *scene) alone(pod *outrank.Pod) ([]preemption.Status, bool) {
	s.calls = s.calls[:0]
	a := s.start("state", pod, s.here.snap)
	if a == nil {
		return nil, false
	}
	return s.dryRuns(a, pod), true
}

// checkAttempts makes attempts for two pods at once, and compares their answers with those of the same attempts
// one after the other.
func checkAttempts(s *scene) *Violation {
	mine, ok := s.alone(s.here.pod)
	theirs, also := s.alone(s.other)
	if !ok || !also {
		return nil
	}

	// Both attempts start before either asks. One more starts after the first has changed its state.
	a, b := s.begin(), s.start("other", s.other, s.here.snap)
	if a == nil || b == nil {
		return s.violation(ruleAttempt, "Start returned an error that it did not return before")
	}
	if i, differ := firstDifference(s.dryRuns(a, s.here.pod), mine); differ {
		return s.violation(ruleAttempt, "before the other attempt was started, answer %d was %s", i+1, textOf(mine[i]))
	}

	for n := range s.here.nodes() {
		a.removeAll(s.victims(n, s.here.pod), n)
	}
	if i, differ := firstDifference(s.dryRuns(b, s.other), theirs); differ {
		return s.violation(ruleAttempt, "with no attempt besides, answer %d of the other one was %s", i+1, textOf(theirs[i]))
	}

	late := s.start("late", s.other, s.here.snap)
	if late == nil {
		return s.violation(ruleAttempt, "Start returned an error that it did not return before")
	}
	if i, differ := firstDifference(s.dryRuns(late, s.other), theirs); differ {
		return s.violation(ruleAttempt, "with no attempt besides, answer %d of the late one was %s", i+1, textOf(theirs[i]))
	}
	return nil
}

// asking is the number of goroutines of each kind that ask at once.
const asking = 4

// checkConcurrency asks several attempts and clones concurrently, and compares their answers with
// those of undisturbed attempts.
func checkConcurrency(s *scene) *Violation {
	want := map[*outrank.Pod][]preemption.Status{}
	for _, pod := range []*outrank.Pod{s.here.pod, s.other} {
		answers, ok := s.alone(pod)
		if !ok {
			return nil
		}
		want[pod] = answers
	}
	a := s.begin()
	if a == nil {
		return nil
	}
	wrong := s.askAtOnce(a, want)
	s.calls = nil
	if i := slices.IndexFunc(wrong, func(text string) bool { return text != "" }); i >= 0 {
		return s.violation(ruleConcurrency, "%s", wrong[i])
	}
	return nil
}

// askAtOnce makes attempts for both pods and asks clones of one state, all concurrently. It returns for each
// what was wrong, empty for nothing.
func (s *scene) askAtOnce(a *attempt, want map[*outrank.Pod][]preemption.Status) []string {
	var all sync.WaitGroup
	wrong := make([]string, 2*asking)
	for i := range asking {
		pod := []*outrank.Pod{s.here.pod, s.other}[i%2]
		all.Go(func() { wrong[i] = s.compareWithin(s.startQuietly(pod), pod, want[pod]) })
		if a.state == nil {
			continue
		}
		clone := a.clone("clone").state
		all.Go(func() {
			asked := func() preemption.FilterState { return clone }
			wrong[asking+i] = s.compareWithin(asked, s.here.pod, want[s.here.pod])
		})
	}
	all.Wait()
	return wrong
}

// startQuietly returns a function that starts an attempt without recording the call.
func (s *scene) startQuietly(pod *outrank.Pod) func() preemption.FilterState {
	return func() preemption.FilterState {
		state, err := s.filter.start(pod, countedView{s.here.snap})
		if err != nil {
			return nil
		}
		return state
	}
}

// compareWithin makes dry runs with a clone of a state, and returns what was wrong, empty for nothing. It is
// called in a goroutine of its own, so it recovers panics itself.
func (s *scene) compareWithin(start func() preemption.FilterState, pod *outrank.Pod, want []preemption.Status) (wrong string) {
	defer func() {
		if p := recover(); p != nil {
			wrong = fmt.Sprint("panic: ", p)
		}
	}()

	state := start()
	if state != nil {
		state = state.Clone()
	}

	// A nil state says Success to everything. A dry run has three answers, and one for each victim.
	var got []preemption.Status
	for n := range s.here.nodes() {
		if state == nil {
			got = append(got, make([]preemption.Status, len(s.victims(n, pod))+3)...)
		} else {
			got = append(got, dryRun(state, n, s.victims(n, pod))...)
		}
	}
	if i, differ := firstDifference(got, want); differ {
		return fmt.Sprintf("answer %d about %s was %s, and %s when nobody else asked", i+1, pod.Key(), textOf(got[i]), textOf(want[i]))
	}
	return ""
}
