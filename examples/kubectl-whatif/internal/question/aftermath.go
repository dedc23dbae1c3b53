package question

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Aftermath says what becomes of all pods after changes, once every waiting pod has had its turn.
type Aftermath struct {
	// Nodes lists the nodes that are removed, change by change, within a change in the order of the cluster.
	// Added lists the nodes that are added.
	Nodes []string `json:"nodes"`
	Added []string `json:"added"`
	// Tied lists the pods that leave with their node and return only with it: pods of DaemonSets, static pods
	// and mirror pods. Lost lists the pods that no controller recreates. Leaving lists the pods that were being
	// deleted already and that their controllers have replaced.
	Tied    []Pod `json:"tied"`
	Lost    []Pod `json:"lost"`
	Leaving []Pod `json:"leaving"`
	// Moves lists the pods that take a turn, in the order in which a scheduler takes them: new pods, pods that
	// are recreated, pods that were waiting and find a place or push others out, and pods that are pushed out in
	// turn. StillPending counts the pods that were waiting and still are.
	Moves        []Move `json:"moves"`
	StillPending int    `json:"stillPending"`
	// Displaced lists the pods that were waiting, find no place, and would find one without the changes.
	Displaced []Pod `json:"displaced"`
	// Resizes lists the resizes in the order of the changes.
	Resizes []Resized `json:"resizes"`
	// Forbidden counts the pods that quotas keep from being created or recreated. They are in none of the lists
	// above.
	Forbidden []quotas.Forbidden `json:"forbidden"`
	Totals    Totals             `json:"totals"`
	// Workloads counts the new pods by the object that makes them.
	Workloads []WorkloadFate `json:"workloads"`
	// Budgets lists the budgets that cover pods on nodes that go, by namespace and name.
	Budgets []BudgetLoad `json:"budgets"`
	// Refused lists the pods that no drain can evict, because several budgets cover them.
	Refused []Pod `json:"refused"`
	// Drains has the drain of the nodes that go, one for each change that takes nodes.
	Drains []Drain `json:"drains"`
	// Classes says which pods can push out which others after a change of priority classes; nil without such a
	// change.
	Classes *ClassImpact `json:"classes,omitempty"`

	// made has the new pods. A page needs them because its snapshot lacks them.
	made map[outrank.Key]*outrank.Pod
}

// Move is the turn of a pod, played to its end.
type Move struct {
	// Turn names in Pod.Node the node that the pod leaves.
	Turn
	Origin Origin `json:"origin"`
	// Workload names the object that makes a new pod, as Kind/Name.
	Workload string `json:"workload,omitempty"`
	// PushedOutBy names the pod for which this one has to leave.
	PushedOutBy outrank.Key `json:"pushedOutBy,omitempty"`
	// Aside is set if the turn is not due to the changes: the pod was waiting or being deleted already, or it
	// is pushed out for such a pod.
	Aside bool `json:"aside,omitempty"`
}

// Totals counts the pods that take a turn because of the changes, by their fates.
type Totals struct {
	// Own counts the pods that the changes themselves create, delete, or deprive of their node. New counts the
	// created ones among them. InTurn counts the pods that are pushed out and recreated.
	Own    int `json:"own"`
	New    int `json:"new"`
	InTurn int `json:"inTurn"`

	Fates
	// Stranded counts the pods of Own that find no place. Unplaced counts those of them whose group runs,
	// because enough of its other pods have a place.
	Stranded int `json:"stranded"`
	Unplaced int `json:"unplaced"`
	// Victims counts the pods that are pushed out, Violating those of them that break a budget.
	Victims   int `json:"victims"`
	Violating int `json:"violating"`
	// Taken counts the pods that were waiting and find a place. Aside counts the pods that are pushed out for
	// them.
	Taken int `json:"taken"`
	Aside int `json:"aside"`
	// Forbidden counts the pods that are not created.
	Forbidden int `json:"forbidden"`
	// Unresized counts the resizes that are refused, deferred or never done.
	Unresized int `json:"unresized"`
}

// Fates counts pods by the outcomes of their turns.
type Fates struct {
	Placed         int `json:"placed"`
	PushesOut      int `json:"pushesOut"`
	Waits          int `json:"waits"`
	Gated          int `json:"gated"`
	OtherScheduler int `json:"otherScheduler"`
	InGroup        int `json:"inGroup"`
}

