package question

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority"
)

// Without has the fates of the pods of nodes that are drained or lost.
type Without struct {
	// Nodes are the nodes that go, in the order of the cluster.
	Nodes []string `json:"nodes"`
	// Tied are pods that go with their node and come back with it alone: those of
	// DaemonSets and mirror pods. Lost have no controller to make them again. Leaving
	// were being deleted already; their replacements do not concern the nodes.
	Tied    []Pod `json:"tied"`
	Lost    []Pod `json:"lost"`
	Leaving []Pod `json:"leaving"`
	// Moves are the pods that are made again, in the order in which a scheduler takes them:
	// those of the nodes, and those that are pushed out for them in turn.
	Moves  []Move        `json:"moves"`
	Totals WithoutTotals `json:"totals"`
	// Budgets are those that cover pods of the nodes, by namespace and name.
	Budgets []BudgetLoad `json:"budgets"`
	// Refused are pods that a drain cannot evict at all, because several budgets cover them.
	Refused []Pod `json:"refused"`
}

// Move is a pod that is made again.
type Move struct {
	// Turn's Pod is on the node that it leaves.
	Turn
	// PushedOutBy is the pod that it has to leave for; empty for one of the nodes' own.
	PushedOutBy outrank.Key `json:"pushedOutBy,omitempty"`
}

// WithoutTotals counts the pods that are made again by their fates.
type WithoutTotals struct {
	// Own are those of the nodes, and InTurn those that are pushed out for them.
	Own    int `json:"own"`
	InTurn int `json:"inTurn"`

	Placed         int `json:"placed"`
	PushesOut      int `json:"pushesOut"`
	Waits          int `json:"waits"`
	OtherScheduler int `json:"otherScheduler"`
	InGroup        int `json:"inGroup"`
	// Violating are the pods that are pushed out against a budget.
	Violating int `json:"violating"`
}

// AskWithout answers which pods draining or losing nodes would push out. Their pods are
// gone; those that have a controller are made again, on the nodes that stay, in the order
// in which a scheduler takes them: the highest priority first, those of one priority by
// name. Each takes the first node that has room, in the order of the cluster, or pushes out
// others, which are gone at once and are made again in turn, or waits. Pods that wait as
// things are are not tried: nodes that go make no room for them.
//
// Errors are those of the setting, of the context and of [preemption.Evaluator.Preempt],
// and wrap [preemption.ErrNotFound] for a node that the cluster does not have and
// [outrank.ErrInvalid] where none is named. Time is that of [AllPending] for the pods that
// are made again.
func AskWithout(ctx context.Context, set Setting, nodes []string) (*Without, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	going := make(map[string]bool, len(nodes))
	for _, name := range nodes {
		if _, ok := set.Snapshot.Node(name); !ok {
			return nil, fmt.Errorf("node %s: %w", name, preemption.ErrNotFound)
		}
		going[name] = true
	}
	if len(going) == 0 {
		return nil, fmt.Errorf("%w: no node is named", outrank.ErrInvalid)
	}
	q := &withoutQuestion{scene: set.scene(ctx), out: &Without{
		Nodes: []string{}, Tied: []Pod{}, Lost: []Pod{}, Leaving: []Pod{}, Moves: []Move{}, Budgets: []BudgetLoad{}, Refused: []Pod{},
	}}
	for n := range set.Snapshot.Nodes() {
		if going[n.Name] {
			q.out.Nodes = append(q.out.Nodes, n.Name)
		}
	}
	q.load()
	if err := q.clear(); err != nil {
		return nil, err
	}
	return q.out, q.move()
}

// withoutQuestion is the cluster while nodes go.
type withoutQuestion struct {
	scene *scene
	out   *Without
	// line are the pods that are to be made again, the next one last.
	line []mover
}

// mover is a pod that is to be made again.
type mover struct {
	pod  *outrank.Pod
	from string
	by   outrank.Key
}

// tied reports whether a pod goes with its node.
func tied(p *outrank.Pod) bool {
	return p.Owner.Kind == "DaemonSet" || p.Owner.Kind == "Node" || p.Mirror || p.Static
}

// clear removes the nodes, and puts their pods in line.
func (q *withoutQuestion) clear() error {
	for _, node := range q.out.Nodes {
		for _, p := range q.scene.snap.PodsOn(node) {
			if err := q.scene.drop(p); err != nil {
				return err
			}
			switch {
			case replaced(p):
				q.out.Leaving = append(q.out.Leaving, podOf(p, node))
			case tied(p):
				q.out.Tied = append(q.out.Tied, podOf(p, node))
			default:
				q.enter(mover{p, node, ""})
			}
		}
		if err := q.scene.snap.RemoveNode(node); err != nil {
			return err
		}
	}
	return nil
}

