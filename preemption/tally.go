package preemption

import (
	"bytes"
	"cmp"
	"slices"
)

// shortage is what a node is short of: a bit for each column, one for a place
// in the pod count, and one where even the empty node would be short.
type shortage uint8

const (
	tooManyPods  shortage = 1 << len(standard)
	unresolvable shortage = 2 << len(standard)
	shortages             = 4 << len(standard)
)

// status is what NodeResourcesFit says of a shortage.
func (s *search) statusOf(of shortage) status {
	st := status{code: Unschedulable, by: byResources, tooMany: of&tooManyPods != 0}
	for i := range s.needs {
		if at := s.needs[i].column; at >= 0 && of&(1<<at) != 0 {
			st.short |= 1 << i
		}
	}
	if of&unresolvable != 0 {
		st.code = UnschedulableAndUnresolvable
	}
	return st
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

func (s *search) bestOf() found {
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
func (s *search) open() *Plan {
	p := &Plan{Pod: s.pod, Outcome: Preempt}
	t := s.tally[:0]
	for _, h := range s.hunters {
		p.Feasible += h.feasible
		t = s.addShortages(t, &h.turned)
		for _, other := range h.others {
			t.add(other.status, other.nodes)
		}
	}
	p.TurnedDown = s.counts(t)
	s.tally = t
	p.Ineligible = s.eligible(s.codeOf)
	switch {
	case p.Feasible > 0:
		p.Outcome = Fits
	case p.Ineligible != Eligible:
		p.Outcome = NotEligible
	}
	return p
}

func (s *search) addShortages(t tally, of *[shortages]int) tally {
	for key, nodes := range of {
		if nodes > 0 {
			t.add(s.statusOf(shortage(key)), nodes)
		}
	}
	return t
}

// codeOf asks a single node.
func (s *search) codeOf(node string) (Code, bool) {
	n := s.snap.node(node)
	if n == nil || n.node == nil {
		return Success, false
	}
	return s.hunters[0].w.filter(n).code, true
}

// close ends the plan with the best candidate, worked out in the general way.
func (s *search) close(p *Plan, best found) {
	t := s.tally[:0]
	for _, h := range s.hunters {
		t = s.addShortages(t, &h.unhelpful)
		if h.noVictims > 0 {
			t.add(status{code: UnschedulableAndUnresolvable, by: byNone, text: noVictimsText}, h.noVictims)
		}
		for _, other := range h.after {
			t.add(other.status, other.nodes)
		}
	}
	p.Unhelpful = s.counts(t)
	s.tally = t
	if best.place < 0 {
		p.Outcome = NothingHelps
		return
	}
	n, w := s.nodeAt(best.place), &s.hunters[0].w
	possible, _ := w.dryRun(n)
	p.Candidate, p.Grace = w.candidate(possible), s.config.Policy.Grace
	p.ClearedNominations = s.clearedNominations(n)
}

// counts makes the texts, the most frequent status first.
func (a *attempt) counts(t tally) []Count {
	if len(t) == 0 {
		return nil
	}
	out := make([]Count, 0, len(t))
	for i := range t {
		out = append(out, Count{Status: a.public(t[i].status), Nodes: t[i].nodes})
	}
	sortCounts(out)
	return out
}

func sortCounts(cs []Count) {
	slices.SortStableFunc(cs, func(a, b Count) int {
		if c := cmp.Compare(b.Nodes, a.Nodes); c != 0 {
			return c
		}
		var space [2][256]byte
		if c := bytes.Compare(a.Status.appendText(space[0][:0]), b.Status.appendText(space[1][:0])); c != 0 {
			return c
		}
		return cmp.Compare(a.Code, b.Code)
	})
}
