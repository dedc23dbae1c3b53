package dryrun

import (
	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// OpenNode is a node whose search for exact victims ended at the limit.
type OpenNode struct {
	n *state.NodeState
	// bound is a score that no candidate on the node beats.
	bound Score
}

// CertifyAll returns the certificate of a whole decision (rule 13.4.7), nil unless exact victims were
// searched for. chosen is the chosen candidate, nil if there is none, and open lists the nodes that were not
// searched to the end.
func (a *Attempt) CertifyAll(chosen *preemption.Candidate, open []OpenNode) *preemption.Certificate {
	if !a.Config.Exact || chosen != nil && chosen.Certificate == nil {
		return nil
	}
	if chosen == nil {
		return a.certifyNone(open)
	}

	best := a.figuresOf(&chosen.Score)
	bound, unsolved := a.boundOf(open, &best)
	c := a.certify(&chosen.Score, bound)
	c.Steps, c.Unsolved = chosen.Certificate.Steps, unsolved
	return c
}

// certifyNone returns the certificate of a decision without a candidate.
func (a *Attempt) certifyNone(open []OpenNode) *preemption.Certificate {
	bound, unsolved := a.boundOf(open, nil)
	if bound == nil {
		return &preemption.Certificate{Optimal: true}
	}
	return &preemption.Certificate{Bound: a.Tell(bound), Unsolved: unsolved}
}

// boundOf returns the best bound among the open nodes that may have a better candidate than best, and the
// number of these nodes. A node whose bound does not beat best has no better candidate. If best is nil, every
// open node counts. bound is nil if no node counts.
func (a *Attempt) boundOf(open []OpenNode, best *rank.Figures) (bound *Score, unsolved int) {
	for i := range open {
		b := &open[i].bound
		if best != nil {
			if order, _ := a.CompareByRanks(&b.Figures, best); order >= 0 {
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
	return bound, unsolved
}

// certify returns the certificate of a score, given a bound that no score beats. A nil bound means that no
// score is better than sc.
func (a *Attempt) certify(sc *preemption.Score, bound *Score) *preemption.Certificate {
	if bound == nil {
		return &preemption.Certificate{Optimal: true, Bound: own(*sc)}
	}

	f := a.figuresOf(sc)
	order, at := a.CompareByRanks(&bound.Figures, &f)
	if order >= 0 { // a bound no better than the score proves that the score is the best
		return &preemption.Certificate{Optimal: true, Bound: own(*sc)}
	}
	return &preemption.Certificate{Bound: a.Tell(bound), Rank: a.Ranks[at].Name, Gap: bound.Gap(&f, a.Config.Order()[at])}
}

// scoreOfSet converts the score of a set or a bound from package exact.
func scoreOfSet(sc *exact.Score) Score {
	f := rank.Figures{
		Violations: int(sc.Violations), Top: sc.Top, Sum: sc.Sums[0], Victims: int32(sc.Parts),
		Cost: sc.Sums[1], Start: rank.Instant{Sec: sc.Start.Sec, Nsec: sc.Start.Nsec},
	}
	return Score{Figures: f, First: f.Start.Time()}
}
