package reference

import (
	"cmp"
	"math"
	"math/big"
	"time"

	"github.com/outrank-go/outrank"
)

// Rank compares two candidates by one measure; negative if the first is better. Ranks are asked in
// turn, each only about those that the ranks before left equal (chapter 11). Victims are in order of
// importance, so the first is the most important.
type Rank func(c, d Candidate, in Input) int

// best is the node that the ranks leave; of several, the first.
func best(candidates []Candidate, in Input) string {
	order := in.Ranks
	if order == nil {
		order = []Rank{FewestViolations, LowestTopVictim, LowestSum, FewestVictims, LatestStart}
	}
	left := candidates
	for _, c := range candidates {
		if in.Variant.TakeFree && len(c.Victims) == 0 {
			return c.Node
		}
	}
	for _, r := range order {
		left = unbeaten(left, r, in)
	}
	if len(left) == 0 {
		return ""
	}
	return left[0].Node
}

// unbeaten keeps the candidates that no other one is better than.
func unbeaten(candidates []Candidate, r Rank, in Input) []Candidate {
	var left []Candidate
	for _, c := range candidates {
		beaten := false
		for _, d := range candidates {
			if r(d, c, in) < 0 {
				beaten = true
			}
		}
		if !beaten {
			left = append(left, c)
		}
	}
	return left
}

// FewestViolations is the rank of rule 11.2.
func FewestViolations(c, d Candidate, _ Input) int {
	return cmp.Compare(c.Violations, d.Violations)
}

// LowestTopVictim is the rank of rule 11.3.
func LowestTopVictim(c, d Candidate, _ Input) int {
	return cmp.Compare(c.Top, d.Top)
}

// LowestSum is the rank of rule 11.4.
func LowestSum(c, d Candidate, _ Input) int {
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

// FewestVictims is the rank of rule 11.5.
func FewestVictims(c, d Candidate, _ Input) int {
	return cmp.Compare(len(c.Victims), len(d.Victims))
}

// LatestStart is the rank of rule 11.6.
func LatestStart(c, d Candidate, in Input) int {
	return d.topStart(in.Now).Compare(c.topStart(in.Now))
}

// topStart is the earliest start among the victims of the highest priority, which is
// that of the first unless the caller has an order of its own.
func (c Candidate) topStart(now time.Time) time.Time {
	if len(c.Victims) == 0 {
		return time.Time{}
	}
	highest := c.Victims[0]
	for _, p := range c.Victims {
		earlier := startOf(p, now).Before(startOf(highest, now))
		if p.PriorityValue() > highest.PriorityValue() || p.PriorityValue() == highest.PriorityValue() && earlier {
			highest = p
		}
	}
	return startOf(highest, now)
}

// LowestCost is a rank by what the victims cost (rule 11.10).
func LowestCost(of func(victim *outrank.Pod) int64) Rank {
	return func(c, d Candidate, _ Input) int { return c.cost(of).Cmp(d.cost(of)) }
}

// cost sums the costs of the victims, each of them at least 0, up to the largest
// int64.
func (c Candidate) cost(of func(victim *outrank.Pod) int64) *big.Int {
	sum, most := new(big.Int), big.NewInt(math.MaxInt64)
	for _, p := range c.Victims {
		if cost := of(p); cost > 0 {
			sum.Add(sum, big.NewInt(cost))
		}
	}
	if sum.Cmp(most) > 0 {
		return most
	}
	return sum
}

// LowestFigure is a rank by a figure of candidates (rule 11.8).
func LowestFigure(of func(c Candidate) int64) Rank {
	return func(c, d Candidate, _ Input) int { return cmp.Compare(of(c), of(d)) }
}
