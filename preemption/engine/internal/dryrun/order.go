package dryrun

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Order has what ranks compare in turn, up to NoFigure.
type Order [rank.NumFigures]rank.Figure

// OrderOf returns what ranks compare, as far as the figures of victims say it: nothing for a rank by
// a figure of whole candidates, nor for a second cost.
func OrderOf(ranks []preemption.Rank) (order Order) {
	at, costed := 0, false
	for i := range ranks {
		x := rank.FigureOf(ranks[i].Name)
		if ranks[i].Cost != nil && !costed {
			x, costed = rank.CostFigure, true
		}
		if x != rank.NoFigure {
			order[at] = x
			at++
		}
	}
	return order
}
