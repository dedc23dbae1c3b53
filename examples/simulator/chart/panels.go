package chart

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// utilisation draws a line for each resource, and one for the whole capacity.
func (c canvas) utilisation(s *Series, y0 float64) {
	top := 1.0
	for _, shares := range s.Share {
		for _, v := range shares {
			top = max(top, v)
		}
	}

	// The ticks are round percentages; their positions are shares.
	ticks := valueTicks(100*top, 5, func(v float64) string { return number(v) + "%" })
	for i := range ticks {
		ticks[i].at /= 100
	}

	// Some room above keeps a line at the highest tick visible.
	p := panel{canvas: c, y0: y0, top: 1.04 * max(top, ticks[len(ticks)-1].at)}
	p.frame("Requested of what the nodes can allocate", "share of all nodes, in %", ticks)

	entries := []entry{{label: "100%: all there is", class: "full"}}
	for i, name := range s.Resources {
		e := entry{colour: lineColours[i%len(lineColours)], dash: dashes[i%len(dashes)]}
		e.label = fmt.Sprintf("%s, mean %.0f%%", cut(name, 20), 100*s.mean(s.Share[i]))
		entries = append(entries, e)
		if len(s.Share[i]) > 0 {
			p.put(`<path class="line" stroke="%s" stroke-dasharray="%s" d="%s"/>`+"\n", e.colour, dashed(e.dash), p.steps(s.Share[i], "M"))
		}
	}

	p.level("full", p.y(1)) // drawn last, so that other lines do not hide it
	p.legend(entries)
}

// mean returns the mean over time. The last stretch may be shorter, and then weighs less.
func (s *Series) mean(values []float64) float64 {
	sum, length := 0.0, 0.0
	for i, v := range values {
		d := float64(min(s.Width, s.End-time.Duration(i)*s.Width))
		sum += float64(v * d)
		length += d
	}
	if length == 0 {
		return 0
	}
	return sum / length
}

// describe returns the content of the picture in words, for people who cannot see it.
func (s *Series) describe(caption Caption) string {
	var parts []string
	for i, name := range s.Resources {
		parts = append(parts, fmt.Sprintf("%s: %.0f%% requested on average.", name, 100*s.mean(s.Share[i])))
	}
	if caption.Demand {
		return strings.Join(parts, " ")
	}
	for _, w := range s.Waiting {
		parts = append(parts, fmt.Sprintf("Priority %d: %s pods waited on average.", w.Priority, meanText(s.mean(w.Pods))))
	}
	for _, e := range s.Evicted {
		parts = append(parts, fmt.Sprintf("Priority %d: %d evicted.", e.Priority, e.Total))
	}
	if len(s.Evicted) == 0 {
		parts = append(parts, "No pod was evicted.")
	}
	return cut(strings.Join(parts, " "), 2000)
}

// tick is a labelled position on an axis.
type tick struct {
	at    float64
	label string
}

// valueTicks returns about as many ticks as wanted, from 0 to the first one at or above top. Their distance
// is 1, 2 or 5 times a power of ten.
func valueTicks(top float64, wanted int, label func(float64) string) []tick {
	step := math.Pow(10, math.Floor(math.Log10(top/float64(wanted))))
	for _, factor := range []float64{1, 2, 5, 10} {
		if step*factor*float64(wanted) >= top {
			step *= factor
			break
		}
	}

	ticks := []tick{{0, label(0)}}
	for i := 1; ticks[len(ticks)-1].at < top; i++ {
		at := float64(i) * step
		ticks = append(ticks, tick{at, label(at)})
	}
	return ticks
}

// number formats a value of an axis: 0.5, 40, 12k, 3M.
func number(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if v >= unit.size {
			size := unit.size
			if unit.name == "k" {
				size = 1e3
			}
			return fmt.Sprintf("%.4g", v/size) + unit.name
		}
	}
	return fmt.Sprintf("%.4g", v)
}
