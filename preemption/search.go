package preemption

import (
	"context"
	"math"
	"slices"
	"sync"
)

// search decides without working out every node. It is for the default rules,
// with any filters; where the caller has a say in the candidates, or wants
// everything explained, the general way (result) is taken instead. The answer
// is the same. What makes this one fast are facts about resources, of which a
// pod only ever takes room, and which every set of victims has to make room in
// whatever other filters there are:
//
//   - Let q be the least priority such that taking away every pod of priority q
//     and below makes room. Any set of victims holds one of priority q or
//     above, or else less than q would do. So q bounds the second rank from
//     below, without choosing victims.
//   - Where q is the lowest priority on the node and no victim is above it, all
//     victims are among the pods of that priority. If it takes at least k of
//     those to hold enough (see tops), the third rank is at least k times what
//     one of them counts, and with k victims the fifth is bounded by their
//     starts (see tooEarly).
//   - Where resources alone decide and no pod of priority q or below violates a
//     budget, every pod above q comes back in the reprieve: there is room for
//     all of them with those at q and below away, and violating pods that come
//     back first are among them. So the reprieve need not look at them.
//
// Only nodes that these do not rule out are looked at closely.
// TestAgreesWithReference and TestPropertyBounds hold all of this to the slow
// reference and to the general way, TestPropertyFewest the counts to brute
// force.
//
// A search is used again by later calls, for its memory.
type search struct {
	attempt
	// asks is what the preemptor needs by column, asksNothing where it needs
	// nothing of one.
	asks amountRow
	// wary: lanes do not tell everything about nodes for this preemptor, even
	// where they tell everything for others.
	wary bool
	// choosy: the node itself may keep this preemptor away.
	choosy bool
	// rest: there are filters with something to say besides the node itself
	// and resources with columns. all: they may care for any pod.
	rest, all bool
	// stirred are the nodes, by slot, on which there are pods that count for
	// the spread or affinity of this preemptor.
	stirred []bool

	verdicts []verdict // by place
	hunters  []*hunter
	// top is the least bound of all, few the least number of victims with that
	// bound.
	top   int32
	few   uint16
	shape []byte // see memo
	shift
	tally tally
}

// asksNothing is less than any node has free, unless its amounts are odd.
const asksNothing = math.MinInt64 / 2

// verdict is what the first look says of a node.
type verdict struct {
	// bound is the least priority that the most important victim can have, and
	// fewest the least number of victims if that is what it has.
	bound  int32
	fewest uint16
	kind   verdictKind
	// exact: fewest is that of the tops.
	exact bool
	// before is the node's answer as things are, after the one with everybody
	// of lower priority away, where that was asked.
	before, after answer
}

type verdictKind uint8

const (
	// settled: it takes the pod, or preemption does not help, or all is known.
	settled verdictKind = iota
	// simple: it is a candidate, and resources alone decide on the victims.
	simple
	// involved: it is a candidate, and other filters have a say.
	involved
	// known: it is a candidate that a memo has worked out.
	known
)

// hunter is one worker of a search with what it has found.
type hunter struct {
	*search
	index int    // among the hunters
	start func() // help
	beat
	w worker
	// before and after count nodes by their answers.
	before, after answers
	// top and few are the least bound seen, and the least number of victims
	// with that.
	top  int32
	few  uint16
	best found
	// told is the place of the best candidate that is known to the board, and
	// heard what of its news are known to the hunter.
	told  int
	heard int64
	// allowed is how many victims, all of the best one's top priority, are not
	// too many yet.
	allowed int64
	// left is what is left of each budget while one node is gone through;
	// between nodes it is what leftOf allows.
	left     []int64
	leftOf   *budgetSet
	violates []int32
}

// searches keeps what calls can use again.
var searches = sync.Pool{New: func() any {
	s := &search{}
	s.idle = s.decoy.Done
	return s
}}

// bounded reports whether a question can be answered by a search.
func (c *Config) bounded(req *Request) bool {
	return req.Statuses == nil && c.Sample == nil && len(c.Extenders) == 0 && len(c.Scorers) == 0 &&
		c.MayEvict == nil && c.Importance == nil &&
		c.Policy.Victims == Reprieve && c.Policy.Budgets == PerVictim && c.Policy.Ranks == nil
}

