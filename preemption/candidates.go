package preemption

import "slices"

// findCandidates looks for victims on the nodes where the loss of pods may help, and ends once a sample
// has found enough (group 10.1).
func (a *attempt) findCandidates(answers []answer, offset int) error {
	var tried []int
	for i := range answers {
		if answers[i].before.Code == Unschedulable {
			tried = append(tried, i) // rule 7.1.2
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

// sampling is how many candidates end the search, and how many there are.
type sampling struct {
	enough          int
	free, violating int
	// everything is set where no sample ends the search.
	everything bool
}

// sampleOf is the sample among so many nodes that are tried: a part of them and at least a minimum, and
// never more than there are (rules 10.1.2 and 10.1.5).
func (a *attempt) sampleOf(nodes int) *sampling {
	s := a.config.Sample
	if s == nil {
		return &sampling{everything: true}
	}
	percent, minimum := s.Percent, s.Minimum
	if percent == 0 {
		percent = 10
	}
	if minimum == 0 {
		minimum = 100
	}
	return &sampling{enough: min(nodes, max(0, minimum, nodes*max(0, percent)/100))}
}

// inTurn puts the nodes that are tried in the order in which they are: from the offset on, and round
// (rule 10.1.1).
func (s *sampling) inTurn(nodes []int, offset int) []int {
	if s.everything || len(nodes) == 0 {
		return nodes
	}
	first := (offset%len(nodes) + len(nodes)) % len(nodes)
	return slices.Concat(nodes[first:], nodes[:first])
}

// keeps counts a candidate, and reports whether there is room for it: for no more than enough of those
// that violate a budget, and for none at all where none are enough (rules 10.1.4 and 10.1.5).
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

// ends reports whether there are enough, one of which violates no budget (rule 10.1.3).
func (s *sampling) ends() bool { return s.free > 0 && s.free+s.violating >= s.enough }
