package filtertest

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// attempt passes calls on to a state of the filter and records them in its scene. A nil state means
// that the filter skips the pod; its answer is Success.
type attempt struct {
	scene *scene
	// name is the name of the state in the list of calls.
	name  string
	state preemption.FilterState
}

// begin starts a case: an attempt for the scene's own pod, with an empty list of calls. It is nil if Start
// returns an error.
func (s *scene) begin() *attempt {
	s.calls = s.calls[:0]
	return s.start("state", s.here.pod, s.here.snap)
}

// start starts an attempt. It is nil if Start returns an error. Trackers of the filter are counted
// anew for it, so that it does not depend on how a snapshot maintains them.
func (s *scene) start(name string, pod *outrank.Pod, snap *engine.Snapshot) *attempt {
	return s.startBy(name, pod, snap, countedView{snap})
}

// startBy starts an attempt on a snapshot, which the filter sees through a view.
func (s *scene) startBy(name string, pod *outrank.Pod, snap *engine.Snapshot, view preemption.View) *attempt {
	s.calling("%s = Start %s%s", name, pod.Key(), s.whichSnapshot(snap))
	state, err := s.filter.start(pod, view)
	s.within = false

	switch {
	case err != nil:
		s.results("error: %v", err)
		s.tally.failure = err
		return nil
	case state == nil:
		s.results("nil")
	default:
		s.tally.started++
	}
	return &attempt{s, name, state}
}

// whichSnapshot returns how the list of calls names a snapshot, empty for the scene's own.
func (s *scene) whichSnapshot(snap *engine.Snapshot) string {
	switch snap {
	case s.here.snap:
		return ""
	case s.untouched.snap:
		return " on a snapshot of equal objects"
	}
	return " on a snapshot with these changes"
}

// calling records a call before it is made.
func (s *scene) calling(format string, args ...any) {
	s.calls = append(s.calls, fmt.Sprintf(format, args...))
	s.within = true
}

// results adds its results to the last recorded call.
func (s *scene) results(format string, args ...any) {
	s.calls[len(s.calls)-1] += ": " + fmt.Sprintf(format, args...)
}

func (a *attempt) remove(p *outrank.Pod, n *outrank.Node) {
	if a.state == nil {
		return
	}
	a.scene.calling("%s.Remove %s from %s", a.name, p.Key(), n.Name)
	a.state.Remove(p, n)
	a.scene.within = false
}

func (a *attempt) add(p *outrank.Pod, n *outrank.Node) {
	if a.state == nil {
		return
	}
	a.scene.calling("%s.Add %s to %s", a.name, p.Key(), n.Name)
	a.state.Add(p, n)
	a.scene.within = false
}

func (a *attempt) removeAll(pods []*outrank.Pod, n *outrank.Node) {
	for _, p := range pods {
		a.remove(p, n)
	}
}

func (a *attempt) addAll(pods []*outrank.Pod, n *outrank.Node) {
	for _, p := range pods {
		a.add(p, n)
	}
}

func (a *attempt) check(n *outrank.Node) preemption.Status {
	if a.state == nil {
		return preemption.Status{}
	}
	s := a.scene
	s.calling("%s.Check %s", a.name, n.Name)
	status := a.state.Check(n)
	s.within = false
	s.results("%s", textOf(status))
	if status.Code != preemption.Success {
		s.tally.turnedAway++
	}
	return status
}

// checkAll checks all nodes in their order.
func (a *attempt) checkAll() []preemption.Status {
	var list []preemption.Status
	s := a.scene
	for n := range s.here.nodes() {
		list = append(list, a.check(n))
	}
	return list
}

func (a *attempt) clone(name string) *attempt {
	if a.state == nil {
		return &attempt{a.scene, name, nil}
	}
	a.scene.calling("%s = %s.Clone", name, a.name)
	state := a.state.Clone()
	a.scene.within = false
	return &attempt{a.scene, name, state}
}

// same reports whether two statuses are equal apart from the name of the filter, which the evaluator fills in.
func same(a, b preemption.Status) bool { return a.Code == b.Code && slices.Equal(a.Reasons, b.Reasons) }

func textOf(s preemption.Status) string {
	if len(s.Reasons) == 0 {
		return s.Code.String()
	}
	return fmt.Sprintf("%s %q", s.Code, s.Reasons)
}

// isNil reports whether a state is nil or a nil pointer.
func isNil(state preemption.FilterState) bool {
	if state == nil {
		return true
	}
	v := reflect.ValueOf(state)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// dryRun calls a state as a decision does on one node: it checks, removes all victims, checks, and adds
// each victim back, which stays if the pod still fits. At the end it adds back all others. It returns the
// answers in order.
func dryRun(state preemption.FilterState, n *outrank.Node, victims []*outrank.Pod) []preemption.Status {
	answers := []preemption.Status{state.Check(n)}
	for _, p := range victims {
		state.Remove(p, n)
	}
	answers = append(answers, state.Check(n))

	var away []*outrank.Pod
	for _, p := range victims {
		state.Add(p, n)
		status := state.Check(n)
		answers = append(answers, status)
		if status.Code != preemption.Success {
			state.Remove(p, n)
			away = append(away, p)
		}
	}

	for _, p := range away {
		state.Add(p, n)
	}
	return append(answers, state.Check(n))
}

// logged makes an attempt a FilterState, so that the calls of a dry run are recorded.
type logged struct{ *attempt }

func (l logged) Remove(p *outrank.Pod, n *outrank.Node) { l.remove(p, n) }

func (l logged) Add(p *outrank.Pod, n *outrank.Node) { l.add(p, n) }

func (l logged) Check(n *outrank.Node) preemption.Status { return l.check(n) }

func (l logged) Clone() preemption.FilterState { return logged{l.clone("clone")} }

func (l logged) run(n *outrank.Node, vs []*outrank.Pod) []preemption.Status { return dryRun(l, n, vs) }

// firstDifference returns the index of the first answer that differs. The result is false if none does.
func firstDifference(got, want []preemption.Status) (int, bool) {
	for i := range got {
		if !same(got[i], want[i]) {
			return i, true
		}
	}
	return 0, false
}
