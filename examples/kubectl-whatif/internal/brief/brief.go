// Package brief answers which parts of a long decision are worth writing down: the best candidates and, for
// each answer of a node, the first nodes that give it, with the number of the rest.
package brief

import (
	"fmt"
	"math"

	"github.com/outrank-go/outrank/preemption"
)

// All as the limit of a list means no limit.
const All = math.MaxInt

const (
	// Usual is the usual limit of candidates, and of nodes that give the same answer.
	Usual = 20
	// mostReported is the most nodes in total. This bound and the next one hold unless more than usual is asked
	// for.
	mostReported = 500
	// mostCandidateVictims is the most victims of all candidates together, apart from
	// those of the first one.
	mostCandidateVictims = 300
)

// LeftOut counts the entries that are missing in the lists of a decision.
type LeftOut struct {
	// Candidates counts the candidates left out, which rank after those in the list. Nodes counts the nodes
	// without a report of their own; turnedDown, unhelpful and feasible count them nevertheless.
	Candidates int `json:"candidates"`
	Nodes      int `json:"nodes"`
}

// Of returns the decision with at most list candidates, and at most list nodes for each answer, or all of it if
// list is [All]. left is nil if nothing is left out. The decision itself does not change, and shares its
// contents with the result.
func Of(e *preemption.Plan, list int) (brief *preemption.Plan, left *LeftOut) {
	if list == All {
		return e, nil
	}

	cut := *e
	cut.Unhelpful = Unhelpful(e)
	cut.Candidates = e.Candidates[:bestOf(e.Candidates, list)]
	cut.Nodes = firstOfEach(e, list)

	if left = (&LeftOut{len(e.Candidates) - len(cut.Candidates), len(e.Nodes) - len(cut.Nodes)}); *left == (LeftOut{}) {
		return e, nil
	}
	return &cut, left
}

// bestOf returns how many candidates are kept. The victims of the first one are not counted, because it may be
// the chosen one.
func bestOf(all []preemption.Candidate, list int) int {
	victims := 0
	for i := range all {
		if i > 0 {
			victims += len(all[i].Victims)
		}
		if i >= list || victims > mostCandidateVictims && list <= Usual {
			return i
		}
	}
	return len(all)
}

// firstOfEach returns the nodes that are kept, in the order of the cluster: the chosen one, and the first nodes
// that give each answer.
func firstOfEach(e *preemption.Plan, list int) []preemption.NodeReport {
	known := map[string]int{}
	kept := []preemption.NodeReport{}
	for i := range e.Nodes {
		n := &e.Nodes[i]
		if e.Node != "" && n.Node == e.Node {
			kept = append(kept, *n)
			continue
		}

		answer := fmt.Sprint(n.Status)
		if n.AfterRemoval != nil {
			// A node on which preemption was tried gives a second answer.
			answer += fmt.Sprint(" tried ", *n.AfterRemoval)
		}

		if known[answer]++; known[answer] <= list && (len(kept) < mostReported || list > Usual) {
			kept = append(kept, *n)
		}
	}
	return kept
}
