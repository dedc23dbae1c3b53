package preemption

// lookAt gives the nodes of a stretch their verdicts.
func (h *hunter) lookAt(from, to int) {
	order := h.snap.order
	for place := from; place < to; place++ {
		v, slot := &h.verdicts[place], order[place]
		if l := h.snap.lanes.at(slot); l.flags == 0 && !h.wary {
			h.look(v, slot, l)
		} else {
			h.lookTwice(v, place, slot)
		}
		h.before.count(v.before, 1)
		h.after.count(v.after, 1)
	}
}

// judge writes a single node's verdict.
func (h *hunter) judge(v *verdict, place int, slot int32) {
	if l := h.snap.lanes.at(slot); l.flags == 0 && !h.wary {
		h.look(v, slot, l)
	} else {
		h.lookTwice(v, place, slot)
	}
}

// look judges a node on which resources alone decide. Verdicts are written
// where they are to be: copying them costs more than finding them.
func (h *hunter) look(v *verdict, slot int32, l *lane) {
	*v = verdict{before: h.shortage(l)}
	if v.before == 0 {
		return
	}
	if l.lowPods > 0 && l.lowest < h.priority && h.covers(l, &l.low, int32(l.lowPods)) {
		v.kind, v.bound, v.fewest = simple, l.lowest, uint16(l.fewest(&h.asks))
		if l.lowest < h.top || l.lowest == h.top && v.fewest < h.few {
			h.top, h.few = l.lowest, v.fewest
		}
	} else if h.withoutLower(v, slot, l) {
		h.promise(v, l)
	}
}

// promise completes the verdict on a candidate, of which the bound is known.
func (h *hunter) promise(v *verdict, l *lane) {
	v.fewest = 1
	if v.bound == l.lowest {
		v.fewest = uint16(l.fewest(&h.asks))
	}
	if v.bound < h.top || v.bound == h.top && v.fewest < h.few {
		h.top, h.few = v.bound, v.fewest
	}
}

// short is how much a node has too little of each column.
func (h *hunter) short(l *lane) (short amountRow) {
	for k := range short {
		if h.asks[k] > l.free[k] {
			short[k] = h.asks[k] - l.free[k]
		}
	}
	return short
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
	return int32(l.room)+pods >= 1
}

// withoutLower asks whether a node that is short of resources would have room
// with everybody of lower priority away, and for whom that takes; it writes down
// why not.
func (h *hunter) withoutLower(v *verdict, slot int32, l *lane) bool {
	away := level{l.low, l.lowest, int32(l.lowPods)}
	if away.pods == 0 || away.priority >= h.priority {
		away = level{}
	}
	for i := 1; away.pods > 0; i++ {
		if h.covers(l, &away.held, away.pods) {
			v.kind, v.bound = simple, away.priority
			return true
		}
		above := h.snap.levelAbove(slot, i)
		if above == nil || above.priority >= h.priority {
			break
		}
		away = *above
	}
	h.tellWhyNot(v, slot, l, &away)
	return false
}

// tellWhyNot completes the verdict on a node that has no room even with these
// pods away, which are all of lower priority.
func (h *hunter) tellWhyNot(v *verdict, slot int32, l *lane, away *level) {
	offers := &h.snap.nodes[slot].offers.std
	for k := range h.asks {
		if h.asks[k] > offers[k] {
			v.before |= unresolvable
		}
	}
	switch {
	case v.before&unresolvable != 0:
	case away.pods == 0:
		v.after = nobody
	default:
		without := *l
		for k := range without.free {
			without.free[k] += away.held[k]
		}
		without.room = int16(min(int32(l.room)+away.pods, mostPods))
		v.after = h.shortage(&without)
	}
}

// lookTwice judges a node of which the lane does not tell everything.
func (h *hunter) lookTwice(v *verdict, place int, slot int32) {
	*v = verdict{}
	n := h.snap.nodes[slot]
	l := h.snap.lanes.at(slot)
	if l.flags&closed != 0 || h.choosy {
		if st := h.nodeOnly(n); st.code != Success {
			v.before = h.before.learn(st)
			return
		}
	}
	var adjusted lane
	l, plain := h.laneFor(n, l, &adjusted)
	switch {
	case !h.rest && plain:
		h.look(v, slot, l)
	case !plain || h.all || l == &adjusted || len(h.ports) > 0 && n.holding > 0:
		h.lookClosely(v, place, slot, l, plain)
	default:
		h.lookWithRest(v, place, slot, l)
	}
}

// laneFor is the node's lane once pods nominated to it that the preemptor has to
// leave room for are counted as being there; not ok where the amounts are odd.
// With those pods away there is only more room, so that the
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
			space.free[k] -= v // none of the sums is odd
		}
		space.room = max(space.room, -mostPods) - 1
	}
	return space, true
}

// lookWithRest judges a node where filters besides resources have something to
// say, none of them about ports, and nobody is nominated. The node is calm if
// no pod there has a part in what they say: it is the same whoever leaves.
func (h *hunter) lookWithRest(v *verdict, place int, slot int32, l *lane) {
	n := h.snap.nodes[slot]
	calm := (h.volumes == nil || n.mounting == 0) && (len(h.stirred) == 0 || !h.stirred[slot])
	v.before = h.shortage(l)
	switch {
	case v.before == 0 && calm:
		h.lookWithRoom(v, n, l)
		return
	case v.before == 0:
		h.lookClosely(v, place, slot, l, true)
		return
	case !h.withoutLower(v, slot, l):
		return
	}
	h.w.enterRest(n)
	if !calm {
		v.kind = involved
		for _, p := range n.pods[n.first(h.priority):] {
			h.w.removeFromRest(p)
		}
	}
	if st := h.w.afterResources(nil); st.code != Success {
		v.kind, v.after = settled, h.after.learn(st)
		return
	}
	h.promise(v, l)
}

// lookWithRoom judges a calm node that is not short of resources.
func (h *hunter) lookWithRoom(v *verdict, n *nodeState, l *lane) {
	h.w.enterRest(n)
	st := h.w.afterResources(nil)
	if st.code == Success {
		return
	}
	v.before = h.before.learn(st)
	switch {
	case st.code != Unschedulable:
	case l.lowPods == 0 || l.lowest >= h.priority:
		v.after = nobody
	default:
		v.after = h.after.learn(st)
	}
}

// lookClosely judges a node with the filters in the general way. Where it is a
// shortage of resources that keeps the pod away, bounds hold as elsewhere; if
// anything else does, the node is worked out at once, because the filter could
// contradict itself in the end (see Broken).
func (h *hunter) lookClosely(v *verdict, place int, slot int32, l *lane, plain bool) {
	n, w := h.snap.nodes[slot], &h.w
	w.enter(n)
	st := w.check()
	if st.code == Success {
		return
	}
	v.before = h.before.learn(st)
	if st.code != Unschedulable {
		return
	}
	if st.by != byResources || !plain {
		h.huntGenerally(place, n)
		return
	}
	possible := w.possible()
	if len(possible) == 0 {
		v.after = nobody
		return
	}
	for _, p := range possible {
		w.remove(p)
	}
	st = w.check()
	w.putBack(possible)
	if st.code != Success {
		v.after = h.after.learn(st)
		return
	}
	h.withoutLower(v, slot, l)
	v.kind = involved
	h.promise(v, l)
}
