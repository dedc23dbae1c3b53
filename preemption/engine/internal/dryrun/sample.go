package dryrun

import (
	"cmp"

	"github.com/outrank-go/outrank/preemption"
)

// EnoughOf returns the number of candidates that ends a search over n nodes (rule 10.1.2).
func EnoughOf(s *preemption.Sample, n int) int {
	percent, minimum := max(0, cmp.Or(s.Percent, 10)), max(0, cmp.Or(s.Minimum, 100))
	return min(max(n*percent/100, minimum), n)
}

// StartOf returns the index among n nodes at which the search starts for an offset, which may be negative.
func StartOf(offset, n int) int { return (offset%n + n) % n }

// sampled counts the candidates of a sample: those free of violations, and those with violations.
type sampled struct {
	enough, free, violating int
}

// keeps counts a candidate with this many violations, and reports whether the sample keeps it. The sample
// keeps at most enough candidates with violations (rule 10.1.4), and no candidate at all if enough is 0 (rule
// 10.1.5).
func (s *sampled) keeps(violations int) bool {
	switch {
	case s.enough == 0:
		return false
	case violations == 0:
		s.free++
	case s.violating < s.enough:
		s.violating++
	default:
		return false
	}
	return true
}

// ends reports whether the sample has enough candidates, at least one of them free of violations (rule
// 10.1.3).
func (s *sampled) ends() bool { return s.free > 0 && s.free+s.violating >= s.enough }
