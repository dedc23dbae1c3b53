package reference

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
)

// Variant is what a configuration changes about the decision beside the filters: a
// variant (chapter 13), rules of the caller, a sample of the nodes (group 10.1). The
// zero value changes nothing.
type Variant struct {
	// MayEvict says who may be a victim at all; nil means anybody.
	MayEvict func(p *outrank.Pod) bool
	// MayPreempt says in place of chapter 8 why the preemptor may not preempt; nil agrees.
	MayPreempt func(nominated Status, rule string) string
	// MayTake says who may be a victim in place of lower priority (rule 13.6.1); nil means
	// lower priority.
	MayTake func(p *outrank.Pod) bool
	// Guard says whether these pods may be gone together (rule 13.6.2); nil lets any.
	Guard func(gone []*outrank.Pod) Status
	// Importance is asked before the order of importance; nil is silent.
	Importance func(p, q *outrank.Pod) int
	// Score compares candidates in place of the ranks, the highest first; nil means
	// the ranks.
	Score func(c Candidate) int64
	// Own is a further filter, behind all others, that looks at the node alone; nil
	// means none.
	Own func(n *outrank.Node) Status
	// Statuses are what nodes said elsewhere, in place of the filters; nil means that
	// the filters are asked. A node without one was never filtered.
	Statuses map[string]Status
	// Sample, if not nil, ends the search early.
	Sample *Sample

	// The fields of the variants: without reprieve (13.3.1), importance without the
	// start (13.2.1), pods without a priority as victims (13.3.3), one run of the
	// filters (13.3.2), one violation for each budget (13.3.5), budgets as they stand
	// (13.2.2), empty selectors and pods without labels (13.3.6), Never not looked at
	// (13.2.4), waiting as in 13.2.5 and 13.3.7.
	Ascending, IgnoreStart, EvictUnprioritized, FilterOnce, PerBudget, Uncharged, EmptySelectors, ClearAlways, NominatedInTurn bool
	// Strict never violates a budget, and VictimsAlone charges budgets for the victims
	// alone (group 13.5).
	Strict, VictimsAlone                                bool
	IgnoreNever, WaitForTerminating, WaitWhileNominated bool
	// Of v1.13: the first victim is read as the highest (13.2.3), a node without a status is
	// tried (13.2.10), and one on which nobody has to leave is taken at once (13.2.11). Of
	// the simplified form: budgets count a pod twice (13.3.11).
	ReadFirst, TryUnasked, TakeFree, CountTwice bool
}

// Sample is an early end of the search: of so many nodes to be tried it begins at the one
// with the number Offset, and Enough candidates are enough.
type Sample struct {
	Offset, Enough func(nodes int) int
}

// Contradiction is the code of a node on which nobody has to leave after all. That
// comes of statuses that were found elsewhere.
const Contradiction = UnschedulableAndUnresolvable + 1

// neverFiltered is the status of a node that nobody asked.
var neverFiltered = unresolvable("", "the node was not filtered")

// inTurn are the nodes of a sample in the order in which they are tried.
func (s *Sample) inTurn(nodes []*outrank.Node) []*outrank.Node {
	if s == nil || len(nodes) == 0 {
		return nodes
	}
	first := s.Offset(len(nodes)) % len(nodes)
	return slices.Concat(nodes[first:], nodes[:first])
}

// selectVictimsOn tries the nodes until there are enough candidates, one of which
// violates no budget (rules 10.1.2 to 10.1.5). It returns the candidates in the order
// of the nodes.
func (a *attempt) selectVictimsOn(nodes []*outrank.Node, d *Decision) {
	sample := a.variant.Sample
	enough := len(nodes)
	if sample != nil {
		enough = sample.Enough(len(nodes))
	}
	free, violating := 0, 0
	for _, n := range sample.inTurn(nodes) {
		c, status := a.selectVictims(n)
		switch {
		case status.Code != Success:
			d.NonCandidates[n.Name] = status
			continue
		case enough == 0:
			continue // the list has no room at all
		case c.Violations == 0:
			free++
		case violating == enough:
			continue // the list of these is full
		default:
			violating++
		}
		d.Candidates = append(d.Candidates, c)
		if free > 0 && free+violating >= enough {
			break
		}
	}
	slices.SortFunc(d.Candidates, func(c, e Candidate) int {
		return cmp.Compare(a.position(c.Node), a.position(e.Node))
	})
}

func (a *attempt) position(node string) int {
	return slices.IndexFunc(a.cluster.Nodes, func(n *outrank.Node) bool { return n.Name == node })
}

// removeAscending takes the possible victims away, the least important first, until
// the preemptor fits (rule 13.3.1). Those taken away are the victims.
func (a *attempt) removeAscending(s *scene, possible []*unit) ([]*unit, Status) {
	var gone []*unit
	status := s.fitsBesideNominated()
	for _, u := range slices.Backward(possible) {
		s = s.removeUnit(u)
		gone = append(gone, u)
		if status = s.fitsBesideNominated(); status.Code == Success {
			break
		}
	}
	return gone, status
}

// violationsOf counts what pods that leave in this order violate: each that violates
// any budget once, or once for each budget.
func (v *Variant) violationsOf(broken map[*outrank.Pod]int, victims []*outrank.Pod) int {
	count := 0
	for _, p := range victims {
		if v.PerBudget {
			count += broken[p]
		} else {
			count += min(1, broken[p])
		}
	}
	return count
}

// waits reports whether an earlier preemption keeps the preemptor waiting, by the
// rules of a variant.
func (a *attempt) waits(filter map[string]Status) bool {
	node := a.nomination()
	status, there := filter[node]
	switch {
	case node == "":
		return false
	case a.variant.WaitWhileNominated:
		return !there || status.Code != UnschedulableAndUnresolvable
	case a.variant.WaitForTerminating:
		return slices.ContainsFunc(a.running[node], func(p *outrank.Pod) bool { return there && a.mayPreempt(p) && p.Terminating() })
	}
	return a.waitsForVictims(filter)
}

// unbeatenByScore keeps the candidates with the highest score of the caller's.
func (v *Variant) unbeatenByScore(candidates []Candidate) []Candidate {
	var left []Candidate
	for _, c := range candidates {
		if len(left) > 0 && v.Score(c) < v.Score(left[0]) {
			continue
		}
		if len(left) > 0 && v.Score(c) > v.Score(left[0]) {
			left = nil
		}
		left = append(left, c)
	}
	return left
}
