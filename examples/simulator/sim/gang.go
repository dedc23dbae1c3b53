package sim

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/history"
	"github.com/outrank-go/outrank/priority/queue"
	"github.com/outrank-go/outrank/resource"
)

// gang is a group of the cluster that is queued as one.
type gang struct {
	group *outrank.PodGroup // the latest version
	least int32             // MinCount as it was at first
	// members are its lineages, over how many of them will not come again.
	members []*lineage
	over    int
	// placed: an attempt with it found places. evictions counts how often its pods were
	// told to go together, the last time in that step; preemptions how often it had
	// others told to go.
	placed               bool
	evictions, evictedIn int
	preemptions          int
}

// gangs are those of a run, nil where groups are not queued as one.
type gangs struct {
	queue   *queue.Queue
	byKey   map[outrank.Key]*gang
	inOrder []*gang
}

// formGangs tells the queue of the groups, if it holds any.
func (s *Simulation) formGangs(groups []*outrank.PodGroup) {
	if s.config.Discipline != PriorityQueue || len(groups) == 0 || !s.release.Gates()["GenericWorkload"] {
		return
	}
	s.gangs = &gangs{queue: s.queue, byKey: map[outrank.Key]*gang{}}
	for _, group := range groups {
		g := &gang{group: group, least: group.MinCount}
		s.gangs.byKey[group.Key()] = g
		s.gangs.inOrder = append(s.gangs.inOrder, g)
		s.queue.SetGroup(group)
	}
}

// gangOf returns the group that a pod is queued with, nil for none.
func (s *Simulation) gangOf(obj *outrank.Pod) *gang {
	if s.gangs == nil || obj.Group == "" {
		return nil
	}
	return s.gangs.byKey[obj.GroupKey()]
}

// enlist notes a new lineage in its gang.
func (s *Simulation) enlist(p *pod) {
	if g := s.gangOf(p.obj); g != nil {
		g.members = append(g.members, p.lineage)
	}
}

// retire is when a lineage will not come again. The gang needs no more pods from then on
// than there are others, so that they can run once more after they were evicted.
func (s *Simulation) retire(p *pod) {
	g := s.gangOf(p.obj)
	if g == nil {
		return
	}
	g.over++
	left := int32(max(len(g.members)-g.over, 1))
	if g.group.Policy != outrank.GangPolicy || left >= g.group.MinCount {
		return
	}
	group := *g.group
	group.MinCount = left
	g.group = &group
	must(s.snap.PutGroup(&group))
	s.gangs.queue.SetGroup(&group)
	s.changed(nil)
}

// evicted counts that the gang of a pod was told to go, once in a step.
func (g *gang) evicted(step int) {
	if g != nil && g.evictedIn != step {
		g.evictions, g.evictedIn = g.evictions+1, step
	}
}

// cycleOfGang is one scheduling cycle with a gang: all its pods that wait are placed, or
// as many as its policy asks for, or none (chapter 12).
func (s *Simulation) cycleOfGang(ctx context.Context, entry queue.Entry) error {
	members := entry.Group.Members
	s.busy = s.at
	pods, byKey := make([]*outrank.Pod, len(members)), map[outrank.Key]queue.Entry{}
	for i, m := range members {
		pods[i], byKey[m.Pod.Key()] = m.Pod, m
		s.busy = later(s.busy, s.config.Cycle) // each of them takes as long as a pod alone
	}
	first := s.pods[members[0].Pod.Key()]
	s.syncBudgets()
	plan, err := first.scheduler.eval.PreemptGroup(ctx, s.snap, preemption.GroupRequest{Pods: pods, Now: s.Time(), Place: s.placing(first.scheduler, pods)})
	if err != nil || plan.Outcome != preemption.Fits {
		return s.failGang(ctx, first, execution.GroupFailure{Entry: entry, Now: s.Time(), Plan: plan, Err: err, Profile: first.scheduler.name})
	}
	for _, at := range plan.Placement {
		m := byKey[at.Pod.Key()]
		delete(byKey, at.Pod.Key())
		if err := s.place(ctx, m, s.pods[at.Pod.Key()], s.hosts[at.Node]); err != nil {
			return err
		}
	}
	for _, m := range members {
		if _, left := byKey[m.Pod.Key()]; !left {
			continue
		}
		status := preemption.Status{Code: preemption.Unschedulable, Filter: "GangScheduling", Reasons: []string{"no place beside the others of its group"}}
		p := s.pods[m.Pod.Key()]
		if err := s.fail(ctx, p, execution.Failure{Entry: m, Now: s.Time(), Refused: &status, Profile: first.scheduler.name, Took: &s.config.Cycle}); err != nil {
			return err
		}
		if p.tried == s.state { // the gang tries again at once, and may push others out then
			p.tried, s.tried = 0, s.tried-1
		}
	}
	if g := s.gangOf(members[0].Pod); g != nil {
		g.placed = true
	}
	return s.gangs.queue.AddAttemptedGroup(entry, queue.GroupPlaced, s.Time())
}

