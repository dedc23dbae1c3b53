package trace

import (
	"fmt"
	"strconv"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// rounds compares the candidates rank by rank until one is left. If several are equal in all ranks, a last
// round leaves the chosen one, which is the first in the order of the nodes.
func rounds(ranks []preemption.Rank, ex *preemption.Plan) []Round {
	if ranks == nil {
		ranks = preemption.DefaultRanks()
	}

	left := make([]*preemption.Candidate, len(ex.Candidates))
	for i := range left {
		left[i] = &ex.Candidates[i]
	}
	out := []Round{}

	// A rank is compared only among the candidates that tie in all ranks before it (rule 11.1).
	for i := range ranks {
		if len(left) < 2 {
			return out
		}
		var r Round
		r, left = compareBy(ranks[i:i+1], left)
		out = append(out, r)
	}
	if len(left) < 2 {
		return out
	}

	// All ranks tie. The order of the nodes decides, which has no figure.
	r := Round{Rank: explain.RankText(""), Left: []string{}, Out: []Out{}}
	r.keep(ex.Node)
	for _, c := range left {
		if c.Node != ex.Node {
			r.drop(c.Node, "")
		}
	}
	return append(out, r)
}

// compareBy compares candidates by a single rank. It returns the candidates that are as good as the best one.
func compareBy(single []preemption.Rank, candidates []*preemption.Candidate) (Round, []*preemption.Candidate) {
	best := candidates[0]
	for _, c := range candidates[1:] {
		if order, _ := c.Score.Compare(best.Score, single); order < 0 {
			best = c
		}
	}

	rank := &single[0]
	r := Round{Rank: explain.RankText(rank.Name), Best: figure(rank, &best.Score), Left: []string{}, Out: []Out{}, rank: rank.Name}
	var left []*preemption.Candidate
	for _, c := range candidates {
		if order, _ := c.Score.Compare(best.Score, single); order == 0 {
			left = append(left, c)
			r.keep(c.Node)
		} else {
			r.drop(c.Node, figure(rank, &c.Score))
		}
	}
	return r, left
}

// keep records that a node stays in the comparison. The first mostNames are recorded by name, the others are
// counted.
func (r *Round) keep(node string) {
	if len(r.Left) < mostNames {
		r.Left = append(r.Left, node)
	} else {
		r.MoreLeft++
	}
}

// drop records that a node leaves the comparison. The first mostNames are recorded by name, the others are
// counted.
func (r *Round) drop(node, figure string) {
	if len(r.Out) < mostNames {
		r.Out = append(r.Out, Out{node, figure})
	} else {
		r.MoreOut++
	}
}

// figure writes the figure that a rank compares. Ranks compare sums of priorities with 2^31 added for each
// victim (rule 11.4). The text has the plain sum and the number of victims instead.
func figure(rank *preemption.Rank, s *preemption.Score) string {
	switch rank.Name {
	case preemption.ByPrioritySum.Name:
		return fmt.Sprintf("%d of %d", s.PrioritySum-int64(s.Victims)<<31, s.Victims)
	case preemption.ByStart.Name:
		if s.Start.IsZero() {
			return "not started"
		}
		return s.Start.UTC().Format("2006-01-02 15:04:05.999")
	}
	return strconv.FormatInt(rank.Of(*s), 10)
}
