package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/history"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// cycleOfGang runs one scheduling cycle with a gang: all its waiting pods are placed, or as many as its
// policy demands, or none (chapter 12).
func (s *scheduling) cycleOfGang(ctx context.Context, entry queue.Entry) error {
	members := entry.Group.Members
	s.busy = s.clock.at
	for range members {
		s.busy = later(s.busy, s.config.Cycle) // each member takes as long as a single pod
	}

	// An attempt with a gang always asks PreemptGroup, which reads budgets.
	first := s.lives.pods[members[0].Pod.Key()]
	before := s.tries.state
	s.cluster.syncBudgets(s.clock.time())
	r, err := first.scheduler.attempt(ctx, entry, s.clock.time())
	if err := errors.Join(err, s.actions.broke); err != nil {
		return err
	}
	if r.Outcome == attempt.Bound {
		s.takePlaces(r)
		return nil
	}

	if r.Report != nil {
		if err := s.recordGang(r.Report); err != nil {
			return err
		}
	}
	for _, m := range members {
		p := s.lives.pods[m.Pod.Key()]
		p.lineage.refused = true
		s.cluster.show(p)
		s.line.refused(p, before)
	}
	return nil
}

// takePlaces records the result of an attempt that has placed a gang, or as many of its pods as the gang
// needs.
func (s *scheduling) takePlaces(r *attempt.Result) {
	for _, m := range r.Members {
		if m.Outcome == attempt.Bound {
			continue
		}

		entry := m.Entry
		p := s.lives.pods[entry.Pod.Key()]
		p.lineage.refused = true
		s.cluster.show(p)
		switch {
		case m.Err != nil:
			s.cluster.changed(nil) // binding may succeed the next time
		case p.tried == s.tries.state:
			s.tries.untry(p) // the gang is tried again at once, and may preempt then
		}
	}

	members := podsIn(r.Entry.Group)
	if g := s.gangs.of(members[0]); g != nil {
		g.placed = true
	}
}

// podsIn returns the waiting pods of a group.
func podsIn(g *queue.Group) []*outrank.Pod {
	pods := make([]*outrank.Pod, len(g.Members))
	for i, m := range g.Members {
		pods[i] = m.Pod
	}
	return pods
}

// recordGang records a carried-out plan in the history. The first of the pods that room is made for stands
// for the gang.
func (s *scheduling) recordGang(r *execution.Report) error {
	victims := s.lineagesOf(r)
	if len(victims) == 0 {
		return nil
	}

	if g := s.gangs.of(r.Preemptor); g != nil {
		g.preemptions++
	}
	preemptor := s.lives.pods[r.Preemptor.Key()].lineage.name
	return s.tally.record(history.Preemption{Time: s.clock.time(), Node: r.Node, Preemptor: preemptor, Victims: victims})
}

// placing returns a function that places the pods of a gang one after another, in the order of the queue.
// Each goes to the node with the highest score among those that are feasible beside the pods before it. Pods
// without a feasible node are passed over (rule 12.9.3).
func (s *scheduling) placing(x *schedulerState, inOrder []*outrank.Pod) preemption.PlaceFunc {
	return func(ctx context.Context, draft preemption.Draft, _ []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		scored, err := s.drafted(draft, inOrder)
		if err != nil {
			return nil, nil, err
		}

		least, running := s.leastOf(scored, inOrder)
		var placed []preemption.Assignment
		var without *outrank.Pod // the first pod without a feasible node
		for i, obj := range inOrder {
			// Placing ends as soon as too few pods are left to reach the least number.
			if why := lacking(least, running, len(placed), len(inOrder)-i); why != "" {
				return nil, &preemption.Refusal{Pod: without, Reason: why}, nil
			}

			nodes, err := draft.Feasible(obj, placed...)
			if err != nil {
				return nil, nil, err
			}
			if len(nodes) == 0 {
				if without == nil {
					without = obj
				}
				continue
			}

			node, err := s.placeMember(ctx, scored, obj, nodes)
			if err != nil {
				return nil, nil, err
			}
			placed = append(placed, preemption.Assignment{Pod: obj, Node: node})
		}

		if why := lacking(least, running, len(placed), 0); why != "" || len(placed) == 0 {
			return nil, &preemption.Refusal{Pod: without, Reason: why}, nil
		}
		return placed, nil, nil
	}
}

// placeMember chooses among the feasible nodes of a gang's pod: the nominated node, where room was made for
// it (rule 7.15.5), or else the one with the highest score. It binds the pod in the snapshot for scores, so
// that the next member is scored beside it, and returns the name of the node.
func (s *scheduling) placeMember(ctx context.Context, scored *engine.Snapshot, obj *outrank.Pod, nodes []*outrank.Node) (string, error) {
	nominated := s.cluster.nominationOf(obj.Key())
	if i := slices.IndexFunc(nodes, func(n *outrank.Node) bool { return n.Name == nominated }); i >= 0 {
		nodes = nodes[i : i+1]
	}

	h, err := s.pickIn(ctx, scored, s.lives.pods[obj.Key()], nodes)
	if err != nil {
		s.actions.broke = err
		return "", err
	}
	return h.name(), scored.Bind(obj.Key(), h.name())
}

// drafted returns a snapshot of the cluster in the state of a draft: without the pods that the draft has
// removed, and with the gang's pods waiting. Scores need a snapshot.
func (s *scheduling) drafted(draft preemption.Draft, gang []*outrank.Pod) (*engine.Snapshot, error) {
	snap := s.cluster.scratch()

	// Nominated members are in the snapshot already.
	for _, p := range gang {
		if _, known := snap.Pod(p.Key()); known {
			continue
		}
		if _, err := snap.PutPod(p); err != nil {
			return nil, err
		}
	}

	for n := range draft.Nodes() {
		there := draft.PodsOn(n.Name)
		for _, p := range snap.PodsOn(n.Name) {
			if slices.Contains(there, p) {
				continue
			}
			if err := snap.RemovePod(p.Key()); err != nil {
				return nil, err
			}
		}
	}
	return snap, nil
}

// leastOf returns how many pods of a group must be on nodes at least, and how many are there already. An
// unknown group needs all of the given pods.
func (s *scheduling) leastOf(snap *engine.Snapshot, pods []*outrank.Pod) (least, running int) {
	group, ok := snap.Group(pods[0].GroupKey())
	switch {
	case !ok:
		return len(pods), 0
	case group.Policy == outrank.BasicPolicy:
		return 1, 0
	}

	for _, l := range s.gangs.byKey[group.Key()].members {
		running += one(l.current().onNode())
	}
	if group.Policy != outrank.GangPolicy {
		return running + len(pods), running
	}
	return int(group.MinCount), running
}

// lacking says, in the words of the reference, that a group cannot reach its least number, because the
// placed, running and remaining pods are too few. It is empty if they are enough.
func lacking(least, running, placed, left int) string {
	if placed+running+left >= least {
		return ""
	}
	return fmt.Sprintf("minCount (%d) cannot be satisfied: %d scheduled, %d remaining", least, placed+running, left)
}
