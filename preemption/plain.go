package preemption

import (
	"context"
	"math"
	"sort"
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

// ruledOut reports whether no candidate with this bound can beat f.
func (f *found) ruledOut(bound int32) bool {
	return f.place >= 0 && f.violations == 0 && bound > f.top
}

// shortages are counted by the needs that are not met, whether a slot is
// missing, and whether even the empty node would be short.
const (
	tooManyBit      = 1 << len(standard)
	unresolvableBit = 2 << len(standard)
	shortageKeys    = 4 << len(standard)
)

func shortageStatus(key int) status {
	s := status{code: Unschedulable, by: byResources, short: uint64(key) % tooManyBit, tooMany: key&tooManyBit != 0}
	if key&unresolvableBit != 0 {
		s.code = UnschedulableAndUnresolvable
	}
	return s
}

// tally counts statuses of which there are few kinds.
type tally []tallied

type tallied struct {
	status
	nodes int
}

func (t *tally) add(s status, nodes int) {
	key := keyOf(s)
	for i := range *t {
		if keyOf((*t)[i].status) == key {
			(*t)[i].nodes += nodes
			return
		}
	}
	*t = append(*t, tallied{s, nodes})
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

// leastBound is the least bound of all candidates.
func (s *plainSearch) leastBound() int32 {
	least := int32(math.MaxInt32)
	for _, v := range s.verdicts {
		if v.kind == helpful {
			least = min(least, v.bound)
		}
	}
	return least
}

// chase works a node out if its bound is within the limits and does not rule it
// out. Unclear ones belong to the first round.
func (h *hunter) chase(place int, from, to int32) {
	v := h.verdicts[place]
	switch v.kind {
	case settled:
		return
	case helpful:
		if v.bound < from || v.bound > to || h.best.ruledOut(v.bound) {
			return
		}
		n := h.node(place)
		if n.inOrder(h.nowAt) {
			h.hunt(place, n, v.bound)
			return
		}
	case unclear:
		if from != to && from != math.MinInt32 {
			return
		}
	}
	h.huntGenerally(place)
}

// huntGenerally makes a dry run in the general way.
func (h *hunter) huntGenerally(place int) {
	possible, st := h.w.dryRun(h.node(place))
	if st.code != Success {
		h.after.add(st, 1)
		return
	}
	sc := h.w.score(possible)
	h.keep(found{
		place: place, violations: sc.Violations, top: sc.TopPriority,
		victims: int32(sc.Victims), sum: sc.PrioritySum, start: instantOf(sc.Start),
	})
}

func (h *hunter) keep(f found) {
	if f.better(&h.best) {
		h.best = f
	}
}

// hunt finds the victims on a candidate (section 7), from the first pod on that
// may not come back.
func (h *hunter) hunt(place int, n *nodeState, bound int32) {
	l := h.snap.lanes.at(h.snap.order[place])
	h.violates = h.violates[:0]
	if len(n.guarded) > 0 {
		h.charge(n)
	}
	t := trial{hunter: h, n: n}
	var from int
	switch last := len(h.violates) - 1; {
	case last >= 0 && n.ranks[h.violates[last]].priority <= bound:
		from = n.first(h.priority)
	case bound == l.lowest:
		h.violates = h.violates[:0]
		from = len(n.rows) - int(l.lowPods)
		t.slack = l.low
	default:
		h.violates = h.violates[:0]
		from = n.first(bound + 1)
	}
	if t.slack == (amountRow{}) {
		for i := range n.rows[from:] {
			row := &n.rows[from+i]
			t.slack[0] += row[0]
			t.slack[1] += row[1]
			t.slack[2] += row[2]
		}
	}
	for k := range t.slack {
		if h.asks[k] {
			t.slack[k] += l.free[k] - h.need[k]
		} else {
			t.slack[k] = unlimited
		}
	}
	t.room = l.room + int32(len(n.rows)-from) - 1
	if f, ok := t.reprieve(from, bound); ok {
		f.place = place
		h.keep(f)
	}
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
	// With no violations so far and a top of at least the bound, a sum beyond
	// that of the best is too much.
	limit := int64(math.MaxInt64)
	if b := &t.best; b.place >= 0 && (b.violations < t.f.violations || b.violations == t.f.violations && b.top <= bound) {
		limit = b.sum
		if b.violations < t.f.violations {
			return t.f, false
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

func (s *plainSearch) bestOf() found {
	best := found{place: -1}
	for _, h := range s.hunters {
		if h.best.better(&best) {
			best = h.best
		}
	}
	return best
}

// open begins the plan with what the first look came to. Its outcome stands
// unless it is Preempt.
func (s *plainSearch) open() *Plan {
	p := &Plan{Pod: s.pod, Outcome: Preempt}
	var turned tally
	for _, h := range s.hunters {
		p.Feasible += h.feasible
		for key, nodes := range h.turned {
			if nodes > 0 {
				turned.add(shortageStatus(key), nodes)
			}
		}
		for _, t := range h.others {
			turned.add(t.status, t.nodes)
		}
	}
	p.TurnedDown = s.counts(turned)
	p.Ineligible = s.eligible(s.codeOf)
	switch {
	case p.Feasible > 0:
		p.Outcome = Fits
	case p.Ineligible != Eligible:
		p.Outcome = NotEligible
	}
	return p
}

// codeOf asks a single node.
func (s *plainSearch) codeOf(node string) (Code, bool) {
	n := s.snap.node(node)
	if n == nil || n.node == nil {
		return Success, false
	}
	return s.hunters[0].w.filter(n).code, true
}

// close ends the plan with the best candidate, worked out in the general way.
func (s *plainSearch) close(p *Plan, w *worker, best found) *Plan {
	var unhelpful tally
	for _, h := range s.hunters {
		for key, nodes := range h.unhelpful {
			if nodes > 0 {
				unhelpful.add(shortageStatus(key), nodes)
			}
		}
		if h.noVictims > 0 {
			unhelpful.add(status{code: UnschedulableAndUnresolvable, by: byNone, text: noVictimsText}, h.noVictims)
		}
		for _, t := range h.after {
			unhelpful.add(t.status, t.nodes)
		}
	}
	p.Unhelpful = s.counts(unhelpful)
	if best.place < 0 {
		p.Outcome = NothingHelps
		return p
	}
	n := s.node(best.place)
	possible, _ := w.dryRun(n)
	p.Candidate, p.Grace = w.candidate(possible), s.config.Policy.Grace
	p.ClearedNominations = s.clearedNominations(n)
	return p
}

// counts makes the texts, the most frequent status first.
func (a *attempt) counts(t tally) []Count {
	var out []Count
	for i := range t {
		out = append(out, Count{Status: a.public(t[i].status), Nodes: t[i].nodes})
	}
	sortCounts(out)
	return out
}

func sortCounts(cs []Count) {
	sort.SliceStable(cs, func(i, j int) bool {
		if cs[i].Nodes != cs[j].Nodes {
			return cs[i].Nodes > cs[j].Nodes
		}
		if a, b := cs[i].String(), cs[j].String(); a != b {
			return a < b
		}
		return cs[i].Code < cs[j].Code
	})
}
