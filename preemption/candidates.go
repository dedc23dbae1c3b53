package preemption

import (
	"cmp"
	"slices"
)

// findCandidates looks for victims on the nodes where the loss of pods may help, and ends once a sample has
// found enough (group 10.1). It writes what it finds into the answers.
//
// internal/proof/candidates.dfy proves that no loss of pods makes room on a node that is no candidate
// (NobodyElseHelps).
func (a *attempt) findCandidates(answers []answer, offset int) error {
	// Only Unschedulable nodes are tried: on any other the loss of pods is not needed or cannot help (rule
	// 7.1.2).
	var tried []int
	for i := range answers {
		if answers[i].before.Code == Unschedulable {
			tried = append(tried, i)
		}
	}

	sample := a.sampleOf(len(tried))
	for _, i := range sample.inTurn(tried, offset) {
		one := &answers[i]
		candidate, status, err := a.selectVictims(one.site)
		if err != nil {
			return err
		}
		one.tried, one.after = true, status
		if status.Code != Success {
			continue
		}

		// A node whose candidate is dropped counts as not tried: Plan.Unhelpful is about nodes where preemption
		// does not help, and here it does (rules 10.1.4 and 10.1.5).
		one.candidate = candidate
		if !sample.keeps(candidate) {
			*one = answer{site: one.site, before: one.before}
		}
		if sample.ends() {
			break
		}
	}
	return nil
}

// sampling counts the candidates that were found, to end the search once there are enough.
type sampling struct {
	// enough is the number of candidates that ends the search.
	enough int
	// free counts the candidates that violate no budget, violating the others.
	free, violating int
	// everything is set if every node is tried. The other fields are then unused.
	everything bool
}

// sampleOf begins a sample of the nodes that are tried: a part of them, at least a minimum, and never more
// than there are (rules 10.1.2 and 10.1.5).
func (a *attempt) sampleOf(nodes int) *sampling {
	if a.config.Sample == nil {
		return &sampling{everything: true}
	}

	// In the settings 0 means the default, and below 0 means none.
	s := *a.config.Sample
	percent := max(0, cmp.Or(s.Percent, 10))
	minimum := max(0, cmp.Or(s.Minimum, 100))
	return &sampling{enough: min(nodes, max(minimum, nodes*percent/100))}
}

// inTurn puts the nodes into the order in which they are tried: from the offset on to the last, then from
// the first (rule 10.1.1).
func (s *sampling) inTurn(nodes []int, offset int) []int {
	if s.everything || len(nodes) == 0 {
		return nodes
	}

	first := (offset%len(nodes) + len(nodes)) % len(nodes) // an offset may be below 0
	return slices.Concat(nodes[first:], nodes[:first])
}

// keeps counts a candidate, and reports whether the sample keeps it. It keeps no more candidates that
// violate a budget than are enough, and none at all where 0 are enough (rules 10.1.4 and 10.1.5).
func (s *sampling) keeps(c *Candidate) bool {
	switch {
	case s.everything:
		return true
	case s.enough == 0:
		return false
	case c.Score.Violations == 0:
		s.free++
		return true
	case s.violating == s.enough:
		return false
	}
	s.violating++
	return true
}

// ends reports whether there are enough candidates, and one of them violates no budget (rule 10.1.3).
func (s *sampling) ends() bool { return s.free > 0 && s.free+s.violating >= s.enough }
