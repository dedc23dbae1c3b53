package dryrun

import (
	"fmt"
	"hash/fnv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

func sampleProblems(s *preemption.Sample) []outrank.Problem {
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

// EnoughOf returns how many candidates of n nodes end the search.
func EnoughOf(s *preemption.Sample, n int) int {
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

// StartOf is where among n nodes the search begins.
func StartOf(s *preemption.Sample, n int, key outrank.Key) int {
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
