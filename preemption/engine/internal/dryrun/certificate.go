package dryrun

import (
	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// OpenNode is a node whose search ended at the limit, with a score that no candidate on
// it beats.
type OpenNode struct {
	n     *state.NodeState
	bound preemption.Score
}

// CertifyAll is the certificate of a whole decision: of the chosen candidate, nil if
// there is none, among the candidates of all nodes, some of which are open.
func (a *Attempt) CertifyAll(chosen *preemption.Candidate, open []OpenNode) *preemption.Certificate {
	if !a.Config.Exact || chosen != nil && chosen.Certificate == nil {
		return nil
	}
	var bound *preemption.Score
	steps, unsolved := 0, 0
	if chosen != nil {
		bound, steps = &chosen.Score, chosen.Certificate.Steps
	}
	for i := range open {
		b := &open[i].bound
		if chosen != nil {
			if order, _ := CompareScores(b, &chosen.Score, a.Ranks); order >= 0 {
				continue
			}
		}
		unsolved++
		if bound == nil {
			bound = b
		} else if order, _ := CompareScores(b, bound, a.Ranks); order < 0 {
			bound = b
		}
	}
	switch {
	case chosen != nil:
		return a.certify(&chosen.Score, bound, steps, unsolved)
	case bound != nil:
		return &preemption.Certificate{Bound: *bound, Unsolved: unsolved}
	}
	return &preemption.Certificate{Optimal: true}
}

// certify returns the certificate of a score by a bound on all scores.
func (a *Attempt) certify(sc, bound *preemption.Score, steps, unsolved int) *preemption.Certificate {
	order, by := CompareScores(bound, sc, a.Ranks)
	if order >= 0 {
		return &preemption.Certificate{Optimal: true, Bound: *sc, Steps: steps}
	}
	return &preemption.Certificate{Bound: *bound, Rank: by, Gap: by.Gap(*bound, *sc), Steps: steps, Unsolved: unsolved}
}

// publicScore returns the score of a set, or a bound, as callers see it.
func publicScore(sc *exact.Score) preemption.Score {
	return preemption.Score{
		Violations: int(sc.Violations), TopPriority: sc.Top, PrioritySum: sc.Sums[0], Victims: int(sc.Parts),
		Cost: sc.Sums[1], Start: rank.Instant{Sec: sc.Start.Sec, Nsec: sc.Start.Nsec}.Time(),
	}
}
