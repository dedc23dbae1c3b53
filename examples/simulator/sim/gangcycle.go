package sim

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/history"
	"github.com/outrank-go/outrank/priority/queue"
)

// cycleOfGang is one scheduling cycle with a gang: all its pods that wait are placed, or
// as many as its policy asks for, or none (chapter 12).
func (s *scheduling) cycleOfGang(ctx context.Context, entry queue.Entry) error {
	members := entry.Group.Members
	s.busy = s.clock.at
	pods, byKey := make([]*outrank.Pod, len(members)), map[outrank.Key]queue.Entry{}
	for i, m := range members {
		pods[i], byKey[m.Pod.Key()] = m.Pod, m
		s.busy = later(s.busy, s.config.Cycle) // each of them takes as long as a pod alone
	}
	first := s.lives.pods[members[0].Pod.Key()]
	s.cluster.syncBudgets(s.clock.time())
	plan, err := first.scheduler.eval.PreemptGroup(ctx, s.cluster.snap, preemption.GroupRequest{Pods: pods, Now: s.clock.time(), Place: s.placing(first.scheduler, pods)})
	if err != nil || plan.Outcome != preemption.Fits {
		return s.failGang(ctx, first, execution.GroupFailure{Entry: entry, Now: s.clock.time(), Plan: plan, Err: err, Profile: first.scheduler.name})
	}
	for _, at := range plan.Placement {
		m := byKey[at.Pod.Key()]
		delete(byKey, at.Pod.Key())
		if err := s.place(ctx, m, s.lives.pods[at.Pod.Key()], s.cluster.hosts[at.Node]); err != nil {
			return err
		}
	}
	for _, m := range members {
		if _, left := byKey[m.Pod.Key()]; !left {
			continue
		}
		status := preemption.Status{Code: preemption.Unschedulable, Filter: "GangScheduling", Reasons: []string{"no place beside the others of its group"}}
		p := s.lives.pods[m.Pod.Key()]
		if err := s.fail(ctx, p, execution.Failure{Entry: m, Now: s.clock.time(), Refused: &status, Profile: first.scheduler.name, Took: &s.config.Cycle}); err != nil {
			return err
		}
		if p.tried == s.cluster.tries.state { // the gang tries again at once, and may push others out then
			p.tried, s.cluster.tries.tried = 0, s.cluster.tries.tried-1
		}
	}
	if g := s.gangs.of(members[0].Pod); g != nil {
		g.placed = true
	}
	return s.gangs.queue.AddAttemptedGroup(entry, queue.GroupPlaced, s.clock.time())
}

// failGang is the other end of an attempt with a gang. All its pods wait, also
// those with a plan.
func (s *scheduling) failGang(ctx context.Context, first *pod, f execution.GroupFailure) error {
	before := s.cluster.tries.state
	if f.Err == nil {
		s.tally.metrics.AddGroupPreemption(f.Plan)
	}
	if f.Plan != nil && f.Plan.Outcome == preemption.Preempt {
		if err := s.decided(first.scheduler, Decision{Group: f.Plan}); err != nil {
			return err
		}
		report, err := first.scheduler.executor.ExecuteGroup(ctx, f.Entry.Group, f.Plan)
		f.ExecutionErr = err
		if err := s.recordGang(report); err != nil {
			return err
		}
	}
	if _, err := s.failures.HandleGroup(ctx, f); err != nil {
		return err
	}
	for _, m := range f.Entry.Group.Members {
		p := s.lives.pods[m.Pod.Key()]
		p.lineage.refused = true
		s.cluster.show(p)
		s.line.refused(p, before)
	}
	return nil
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
	return func(ctx context.Context, snap *preemption.Snapshot, _ []*outrank.Pod) (preemption.Placement, error) {
		least, running := s.leastOf(snap, inOrder)
		var placed preemption.Placement
		var without *outrank.Pod
		for i, obj := range inOrder {
			if why := lacking(least, running, len(placed.Assignments), len(inOrder)-i); why != "" {
				placed.Refused = &preemption.Refusal{Pod: without, Reason: why}
				return placed, nil
			}
			nodes, err := x.eval.Feasible(ctx, snap, obj)
			if err != nil {
				return placed, err
			}
			if len(nodes) == 0 {
				if without == nil {
					without = obj
				}
				continue
			}
			h := s.pickIn(snap, s.lives.pods[obj.Key()], nodes)
			if err := snap.Bind(obj.Key(), h.node.Name); err != nil {
				return placed, err
			}
			placed.Assignments = append(placed.Assignments, preemption.Assignment{Pod: obj, Node: h.node.Name})
		}
		if why := lacking(least, running, len(placed.Assignments), 0); why != "" || len(placed.Assignments) == 0 {
			placed.Refused = &preemption.Refusal{Pod: without, Reason: why}
		}
		placed.Enough = len(placed.Assignments) < len(inOrder)
		return placed, nil
	}
}

// leastOf is the number of a group's pods that have to be on nodes, and that are.
func (s *scheduling) leastOf(snap *preemption.Snapshot, pods []*outrank.Pod) (least, running int) {
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