// WorkloadFate counts the new pods of a workload by their fates.
type WorkloadFate struct {
	// Workload names the object that makes the pods, as Kind/Name.
	Workload  string `json:"workload"`
	Namespace string `json:"namespace"`
	Pods      int    `json:"pods"`
	Fates
	Victims int `json:"victims"`
}

// add counts n pods with an outcome.
func (f *Fates) add(o Outcome, n int) {
	switch o {
	case Placed:
		f.Placed += n
	case PushesOut:
		f.PushesOut += n
	case Waits:
		f.Waits += n
	case Gated:
		f.Gated += n
	case OtherScheduler:
		f.OtherScheduler += n
	case InGroup:
		f.InGroup += n
	}
}

// Aftermath answers what becomes of all pods. Every waiting pod takes its turn in the order of a scheduler: the
// highest priority first, equal priorities by name. Each pod takes the first node with room, in the order of
// the cluster, or pushes out others, or stays pending. Pods that are pushed out are gone at once, are
// recreated, and wait for their turn. Pods that were being deleted are gone. The scenario itself does not
// change.
//
// Errors are those of the context and of [engine.Evaluator.Preempt]. It takes the time of [AllPending] for the waiting
// pods. If nodes are removed it takes as long again, because a drain is played as well, and again if pods still
// wait, because the cluster without the changes is played, too.
func (s *Scenario) Aftermath() (*Aftermath, error) {
	f := s.Fork()
	out := f.newAftermath()

	// Drains and classes are about the scenario as it stands, before anybody has a turn.
	for i := range s.drains {
		if err := out.drain(&s.drains[i], s.set.progress); err != nil {
			return nil, err
		}
	}
	var err error
	if out.Classes, err = s.Classes(); err != nil {
		return nil, err
	}

	l, err := f.lineUp()
	if err != nil {
		return nil, err
	}
	if err := l.play(nil, out.tell); err != nil {
		return nil, err
	}
	out.finish(f)
	return out, out.compare(s)
}

// Classes answers which pods can push out which others once the priority classes change, after the other
// changes. It is nil if no change puts classes. Errors and time are those of [AskClasses].
func (s *Scenario) Classes() (*ClassImpact, error) {
	if len(s.reclassed) == 0 {
		return nil, nil
	}

	// The setting has the changed classes already, and the question compares with those before.
	set := s.Setting()
	set.Cluster.Classes = s.before.classes()
	return AskClasses(s.ctx, set, s.reclassed)
}

// compare plays the cluster without the changes, and records the pods that find a place only there. It does
// nothing if no pod is still pending, or if there are no changes.
func (a *Aftermath) compare(s *Scenario) error {
	if a.StillPending == 0 || len(s.owner) == 0 {
		return nil
	}

	// A second run would start the displayed progress anew.
	set := *s.before
	set.Progress = nil
	unchanged, err := NewScenario(s.ctx, set)
	if err != nil {
		return err
	}
	without, err := unchanged.playOut(nil)
	if err != nil {
		return err
	}

	// A pod may take several turns, if others push it out. The last one counts.
	placed, placedWithout := a.runs(), without.runs()
	for i := range without.Moves {
		if m := &without.Moves[i]; m.Origin == Waiting && placedWithout[m.Pod.Key] && !placed[m.Pod.Key] {
			a.Displaced = append(a.Displaced, m.Pod)
		}
	}
	return nil
}

// playOut plays turns to their end, until the line is empty or comes returns false for the next entry. It
// returns what came of the turns.
func (s *Scenario) playOut(comes func(*queue.Entry) bool) (*Aftermath, error) {
	a := s.newAftermath()
	l, err := s.lineUp()
	if err != nil {
		return nil, err
	}
	if err := l.play(comes, a.tell); err != nil {
		return nil, err
	}
	a.finish(s)
	return a, nil
}

// runs maps each pod and group that took a turn to whether it has a place after its last turn.
func (a *Aftermath) runs() map[outrank.Key]bool {
	out := make(map[outrank.Key]bool, len(a.Moves))
	for i := range a.Moves {
		m := &a.Moves[i]
		out[m.Pod.Key] = m.fate() == Placed || m.fate() == PushesOut
	}
	return out
}