// decide answers a question (see search).
func (e *Evaluator) decide(ctx context.Context, snap *Snapshot, req *Request) (*Plan, error) {
	s := searches.Get().(*search)
	defer s.release()
	s.stride = e.stride
	if err := s.begin(&e.config, snap, req); err != nil {
		return nil, err
	}
	if plan, ok, err := s.answerFromMemo(ctx); ok {
		return plan, err
	}
	return s.run(ctx)
}

// begin prepares a search.
func (s *search) begin(config *Config, snap *Snapshot, req *Request) error {
	if err := s.attempt.begin(config, snap, req.Pod, req.Now); err != nil {
		return err
	}
	s.asks = amountRow{asksNothing, asksNothing, asksNothing}
	s.all = len(s.own) > 0
	for i := range s.needs {
		if at := s.needs[i].column; at >= 0 {
			s.asks[at] = s.needs[i].value
		} else {
			s.all = true
		}
	}
	s.choosy = s.onlyNamed || s.pod.NodeName != "" || len(s.pod.NodeSelector) > 0 || s.pod.Affinity.Node != nil
	s.rest = s.all || !s.resourcesAlone
	s.wary = s.choosy || s.rest
	s.stirred = s.stir(s.stirred[:0])
	if n := len(snap.order); cap(s.verdicts) < n {
		s.verdicts = make([]verdict, n)
	} else {
		s.verdicts = s.verdicts[:n]
	}
	s.hire(max(1, config.Workers))
	return nil
}

// stir finds out which nodes have pods that spread and affinity count.
func (s *search) stir(stirred []bool) []bool {
	if s.spread == nil && s.inter == nil {
		return stirred
	}
	stirred = fill(stirred, len(s.snap.nodes), false)
	s.snap.kinds.each(func(_ string, m *members) {
		if s.spread != nil && len(s.spread.parts.of(m.kind)) > 0 || s.inter != nil && len(s.inter.parts.of(m.kind)) > 0 {
			for slot := range m.nodes {
				stirred[slot] = true
			}
		}
	})
	return stirred
}

// hire prepares the workers, with those of earlier calls first.
func (s *search) hire(workers int) {
	s.board.clear()
	s.hunters = slices.Grow(s.hunters[:0], workers)[:workers]
	for i, h := range s.hunters {
		if h == nil {
			h = &hunter{}
			h.start = h.help
			s.hunters[i] = h
		}
		*h = hunter{
			search: s, index: i, start: h.start, w: h.w,
			before: answers{others: h.before.others[:0]}, after: answers{others: h.after.others[:0]},
			top: math.MaxInt32, few: math.MaxUint16, best: found{place: -1}, told: -1, allowed: math.MaxInt64,
			left: h.left, leftOf: h.leftOf, violates: h.violates,
		}
		h.w.begin(&s.attempt)
		if h.leftOf != s.snap.budgets {
			h.leftOf, h.left = s.snap.budgets, h.left[:0]
			for _, b := range s.snap.budgets.list {
				h.left = append(h.left, int64(b.Allowed))
			}
		}
	}
}

// release gives the memory back, and lets go of all that was lent.
func (s *search) release() {
	s.hunters = s.hunters[:cap(s.hunters)]
	for _, h := range s.hunters {
		if h != nil {
			h.w.end()

			clear(h.before.others)
			clear(h.after.others)
		}
	}
	clear(s.tally)
	s.attempt = attempt{needs: s.needs[:0]}
	searches.Put(s)
}

func (s *search) run(ctx context.Context) (*Plan, error) {
	defer s.dismiss()
	if err := s.each(ctx, (*hunter).lookAt); err != nil {
		return nil, err
	}
	plan := s.open()
	if plan.Outcome != Preempt {
		return plan, nil
	}
	// The most promising nodes first: what they come to rules most others out.
	for _, visit := range []func(*hunter, int, int){(*hunter).chaseFirstAt, (*hunter).chaseNextAt, (*hunter).chaseAt} {
		s.gather()
		if err := s.each(ctx, visit); err != nil {
			return nil, err
		}
	}
	s.close(plan, s.board.best)
	return plan, nil
}

// gather brings together what the hunters have found.
func (s *search) gather() {
	s.top, s.few = math.MaxInt32, math.MaxUint16
	for _, h := range s.hunters {
		if h.top < s.top || h.top == s.top && h.few < s.few {
			s.top, s.few = h.top, h.few
		}
		h.keep(s.board.best)
		h.top, h.few = math.MaxInt32, math.MaxUint16
	}
}

func (s *search) nodeAt(place int) *nodeState { return s.snap.nodes[s.snap.order[place]] }