// enter puts a pod in line, unless nobody makes it again.
func (q *withoutQuestion) enter(m mover) {
	if m.pod.Owner == (outrank.Owner{}) {
		q.out.Lost = append(q.out.Lost, podOf(m.pod, m.from))
		return
	}
	at, _ := slices.BinarySearchFunc(q.line, m, compareMovers)
	q.line = slices.Insert(q.line, at, m)
}

// compareMovers puts the next one last.
func compareMovers(a, b mover) int {
	if a.pod.PriorityValue() != b.pod.PriorityValue() {
		if a.pod.PriorityValue() < b.pod.PriorityValue() {
			return -1
		}
		return 1
	}
	return priority.CompareIdentity(b.pod, a.pod)
}

// move makes the pods again, one after the other. It ends, because a pod that is pushed
// out has a lower priority than the pod that it leaves for, and comes after it.
func (q *withoutQuestion) move() error {
	for done := 1; len(q.line) > 0; done++ {
		next := q.line[len(q.line)-1]
		q.line = q.line[:len(q.line)-1]
		if err := q.recreate(next); err != nil {
			return err
		}
		q.scene.set.progress(done, done+len(q.line))
	}
	return nil
}

// recreate returns the pod that its controller creates in place of the pod of m.
func (q *withoutQuestion) recreate(m mover) error {
	pod := remade(m.pod, m.pod.Name)
	if tied(pod) {
		pod.NodeName = m.from // where its DaemonSet wants it
	}
	turn, plan, err := q.scene.decide(q.scene.set.evaluatorFor(pod), pod)
	if err != nil {
		return err
	}
	turn.Pod.Node = m.from
	q.add(Move{turn, m.by})
	switch {
	case plan != nil:
		if err := q.scene.carryOut(plan, turn.InVain != nil); err != nil {
			return err
		}
		q.pushOut(plan)
	case turn.Outcome == Placed:
		return q.scene.bind(pod, turn.Node)
	}
	return nil
}

// pushOut puts the victims of a plan in line.
func (q *withoutQuestion) pushOut(plan *preemption.Plan) {
	for i := range plan.Victims {
		v := &plan.Victims[i]
		node := plan.Node
		if v.Node != "" {
			node = v.Node
		}
		switch {
		case replaced(v.Pod):
			q.out.Leaving = append(q.out.Leaving, podOf(v.Pod, node))
		case tied(v.Pod) && v.Pod.Owner.Kind != "DaemonSet":
			q.out.Tied = append(q.out.Tied, podOf(v.Pod, node))
		default:
			q.enter(mover{v.Pod, node, plan.Pod.Key()})
		}
	}
}

func (q *withoutQuestion) add(m Move) {
	q.out.Moves = append(q.out.Moves, m)
	t := &q.out.Totals
	if t.Own++; m.PushedOutBy != "" {
		t.Own--
		t.InTurn++
	}
	switch m.Outcome {
	case Placed:
		t.Placed++
	case PushesOut:
		t.PushesOut++
	case Waits:
		t.Waits++
	case OtherScheduler:
		t.OtherScheduler++
	case InGroup:
		t.InGroup++
	}
	t.Violating += violating(m.Victims)
}

// load counts the burden of the budgets.
func (q *withoutQuestion) load() {
	loads := make([]BudgetLoad, len(q.scene.allowed))
	for _, node := range q.out.Nodes {
		for _, p := range q.scene.snap.PodsOn(node) {
			if tied(p) || p.Terminating() {
				continue
			}
			covering := q.scene.budgets.Covering(p)
			for _, i := range covering {
				loads[i].bear(p, q.scene.allowed[i])
			}
			if len(covering) > 1 && p.Phase != outrank.PhasePending {
				q.out.Refused = append(q.out.Refused, podOf(p, node))
			}
		}
	}
	for i, l := range loads {
		if b := q.scene.allowed[i]; l.Pods > 0 {
			l.Key, l.Allowed, l.Drain = b.Key(), b.DisruptionsAllowed, effect(b.DisruptionsAllowed, l.Pods-l.Free)
			q.out.Budgets = append(q.out.Budgets, l)
		}
	}
	slices.SortFunc(q.out.Budgets, func(a, b BudgetLoad) int { return compareText(string(a.Key), string(b.Key)) })
}
