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

// Verdict is whether the rules push the pod out.
type Verdict string

// The verdicts.
const (
	// ByTheRules: played on the cluster of before, the preemptor pushes the pod out.
	ByTheRules Verdict = "by-the-rules"
	// Otherwise: the preemptor of the events does something else there.
	Otherwise Verdict = "otherwise"
	// ByKubelet: the events say that it was no scheduler.
	ByKubelet Verdict = "by-kubelet"
	// Nobody: no pod that waits there pushes it out.
	Nobody Verdict = "nobody"
)

// Answer is why a pod was pushed out.
type Answer struct {
	// Pod is the pod that was pushed out, with its node of before.
	Pod question.Pod `json:"pod"`
	// Event has the scheduler's words about it; nil where no event is at hand, and then the
	// preemptor was found by trying.
	Event *Event `json:"event,omitempty"`
	// By is the preemptor: a pod, or with Group set the group that has its turn as a whole. It is
	// nil where nobody pushes the pod out.
	By    *question.Pod `json:"by,omitempty"`
	Group bool          `json:"group,omitempty"`
	// Verdict is whether the rules push it out, and Turn the preemptor's turn as it was played:
	// after the Before turns that come before it or, where AtOnce is set, at once.
	Verdict Verdict        `json:"verdict"`
	Turn    *question.Turn `json:"turn,omitempty"`
	Before  int            `json:"before,omitempty"`
	AtOnce  bool           `json:"atOnce,omitempty"`
	// Also are turns of others that would push the pod out, too, if theirs came at once, where no
	// event names the preemptor. Tried of the Waiting others were asked.
	Also    []question.Turn `json:"also"`
	Tried   int             `json:"tried,omitempty"`
	Waiting int             `json:"waiting,omitempty"`
	// Trials are ways of sparing the pod, each tried at the preemptor's turn.
	Trials []Trial `json:"trials"`

	// snap is the cluster at the preemptor's turn.
	snap *engine.Snapshot
}

// Input is the question.
type Input struct {
	Pod outrank.Key
	// Events are those that are at hand, nil for none.
	Events *Events
	// Classes are the priority classes of the cluster.
	Classes []*outrank.PriorityClass
}

// mostTried bounds the pods that wait and are asked one by one.
const mostTried = 100

// errPod is wrapped by errors about the pod in question, and errEvent by those about an event
// that says what the dump contradicts.
var (
	errPod   = errors.New("nobody can say who pushed it out")
	errEvent = errors.New("the events and the dump contradict each other")
)

// Ask answers why a pod was pushed out of the cluster of a scenario, which is that of before.
//
// Errors are about a pod that the cluster does not have, that waits there, or that is being
// deleted already; about an event of a preemptor that the cluster does not have, or that
// runs there already; and those of the decisions. Time is that of the turns up to the preemptor's, twice, and
// of some decisions for each trial.
func Ask(s *question.Scenario, in Input) (*Answer, error) {
	pod, ok := s.Snapshot().Pod(in.Pod)
	if !ok {
		return nil, fmt.Errorf("pod %s: %w", in.Pod, preemption.ErrNotFound)
	}
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

func reasonOf(p *outrank.Pod) string {
	if p.DisruptionReason == "" {
		return ""
	}
	return " (" + p.DisruptionReason + ")"
}

func podOf(p *outrank.Pod, node string) question.Pod {
	return question.Pod{Key: p.Key(), Priority: p.PriorityValue(), PriorityClass: p.PriorityClassName, Owner: p.Owner.String(), Node: node}
}

// find finds the preemptor and plays its turn; nil where there is none.
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
	inTurn := *a
	at, err := s.MomentOf(key)
	if err != nil {
		return nil, aboutWaiting(key, err)
	}
	if err := a.play(at); err != nil {
		return nil, err
	}
	if a.AtOnce = a.Verdict == ByTheRules; a.AtOnce {
		return at, nil
	}
	*a = inTurn
	return m, nil
}

