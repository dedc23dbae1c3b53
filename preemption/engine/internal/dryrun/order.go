package dryrun

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Order lists what ranks compare, the first one first. It ends at NoFigure.
type Order [rank.NumFigures]rank.Figure

// OrderOf returns what ranks compare, as far as figures of victims tell it. It leaves out a rank by
// a figure of whole candidates and every cost but the first.
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
