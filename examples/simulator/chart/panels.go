package chart

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// utilisation draws a line per resource.
func (c canvas) utilisation(s *Series) {
	top := 1.0
	for _, shares := range s.Share {
		for _, v := range shares {
			top = max(top, v)
		}
	}
	ticks := valueTicks(100*top, 5, func(v float64) string { return number(v) + "%" })
	for i := range ticks {
		ticks[i].at /= 100
	}
	p := panel{canvas: c, y0: upperTop, top: max(top, ticks[len(ticks)-1].at)}
	p.frame(ticks, false)
	var entries []entry
	for i, name := range s.Resources {
		e := entry{colour: lineColours[i%len(lineColours)], dash: dashes[i%len(dashes)]}
		e.label = fmt.Sprintf("%s, mean %.0f%%", name, 100*s.mean(s.Share[i]))
		entries = append(entries, e)
		if len(s.Share[i]) > 0 {
			p.put(`<path class="line" stroke="%s" stroke-dasharray="%s" d="%s"/>`+"\n", e.colour, dashed(e.dash), p.steps(s.Share[i], "M"))
		}
	}
	p.legend("In use", entries)
}

// mean is over time; the last stretch may be a short one.
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

// band is a priority, or several, in the stack of waiting pods.
type band struct {
	label string
	pods  []float64
}

// bands puts together the lowest priorities where there are too many to tell
// colours apart.
func (s *Series) bands() []band {
	var out []band
	for i, w := range s.Waiting {
		if i < len(bandColours)-1 || len(s.Waiting) == len(bandColours) {
			out = append(out, band{fmt.Sprintf("priority %d", w.Priority), slices.Clone(w.Pods)})
			continue
		}
		if i == len(bandColours)-1 {
			out = append(out, band{fmt.Sprintf("priority %d and below", w.Priority), make([]float64, len(w.Pods))})
		}
		rest := out[len(out)-1].pods
		for k, n := range w.Pods {
			rest[k] += n
		}
	}
	return out
}

// waiting draws a stack of areas, the highest priority at the bottom, where its
// height can be read.
func (c canvas) waiting(s *Series) {
	bands := s.bands()
	top := 0.0
	var edges [][]float64 // of the stack, from the bottom
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
	ticks := valueTicks(max(top, 5), 5, number) // whole pods
	p := panel{canvas: c, y0: lowerTop, top: max(top, ticks[len(ticks)-1].at)}
	p.frame(ticks, true)
	var entries []entry
	for i, b := range bands {
		entries = append(entries, entry{label: b.label, colour: bandColours[i], area: true})
		below := make([]float64, len(b.pods))
		if i > 0 {
			below = edges[i-1]
		}
		p.put(`<path fill="%s" fill-opacity="0.8" d="%s%s"/>`+"\n", bandColours[i], p.steps(edges[i], "M"), p.back(below))
	}
	if top == 0 {
		p.anchored((left+right)/2, lowerTop+panelHeight/2, "middle", "no pod waited")
	}
	p.legend("Waiting pods", entries)
}

func plus(a, b []float64) []float64 {
	sum := make([]float64, len(a))
	for i := range a {
		sum[i] = a[i] + b[i]
	}
	return sum
}

// tick is a place on an axis.
type tick struct {
	at    float64
	label string
}

// valueTicks go from 0 to the first at or above top, in steps of 1, 2 or 5 times
// a power of ten, about as many as wanted.
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

// number writes a value of an axis: 0.5, 40, 12k, 3M.
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