func aboutWaiting(key outrank.Key, err error) error {
	if errors.Is(err, preemption.ErrNotFound) {
		return fmt.Errorf("%w: the events name pod %s, which waits for no node in the dump", errEvent, key)
	}
	return err
}

// search plays the turns of all that wait until one pushes the pod out, and asks some of the
// others alone.
func (a *Answer) search(s *question.Scenario) (*question.Moment, error) {
	m, err := s.PushedOut(a.Pod.Key)
	if err != nil {
		return nil, err
	}
	but := outrank.Key("")
	if m != nil {
		if err := a.play(m); err != nil {
			return nil, err
		}
		but = a.By.Key
		if a.Group {
			but = a.Turn.Members[0].Key
		}
	}
	others := s.Others(but)
	a.Waiting, a.Tried = len(others), min(len(others), mostTried)
	var now *question.Moment
	for _, key := range others[:a.Tried] {
		if now == nil {
			if now, err = s.MomentOf(key); err != nil {
				return nil, err
			}
		}
		at, err := now.Of(key)
		if err != nil {
			return nil, err
		}
		turn, err := at.With(nil)
		if err != nil {
			return nil, err
		}
		if a.leaves(&turn) {
			a.Also = append(a.Also, turn)
		}
	}
	return m, nil
}

// play plays the turn at a moment, and settles the verdict.
func (a *Answer) play(m *question.Moment) error {
	turn, err := m.With(nil)
	if err != nil {
		return err
	}
	by := turn.Pod
	a.By, a.Group, a.Turn, a.Before, a.Verdict = &by, turn.Group, &turn, m.Before, Otherwise
	if a.leaves(&turn) && a.onEventsNode(&turn) {
		a.Verdict = ByTheRules
	}
	return nil
}

// leaves reports whether the pod leaves by a turn.
func (a *Answer) leaves(t *question.Turn) bool {
	return slices.ContainsFunc(t.Victims, func(v question.Victim) bool { return v.Key == a.Pod.Key })
}

// here reports whether a turn is about the node of the event, if that names one.
func (a *Answer) onEventsNode(t *question.Turn) bool {
	return a.Event == nil || t.Group || a.Event.Node == "" || a.Event.Node == t.Node
}

// preemptor finds the preemptor of an event in the cluster: a pod that waits, which for a group
// is any of its pods.
func (e *Event) preemptor(s *question.Scenario) (outrank.Key, error) {
	snap := s.Snapshot()
	if e.Kind != "pod" {
		return e.member(snap)
	}
	var found *outrank.Pod
	if e.Preemptor != "" {
		found, _ = snap.Pod(e.Preemptor)
		if found != nil && found.UID != "" && e.UID != "" && found.UID != e.UID {
			return "", fmt.Errorf("%w: the events name pod %s with uid %s, and the pod of that name in the dump is another, with uid %s; "+
				"a dump from when the one of the events waited is wanted", errEvent, e.Preemptor, e.UID, found.UID)
		}
	} else {
		for p := range snap.Pods() {
			if p.UID == e.UID {
				found = p
			}
		}
	}
	switch {
	case found == nil:
		return "", fmt.Errorf("%w: the events say that %s pushed %s out, and the dump has no such pod: it was created later, or its namespace is missing; "+
			"a dump from when it waited is wanted", errEvent, e.text(), e.victim)
	case snap.NodeOf(found.Key()) != "" && !found.ResizeDeferred:
		return "", fmt.Errorf("%w: the events say that %s pushed %s out, and in the dump that pod runs on node %s already; a dump from before is wanted",
			errEvent, e.text(), e.victim, snap.NodeOf(found.Key()))
	}
	return found.Key(), nil
}

// member is a pod that waits of the group of an event.
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

// within reports whether a pod belongs to a group or to a tree.
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
	above, ok := snap.Composite(g.ParentKey())
	for level := 0; ok && level < outrank.MaxGroupLevels; level++ {
		if above.Key() == key {
			return true
		}
		above, ok = snap.Composite(above.ParentKey())
	}
	return false
}
