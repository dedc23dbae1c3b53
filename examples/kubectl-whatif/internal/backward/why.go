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

// Verdict says whether the rules explain that the pod was pushed out.
type Verdict string

// The verdicts.
const (
	// ByTheRules means that the preemptor pushes the pod out in the cluster as it was before.
	ByTheRules Verdict = "by-the-rules"
	// Otherwise means that the preemptor that the events name does something else in that cluster.
	Otherwise Verdict = "otherwise"
	// ByKubelet means that, according to the events, a kubelet evicted the pod and no scheduler.
	ByKubelet Verdict = "by-kubelet"
	// Nobody means that no waiting pod pushes the pod out in that cluster.
	Nobody Verdict = "nobody"
)

// Answer says why a pod was pushed out.
type Answer struct {
	// Pod is the pod that was pushed out, with the node that it was on.
	Pod question.Pod `json:"pod"`
	// Event is what the scheduler or the kubelet said about the pod. It is nil if there is no event. Unless it
	// names the preemptor, the preemptor was found by playing turns.
	Event *Event `json:"event,omitempty"`
	// By is the preemptor: a pod or, if Group is set, a group that has its turn as a whole. It is nil if nobody
	// pushes the pod out.
	By    *question.Pod `json:"by,omitempty"`
	Group bool          `json:"group,omitempty"`
	// Verdict says whether the rules push the pod out. Turn is the preemptor's turn as it was played: after as
	// many other turns as Before says or, if AtOnce is set, before all of them.
	Verdict Verdict        `json:"verdict"`
	Turn    *question.Turn `json:"turn,omitempty"`
	Before  int            `json:"before,omitempty"`
	AtOnce  bool           `json:"atOnce,omitempty"`
	// Also has the turns of other pods that would push the pod out if their turns came at once. They are looked
	// for only if no event names the preemptor. Waiting counts the other waiting pods, and Tried the pods among
	// them that were asked.
	Also    []question.Turn `json:"also"`
	Tried   int             `json:"tried,omitempty"`
	Waiting int             `json:"waiting,omitempty"`
	// Trials has the ways of sparing the pod, each tried at the preemptor's turn.
	Trials []Trial `json:"trials"`

	// snap is the cluster at the preemptor's turn or, if there is no preemptor, the cluster of the scenario.
	snap *engine.Snapshot
}

// Input is the question of [Ask].
type Input struct {
	Pod outrank.Key
	// Events has the events that are known. It may be nil.
	Events *Events
	// Classes lists the priority classes of the cluster.
	Classes []*outrank.PriorityClass
}

// mostTried is the most waiting pods that are asked one by one.
const mostTried = 100

// errPod is wrapped by errors about the pod in question, and errEvent by errors about an event that contradicts
// the dump.
var (
	errPod   = errors.New("nobody can say who pushed it out")
	errEvent = errors.New("the events and the dump contradict each other")
)

// Ask answers why a pod was pushed out. The scenario is the cluster as it was before.
//
// Errors are about a pod that the cluster does not have, that waits there, or that is being deleted already. They may
// also be about an event whose preemptor the cluster does not have or that runs already, or come from the
// decisions. It takes twice the time of the turns up to the preemptor's, and that of some decisions for each
// trial.
func Ask(s *question.Scenario, in Input) (*Answer, error) {
	pod, ok := s.Snapshot().Pod(in.Pod)
	if !ok {
		return nil, fmt.Errorf("pod %s: %w", in.Pod, preemption.ErrNotFound)
	}

	// Only a running pod can be pushed out, and a pod that is being deleted was pushed out before.
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

	// Other rules can spare only a pod that the rules push out.
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

// podOf describes a pod with its node.
func podOf(p *outrank.Pod, node string) question.Pod {
	return question.Pod{Key: p.Key(), Priority: p.PriorityValue(), PriorityClass: p.PriorityClassName, Owner: p.Owner.String(), Node: node}
}

// find finds the preemptor, plays its turn, and returns the moment of that turn. It returns nil if there is no
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

	// A dump does not say how long pods have waited, so that the preemptor's turn may have come before turns
	// that were played before it. If the pod is not pushed out that way, either, the turn in the usual order
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

// aboutWaiting adds to an error about a preemptor that does not wait that the events have named it.
func aboutWaiting(key outrank.Key, err error) error {
	if errors.Is(err, preemption.ErrNotFound) {
		return fmt.Errorf("%w: the events name pod %s, which waits for no node in the dump", errEvent, key)
	}
	return err
}

// search plays the turns of all waiting pods until one pushes the pod out, and returns that moment, or nil if
// none does. It also asks some of the other pods on their own.
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

// askOthers asks the first of the other waiting pods whether they would push the pod out if their turn came at
// once. It asks all at one moment, which needs only one copy of the cluster.
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

// play plays the turn at a moment, and sets the verdict.
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

// onEventsNode reports whether a turn is on the node that the event names. It is true if the event names none.
func (a *Answer) onEventsNode(t *question.Turn) bool {
	return a.Event == nil || t.Group || a.Event.Node == "" || a.Event.Node == t.Node
}

// preemptor finds the preemptor of an event in the cluster: a waiting pod, or a waiting pod of a group.
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

// pod finds the pod that an event names, by name or else by UID. It returns nil if the cluster does not have
// the pod. A pod of that name with another UID is a different pod.
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

// member finds a waiting pod in the group of an event.
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

// within reports whether a pod belongs to the group, or to the tree of groups, with the key.
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

	// The count of levels ends the climb if groups name each other as parents in a circle.
	above, ok := snap.Composite(g.ParentKey())
	for level := 0; ok && level < outrank.MaxGroupLevels; level++ {
		if above.Key() == key {
			return true
		}
		above, ok = snap.Composite(above.ParentKey())
	}
	return false
}