// newAftermath returns the answer before any turn. Its lists are empty but not nil, so that JSON has lists as
// well.
func (s *Scenario) newAftermath() *Aftermath {
	a := &Aftermath{
		Nodes: append([]string{}, s.gone...), Added: append([]string{}, s.added...),
		Tied: []Pod{}, Lost: []Pod{}, Leaving: []Pod{}, Moves: []Move{}, Workloads: []WorkloadFate{},
		Budgets: []BudgetLoad{}, Refused: []Pod{}, Drains: []Drain{}, Displaced: []Pod{}, Resizes: []Resized{},
		Forbidden: []quotas.Forbidden{}, made: map[outrank.Key]*outrank.Pod{},
	}

	for key, m := range s.moved {
		if p, ok := s.snap.Pod(key); ok && m.origin == New {
			a.made[key] = p
		}
	}
	for _, w := range s.workloads {
		a.Workloads = append(a.Workloads, WorkloadFate{Workload: w.String(), Namespace: w.Namespace})
	}
	return a
}

// tell counts a turn in the totals and, unless nothing has changed for its pod, adds it to the moves.
func (a *Aftermath) tell(t Turn, m motion) {
	if m.aside {
		a.Totals.Aside += fresh(t.Victims)
	} else {
		a.Totals.Victims += fresh(t.Victims)
		a.Totals.Violating += violating(t.Victims)
	}

	switch {
	case m.aside && m.origin != PushedOut:
		a.tellWaiting(&t)
		if !t.Places() && m.origin == Waiting && len(t.Victims) == 0 {
			return // the pod waits as before, and StillPending counts it
		}
	case m.aside || m.origin == Resizing:
		// The totals are about pods that the changes move. A resize has an outcome of its own.
	default:
		a.tellMoved(&t, m)
	}

	move := Move{Turn: t, Origin: m.origin, PushedOutBy: m.pushedOutBy, Aside: m.aside}
	if m.origin == New {
		move.Workload = a.tellNew(&t, m)
	}
	a.Moves = append(a.Moves, move)
}

// tellWaiting counts a turn of pods that wait even without the changes.
func (a *Aftermath) tellWaiting(t *Turn) {
	if t.Places() {
		a.Totals.Taken += t.pods() - t.strandedMembers()
	} else {
		a.StillPending += t.pods()
	}
}

// tellMoved counts a turn of pods that the changes move, directly or by pushing them out.
func (a *Aftermath) tellMoved(t *Turn, m motion) {
	n := &a.Totals
	fate, pods := t.fate(), t.pods()
	n.add(fate, pods)
	if m.origin == PushedOut {
		n.InTurn += pods
		return
	}

	// Where another scheduler would place a pod is not known. A pod that had a place has lost it anyway; a new
	// pod has lost nothing.
	n.Own += pods
	if fate == Waits || t.Outcome == OtherScheduler && m.origin != New {
		n.Stranded += pods
	}
	n.Stranded += t.strandedMembers()
	n.Unplaced += t.strandedMembers()
}

// tellNew counts a turn of new pods for the workload that makes them, and returns its name.
func (a *Aftermath) tellNew(t *Turn, m motion) string {
	a.Totals.New += t.pods()
	w := &a.Workloads[m.workload-1]
	w.Pods += t.pods()
	w.add(t.fate(), t.pods())
	w.Victims += fresh(t.Victims)
	return w.Workload
}

// pods counts the pods that take the turn.
func (t *Turn) pods() int {
	if t.Group {
		return len(t.Members)
	}
	return 1
}

// strandedMembers counts the pods without a place in a group that runs nevertheless.
func (t *Turn) strandedMembers() int {
	if t.Group && t.Places() {
		return t.unplaced()
	}
	return 0
}

// finish records what the scenario knows after the last turn: the pods that took no turn, and the outcomes of
// resizes.
func (a *Aftermath) finish(s *Scenario) {
	a.Tied = append(a.Tied, s.tied...)
	a.Lost = append(a.Lost, s.lost...)
	a.Leaving = append(a.Leaving, s.leaving...)
	a.Forbidden = append(a.Forbidden, s.forbidden...)
	a.Resizes = append(a.Resizes, s.Resizes()...)

	for i := range a.Resizes {
		if a.Resizes[i].Open() {
			a.Totals.Unresized++
		}
	}
	for i := range s.forbidden {
		a.Totals.Forbidden += s.forbidden[i].Pods
	}
}
