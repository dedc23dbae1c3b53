package backward

import (
	"errors"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Verdict says whether the rules push the pod out.
type Verdict string

// The verdicts.
const (
	// ByTheRules: on the cluster of before, the preemptor pushes the pod out.
	ByTheRules Verdict = "by-the-rules"
	// Otherwise: on that cluster the preemptor that the events name does something else.
	Otherwise Verdict = "otherwise"
	// ByKubelet: the events say that a kubelet evicted the pod, and no scheduler.
	ByKubelet Verdict = "by-kubelet"
	// Nobody: on that cluster no pod that waits pushes the pod out.
	Nobody Verdict = "nobody"
)

// Answer says why a pod was pushed out.
type Answer struct {
	// Pod is the pod that was pushed out, with the node that it was on.
	Pod question.Pod `json:"pod"`
	// Event has the words of the scheduler, or the kubelet, about the pod; nil if no event is at hand.
	// Without an event that names the preemptor, it was found by trying.
	Event *Event `json:"event,omitempty"`
	// By is the preemptor: a pod or, if Group is set, a group that has its turn as a whole. It is nil if
	// nobody pushes the pod out.
	By    *question.Pod `json:"by,omitempty"`
	Group bool          `json:"group,omitempty"`
	// Verdict says whether the rules push the pod out. Turn is the preemptor's turn as it was played:
	// after the number of other turns in Before or, if AtOnce is set, before all of them.
	Verdict Verdict        `json:"verdict"`
	Turn    *question.Turn `json:"turn,omitempty"`
	Before  int            `json:"before,omitempty"`
	AtOnce  bool           `json:"atOnce,omitempty"`
	// Also has the turns of others that would push the pod out, too, if they came at once. It is looked
	// for only if no event names the preemptor. Waiting counts the others that wait, Tried those of them
	// that were asked.
	Also    []question.Turn `json:"also"`
	Tried   int             `json:"tried,omitempty"`
	Waiting int             `json:"waiting,omitempty"`
	// Trials has the ways of sparing the pod, each tried at the preemptor's turn.
	Trials []Trial `json:"trials"`

	// snap is the cluster at the preemptor's turn; without one, as it is in the scenario.
	snap *engine.Snapshot
}

// Input is the question.
type Input struct {
	Pod outrank.Key
	// Events has the events that are at hand; nil for none.
	Events *Events
	// Classes lists the priority classes of the cluster.
	Classes []*outrank.PriorityClass
}

// mostTried bounds the waiting pods that are asked one by one.
const mostTried = 100

// errPod is wrapped by errors about the pod in question, and errEvent by those about an event
// that says what the dump contradicts.
var (
	errPod   = errors.New("nobody can say who pushed it out")
	errEvent = errors.New("the events and the dump contradict each other")
)

// Ask answers why a pod was pushed out. The scenario is the cluster as it was before.
//
// Errors are about a pod that the cluster does not have, that waits there, or that is being deleted
// already. They are about an event whose preemptor the cluster does not have, or runs already. Others are
// those of the decisions. Time is that of the turns up to the preemptor's, twice, and of some decisions for
// each trial.
func Ask(s *question.Scenario, in Input) (*Answer, error) {
	pod, ok := s.Snapshot().Pod(in.Pod)
	if !ok {
		return nil, fmt.Errorf("pod %s: %w", in.Pod, preemption.ErrNotFound)
	}

	// Only a pod that runs can be pushed out, and one that is being deleted was pushed out before.
	node := s.Snapshot().NodeOf(in.Pod)
	switch {
	case node == "":
		return nil, fmt.Errorf("pod %s has no node in the dump: %w; a dump from before, in which it runs, is wanted", in.Pod, errPod)
	case pod.Terminating():
		return nil, fmt.Errorf("pod %s is being deleted already in the dump%s: %w; a dump from before is wanted", in.Pod, reasonOf(pod), errPod)
	}

	a := &Answer{
		Pod: podOf(pod, node), Also: []question.Turn{}, Trials: []Trial{}, Verdict: Nobody, snap: s.Snapshot(),
	}
	if in.Events != nil {
		a.Event = in.Events.latestAbout(pod)
	}
	if a.Event != nil && a.Event.Kind == "kubelet" {
		a.Verdict = ByKubelet
		return a, nil
	}

	// Only a pod that the rules push out can be spared by other rules.
	m, err := a.find(s)
	if err != nil || m == nil {
		return a, err
	}
	a.snap = m.Snapshot()
	if a.Verdict == ByTheRules {
		err = a.spare(m, in.Classes)
	}
	return a, err
}

// reasonOf says why a pod is being disrupted, if its status says so.
func reasonOf(p *outrank.Pod) string {
	if p.DisruptionReason == "" {
		return ""
	}
	return " (" + p.DisruptionReason + ")"
}

// podOf names a pod with its node.
func podOf(p *outrank.Pod, node string) question.Pod {
	return question.Pod{Key: p.Key(), Priority: p.PriorityValue(), PriorityClass: p.PriorityClassName, Owner: p.Owner.String(), Node: node}
}

// find finds the preemptor, and returns the moment of its turn, which it has played; nil if there is no
// preemptor.
func (a *Answer) find(s *question.Scenario) (*question.Moment, error) {
	if a.Event == nil || !a.Event.named() {
		return a.search(s)
	}
	key, err := a.Event.preemptor(s)
	if err != nil {
		return nil, err
	}

	m, err := s.TurnOf(key)
	if err != nil {
		return nil, aboutWaiting(key, err)
	}
	if err := a.play(m); err != nil || a.Verdict == ByTheRules {
		return m, err
	}

	// A dump does not say how long pods have waited, so the preemptor's turn may have come before others
	// that are played before it. If the pod is not pushed out that way either, the turn in its order
	// stands.
	inTurn := *a
	now, err := s.MomentOf(key)
	if err != nil {
		return nil, aboutWaiting(key, err)
	}
	if err := a.play(now); err != nil {
		return nil, err
	}
	if a.AtOnce = a.Verdict == ByTheRules; a.AtOnce {
		return now, nil
	}
	*a = inTurn
	return m, nil
}

// aboutWaiting says of an error about a preemptor that does not wait that the events named it.
func aboutWaiting(key outrank.Key, err error) error {
	if errors.Is(err, preemption.ErrNotFound) {
		return fmt.Errorf("%w: the events name pod %s, which waits for no node in the dump", errEvent, key)
	}
	return err
}

// search plays the turns of everybody who waits until one pushes the pod out, and returns that moment; nil
// if none does. It asks some of the others alone.
func (a *Answer) search(s *question.Scenario) (*question.Moment, error) {
	m, err := s.PushedOut(a.Pod.Key)
	if err != nil {
		return nil, err
	}
	preemptor := outrank.Key("")
	if m != nil {
		if err := a.play(m); err != nil {
			return nil, err
		}
		preemptor = a.By.Key
		if a.Group {
			preemptor = a.Turn.Members[0].Key
		}
	}
	return m, a.askOthers(s, s.Others(preemptor))
}

// askOthers asks the first of the others that wait whether they would push the pod out at once. All are
// asked at one moment, which is a single copy of the cluster.
func (a *Answer) askOthers(s *question.Scenario, others []outrank.Key) error {
	a.Waiting, a.Tried = len(others), min(len(others), mostTried)
	if a.Tried == 0 {
		return nil
	}
	now, err := s.MomentOf(others[0])
	if err != nil {
		return err
	}

	for _, key := range others[:a.Tried] {
		its, err := now.Of(key)
		if err != nil {
			return err
		}
		turn, err := its.With(nil)
		if err != nil {
			return err
		}
		if a.leaves(&turn) {
			a.Also = append(a.Also, turn)
		}
	}
	return nil
}

// play plays the turn at a moment, and settles the verdict.
func (a *Answer) play(m *question.Moment) error {
	turn, err := m.With(nil)
	if err != nil {
		return err
	}

	by := turn.Pod
	a.By, a.Group = &by, turn.Group
	a.Turn, a.Before = &turn, m.Before
	a.Verdict = Otherwise
	if a.leaves(&turn) && a.onEventsNode(&turn) {
		a.Verdict = ByTheRules
	}
	return nil
}

// leaves reports whether the pod is among the victims of a turn.
func (a *Answer) leaves(t *question.Turn) bool {
	return slices.ContainsFunc(t.Victims, func(v question.Victim) bool { return v.Key == a.Pod.Key })
}

// onEventsNode reports whether a turn is about the node that the event names, if it names one.
func (a *Answer) onEventsNode(t *question.Turn) bool {
	return a.Event == nil || t.Group || a.Event.Node == "" || a.Event.Node == t.Node
}

// preemptor finds the preemptor of an event in the cluster: a pod that waits, or one of a group's pods.
func (e *Event) preemptor(s *question.Scenario) (outrank.Key, error) {
	snap := s.Snapshot()
	if e.Kind != "pod" {
		return e.member(snap)
	}

	found, err := e.pod(snap)
	switch {
	case err != nil:
		return "", err
	case found == nil:
		return "", fmt.Errorf("%w: the events say that %s pushed %s out, and the dump has no such pod: it was created later, or its namespace is missing; "+
			"a dump from when it waited is wanted", errEvent, e.text(), e.victim)
	case snap.NodeOf(found.Key()) != "" && !found.ResizeDeferred:
		return "", fmt.Errorf("%w: the events say that %s pushed %s out, and in the dump that pod runs on node %s already; a dump from before is wanted",
			errEvent, e.text(), e.victim, snap.NodeOf(found.Key()))
	}
	return found.Key(), nil
}

// pod finds the pod that an event names, by its name or else by its UID; nil if the cluster does not have
// it. A pod of that name with another UID is another pod.
func (e *Event) pod(snap *engine.Snapshot) (*outrank.Pod, error) {
	var found *outrank.Pod
	if e.Preemptor != "" {
		found, _ = snap.Pod(e.Preemptor)
		if found != nil && found.UID != "" && e.UID != "" && found.UID != e.UID {
			return nil, fmt.Errorf("%w: the events name pod %s with uid %s, and the pod of that name in the dump is another, with uid %s; "+
				"a dump from when the one of the events waited is wanted", errEvent, e.Preemptor, e.UID, found.UID)
		}
		return found, nil
	}

	for p := range snap.Pods() {
		if p.UID == e.UID {
			found = p
		}
	}
	return found, nil
}

// member finds a pod that waits in the group of an event.
func (e *Event) member(snap *engine.Snapshot) (outrank.Key, error) {
	var key outrank.Key
	for g := range snap.Groups() {
		if e.Kind == "podgroup" && (g.Key() == e.Preemptor || e.UID != "" && g.UID == e.UID) {
			key = g.Key()
		}
	}
	for g := range snap.Composites() {
		if e.Kind == "compositepodgroup" && (g.Key() == e.Preemptor || e.UID != "" && g.UID == e.UID) {
			key = g.Key()
		}
	}

	for p := range snap.Pods() {
		if key != "" && snap.NodeOf(p.Key()) == "" && within(snap, p, key) {
			return p.Key(), nil
		}
	}
	return "", fmt.Errorf("%w: the events say that %s pushed %s out, and no pod of it waits in the dump; a dump from before, with podgroups, is wanted",
		errEvent, e.text(), e.victim)
}

// within reports whether a pod belongs to the group, or the tree of groups, of that key.
func within(snap *engine.Snapshot, p *outrank.Pod, key outrank.Key) bool {
	if p.Group == "" {
		return false
	}
	g, ok := snap.Group(p.GroupKey())
	if !ok {
		return false
	}
	if g.Key() == key {
		return true
	}

	// Counting levels ends the climb where groups name each other as parents in a circle.
	above, ok := snap.Composite(g.ParentKey())
	for level := 0; ok && level < outrank.MaxGroupLevels; level++ {
		if above.Key() == key {
			return true
		}
		above, ok = snap.Composite(above.ParentKey())
	}
	return false
}
