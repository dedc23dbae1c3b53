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

// cycleOfGang is one scheduling cycle with a gang: all its pods that wait are placed, or
// as many as its policy asks for, or none (chapter 12).
func (s *scheduling) cycleOfGang(ctx context.Context, entry queue.Entry) error {
	members := entry.Group.Members
	s.busy = s.clock.at
	for range members {
		s.busy = later(s.busy, s.config.Cycle) // each of them takes as long as a pod alone
	}
	first, before := s.lives.pods[members[0].Pod.Key()], s.cluster.tries.state
	s.cluster.syncBudgets(s.clock.time())
	r, err := first.scheduler.loop.Attempt(ctx, entry, s.clock.time())
	if err := errors.Join(err, s.actions.broke); err != nil {
		return err
	}
	if r.Outcome == attempt.Bound {
		s.placedGang(r)
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

// placedGang takes in what became of the pods of a gang that has places.
func (s *scheduling) placedGang(r *attempt.Result) {
	for _, m := range r.Members {
		if m.Outcome == attempt.Bound {
			continue
		}
		p := s.lives.pods[m.Entry.Pod.Key()]
		p.lineage.refused = true
		s.cluster.show(p)
		switch {
		case m.Err != nil:
			s.cluster.tries.changed(nil) // the next time binding may work
		case p.tried == s.cluster.tries.state: // the gang tries again at once, and may push others out then
			p.tried, s.cluster.tries.tried = 0, s.cluster.tries.tried-1
		}
	}
	if g := s.gangs.of(r.Entry.Group.Members[0].Pod); g != nil {
		g.placed = true
	}
}

// podsIn lists the pods of a group that wait.
func podsIn(g *queue.Group) []*outrank.Pod {
	pods := make([]*outrank.Pod, len(g.Members))
	for i, m := range g.Members {
		pods[i] = m.Pod
	}
	return pods
}

// recordGang adds an executed plan to the history, in the name of the first of
// the pods that room is made for.
func (s *scheduling) recordGang(r *execution.Report) error {
	victims := s.lineagesOf(r)
	if len(victims) == 0 {
		return nil
	}
	if g := s.gangs.of(r.Preemptor); g != nil {
		g.preemptions++
	}
	preemptor := s.lives.pods[r.Preemptor.Key()].lineage.name
	return s.tally.history.Record(history.Preemption{Time: s.clock.time(), Node: r.Node, Preemptor: preemptor, Victims: victims})
}

// placing places the pods of a gang: one after another in the order of the queue,
// each where the score is highest among the nodes that take it beside those
// before. Pods without a node are passed over (rule 12.9.3).
func (s *scheduling) placing(x *schedulerState, inOrder []*outrank.Pod) preemption.PlaceFunc {
	return func(ctx context.Context, draft preemption.Draft, _ []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		scored, err := s.drafted(draft, inOrder)
		if err != nil {
			return nil, nil, err
		}
		least, running := s.leastOf(scored, inOrder)
		var placed []preemption.Assignment
		var without *outrank.Pod
		for i, obj := range inOrder {
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
			nominated := s.cluster.nominator.NodeOf(obj.Key())
			if i := slices.IndexFunc(nodes, func(n *outrank.Node) bool { return n.Name == nominated }); i >= 0 {
				nodes = nodes[i : i+1] // where room was made for it (rule 7.15.5)
			}
			h, err := s.pickIn(ctx, scored, s.lives.pods[obj.Key()], nodes)
			if err != nil {
				s.actions.broke = err
				return nil, nil, err
			}
			if err := scored.Bind(obj.Key(), h.node.Name); err != nil {
				return nil, nil, err
			}
			placed = append(placed, preemption.Assignment{Pod: obj, Node: h.node.Name})
		}
		if why := lacking(least, running, len(placed), 0); why != "" || len(placed) == 0 {
			return nil, &preemption.Refusal{Pod: without, Reason: why}, nil
		}
		return placed, nil, nil
	}
}

// drafted is the cluster without the pods that are away in a draft, where those of a gang wait: scores are
// given to the nodes of a snapshot.
func (s *scheduling) drafted(draft preemption.Draft, gang []*outrank.Pod) (*engine.Snapshot, error) {
	snap := s.cluster.snap.Scratch()
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

// leastOf is the number of a group's pods that have to be on nodes, and that are.
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

// lacking says why so many pods are too few, in the words of the reference; empty
// if they are not.
func lacking(least, running, placed, left int) string {
	if placed+running+left >= least {
		return ""
	}
	return fmt.Sprintf("minCount (%d) cannot be satisfied: %d scheduled, %d remaining", least, placed+running, left)
}
