package question

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Pending says what becomes of all waiting pods.
type Pending struct {
	// Turns lists the turns in the order of a scheduler: the highest priority first. Pods of equal priority are
	// ordered by namespace and name, because a dump does not say which of them has waited longer.
	Turns  []Turn        `json:"turns"`
	Totals PendingTotals `json:"totals"`
	// Elsewhere counts the turns in other namespaces if the question is about one namespace. Those turns are
	// played as well, but Turns and Totals leave them out.
	Elsewhere int `json:"elsewhere,omitempty"`
}

// Of returns the part of the answer about one namespace: its turns, their totals, and the number of other
// turns.
func (p *Pending) Of(namespace string) *Pending {
	out := &Pending{Turns: []Turn{}}
	for i := range p.Turns {
		if in, _ := p.Turns[i].Pod.Key.Split(); in == namespace {
			out.add(p.Turns[i])
		} else {
			out.Elsewhere++
		}
	}
	return out
}

// PendingTotals counts turns by outcome, and the pods that leave.
type PendingTotals struct {
	// Pods counts all waiting pods, including each pod of a group. In the counts of outcomes below a group
	// counts once.
	Pods           int `json:"pods"`
	Groups         int `json:"groups"`
	Placed         int `json:"placed"`
	PushesOut      int `json:"pushesOut"`
	Waits          int `json:"waits"`
	Gated          int `json:"gated"`
	OtherScheduler int `json:"otherScheduler"`
	Leaving        int `json:"leaving"`
	InGroup        int `json:"inGroup"`
	// Unplaced counts the pods without a place in groups that run because enough other pods have one.
	Unplaced int `json:"unplaced"`
	// Victims counts the pods that begin to leave, each once. Violating counts the ones among them that break a
	// budget.
	Victims   int `json:"victims"`
	Violating int `json:"violating"`
}

// AllPending answers what a scheduler does with all waiting pods, each at its turn, in one pass and before any
// victim is gone. A pod that fits runs on the node that its scheduler's scores prefer. A pod that pushes others
// out is nominated, and its victims occupy their room until they have ended; the pods after it see both.
// Budgets allow less once a ready pod of theirs begins to leave.
//
// The pods of a group have one turn together if the release has groups that preempt. A group that cannot be decided
// about waits. A resize that has room is left to the kubelet, and changes nothing for the pods after it.
//
// Errors are those of the setting, of the context and of [engine.Evaluator.Preempt]. They wrap
// [outrank.ErrInvalid] for pods that cannot be decided about. For each pod every node is asked once, plus a
// decision for each pod that no node takes.
func AllPending(ctx context.Context, set Setting) (*Pending, error) {
	if err := set.check(); err != nil {
		return nil, err
	}

	s := set.scene(ctx)
	s.scored = true
	line := s.line(s.waiting())
	out := &Pending{Turns: make([]Turn, 0, len(line))}
	for i := range line {
		turn, err := s.takeEntry(&line[i])
		if err != nil {
			return nil, err
		}
		out.add(turn)
		set.progress(i+1, len(line))
	}
	return out, nil
}

// waiting lists the pods that wait for a scheduler, in its order.
func (s *scene) waiting() []*outrank.Pod {
	waits := s.waits()
	var out []*outrank.Pod
	for p := range s.snap.Pods() {
		if waits(p) {
			out = append(out, p)
		}
	}
	return inTurn(out)
}

// waits returns a function that reports whether a pod waits for a scheduler: it has no node, or it waits on its
// node for a resize and schedulers preempt for resizes.
func (s *scene) waits() func(*outrank.Pod) bool {
	resizes := s.snap.Release().Gates()[resizeGate]
	return func(p *outrank.Pod) bool {
		// Most pods run, and are recognised without the snapshot.
		if p.NodeName != "" && !p.ResizeDeferred {
			return false
		}
		node := s.snap.NodeOf(p.Key())
		return node == "" && p.NodeName == "" || resizes && node != "" && p.ResizeDeferred
	}
}

// inTurn sorts pods in place into the order of a scheduler, and returns the same slice.
func inTurn(out []*outrank.Pod) []*outrank.Pod {
	slices.SortFunc(out, func(a, b *outrank.Pod) int { return queue.CompareEntries(&queue.Entry{Pod: a}, &queue.Entry{Pod: b}) })
	return out
}

// add adds a turn to the list and the totals.
func (p *Pending) add(t Turn) {
	p.Turns = append(p.Turns, t)

	// Pods and unplaced pods are counted one by one. Outcomes are counted by turns.
	n := &p.Totals
	if n.Pods++; t.Group {
		n.Pods += len(t.Members) - 1
		n.Groups++
	}
	if t.Outcome == Placed || t.Outcome == PushesOut {
		n.Unplaced += t.unplaced()
	}

	switch t.Outcome {
	case Placed:
		n.Placed++
	case PushesOut:
		n.PushesOut++
	case Waits:
		n.Waits++
	case Gated:
		n.Gated++
	case OtherScheduler:
		n.OtherScheduler++
	case Leaving:
		n.Leaving++
	case InGroup:
		n.InGroup++
	}

	n.Victims += fresh(t.Victims)
	n.Violating += violating(t.Victims)
}
