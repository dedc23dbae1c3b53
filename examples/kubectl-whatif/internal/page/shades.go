package page

import (
	"fmt"
	"math"
	"slices"
)

// mostShades is the most shades for nodes that are not overcommitted.
const mostShades = 5

// shades are the steps of fullness that distinguish the nodes of this cluster. Each is the upper bound of its
// step in whole percent; a step begins after the one before. If all nodes are equally full, there is one step.
type shades []int

// newShades distributes the nodes evenly among the steps. It ignores nodes that offer nothing and nodes that
// are overcommitted.
func newShades(full []float64) shades {
	var all []int
	for _, f := range full {
		// Sums of floats may be a little above 1 on a node that is just full.
		if f >= 0 && f <= 1.0000001 {
			all = append(all, wholePercent(f))
		}
	}

	slices.Sort(all)
	distinct := slices.Compact(slices.Clone(all))
	if len(distinct) <= mostShades {
		return distinct
	}

	var out shades
	for i := range mostShades {
		// If the nodes of this step are as full as those of the step before, the step would be empty.
		if last := all[(i+1)*len(all)/mostShades-1]; len(out) == 0 || last > out[len(out)-1] {
			out = append(out, last)
		}
	}
	return out
}

// wholePercent rounds a fullness to percents.
func wholePercent(f float64) int { return int(math.Round(100 * f)) }

// level returns the shade of a fullness, counted from 0. Overcommitted nodes have the shade [mostShades].
func (s shades) level(full float64) int {
	switch {
	case full < 0 || len(s) == 0 && full <= 1.0000001:
		return 0
	case full > 1.0000001:
		return mostShades
	}

	i, _ := slices.BinarySearch(s, wholePercent(full))
	return s.colour(min(i, len(s)-1))
}

// colour returns the shade of a step. If there are few steps, they use the ends of the range, so that they
// differ most.
func (s shades) colour(step int) int {
	if len(s) == 1 {
		return 2
	}
	return step * (mostShades - 1) / (len(s) - 1)
}

// shade is a shade in the legend.
type shade struct {
	Level int
	Text  string
}

// legend lists the steps with the percents that they stand for.
func (s shades) legend() (out []shade) {
	least := 0
	for i, most := range s {
		text := fmt.Sprintf("%d\u00a0%%", most)
		switch {
		case i == 0 && len(s) > 1:
			text = "up to " + text
		case i > 0 && most > least:
			text = fmt.Sprintf("%d to %s", least, text)
		}
		out = append(out, shade{s.colour(i), text})
		least = most + 1
	}
	return append(out, shade{mostShades, "over 100\u00a0%"})
}
