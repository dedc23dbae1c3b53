package preemption

import "math"

// lookAt gives the nodes of a stretch their verdicts.
func (h *hunter) lookAt(from, to int) {
	order := h.snap.order
	for place := from; place < to; place++ {
		v := h.judge(place, order[place])
		h.verdicts[place] = v
		h.before.count(v.before, 1)
		h.after.count(v.after, 1)
	}
}

// judge gives a node its verdict.
func (h *hunter) judge(place int, slot int32) verdict {
	l := h.snap.lanes.at(slot)
	if l.flags != 0 || h.wary {
		return h.lookTwice(place, slot)
	}
	return h.look(slot, l)
}

// look judges a node on which resources alone decide.
func (h *hunter) look(slot int32, l *lane) verdict {
	key := h.shortage(l)
	if key == 0 {
		return verdict{}
	}
	if l.lowPods > 0 && l.lowest < h.priority && h.covers(l, &l.low, l.lowPods) {
		return h.promise(simple, l.lowest, slot, l, key)
	}
	return h.lookDeeper(slot, l, key)
}

// promise gives the verdict on a candidate.
func (h *hunter) promise(kind verdictKind, bound int32, slot int32, l *lane, before answer) verdict {
	v := verdict{bound: bound, fewest: 1, kind: kind, before: before}
	if bound == l.lowest {
		var short amountRow
		for k := range short {
			if h.asks[k] > l.free[k] {
				short[k] = h.asks[k] - l.free[k]
			}
		}
		v.fewest = uint16(min(h.snap.lanes.topsAt(slot).fewest(l, &short), math.MaxUint16))
	}
	h.least = h.least.or(v)
	return v
}

// shortage is what a node is short of as things are, 0 if it takes the pod.
func (h *hunter) shortage(l *lane) (key answer) {
	for k := range l.free {
		if h.asks[k] > l.free[k] {
			key |= 1 << k
		}
	}
	if l.room < 1 {
		key |= tooManyPods
	}
	return key
}

// covers reports whether taking away pods that hold this much makes room.
func (h *hunter) covers(l *lane, held *amountRow, pods int32) bool {
	for k := range l.free {
		if h.asks[k] > l.free[k]+held[k] {
			return false
		}
	}
	return l.room+pods >= 1
}

// lookDeeper judges a node on which taking the pods of the lowest priority away
// does not make room.
func (h *hunter) lookDeeper(slot int32, l *lane, key answer) verdict {
	bound, v := h.withoutLower(h.snap.nodes[slot], l, key)
	if v != (verdict{}) {
		return v
	}
	return h.promise(simple, bound, slot, l, key)
}

// withoutLower asks whether a node that is short of resources would have room
// with everybody of lower priority away, and for whom that takes; the verdict
// says why not.
func (h *hunter) withoutLower(n *nodeState, l *lane, key answer) (bound int32, not verdict) {
	for k := range h.asks {
		if h.asks[k] > n.offers.std[k] {
			key |= unresolvable
		}
	}
	if key&unresolvable != 0 {
		return 0, verdict{before: key}
	}
	if l.lowPods == 0 || l.lowest >= h.priority {
		return 0, verdict{before: key, after: nobody}
	}
	bound, after := h.boundOf(n, l)
	if after != 0 {
		return 0, verdict{before: key, after: after}
	}
	return bound, verdict{}
}

// boundOf goes up the priorities from the lowest until there is room. after is
// what is missing still with everybody of lower priority away. There is
// somebody of lower priority.
func (h *hunter) boundOf(n *nodeState, l *lane) (bound int32, after answer) {
	if h.covers(l, &l.low, l.lowPods) {
		return l.lowest, 0
	}
	held, pods := amountRow{}, int32(0)
	for i := len(n.rows) - 1; i >= 0 && n.ranks[i].priority < h.priority; i-- {
		row := &n.rows[i]
		held[0] += row[0]
		held[1] += row[1]
		held[2] += row[2]
		pods++
		if h.covers(l, &held, pods) {
			return n.ranks[i].priority, 0
		}
	}
	empty := *l
	for k := range empty.free {
		empty.free[k] += held[k]
	}
	empty.room += pods
	return 0, h.shortage(&empty)
}

