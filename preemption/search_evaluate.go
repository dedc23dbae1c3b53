package preemption

import "math"

// found is a candidate, as far as the ranks look at it.
type found struct {
	place      int // -1 for none
	violations int
	top        int32
	victims    int32
	sum        int64
	start      instant
}

// better holds two candidates to the ranks of section 9, and to the order of
// the nodes in the end.
func (f *found) better(g *found) bool {
	switch {
	case f.place < 0 || g.place < 0:
		return g.place < 0 && f.place >= 0
	case f.violations != g.violations:
		return f.violations < g.violations
	case f.top != g.top:
		return f.top < g.top
	case f.sum != g.sum:
		return f.sum < g.sum
	case f.victims != g.victims:
		return f.victims < g.victims
	case f.start != g.start:
		return g.start.before(f.start)
	}
	return f.place < g.place
}

// chaseFirstAt works those nodes of a stretch out that promise the most by their
// lanes, if they still do by their tops, and finds what the others among them
// promise.
func (h *hunter) chaseFirstAt(from, to int) {
	top, few := h.search.top, h.search.few
	for place := from; place < to; place++ {
		v := &h.verdicts[place]
		if v.kind == settled || v.bound != top || v.fewest != few {
			continue
		}
		slot := h.snap.order[place]
		h.sharpen(v, slot)
		if v.fewest == few {
			h.try(v, place, slot)
		} else {
			h.top, h.few = top, min(h.few, v.fewest)
		}
	}
}

// chaseNextAt works those nodes of a stretch out that promise the most by their
// tops.
func (h *hunter) chaseNextAt(from, to int) {
	top, few := h.search.top, h.search.few
	for place := from; place < to; place++ {
		if v := &h.verdicts[place]; v.kind != settled && v.exact && v.bound == top && v.fewest == few {
			h.try(v, place, h.snap.order[place])
		}
	}
}

// chaseAt works those nodes of a stretch out that could be the best.
func (h *hunter) chaseAt(from, to int) {
	for place := from; place < to; place++ {
		v := &h.verdicts[place]
		if v.kind == settled || h.ruledOut(v) {
			continue
		}
		slot := h.snap.order[place]
		h.sharpen(v, slot)
		h.try(v, place, slot)
	}
}

// try works a node out, once, if it could be the best.
func (h *hunter) try(v *verdict, place int, slot int32) {
	if !h.ruledOut(v) && !h.tooEarly(v, slot) {
		h.workOut(place, h.snap.nodes[slot], v)
	}
	v.kind = settled
}

// sharpen finds a better bound for a node.
func (h *hunter) sharpen(v *verdict, slot int32) {
	l := h.snap.lanes.at(slot)
	if !v.exact && v.bound == l.lowest {
		short := h.short(l)
		v.fewest = uint16(min(h.snap.lanes.topsAt(slot).fewest(l, &short, int32(v.fewest)), math.MaxUint16))
	}
	v.exact = true
}

// tooEarly reports whether a node that ties with the best so far, if it comes
// to what its verdict promises, loses by the start of its most important
// victims.
func (h *hunter) tooEarly(v *verdict, slot int32) bool {
	b, victims := &h.best, int64(v.fewest)
	if b.place < 0 || b.violations > 0 || v.bound != b.top || victims != int64(b.victims) ||
		b.sum != victims*(int64(b.top)+priorityShift) {
		return false
	}
	l := h.snap.lanes.at(slot)
	return l.lowest == v.bound && h.snap.lanes.topsAt(slot).latestStart(l, int32(v.fewest)) < b.start.sec
}

// workOut finds the victims on a candidate, and keeps it if it is the best.
func (h *hunter) workOut(place int, n *nodeState, v *verdict) {
	if v.kind == simple && n.inOrder(h.nowAt) {
		h.hunt(place, n, v.bound)
	} else {
		h.huntGenerally(place, n)
	}
}

// ruledOut reports whether no candidate with this verdict can beat the best so
// far or tie with it.
func (h *hunter) ruledOut(v *verdict) bool {
	b := &h.best
	return b.place >= 0 && b.violations == 0 &&
		(v.bound > b.top || v.bound == b.top && int64(v.fewest) > h.allowed)
}

// huntGenerally makes a dry run in the general way.
func (h *hunter) huntGenerally(place int, n *nodeState) {
	possible, st := h.w.dryRun(n)
	switch {
	case st.code == Success:
		sc := h.w.score(possible)
		h.keep(found{
			place: place, violations: sc.Violations, top: sc.TopPriority,
			victims: int32(sc.Victims), sum: sc.PrioritySum, start: instantOf(sc.Start),
		})
	case len(possible) == 0:
		h.after.count(nobody, 1)
	default:
		h.after.count(h.after.learn(st), 1)
	}
	h.w.leave(possible)
}

// keep notes a candidate if it is the best so far.
func (h *hunter) keep(f found) {
	if !f.better(&h.best) {
		return
	}
	h.best, h.allowed = f, math.MaxInt64
	if each := int64(f.top) + priorityShift; each > 0 {
		h.allowed = f.sum / each
	}
}

