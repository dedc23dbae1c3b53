package chart

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// ranks returns all priorities of the series, the highest first. The index of a priority gives its style in
// every panel.
func (s *Series) ranks() []int32 {
	var all []int32
	for _, w := range s.Waiting {
		all = append(all, w.Priority)
	}
	for _, e := range s.Evicted {
		all = append(all, e.Priority)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	slices.Reverse(all)
	return all
}

// band is the area of one or several priorities in a stack.
type band struct {
	label string
	style int
	pods  []float64
}

// bandsOf returns the bands of a stack, the highest priority first. If there are more priorities than styles,
// the lowest ones share a band.
func bandsOf(ranks []int32, priorities []int32, pods func(i int) []float64) []band {
	last := len(bandStyles) - 1
	var out []band
	for i, priority := range priorities {
		style := slices.Index(ranks, priority)
		label := fmt.Sprintf("priority %d", priority)
		if len(ranks) > len(bandStyles) && style >= last {
			style = last
			label = fmt.Sprintf("priority %d and below", ranks[last])
		}

		if n := len(out); n > 0 && out[n-1].style == style {
			out[n-1].pods = plus(out[n-1].pods, pods(i))
			continue
		}
		out = append(out, band{label, style, slices.Clone(pods(i))})
	}
	return out
}

// waitingBands returns the bands of the waiting pods.
func (s *Series) waitingBands(ranks []int32) []band {
	priorities := make([]int32, len(s.Waiting))
	for i, w := range s.Waiting {
		priorities[i] = w.Priority
	}
	return bandsOf(ranks, priorities, func(i int) []float64 { return s.Waiting[i].Pods })
}

// waiting draws the panel of the pods without a node.
func (c canvas) waiting(s *Series, ranks []int32, y0 float64) {
	bands := s.waitingBands(ranks)
	for i := range bands {
		bands[i].label += ": mean " + meanText(s.mean(bands[i].pods))
	}
	c.stack(bands, y0, captions{"Pods that wait for a node", "pods", "no pod waited"})
}

// meanText formats a mean number of pods, with one decimal if it is small.
func meanText(v float64) string {
	switch {
	case v >= 100:
		return number(math.Round(v))
	case v > 0 && v < 0.1:
		return "<0.1"
	}
	return number(math.Round(float64(v*10)) / 10)
}

// evicted draws the panel of evicted pods: their numbers in at most mostBars stretches of a round length.
func (c canvas) evicted(s *Series, ranks []int32, y0 float64, note string) {
	c.width = barWidth(c.end)
	priorities := make([]int32, len(s.Evicted))
	for i, e := range s.Evicted {
		priorities[i] = e.Priority
	}

	bands := bandsOf(ranks, priorities, func(i int) []float64 { return s.bars(s.Evicted[i].Pods, c.width) })

	// The legend shows the number of pods of each band. All priorities that share a band have its style.
	total := 0
	for i := range bands {
		n := 0
		for _, e := range s.Evicted {
			if style := min(slices.Index(ranks, e.Priority), len(bandStyles)-1); style == bands[i].style {
				n = plusSat(n, e.Total)
			}
		}
		bands[i].label += ": " + number(float64(n))
		total = plusSat(total, n)
	}

	heading := "Pods evicted in each " + timeLabel(c.width)
	if total > 0 {
		heading += fmt.Sprintf(", %d in all", total)
	}
	if note != "" {
		heading += ": " + note
	}
	c.stack(bands, y0, captions{cut(heading, 120), "pods in " + timeLabel(c.width), "no pod was evicted"})
}

// mostBars bounds the number of bars of evicted pods.
const mostBars = 80

// barWidth returns the shortest round length of time with at most mostBars bars.
func barWidth(end time.Duration) time.Duration {
	for _, step := range timeSteps {
		if end/step < mostBars {
			return step
		}
	}
	for step := day; ; step *= 10 {
		for _, factor := range []time.Duration{1, 2, 5} {
			if end/(step*factor) < mostBars {
				return step * factor
			}
		}
	}
}

// bars sums stretches into bars. A stretch counts in the bar in which it begins.
func (s *Series) bars(pods []int, width time.Duration) []float64 {
	out := make([]float64, int(max(s.End-1, 0)/width)+1)
	for i, n := range pods {
		out[min(int(time.Duration(i)*s.Width/width), len(out)-1)] += float64(n)
	}
	return out
}

// captions are the texts of a stack: above it, beside it, and inside it if there is nothing to draw.
type captions struct{ heading, unit, nothing string }

// edgesOf returns the upper edges of the bands, the lowest first, and the highest value of all.
func edgesOf(bands []band) (edges [][]float64, top float64) {
	for i, b := range bands {
		edge := b.pods
		if i > 0 {
			edge = plus(edges[i-1], b.pods)
		}
		edges = append(edges, edge)
		for _, v := range edge {
			top = max(top, v)
		}
	}
	return edges, top
}

// stack draws areas on top of each other. The highest priority is at the bottom, where its height is easiest
// to read. The legend has the order of the stack.
func (c canvas) stack(bands []band, y0 float64, say captions) {
	edges, top := edgesOf(bands)
	ticks := valueTicks(max(top, 5), 5, number) // at least 5, so that the ticks are whole pods
	p := panel{canvas: c, y0: y0, top: max(top, ticks[len(ticks)-1].at)}
	p.frame(say.heading, say.unit, ticks)

	var entries []entry
	for i, b := range bands {
		entries = append(entries, entry{label: b.label, fill: fillOf(b.style)})
		lower := make([]float64, len(b.pods))
		if i > 0 {
			lower = edges[i-1]
		}
		if len(b.pods) > 0 {
			p.put(`<path class="band" fill="%s" d="%s%s"/>`+"\n", fillOf(b.style), p.steps(edges[i], "M"), p.back(lower))
		}
	}

	p.level("axis", y0+panelHeight) // drawn after the areas, whose edges would hide it
	if top == 0 {
		p.anchored((left+right)/2, y0+panelHeight/2, "middle", say.nothing)
	}
	slices.Reverse(entries)
	p.legend(entries)
}

// plus adds two rows of numbers of equal length.
func plus(a, b []float64) []float64 {
	sum := make([]float64, len(a))
	for i := range a {
		sum[i] = a[i] + b[i]
	}
	return sum
}
