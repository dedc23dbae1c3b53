package explain

import (
	"cmp"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// choice explains why the first candidate is the best.
func (f *finder) choice(ex *preemption.Plan) *Choice {
	c := &Choice{Contender: f.contender(&ex.Candidate), Candidates: len(ex.Candidates)}
	if len(ex.Candidates) < 2 {
		return c
	}
	c.DecidedBy = cmp.Or(ex.DecidedBy, rank.NodeOrder)
	c.RunnerUp = f.contender(&ex.Candidates[1])
	c.Rounds = f.rounds(ex)
	return c
}

// contender converts a candidate for a report.
func (f *finder) contender(c *preemption.Candidate) Contender {
	return Contender{c.Node, scoreOf(c), listOf(budgetKeys(c.Victims), f.most)}
}

// rounds counts, after each rank, the candidates that still equal the chosen one.
func (f *finder) rounds(ex *preemption.Plan) []Round {
	left := make([]*preemption.Candidate, len(ex.Candidates))
	for i := range left {
		left[i] = &ex.Candidates[i]
	}

	var out []Round
	for _, r := range f.ranks() {
		left = slices.DeleteFunc(left, func(c *preemption.Candidate) bool { return !equalBy(r, &c.Score, &ex.Score) })
		out = append(out, Round{r.Name, len(left)})
		if r.Name == ex.DecidedBy {
			break
		}
	}
	return out
}

// ranks returns the ranks of the configuration, in their order.
func (f *finder) ranks() []preemption.Rank {
	if f.config.Ranks == nil {
		return preemption.DefaultRanks()
	}
	return f.config.Ranks
}

// equalBy reports whether two candidates are equal in one rank.
func equalBy(r preemption.Rank, a, b *preemption.Score) bool {
	order, _ := a.Compare(*b, []preemption.Rank{r})
	return order == 0
}

// lostBy returns the name of the rank by which a candidate loses: the first in which it differs from the best one, or
// "node-order" if there is none.
func (f *finder) lostBy(ex *preemption.Plan, c *preemption.Candidate) string {
	for _, r := range f.ranks() {
		if !equalBy(r, &c.Score, &ex.Candidates[0].Score) {
			return r.Name
		}
	}
	return rank.NodeOrder
}

// scoreOf returns a copy of a candidate's score that shares nothing with the plan. Its start is in UTC, as in the JSON of
// a report.
func scoreOf(c *preemption.Candidate) preemption.Score {
	s := c.Score
	s.Start, s.Own = s.Start.UTC(), maps.Clone(s.Own)
	return s
}

// budgetKeys lists the budgets that victims violate, each once.
func budgetKeys(victims []preemption.Victim) []outrank.Key {
	var out []outrank.Key
	known := map[*outrank.PodDisruptionBudget]bool{}
	for i := range victims {
		for _, b := range victims[i].Violated {
			if !known[b] {
				known[b] = true
				out = append(out, b.Key())
			}
		}
	}
	return out
}
