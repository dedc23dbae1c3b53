package preemption

import (
	"context"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
)

// answerFromMemo answers from a memo; not ok where there is none to use.
func (s *search) answerFromMemo(ctx context.Context) (plan *Plan, ok bool, err error) {
	ms := s.snap.memos
	if s.rest || s.snap.lanes.odd > 0 || len(s.snap.order) < 2 || !ms.mu.TryLock() {
		return nil, false, nil
	}
	defer ms.mu.Unlock()
	s.shape = s.appendShape(s.shape[:0])
	m := ms.of(s.shape, s.snap)
	if m == nil {
		return nil, false, nil
	}
	r := recall{s, s.hunters[0], ms, m}
	plan, err = r.answer(ctx)
	return plan, true, err
}

// recall is the use of a memo for one decision.
type recall struct {
	*search
	h  *hunter
	ms *memos
	m  *memo
}

// answer brings the memo up to date and decides.
func (r *recall) answer(ctx context.Context) (*Plan, error) {
	r.h.before, r.h.after = r.m.before, r.m.after
	defer func() {
		r.m.before, r.m.after = r.h.before, r.h.after
		r.h.before, r.h.after = answers{}, answers{}
	}()
	if err := r.update(ctx); err != nil {
		return nil, err
	}
	plan := r.open()
	if plan.Outcome != Preempt {
		return plan, nil
	}
	best, err := r.best(ctx)
	if err != nil {
		return nil, err
	}
	r.close(plan, best)
	return plan, nil
}

// update looks at the nodes that changed, or at all where that is less work.
func (r *recall) update(ctx context.Context) error {
	m, end := r.m, r.ms.start+uint64(len(r.ms.log))
	if m.synced < r.ms.start || len(m.entries) == 0 || end-m.synced > uint64(len(m.entries)) {
		if err := r.build(ctx); err != nil {
			m.entries = m.entries[:0]
			return err
		}
	} else {
		for _, place := range m.unsure {
			r.renew(place)
		}
		log := r.ms.log[m.synced-r.ms.start:]
		for i, slot := range log {
			if i+1 < len(log) && log[i+1] == slot {
				continue
			}
			if int(slot) < len(r.ms.placeOf) && r.ms.placeOf[slot] >= 0 {
				r.renew(r.ms.placeOf[slot])
			}
		}
	}
	m.synced, m.unsure = end, m.unsure[:0]
	r.renewOwn()
	return nil
}

// renewOwn looks at the node that the preemptor itself is nominated to, where
// it leaves no room for itself as it would for another.
func (r *recall) renewOwn() {
	p, ok := r.snap.pods.of(r.pod)
	if !ok || p.at == nil {
		return
	}
	slot, ok := r.snap.slots.get(p.at.name)
	if ok && int(slot) < len(r.ms.placeOf) && r.ms.placeOf[slot] >= 0 {
		r.renew(r.ms.placeOf[slot])
		r.m.unsure = append(r.m.unsure, r.ms.placeOf[slot])
	}
}

// build looks at every node.
func (r *recall) build(ctx context.Context) error {
	n := len(r.snap.order)
	r.h.before, r.h.after = answers{others: r.h.before.others[:0]}, answers{others: r.h.after.others[:0]}
	r.m.entries = slices.Grow(r.m.entries[:0], n)[:n]
	r.m.winners = slices.Grow(r.m.winners[:0], 2*n)[:2*n]
	for place := range n {
		if place%stretch == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.look(int32(place))
		r.m.winners[n+place] = int32(place)
	}
	for i := n - 1; i > 0; i-- {
		r.m.play(i)
	}
	return nil
}

// renew looks at a node again.
func (r *recall) renew(place int32) {
	e := &r.m.entries[place]
	r.h.before.count(e.before, -1)
	r.h.after.count(e.after, -1)
	r.look(place)
	r.m.playFrom(place)
}

// look writes a node's entry, with the best that it can come to.
func (r *recall) look(place int32) {
	slot := r.snap.order[place]
	e := &r.m.entries[place]
	r.h.judge(&e.verdict, int(place), slot)
	r.promise(place)
	r.h.before.count(e.before, 1)
	r.h.after.count(e.after, 1)
}

// promise writes the best that a node can come to by its verdict.
func (r *recall) promise(place int32) {
	e := &r.m.entries[place]
	e.found = found{place: -1}
	if e.kind != settled {
		e.found = found{
			place: int(place), top: e.bound, victims: int32(e.fewest),
			sum: int64(e.fewest) * (int64(e.bound) + priorityShift), start: never,
		}
		slot := r.snap.order[place]
		if l := r.snap.lanes.at(slot); e.exact && l.lowest == e.bound {
			if start := r.snap.lanes.topsAt(slot).latestStart(l, int32(e.fewest)); start != noStart {
				e.start = instant{start, math.MaxInt32}
			}
		}
	}
}

// best works nodes out until one of those wins.
func (r *recall) best(ctx context.Context) (found, error) {
	for tries := 0; ; tries++ {
		if tries%stretch == 0 && ctx.Err() != nil {
			return found{}, ctx.Err()
		}
		place := r.m.winners[1]
		e := &r.m.entries[place]
		if e.place < 0 || e.kind == known {
			return e.found, nil
		}
		n := r.nodeAt(int(place))
		if !e.exact {
			r.h.sharpen(&e.verdict, n.slot)
			r.promise(place)
			r.m.playFrom(place)
			continue
		}
		r.h.best, r.h.allowed = found{place: -1}, math.MaxInt64
		r.h.workOut(int(place), n, &e.verdict)
		e.found, e.kind = r.h.best, known
		if n.unstarted > 0 {
			r.m.unsure = append(r.m.unsure, place) // starts depend on the time of the call
		}
		r.m.playFrom(place)
	}
}

// appendShape writes down all that makes a preemptor's shape.
func (s *search) appendShape(space []byte) []byte {
	b := keyWriter(space)
	b.number(int(uint32(s.priority)))
	for _, v := range s.asks {
		b.number(int(v))
	}
	b.number(len(s.pod.Tolerations))
	for i := range s.pod.Tolerations {
		t := &s.pod.Tolerations[i]
		b.text(t.Key)
		b.text(string(t.Operator))
		b.text(t.Value)
		b.text(string(t.Effect))
	}
	b.text(s.pod.NodeName)
	b.labels(s.pod.NodeSelector)
	affinity := s.pod.Affinity.Node
	b.flag(affinity != nil)
	if affinity != nil {
		b.number(len(affinity.Terms))
		for i := range affinity.Terms {
			b.requirements(affinity.Terms[i].Labels)
			b.requirements(affinity.Terms[i].Fields)
		}
	}
	return b
}

func (b *keyWriter) requirements(rs []outrank.NodeRequirement) {
	b.number(len(rs))
	for i := range rs {
		b.text(rs[i].Key)
		b.text(string(rs[i].Operator))
		b.texts(rs[i].Values)
	}
}
