package preemption

import (
	"fmt"
	"hash/fnv"

	"github.com/outrank-go/outrank"
)

// Sample limits the search as kube-scheduler does: it stops once it has found
// enough candidates, at least one of them free of budget violations (group
// 10.1; DryRunPreemption). The zero value is the reference's default, max(10 %
// of the nodes where preemption may help, 100).
//
// The search goes through those nodes in the order of the cluster, from an
// offset that the reference draws at random, and begins again at the front.
type Sample struct {
	// Percent of the nodes, and at least Minimum, are enough candidates. Zero
	// means 10 and 100 (minCandidateNodesPercentage and
	// minCandidateNodesAbsolute), unless Explicit is set.
	Percent, Minimum int
	// Explicit means that Percent and Minimum count as they stand, a zero too, as
	// in DefaultPreemptionArgs that name them. Both zero is an error. A Minimum of
	// zero lets the reference drop every candidate where Percent of the nodes is
	// less than one (rule 10.1.5).
	Explicit bool
	// Offset is the index of the first node to try, modulo the number of nodes.
	Offset int
	// Seed, if it is not zero, and the preemptor's name determine the offset in
	// place of Offset.
	Seed uint64
	// Of, if it is set, says for so many nodes where preemption may help at which of
	// them to begin, and how many candidates are enough (GetOffsetAndNumCandidates). The
	// other fields are not looked at. Below 0 counts as 0, and the offset goes by the
	// number of nodes. Several goroutines may call it at once.
	Of func(nodes int) (offset, candidates int)
}

func (s *Sample) problems() []outrank.Problem {
	var ps []outrank.Problem
	add := func(field string, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: fmt.Sprintf(format, args...)})
	}
	if s.Percent < 0 || s.Percent > 100 {
		add("Sample.Percent", "%d is not between 0 and 100", s.Percent)
	}
	if s.Minimum < 0 {
		add("Sample.Minimum", "%d is negative", s.Minimum)
	}
	if s.Explicit && s.Percent == 0 && s.Minimum == 0 {
		add("Sample.Percent", "0 at the same time as Sample.Minimum")
	}
	if s.Offset < 0 {
		add("Sample.Offset", "%d is negative", s.Offset)
	}
	return ps
}

// enough returns how many candidates of n nodes end the search.
func (s *Sample) enough(n int) int {
	if s.Of != nil {
		_, candidates := s.Of(n)
		return min(max(0, candidates), n)
	}
	percent, minimum := s.Percent, s.Minimum
	if percent == 0 && !s.Explicit {
		percent = 10
	}
	if minimum == 0 && !s.Explicit {
		minimum = 100
	}
	return min(max(n*percent/100, minimum), n)
}

// start is where among n nodes the search begins.
func (s *Sample) start(n int, key outrank.Key) int {
	if s.Of != nil {
		offset, _ := s.Of(n)
		return max(0, offset) % n
	}
	if s.Seed == 0 {
		return s.Offset % n
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", s.Seed, key)
	return int(h.Sum64() % uint64(n))
}
