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
	bound Score
}

// CertifyAll is the certificate of a whole decision: of the chosen candidate, nil if
// there is none, among the candidates of all nodes, some of which are open.
func (a *Attempt) CertifyAll(chosen *preemption.Candidate, open []OpenNode) *preemption.Certificate {
	if !a.Config.Exact || chosen != nil && chosen.Certificate == nil {
		return nil
	}
	var best rank.Figures // of the candidate
	if chosen != nil {
		best = a.figuresOf(&chosen.Score)
	}
	var bound *Score // the least of those that may be better
	unsolved := 0
	for i := range open {
		b := &open[i].bound
		if chosen != nil {
			if order, _ := a.CompareByRanks(&b.Figures, &best); order >= 0 {
				continue
			}
		}
		unsolved++
		if bound == nil {
			bound = b
		} else if order, _ := a.CompareByRanks(&b.Figures, &bound.Figures); order < 0 {
			bound = b
		}
	}
	switch {
	case chosen == nil && bound == nil:
		return &preemption.Certificate{Optimal: true}
	case chosen == nil:
		return &preemption.Certificate{Bound: a.Tell(bound), Unsolved: unsolved}
	}
	c := a.certify(&chosen.Score, bound)
	c.Steps, c.Unsolved = chosen.Certificate.Steps, unsolved
	return c
}

// certify returns the certificate of a score by a bound on all scores; nil is no better than the score.
func (a *Attempt) certify(sc *preemption.Score, bound *Score) *preemption.Certificate {
	if bound == nil {
		return &preemption.Certificate{Optimal: true, Bound: own(*sc)}
	}
	f := a.figuresOf(sc)
	order, at := a.CompareByRanks(&bound.Figures, &f)
	if order >= 0 {
		return &preemption.Certificate{Optimal: true, Bound: own(*sc)}
	}
	return &preemption.Certificate{Bound: a.Tell(bound), Rank: a.Ranks[at].Name, Gap: bound.Gap(&f, a.Config.Order()[at])}
}

// scoreOfSet returns the score of a set, or a bound.
func scoreOfSet(sc *exact.Score) Score {
	f := rank.Figures{
		Violations: int(sc.Violations), Top: sc.Top, Sum: sc.Sums[0], Victims: int32(sc.Parts),
		Cost: sc.Sums[1], Start: rank.Instant{Sec: sc.Start.Sec, Nsec: sc.Start.Nsec},
	}
	return Score{Figures: f, First: f.Start.Time()}
}
