// Package brief answers which parts of a long decision are worth writing down: the best
// candidates and, for each answer, the first nodes that give it, with the number of the rest.
package brief

import (
	"fmt"
	"math"

	"github.com/outrank-go/outrank/preemption"
)

// All is no limit of a list.
const All = math.MaxInt

const (
	// Usual is the usual limit: of candidates, and of nodes that give the same answer.
	Usual = 20
	// mostReported is the most nodes, whatever they answer. This bound and the next one hold unless
	// somebody asks for more than usual.
	mostReported = 500
	// mostCandidateVictims is the most victims of all candidates together, apart from
	// those of the first one.
	mostCandidateVictims = 300
)

// LeftOut counts the entries that the lists of a decision lack.
type LeftOut struct {
	// Candidates counts candidates, which rank behind those in the list. Nodes counts nodes of the
	// cluster that have no report of their own; turnedDown, unhelpful and feasible count them, too.
	Candidates int `json:"candidates"`
	Nodes      int `json:"nodes"`
}

// Of returns the decision with at most list candidates, and list nodes of each answer, or all of it
// if list is [All]. left is nil if nothing is left out. The decision itself stays as it is, and
// shares everything with the result.
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

// bestOf counts the candidates that are kept. The victims of the first one, which may be the chosen one,
// do not count.
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

// firstOfEach are the nodes that are kept, in the cluster's order: the chosen one, and the
// first nodes that give each answer.
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
			// A node on which preemption was tried gives two answers.
			answer += fmt.Sprint(" tried ", *n.AfterRemoval)
		}

		if known[answer]++; known[answer] <= list && (len(kept) < mostReported || list > Usual) {
			kept = append(kept, *n)
		}
	}
	return kept
}
