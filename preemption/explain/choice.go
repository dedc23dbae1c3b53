package explain

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// choice says why the first candidate is the best.
func (f *finder) choice(ex *preemption.Plan) *Choice {
	c := &Choice{
		Node: ex.Node, Candidates: len(ex.Candidates), Score: scoreOf(&ex.Candidate), DecidedBy: ex.DecidedBy,
	}
	if len(ex.Candidates) < 2 {
		return c
	}
	second := &ex.Candidates[1]
	score := scoreOf(second)
	c.RunnerUp, c.RunnerUpScore = second.Node, &score
	c.RunnerUpBudgets = cut(budgetKeys(second.Victims), f.most, &c.MoreRunnerUpBudgets)
	if len(f.config.Scorers) == 0 {
		c.Rounds = f.rounds(ex)
	}
	return c
}

// rounds counts after each rank the candidates that are as good as the first.
func (f *finder) rounds(ex *preemption.Plan) []Round {
	left := make([]*preemption.Candidate, len(ex.Candidates))
	for i := range left {
		left[i] = &ex.Candidates[i]
	}
	var out []Round
	for _, rank := range f.ranks() {
		left = slices.DeleteFunc(left, func(c *preemption.Candidate) bool { return !equalBy(rank, &c.Score, &ex.Score) })
		out = append(out, Round{rank, len(left)})
		if rank == ex.DecidedBy {
			break
		}
	}
	return out
}

// ranks are those of the configuration.
func (f *finder) ranks() []preemption.Rank {
	if f.config.Ranks == nil {
		return preemption.DefaultRanks()
	}
	return f.config.Ranks
}

// equalBy reports whether two candidates are equal in one rank.
func equalBy(rank preemption.Rank, a, b *preemption.Score) bool {
	order, _ := a.Compare(*b, rank)
	return order == 0
}

// lostBy returns the rank by which a candidate loses against the first.
func (f *finder) lostBy(ex *preemption.Plan, c *preemption.Candidate) preemption.Rank {
	if len(f.config.Scorers) > 0 {
		if slices.Equal(c.OwnScores, ex.Candidates[0].OwnScores) {
			return preemption.ByNodeOrder
		}
		return preemption.ByOwnScore
	}
	for _, rank := range f.ranks() {
		if !equalBy(rank, &c.Score, &ex.Candidates[0].Score) {
			return rank
		}
	}
	return preemption.ByNodeOrder
}

func scoreOf(c *preemption.Candidate) Score {
	s := &c.Score
	return Score{
		Violations: s.Violations, TopPriority: s.TopPriority, PrioritySum: s.PrioritySum - int64(s.Victims)<<31,
		Victims: s.Victims, Start: s.Start.UTC(), Cost: s.Cost, OwnScores: slices.Clone(c.OwnScores),
	}
}

// ranked returns the figures as candidates are ranked by them.
func (s *Score) ranked() preemption.Score {
	return preemption.Score{
		Violations: s.Violations, TopPriority: s.TopPriority, PrioritySum: s.PrioritySum + int64(s.Victims)<<31,
		Victims: s.Victims, Start: s.Start, Cost: s.Cost,
	}
}

// budgetKeys lists the budgets that victims break, each once.
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
