package dryrun

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Order lists the figures that the ranks compare, in the order of the ranks. It ends at the first NoFigure.
type Order [rank.NumFigures]rank.Figure

// OrderOf returns the figures that ranks compare. It leaves out ranks by a Figure of whole candidates, and
// every cost but the first.
func OrderOf(ranks []preemption.Rank) (order Order) {
	next, costed := 0, false
	for i := range ranks {
		figure := rank.FigureOf(ranks[i].Name)
		if ranks[i].Cost != nil && !costed {
			figure, costed = rank.CostFigure, true
		}
		if figure != rank.NoFigure {
			order[next] = figure
			next++
		}
	}
	return order
}
