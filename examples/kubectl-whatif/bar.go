package main

import (
	"math"
	"strings"

	"github.com/outrank-go/outrank/resource"
)

// barWidth is the usual width of a bar.
const barWidth = 40

// narrowBar is the least width of a bar, and besideBar the width of everything else on its line.
const (
	narrowBar = 10
	besideBar = 58
)

// barOn returns the width of a bar on a screen with a number of columns. 0 columns mean no limit.
func barOn(columns int) int {
	if columns <= 0 {
		return barWidth
	}
	return min(barWidth, max(narrowBar, columns-besideBar))
}

// part is a stretch of a bar: a sign, repeated for an amount.
type part struct {
	sign  byte
	value float64
}

// bars draws one resource of the node before and after: # stays, x leaves, + is
// the pod, o is kept for nominated pods, and dots are free.
func bars(r *Room, width int) (before, after string) {
	value := func(q resource.Quantity) float64 { return float64(resource.Amount(r.Resource, q)) }
	used, freed := value(r.Used), value(r.Freed)

	// A node may be overcommitted, and its pods still have to be drawn.
	whole := max(value(r.Allocatable), used, value(r.After)+value(r.Reserved))

	stays := part{'#', used - freed}
	before = draw(width, whole, stays, part{'x', freed})
	after = draw(width, whole, stays, part{'+', value(r.Needed)}, part{'o', value(r.Reserved)})
	return before, after
}

// draw puts parts side by side. It rounds where parts end instead of how long they are, so that the same amount
// ends in the same place.
func draw(width int, whole float64, parts ...part) string {
	var b strings.Builder
	sum := 0.0
	for _, p := range parts {
		sum += p.value
		end := width
		if whole > 0 {
			end = min(width, int(math.Round(sum/whole*float64(width))))
		}
		b.WriteString(strings.Repeat(string(p.sign), max(0, end-b.Len())))
	}
	return b.String() + strings.Repeat(".", width-b.Len())
}

// crowded reports whether the places for pods on the node are used up.
func crowded(r *Room) bool { return r.Used.Cmp(r.Allocatable) >= 0 }
