package trace

import (
	"fmt"
	"strconv"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// rounds compares the candidates rank by rank until one is left: the first in the order of the
// nodes where all ranks are equal.
func rounds(ranks []preemption.Rank, ex *preemption.Plan) []Round {
	if ranks == nil {
		ranks = preemption.DefaultRanks()
	}
	left := make([]*preemption.Candidate, len(ex.Candidates))
	for i := range left {
		left[i] = &ex.Candidates[i]
	}
	out := []Round{}
	for i := range ranks {
		rank := ranks[i : i+1]
		if len(left) < 2 {
			return out
		}
		best := left[0]
		for _, c := range left[1:] {
			if order, _ := c.Score.Compare(best.Score, rank); order < 0 {
				best = c
			}
		}
		r := Round{Rank: explain.RankText(ranks[i].Name), Best: figure(&ranks[i], &best.Score), Left: []string{}, Out: []Out{}, rank: ranks[i].Name}
		var stay []*preemption.Candidate
		for _, c := range left {
			if order, _ := c.Score.Compare(best.Score, rank); order == 0 {
				stay = append(stay, c)
				r.keep(c.Node)
			} else {
				r.drop(c.Node, figure(&ranks[i], &c.Score))
			}
		}
		left = stay
		out = append(out, r)
	}
	if len(left) < 2 {
		return out
	}
	r := Round{Rank: explain.RankText(""), Left: []string{}, Out: []Out{}}
	r.keep(ex.Node)
	for _, c := range left {
		if c.Node != ex.Node {
			r.drop(c.Node, "")
		}
	}
	return append(out, r)
}

func (r *Round) keep(node string) {
	if len(r.Left) < mostNames {
		r.Left = append(r.Left, node)
	} else {
		r.MoreLeft++
	}
}

func (r *Round) drop(node, figure string) {
	if len(r.Out) < mostNames {
		r.Out = append(r.Out, Out{node, figure})
	} else {
		r.MoreOut++
	}
}

// figure writes the figure that a rank compares. Sums are compared with 2^31 added for each victim.
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
