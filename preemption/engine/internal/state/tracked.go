package state

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank/internal/work"
	"github.com/outrank-go/outrank/preemption"
)

// Within is a snapshot as those see it who are asked by one call. What is counted for them ends with
// the context of the call, and is of no use then.
type Within struct {
	*Snapshot
	ctx context.Context
}

// Within returns the snapshot for a call, as it is now, however it changes in a trial.
func (s *Snapshot) Within(ctx context.Context) preemption.View {
	if s.trial == nil {
		return Within{s, ctx}
	}
	return &trialView{Within{s.Clone(), ctx}, Within{s, ctx}, s.trial.version}
}

// trialView is a snapshot in a trial as it was at a version. What is tracked is looked up in the
// snapshot itself as long as that is the same, so that it is counted once for all attempts.
type trialView struct {
	Within
	now     Within
	version uint64
}

// Tracked returns the state of a tracker; see [preemption.View].
func (v *trialView) Tracked(t *preemption.Tracker) preemption.ClusterState {
	if v.now.trial.version == v.version {
		return v.now.Tracked(t)
	}
	return v.Within.Tracked(t)
}

// Tracked returns the state of a tracker; see [preemption.View].
func (w Within) Tracked(t *preemption.Tracker) preemption.ClusterState { return w.tracked(w.ctx, t) }

// Tracked returns the state of a tracker, which the snapshot keeps from then on; see
// [preemption.View].
func (s *Snapshot) Tracked(t *preemption.Tracker) preemption.ClusterState {
	return s.tracked(context.Background(), t)
}

func (s *Snapshot) tracked(ctx context.Context, t *preemption.Tracker) preemption.ClusterState {
	switch {
	case t == nil || t.New == nil:
		return nil
	case s.trial != nil:
		return s.lent(ctx, t)
	}
	if a := s.attached.of(t); a != nil {
		return a.state
	}
	state := t.New()
	if state == nil {
		return nil
	}
	return s.attach(ctx, &Attachment{key: t, concerns: t.Concerns, state: state}).state
}

// ConcernedBy returns the pods that concern a filter, which says so, for as long as the snapshot
// does not change. It is nil where they are not kept.
func (s *Snapshot) ConcernedBy(ctx context.Context, f *preemption.Filter) *Attachment {
	if s.trial != nil || s.attached == nil {
		return nil
	}
	if a := s.attached.of(f); a != nil {
		return a
	}
	return s.attach(ctx, &Attachment{key: f, concerns: f.Concerns})
}

// attach counts the cluster, and keeps what that has come to. Nothing is kept where the context ends
// or the functions of the caller panic, and nothing is locked while they run.
func (s *Snapshot) attach(ctx context.Context, a *Attachment) *Attachment {
	a.owner, a.stateOwner = s.Owner, s.Owner
	look := work.NewWatch(ctx)
	var concerned []*PodState // of a node
	for _, n := range s.NodeStates {
		if n == nil {
			continue
		}
		concerned = concerned[:0]
		for _, p := range n.Pods {
			if look.Ended(countingTurns) {
				return a
			}
			if a.concerns == nil || a.concerns(p.Pod) {
				concerned = append(concerned, p)
				a.tell(p, n.Node, 1, s.Owner)
			}
		}
		if a.concerns != nil && len(concerned) > 0 {
			*a.list(n.Slot, s.Owner) = slices.Clone(concerned)
		}
	}
	if s.attached == nil {
		return a
	}
	return s.attached.add(a)
}

// countingTurns is about how many turns of loops it takes to count a pod.
const countingTurns = 8

// BeginTrial has a snapshot that belongs to one goroutine keep the states of trackers for a trial.
func (s *Snapshot) BeginTrial() {
	if s.trial != nil {
		return
	}
	s.trial = &trial{away: map[*PodState]bool{}}
	for _, a := range s.attached.all() {
		if t, ok := a.key.(*preemption.Tracker); ok {
			s.trial.kept = append(s.trial.kept, keptState{t, a.state, true})
		}
	}
	s.attached = nil
}

// lent lends the state of a tracker in a trial. The first time it counts the pods that are not away.
func (s *Snapshot) lent(ctx context.Context, t *preemption.Tracker) preemption.ClusterState {
	x := s.trial
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := slices.IndexFunc(x.kept, func(k keptState) bool { return k.tracker == t }); i >= 0 {
		x.kept[i].lent = true
		return x.kept[i].state
	}
	state := t.New()
	if state == nil {
		return nil
	}
	look := work.NewWatch(ctx)
	for _, slot := range s.Order {
		n := s.NodeStates[slot]
		for _, p := range n.Pods {
			if look.Ended(countingTurns) {
				return state
			}
			if !x.away[p] && (t.Concerns == nil || t.Concerns(p.Pod)) {
				state.Add(p.Pod, n.Node)
			}
		}
	}
	x.kept = append(x.kept, keptState{t, state, true})
	return state
}

// SetAside has a running pod count as away in a trial (by is -1), for the filters of the caller, or
// as back (1), while it stays on its node for all others.
func (s *Snapshot) SetAside(p *PodState, by int) {
	if by < 0 {
		s.trial.away[p] = true
	} else {
		delete(s.trial.away, p)
	}
	s.trial.follow(p, s.NodeState(p.At.Name).Node, by)
}

// present lists the pods of a node that are not away.
func (s *Snapshot) present(n *NodeState) []*PodState {
	if s.trial == nil || len(s.trial.away) == 0 {
		return n.Pods
	}
	return slices.DeleteFunc(slices.Clone(n.Pods), func(p *PodState) bool { return s.trial.away[p] })
}
