package dryrun

import (
	"cmp"

	"github.com/outrank-go/outrank/preemption"
)

// EnoughOf returns how many candidates of n nodes end the search.
func EnoughOf(s *preemption.Sample, n int) int {
	percent, minimum := max(0, cmp.Or(s.Percent, 10)), max(0, cmp.Or(s.Minimum, 100))
	return min(max(n*percent/100, minimum), n)
}

// StartOf is where among n nodes the search begins for an offset.
func StartOf(offset, n int) int { return (offset%n + n) % n }