// lookTwice judges a node of which the lane does not tell everything.
func (h *hunter) lookTwice(place int, slot int32) verdict {
	n := h.snap.nodes[slot]
	l := h.snap.lanes.at(slot)
	if l.flags&closed != 0 || h.choosy {
		if st := h.nodeOnly(n); st.code != Success {
			return verdict{before: h.before.learn(st)}
		}
	}
	var adjusted lane
	l, plain := h.laneFor(n, l, &adjusted)
	if !h.rest && plain {
		return h.look(slot, l)
	}
	if !plain || h.all || l == &adjusted || len(h.ports) > 0 && n.holding > 0 {
		return h.lookClosely(place, slot, l, plain)
	}
	return h.lookWithRest(place, slot, l)
}

// laneFor is the node's lane once pods nominated to it that the preemptor has to
// leave room for are counted as being there; not ok where the sums are too
// large for that. With those pods away there is only more room, so that the
// second pass of the filters need not be made (section 5).
func (h *hunter) laneFor(n *nodeState, l *lane, space *lane) (adjusted *lane, ok bool) {
	if l.flags&oddAmounts != 0 {
		return l, false
	}
	if l.flags&hasNominated == 0 {
		return l, true
	}
	h.w.nominate(n)
	if len(h.w.nominated) == 0 {
		return l, true
	}
	*space = *l
	for _, p := range h.w.nominated {
		for k, v := range p.takes.std {
			if v > math.MaxInt64/4 || space.free[k] < -math.MaxInt64/4 {
				return l, false
			}
			space.free[k] -= v
		}
		space.room = max(space.room, math.MinInt32+1) - 1
	}
	return space, true
}

// lookWithRest judges a node where filters besides resources have something to
// say, none of them about ports, and nobody is nominated. The node is calm if
// no pod there has a part in what they say: it is the same whoever leaves.
func (h *hunter) lookWithRest(place int, slot int32, l *lane) verdict {
	n := h.snap.nodes[slot]
	calm := (h.volumes == nil || n.mounting == 0) && (len(h.stirred) == 0 || !h.stirred[slot])
	key := h.shortage(l)
	if key == 0 && !calm {
		return h.lookClosely(place, slot, l, true)
	}
	if key == 0 {
		return h.lookWithRoom(n, l)
	}
	bound, v := h.withoutLower(n, l, key)
	if v != (verdict{}) {
		return v
	}
	kind := simple
	h.w.enterRest(n)
	if !calm {
		kind = involved
		for _, p := range n.pods[n.first(h.priority):] {
			h.w.removeFromRest(p)
		}
	}
	if st := h.w.afterResources(nil); st.code != Success {
		return verdict{before: key, after: h.after.learn(st)}
	}
	return h.promise(kind, bound, slot, l, key)
}

// lookWithRoom judges a calm node that is not short of resources.
func (h *hunter) lookWithRoom(n *nodeState, l *lane) verdict {
	h.w.enterRest(n)
	st := h.w.afterResources(nil)
	if st.code == Success {
		return verdict{}
	}
	v := verdict{before: h.before.learn(st)}
	switch {
	case st.code != Unschedulable:
	case l.lowPods == 0 || l.lowest >= h.priority:
		v.after = nobody
	default:
		v.after = h.after.learn(st)
	}
	return v
}

// lookClosely judges a node with the filters in the general way. Where it is a
// shortage of resources that keeps the pod away, bounds hold as elsewhere; if
// anything else does, the node is worked out at once, because the filter could
// contradict itself in the end (see Broken).
func (h *hunter) lookClosely(place int, slot int32, l *lane, plain bool) verdict {
	n, w := h.snap.nodes[slot], &h.w
	w.enter(n)
	st := w.check()
	if st.code == Success {
		return verdict{}
	}
	before := h.before.learn(st)
	if st.code != Unschedulable {
		return verdict{before: before}
	}
	if st.by != byResources || !plain {
		h.huntGenerally(place, n)
		return verdict{before: before}
	}
	possible := w.possible()
	if len(possible) == 0 {
		return verdict{before: before, after: nobody}
	}
	for _, p := range possible {
		w.remove(p)
	}
	st = w.check()
	w.putBack(possible)
	if st.code != Success {
		return verdict{before: before, after: h.after.learn(st)}
	}
	bound, _ := h.boundOf(n, l)
	return h.promise(involved, bound, slot, l, before)
}
