package state

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank/internal/work"
	"github.com/outrank-go/outrank/preemption"
)

// Within is the view of a snapshot that a call gives to the caller's filters and guards. When the context of
// the call ends, counting pods for them stops, and the result is incomplete.
type Within struct {
	*Snapshot
	ctx context.Context
}

// Within returns the snapshot as a view for a call. In a trial the view keeps the present state of the
// snapshot, however the trial goes on.
func (s *Snapshot) Within(ctx context.Context) preemption.View {
	if s.trial == nil {
		return Within{s, ctx}
	}
	return &trialView{Within{s.Clone(), ctx}, Within{s, ctx}, s.trial.version}
}

// trialView is the view of a snapshot in a trial as it was at a version. While the snapshot still has that
// version, states of trackers come from the snapshot itself, so that they are counted once for all attempts.
type trialView struct {
	Within         // a clone that never changes
	now     Within // the snapshot itself
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

// tracked is Tracked with a context, which may end while the pods are counted.
func (s *Snapshot) tracked(ctx context.Context, t *preemption.Tracker) preemption.ClusterState {
	switch {
	case t == nil || t.New == nil:
		return nil
	case s.trial != nil:
		return s.lend(ctx, t)
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

// ConcernedBy returns the lists of the pods that concern a filter (Filter.Concerns). They are valid until the
// snapshot changes. In a trial and in the zero Snapshot no lists are kept, and the result is nil.
func (s *Snapshot) ConcernedBy(ctx context.Context, f *preemption.Filter) *Attachment {
	if s.trial != nil || s.attached == nil {
		return nil
	}
	if a := s.attached.of(f); a != nil {
		return a
	}
	return s.attach(ctx, &Attachment{key: f, concerns: f.Concerns})
}

// attach fills a new attachment with the pods of the cluster and keeps it. It returns the attachment to use:
// another one if another reader was faster.
//
// If the context ends, the result is incomplete and is not kept, nor is anything kept if a function of the
// caller panics. No lock is held while these functions run: several readers may count the cluster at once,
// and one of them wins.
func (s *Snapshot) attach(ctx context.Context, a *Attachment) *Attachment {
	a.owner, a.stateOwner = s.Owner, s.Owner

	watch := work.NewWatch(ctx)
	var concerned []*PodState // pods of the current node
	for _, n := range s.NodeStates {
		if n == nil {
			continue
		}

		concerned = concerned[:0]
		for _, p := range n.Pods {
			if watch.Ended(countingTurns) {
				return a
			}
			if a.concerns == nil || a.concerns(p.Pod) {
				concerned = append(concerned, p)
				a.tell(p, n.Node, 1, s.Owner)
			}
		}

		// A filter or tracker that every pod concerns needs no lists: On returns the node's own list.
		if a.concerns != nil && len(concerned) > 0 {
			*a.list(n.Slot, s.Owner) = slices.Clone(concerned)
		}
	}

	if s.attached == nil { // the zero Snapshot keeps nothing
		return a
	}
	return s.attached.add(a)
}

// countingTurns is the weight of counting one pod for work.Watch, in turns of a plain loop.
const countingTurns = 8

// BeginTrial begins a trial in a snapshot that belongs to one goroutine. From then on states of trackers
// leave out pods that were set aside, though these are still on their nodes, and a state that an attempt has
// seen never changes.
func (s *Snapshot) BeginTrial() {
	if s.trial != nil {
		return
	}

	// The existing states stay in use. Other snapshots share them, so that they count as lent. The lists of
	// concerned pods have all pods on the nodes, and are of no use in a trial.
	s.trial = &trial{away: map[*PodState]bool{}}
	for _, a := range s.attached.all() {
		if t, ok := a.key.(*preemption.Tracker); ok {
			s.trial.kept = append(s.trial.kept, keptState{t, a.state, true})
		}
	}
	s.attached = nil
}

// lend returns the state of a tracker in a trial, and marks it as seen. The first call for a tracker counts
// the pods that are not set aside. If the context ends meanwhile, the incomplete state is not kept.
func (s *Snapshot) lend(ctx context.Context, t *preemption.Tracker) preemption.ClusterState {
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

	// The lock is held while the caller's tracker runs. In a trial no other reader waits for it.
	watch := work.NewWatch(ctx)
	for _, slot := range s.Order {
		n := s.NodeStates[slot]
		for _, p := range n.Pods {
			if watch.Ended(countingTurns) {
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

// SetAside sets a running pod aside in a trial (by is -1), or takes it back (1). The pod stays on its node:
// only the caller's filters and trackers see it as gone.
func (s *Snapshot) SetAside(p *PodState, by int) {
	if by < 0 {
		s.trial.away[p] = true
	} else {
		delete(s.trial.away, p)
	}
	s.trial.follow(p, s.NodeState(p.At.Name).Node, by)
}

// present lists the pods of a node without those that a trial has set aside.
func (s *Snapshot) present(n *NodeState) []*PodState {
	if s.trial == nil || len(s.trial.away) == 0 {
		return n.Pods
	}
	return slices.DeleteFunc(slices.Clone(n.Pods), func(p *PodState) bool { return s.trial.away[p] })
}