// failGang is the other end of an attempt with a gang. All its pods wait, also those
// that room is being made for.
func (s *Simulation) failGang(ctx context.Context, first *pod, f execution.GroupFailure) error {
	before := s.state
	if f.Err == nil {
		s.metrics.AddGroupPreemption(f.Plan)
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
	handler := execution.FailureHandler{Actions: s.actions, Queue: s.queue, Nominator: &s.nominator, Metrics: &s.metrics}
	if _, err := handler.HandleGroup(ctx, f); err != nil {
		return err
	}
	for _, m := range f.Entry.Group.Members {
		p := s.pods[m.Pod.Key()]
		p.lineage.refused = true
		s.show(p)
		if s.state == before && p.tried != s.state {
			p.tried = s.state
			s.tried++
		}
	}
	return nil
}

// recordGang tells the history of a plan that was executed, in the name of the first of
// the pods that room is made for.
func (s *Simulation) recordGang(r *execution.Report) error {
	victims := s.lineagesOf(r)
	if len(victims) == 0 {
		return nil
	}
	if g := s.gangOf(r.Preemptor); g != nil {
		g.preemptions++
	}
	preemptor := s.pods[r.Preemptor.Key()].lineage.name
	return s.history.Record(history.Preemption{Time: s.Time(), Node: r.Node, Preemptor: preemptor, Victims: victims})
}

// placing is how the pods of a gang are placed: one after another in the order of the
// queue, each where the score is highest among the nodes that take it beside those
// before. Pods for which there is no node are passed over (rule 12.9.3).
func (s *Simulation) placing(x *schedulerState, inOrder []*outrank.Pod) preemption.PlaceFunc {
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
			h := s.pickIn(snap, s.pods[obj.Key()], nodes)
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

// leastOf is how many pods of a group have to be on nodes, and how many are.
func (s *Simulation) leastOf(snap *preemption.Snapshot, pods []*outrank.Pod) (least, running int) {
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

// lacking says why so many pods are too few, in the words of the reference; empty if they
// are not.
func lacking(least, running, placed, left int) string {
	if placed+running+left >= least {
		return ""
	}
	return fmt.Sprintf("minCount (%d) cannot be satisfied: %d scheduled, %d remaining", least, placed+running, left)
}

// pickIn is pick where the pods on nodes are those of a snapshot. Ties go to the first
// node, so that an attempt with a gang comes to the same as long as nothing changes.
func (s *Simulation) pickIn(snap *preemption.Snapshot, p *pod, nodes []*outrank.Node) *host {
	used := make([]int64, len(s.columns))
	return s.pickBy(p, nodes, nil, func(h *host) []int64 {
		used[cpuColumn], used[memoryColumn] = snap.Used(h.node.Name, resource.CPU), snap.Used(h.node.Name, resource.Memory)
		return used
	})
}

// podsOf lists the pods of entries, those of groups among them.
func podsOf(entries ...[]queue.Entry) []queue.Entry {
	var out []queue.Entry
	for _, e := range slices.Concat(entries...) {
		if e.Group != nil {
			out = append(out, e.Group.Members...)
		} else {
			out = append(out, e)
		}
	}
	return out
}
