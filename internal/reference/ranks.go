package reference

import (
	"cmp"
	"math/big"
	"time"
)

// rank compares two candidates by one measure; negative if the first is better.
type rank func(c, d Candidate, now time.Time) int

// ranks are asked in turn, each only about those the ranks before left equal
// (chapter 11). Victims are in order of importance, so the first is the most
// important.
var ranks = []rank{
	fewestViolations,
	lowestTopVictim,
	lowestSum,
	fewestVictims,
	latestStart,
}

// best is the node that the ranks leave; of several, the first.
func best(candidates []Candidate, now time.Time) string {
	left := candidates
	for _, r := range ranks {
		left = unbeaten(left, r, now)
	}
	if len(left) == 0 {
		return ""
	}
	return left[0].Node
}

// unbeaten keeps the candidates that no other one is better than.
func unbeaten(candidates []Candidate, r rank, now time.Time) []Candidate {
	var left []Candidate
	for _, c := range candidates {
		beaten := false
		for _, d := range candidates {
			if r(d, c, now) < 0 {
				beaten = true
			}
		}
		if !beaten {
			left = append(left, c)
		}
	}
	return left
}

func fewestViolations(c, d Candidate, _ time.Time) int {
	return cmp.Compare(c.Violations, d.Violations)
}

func lowestTopVictim(c, d Candidate, _ time.Time) int {
	return cmp.Compare(c.Victims[0].PriorityValue(), d.Victims[0].PriorityValue())
}

func lowestSum(c, d Candidate, _ time.Time) int {
	return c.prioritySum().Cmp(d.prioritySum())
}

// prioritySum shifts every priority by 2^31, so that a victim never makes the
// sum smaller.
func (c Candidate) prioritySum() *big.Int {
	sum := new(big.Int)
	for _, p := range c.Victims {
		sum.Add(sum, big.NewInt(int64(p.PriorityValue())+1<<31))
	}
	return sum
}

func fewestVictims(c, d Candidate, _ time.Time) int {
	return cmp.Compare(len(c.Victims), len(d.Victims))
}

func latestStart(c, d Candidate, now time.Time) int {
	return d.topStart(now).Compare(c.topStart(now))
}

// topStart is the earliest start among the victims of the highest priority.
func (c Candidate) topStart(now time.Time) time.Time {
	earliest := startOf(c.Victims[0], now)
	for _, p := range c.Victims {
		if p.PriorityValue() != c.Victims[0].PriorityValue() {
			continue
		}
		if start := startOf(p, now); start.Before(earliest) {
			earliest = start
		}
	}
	return earliest
}
