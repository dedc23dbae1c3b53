package question

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Pending is the outcome of all pods that wait.
type Pending struct {
	// Turns are in the order in which a scheduler takes the pods: by priority, the highest
	// first. Pods of one priority go by namespace and name, because a dump does not say
	// which of them waits longer.
	Turns  []Turn        `json:"turns"`
	Totals PendingTotals `json:"totals"`
	// Elsewhere counts the turns of pods of other namespaces, where one was asked about. They
	// are taken as well, and are not in the lists and totals.
	Elsewhere int `json:"elsewhere,omitempty"`
}

// Of leaves the turns of one namespace.
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

// PendingTotals counts turns by outcome, and the leaving pods.
type PendingTotals struct {
	// Pods counts pods, those of groups too; the groups count as one turn below.
	Pods           int `json:"pods"`
	Groups         int `json:"groups"`
	Placed         int `json:"placed"`
	PushesOut      int `json:"pushesOut"`
	Waits          int `json:"waits"`
	Gated          int `json:"gated"`
	OtherScheduler int `json:"otherScheduler"`
	Leaving        int `json:"leaving"`
	InGroup        int `json:"inGroup"`
	// Unplaced are pods of groups of which enough others have a place, and they have none.
	Unplaced int `json:"unplaced"`
	// Victims are the pods that begin to leave, each once, and Violating those of them that
	// break a budget.
	Victims   int `json:"victims"`
	Violating int `json:"violating"`
}

// AllPending answers what a scheduler does with all pods that wait, each at its turn, in
// one pass and before any victim is gone: a pod that nodes take runs on the one that
// its scheduler's scores prefer; one that
// pushes others out is nominated, and its victims hold their room until they have ended,
// so that the pods behind it see both. Budgets allow less once a ready pod of theirs
// begins to leave. Pods of a group have one turn together where the release has groups that
// preempt; a group whose pods do not go together waits. A resize for which there is room is left to the kubelet and changes
// nothing for the pods behind it.
//
// Errors are those of the setting, of the context and of [engine.Evaluator.Preempt],
// and wrap [outrank.ErrInvalid] for pods that cannot be decided about. Time is that of
// asking every node once for each pod, and of a decision where none takes it.
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

// waiting lists the pods for a scheduler, in its order.
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

// waits tells of a pod whether it is one for a scheduler.
func (s *scene) waits() func(*outrank.Pod) bool {
	resizes := s.snap.Release().Gates()[resizeGate]
	return func(p *outrank.Pod) bool {
		if p.NodeName != "" && !p.ResizeDeferred {
			return false
		}
		node := s.snap.NodeOf(p.Key())
		return node == "" && p.NodeName == "" || resizes && node != "" && p.ResizeDeferred
	}
}

// inTurn puts pods in a scheduler's order.
func inTurn(out []*outrank.Pod) []*outrank.Pod {
	slices.SortFunc(out, func(a, b *outrank.Pod) int { return queue.CompareEntries(&queue.Entry{Pod: a}, &queue.Entry{Pod: b}) })
	return out
}

func (p *Pending) add(t Turn) {
	p.Turns = append(p.Turns, t)
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
