package preemption

import "sort"

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
