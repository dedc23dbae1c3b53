package state

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank/internal/work"
	"github.com/outrank-go/outrank/preemption"
)

// Within is a snapshot as one call shows it to the caller's filters and guards. The counting of pods
// for them stops when the context of the call ends; what was counted is incomplete then.
type Within struct {
	*Snapshot
	ctx context.Context
}

// Within returns the snapshot as a view for a call. In a trial the view stays as the snapshot is now,
// however the trial goes on.
func (s *Snapshot) Within(ctx context.Context) preemption.View {
	if s.trial == nil {
		return Within{s, ctx}
	}
	return &trialView{Within{s.Clone(), ctx}, Within{s, ctx}, s.trial.version}
}

// trialView is a snapshot in a trial as it was at a version. As long as the snapshot still has that
// version, it is asked for states of trackers itself, so that these are counted once for all attempts.
type trialView struct {
	Within         // a clone, which nobody changes
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

// tracked is Tracked for a call, which may end while the pods are counted.
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

// ConcernedBy returns the pods that concern a filter by its own word (Filter.Concerns). The attachment
// is good as long as the snapshot does not change. It is nil where they are not kept: in a trial,
// and in the zero Snapshot.
func (s *Snapshot) ConcernedBy(ctx context.Context, f *preemption.Filter) *Attachment {
	if s.trial != nil || s.attached == nil {
		return nil
	}
	if a := s.attached.of(f); a != nil {
		return a
	}
	return s.attach(ctx, &Attachment{key: f, concerns: f.Concerns})
}

// attach fills a new attachment with the pods of the cluster and keeps it. It returns the attachment
// that counts, which is another one where somebody else was faster.
//
// Nothing is kept where the context ends, when the result is incomplete, or where a function of the caller
// panics. Nothing is locked while these functions run: several readers may count the cluster at once, and
// one of them wins.
func (s *Snapshot) attach(ctx context.Context, a *Attachment) *Attachment {
	a.owner, a.stateOwner = s.Owner, s.Owner

	watch := work.NewWatch(ctx)
	var concerned []*PodState // those of the node at hand
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

		// A filter or tracker that every pod concerns needs no lists: On returns the node's own.
		if a.concerns != nil && len(concerned) > 0 {
			*a.list(n.Slot, s.Owner) = slices.Clone(concerned)
		}
	}

	if s.attached == nil { // the zero Snapshot keeps nothing
		return a
	}
	return s.attached.add(a)
}

// countingTurns is the work of counting a pod, in turns of a loop as work.Watch counts them.
const countingTurns = 8

// BeginTrial begins a trial in a snapshot that belongs to one goroutine. From then on states of trackers
// follow the pods that are there, not those on the nodes (SetAside), and a state that an attempt has
// seen stays as it was.
func (s *Snapshot) BeginTrial() {
	if s.trial != nil {
		return
	}

	// The states so far serve on. Others have them, too, so that they count as lent. The lists of
	// concerned pods go by who is on the nodes, and are of no use in a trial.
	s.trial = &trial{away: map[*PodState]bool{}}
	for _, a := range s.attached.all() {
		if t, ok := a.key.(*preemption.Tracker); ok {
			s.trial.kept = append(s.trial.kept, keptState{t, a.state, true})
		}
	}
	s.attached = nil
}

// lend returns the state of a tracker in a trial, and notes that somebody has seen it. The first call
// for a tracker counts the pods that are not away. A state that the context cut short is not kept.
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

// SetAside makes a running pod away in a trial (by is -1), or back again (1). The pod stays on its node:
// only the caller's filters and trackers see that it is away.
func (s *Snapshot) SetAside(p *PodState, by int) {
	if by < 0 {
		s.trial.away[p] = true
	} else {
		delete(s.trial.away, p)
	}
	s.trial.follow(p, s.NodeState(p.At.Name).Node, by)
}

// present lists the pods of a node that are not away in a trial, which are all of them without one.
func (s *Snapshot) present(n *NodeState) []*PodState {
	if s.trial == nil || len(s.trial.away) == 0 {
		return n.Pods
	}
	return slices.DeleteFunc(slices.Clone(n.Pods), func(p *PodState) bool { return s.trial.away[p] })
}
