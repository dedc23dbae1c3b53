package preemption

import (
	"context"
	"math"
	"sync"
)

// The search for a plain preemptor: one that only takes room and asks for
// nothing but cpu, memory and ephemeral storage, under the default rules. All
// others, and everything that is to be explained, take the general way. The
// answer is the same; what makes this one fast are two facts about filters in
// which a pod only ever takes room:
//
//   - Let q be the least priority such that taking away every pod of priority q
//     and below makes room. Any set of victims holds one of priority q or
//     above, or else less than q would do. So q bounds the second rank from
//     below, without choosing victims. Only nodes that this does not rule out
//     are looked at closely.
//   - Where no pod of priority q or below violates a budget, every pod above q
//     comes back in the reprieve: there is room for all of them with those at q
//     and below away, and violating pods that come back first are among them.
//     So the reprieve need not look at them, and q is the second rank exactly.
//
// TestAgreesWithReference and TestPropertyOneAnswer hold this to the general
// way and to the slow reference.
type plainSearch struct {
	*attempt
	columns []column
	// need and asks are the same by column of rows.
	need amountRow
	asks [len(standard)]bool
	// choosy preemptors are asked about every node; others let themselves be
	// told by the node's lane that nothing keeps them away.
	choosy   bool
	verdicts []verdict // by place
	hunters  []*hunter
}

// column is a need and where it stands in lanes and rows.
type column struct {
	at   int
	need int64
}

// verdict is what the first look says of a node.
type verdict struct {
	kind verdictKind
	// bound is the least priority that the most important victim can have.
	bound int32
}

type verdictKind uint8

const (
	// settled: it takes the pod, or preemption does not help.
	settled verdictKind = iota
	// helpful: it is a candidate.
	helpful
	// unclear: the general way has to look.
	unclear
)

// plainly reports whether an attempt can take the fast way.
func (a *attempt) plainly(req *Request) bool {
	c := a.config
	for i := range a.needs {
		if a.needs[i].column < 0 {
			return false
		}
	}
	return len(a.ports) == 0 && a.volumes == nil && a.spread == nil && a.inter == nil && len(a.own) == 0 &&
		req.Statuses == nil && c.Sample == nil && len(c.Extenders) == 0 && len(c.Scorers) == 0 &&
		c.MayEvict == nil && c.Importance == nil &&
		c.Policy.Victims == Reprieve && c.Policy.Budgets == PerVictim && c.Policy.Ranks == nil
}

// hunter is one worker of a plain search with what it has found.
type hunter struct {
	*plainSearch
	w        *worker
	feasible int
	// turned and unhelpful count nodes by shortageKey; noVictims those without
	// anybody of lower priority; others by whatever else they said.
	turned, unhelpful [shortageKeys]int
	noVictims         int
	others, after     tally
	best              found
	// What is left of each budget while one node is gone through.
	left     []int64
	violates []int32
}

// verdictPool keeps the memory of verdicts for the next call.
var verdictPool = sync.Pool{New: func() any { return new([]verdict) }}