// hunt finds the victims on a candidate where resources alone decide
// (section 7).
func (h *hunter) hunt(place int, n *nodeState, bound int32) {
	var adjusted lane
	l, _ := h.laneFor(n, h.snap.lanes.at(n.slot), &adjusted)
	h.violates = h.violates[:0]
	if len(n.guarded) > 0 {
		h.charge(n)
	}
	from, held := h.removed(n, l, bound)
	t := trial{hunter: h, n: n, room: int32(l.room) + int32(len(n.rows)-from) - 1}
	for k := range t.slack {
		t.slack[k] = unlimited
		if h.asks[k] != asksNothing {
			t.slack[k] = l.free[k] + held[k] - h.asks[k]
		}
	}
	if f, ok := t.reprieve(from, bound); ok {
		f.place = place
		h.keep(f)
	}
}

// removed is the place of the first pod that has to be tried in the reprieve,
// and what the pods from there on hold: all of lower priority than the
// preemptor, or those up to the bound alone where nobody there violates a
// budget.
func (h *hunter) removed(n *nodeState, l *lane, bound int32) (from int, held amountRow) {
	last := len(h.violates) - 1
	if last >= 0 && n.ranks[h.violates[last]].priority <= bound {
		from = n.first(h.priority)
	} else {
		h.violates = h.violates[:0]
		if bound == l.lowest {
			return len(n.rows) - int(l.lowPods), l.low
		}
		from = n.first(bound + 1)
	}
	for i := range n.rows[from:] {
		row := &n.rows[from+i]
		held[0] += row[0]
		held[1] += row[1]
		held[2] += row[2]
	}
	return from, held
}

// unlimited is more than all pods of a node take together (see oddAmounts).
const unlimited = math.MaxInt64 / 2

// charge finds the possible victims that violate a budget, by place: those
// covered are charged in order of importance (section 4).
func (h *hunter) charge(n *nodeState) {
	possible := n.guarded
	for len(possible) > 0 && n.ranks[possible[0].place].priority >= h.priority {
		possible = possible[1:]
	}
	for _, g := range possible {
		violates := false
		for _, b := range g.kind.covering {
			if h.exempt(b, n.pods[g.place]) {
				continue
			}
			h.left[b]--
			violates = violates || h.left[b] < 0
		}
		if violates {
			h.violates = append(h.violates, g.place)
		}
	}
	for _, g := range possible {
		for _, b := range g.kind.covering {
			if !h.exempt(b, n.pods[g.place]) {
				h.left[b]++
			}
		}
	}
}

// exempt reports whether a budget has counted the pod's disruption already.
func (h *hunter) exempt(b int32, p *podState) bool {
	disrupted := h.snap.budgets.list[b].Disrupted
	if len(disrupted) == 0 {
		return false
	}
	_, ok := disrupted[p.pod.Name]
	return ok
}

// trial is the reprieve on one node: what is free beyond the preemptor's needs
// while pods come back.
type trial struct {
	*hunter
	n     *nodeState
	slack amountRow
	room  int32
	f     found
}

// reprieve puts back those who violate a budget first, then the others, from a
// place on; ok is false once the node cannot be the best any more.
func (t *trial) reprieve(from int, bound int32) (f found, ok bool) {
	t.f.top = math.MinInt32
	for _, i := range t.violates {
		if !t.back(int(i)) {
			t.f.violations++
		}
	}
	// Nobody adds a violation any more. Where they tie with the best and its top
	// is no higher than the bound, a larger sum is too much.
	limit := int64(math.MaxInt64)
	if b := &t.best; b.place >= 0 {
		if b.violations < t.f.violations {
			return t.f, false
		}
		if b.violations == t.f.violations && b.top <= bound {
			limit = b.sum
		}
	}
	next := 0
	for i := from; i < len(t.n.rows); i++ {
		if next < len(t.violates) && int(t.violates[next]) == i {
			next++
			continue
		}
		if !t.back(i) && t.f.sum > limit {
			return t.f, false
		}
	}
	return t.f, true
}

// back puts a pod back if there is room, and counts it as a victim if not.
func (t *trial) back(i int) bool {
	row := &t.n.rows[i]
	if t.room > 0 && row[0] <= t.slack[0] && row[1] <= t.slack[1] && row[2] <= t.slack[2] {
		t.room--
		t.slack[0] -= row[0]
		t.slack[1] -= row[1]
		t.slack[2] -= row[2]
		return true
	}
	t.take(&t.n.ranks[i])
	return false
}

// take counts a victim.
func (t *trial) take(r *importance) {
	t.f.victims++
	t.f.sum += int64(r.priority) + priorityShift
	if t.f.victims > 1 && r.priority < t.f.top {
		return
	}
	start := instant{r.sec, r.nsec}
	if r.sec == noStart {
		start = t.nowAt
	}
	if t.f.victims == 1 || r.priority > t.f.top || start.before(t.f.start) {
		t.f.top, t.f.start = r.priority, start
	}
}