// searchPlainly decides (see plainSearch).
func (a *attempt) searchPlainly(ctx context.Context, crew *crew) (*Plan, error) {
	memory := verdictPool.Get().(*[]verdict)
	defer verdictPool.Put(memory)
	*memory = fill(*memory, len(a.snap.order), verdict{})
	s := &plainSearch{attempt: a, verdicts: *memory}
	for i := range a.needs {
		at := a.needs[i].column
		s.columns = append(s.columns, column{at, a.needs[i].value})
		s.need[at], s.asks[at] = a.needs[i].value, true
	}
	s.choosy = a.onlyNamed || a.pod.NodeName != "" || len(a.pod.NodeSelector) > 0 || a.pod.Affinity.Node != nil
	hunterOf := map[*worker]*hunter{}
	for _, w := range crew.workers {
		h := &hunter{plainSearch: s, w: w, best: found{place: -1}}
		for _, b := range a.snap.budgets.list {
			h.left = append(h.left, int64(b.Allowed))
		}
		s.hunters = append(s.hunters, h)
		hunterOf[w] = h
	}
	if err := crew.each(ctx, len(s.verdicts), func(w *worker, i int) { hunterOf[w].look(i) }); err != nil {
		return nil, err
	}
	plan := s.open()
	if plan.Outcome != Preempt {
		return plan, nil
	}
	least := s.leastBound()
	// The most promising nodes first: what they come to rules most others out.
	if err := crew.each(ctx, len(s.verdicts), func(w *worker, i int) { hunterOf[w].chase(i, least, least) }); err != nil {
		return nil, err
	}
	best := s.bestOf()
	for _, h := range s.hunters {
		h.best = best
	}
	if !(best.place >= 0 && best.violations == 0 && best.top == least) && least < math.MaxInt32 {
		err := crew.each(ctx, len(s.verdicts), func(w *worker, i int) { hunterOf[w].chase(i, least+1, math.MaxInt32) })
		if err != nil {
			return nil, err
		}
		best = s.bestOf()
	}
	return s.close(plan, crew.workers[0], best), nil
}

func (s *plainSearch) node(place int) *nodeState { return s.snap.nodes[s.snap.order[place]] }

// look gives a node its verdict.
func (h *hunter) look(place int) {
	slot := h.snap.order[place]
	l := h.snap.lanes.at(slot)
	if l.flags != plainNode || h.choosy {
		n := h.snap.nodes[slot]
		if l.flags&(hasNominated|oddAmounts) != 0 {
			h.lookClosely(place, n)
			return
		}
		if st := h.nodeOnly(n); st.code != Success {
			h.others.add(st, 1)
			return
		}
	}
	key := h.shortage(l)
	if key == 0 {
		h.feasible++
		return
	}
	h.turned[key]++
	if key&unresolvableBit != 0 {
		return
	}
	if l.pods == 0 || l.lowest >= h.priority {
		h.noVictims++
		return
	}
	if h.covers(l, key, &l.low, l.lowPods) {
		h.verdicts[place] = verdict{helpful, l.lowest}
		return
	}
	h.lookDeeper(place, l, key)
}

// shortage is what the node is short of as things are, 0 if it takes the pod.
func (h *hunter) shortage(l *lane) int {
	key := 0
	for i, c := range h.columns {
		if c.need > l.free[c.at] {
			key |= 1 << i
			if c.need > l.offers[c.at] {
				key |= unresolvableBit
			}
		}
	}
	if l.room < 1 {
		key |= tooManyBit
	}
	return key
}

// covers reports whether taking away pods that hold this much makes room.
func (h *hunter) covers(l *lane, key int, held *amountRow, pods int32) bool {
	for i, c := range h.columns {
		if key&(1<<i) != 0 && l.free[c.at]+held[c.at] < c.need {
			return false
		}
	}
	return l.room+pods >= 1
}

// lookDeeper goes up the priorities from the lowest until there is room.
func (h *hunter) lookDeeper(place int, l *lane, key int) {
	n := h.node(place)
	held, pods := amountRow{}, int32(0)
	for i := len(n.rows) - 1; i >= 0 && n.ranks[i].priority < h.priority; i-- {
		for k := range held {
			held[k] += n.rows[i][k]
		}
		pods++
		if h.covers(l, key, &held, pods) {
			h.verdicts[place] = verdict{helpful, n.ranks[i].priority}
			return
		}
	}
	after := 0
	for i, c := range h.columns {
		if l.free[c.at]+held[c.at] < c.need {
			after |= 1 << i
		}
	}
	if l.room+pods < 1 {
		after |= tooManyBit
	}
	h.unhelpful[after]++
}

// lookClosely asks the filters in the general way.
func (h *hunter) lookClosely(place int, n *nodeState) {
	st := h.w.filter(n)
	if st.code == Success {
		h.feasible++
		return
	}
	h.others.add(st, 1)
	if st.code == Unschedulable {
		h.verdicts[place] = verdict{unclear, math.MinInt32}
	}
}
