package packing

import "math"

// bundle is a proximal bundle method: it looks for the highest point of a concave function of
// which each value comes with a slope. It goes from the best point known in the direction in
// which the slopes seen near it agree. Products are rounded before they are added, so that
// every machine takes the same steps.
type bundle struct {
	center []float64
	value  float64
	reach  float64
	cuts   []cut
	alpha  []float64
	gram   [][]float64
	ahead  float64
	failed int
}

// cut is a slope, and how far its plane lies above the value at the center.
type cut struct {
	slope []float64
	above float64
}

// mostCuts is how many slopes are kept.
const mostCuts = 48

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// start begins at a point. The slope there is added next.
func (b *bundle) start(at []float64, value, reach float64) {
	b.center, b.value, b.reach = append([]float64(nil), at...), value, reach
}

// add adds a slope with how far its plane lies above the value at the center.
func (b *bundle) add(slope []float64, above float64) {
	if len(b.cuts) == mostCuts {
		drop := 0
		for i, a := range b.alpha {
			if a < b.alpha[drop] {
				drop = i
			}
		}
		b.spread(drop)
		b.cuts = append(b.cuts[:drop], b.cuts[drop+1:]...)
		b.alpha = append(b.alpha[:drop], b.alpha[drop+1:]...)
		b.gram = append(b.gram[:drop], b.gram[drop+1:]...)
		for i := range b.gram {
			b.gram[i] = append(b.gram[i][:drop], b.gram[i][drop+1:]...)
		}
	}
	b.cuts = append(b.cuts, cut{append([]float64(nil), slope...), max(0, above)})
	b.alpha = append(b.alpha, 0)
	row := make([]float64, len(b.cuts))
	for i := range b.cuts {
		row[i] = dot(b.cuts[i].slope, slope)
		if i < len(b.gram) {
			b.gram[i] = append(b.gram[i], row[i])
		}
	}
	b.gram = append(b.gram, row)
	if len(b.cuts) == 1 {
		b.alpha[0] = 1
	}
}

// spread gives the weight of a cut to another one.
func (b *bundle) spread(from int) {
	to := 0
	for i, a := range b.alpha {
		if i != from && (to == from || a > b.alpha[to]) {
			to = i
		}
	}
	b.alpha[to] += b.alpha[from]
	b.alpha[from] = 0
}

// next returns the point to ask about. It returns false where no point as near as the center is
// to the origin is higher by more than some gain worth having, by the slopes.
// A meter that stops it ends it without one.
func (b *bundle) next(worth float64, m *Meter) (at []float64, more bool) {
	direction := make([]float64, len(b.center))
	for {
		if m.turn(len(b.cuts)*len(b.center)) || !b.weigh(m) {
			return nil, false
		}
		clear(direction)
		above := 0.0
		for i, a := range b.alpha {
			if a == 0 {
				continue
			}
			above += float64(a * b.cuts[i].above)
			for k, s := range b.cuts[i].slope {
				direction[k] += float64(a * s)
			}
		}
		length := dot(direction, direction)
		b.ahead = float64(b.reach*length) + above
		if b.ahead > worth {
			break
		}
		if !(above+math.Sqrt(float64(length*dot(b.center, b.center))) > worth) || b.reach > 1e30 {
			return nil, false
		}
		b.reach *= 4
	}
	at = make([]float64, len(b.center))
	for k, d := range direction {
		at[k] = b.center[k] + float64(b.reach*d)
	}
	return at, true
}

// weigh finds the weights of the slopes, which add up to 1, whose mean is the shortest beside what
// their planes lie above: pairs exchange weight until no exchange helps. It returns false where
// the meter stops it.
func (b *bundle) weigh(m *Meter) bool {
	n := len(b.cuts)
	grad := make([]float64, n)
	for i := range grad {
		grad[i] = b.cuts[i].above + float64(b.reach*dot(b.gram[i], b.alpha))
	}
	for range 20 * n {
		if m.turn(n) {
			return false
		}
		to, from := 0, -1
		for i, g := range grad {
			if g < grad[to] {
				to = i
			}
			if b.alpha[i] > 0 && (from < 0 || g > grad[from]) {
				from = i
			}
		}
		if from < 0 || from == to || grad[from]-grad[to] <= 1e-9*(1+b.ahead) {
			return true
		}
		curve := float64(b.reach * (b.gram[to][to] + b.gram[from][from] - 2*b.gram[to][from]))
		by := b.alpha[from]
		if curve > 0 {
			by = min(by, (grad[from]-grad[to])/curve)
		}
		b.alpha[to] += by
		b.alpha[from] -= by
		if b.alpha[from] < 1e-12 {
			b.alpha[from] = 0
		}
		for i := range grad {
			grad[i] += float64(float64(b.reach*by) * (b.gram[i][to] - b.gram[i][from]))
		}
	}
	return true
}

// tell takes the value and the slope at the point that was asked about.
func (b *bundle) tell(at []float64, value, height float64, slope []float64) {
	gained := value - b.value
	moved := make([]float64, len(at))
	for k := range at {
		moved[k] = at[k] - b.center[k]
	}
	if gained >= b.ahead/10 && gained > 0 {
		for i := range b.cuts {
			b.cuts[i].above = max(0, b.cuts[i].above+dot(b.cuts[i].slope, moved)-gained)
		}
		if gained > b.ahead/2 {
			b.reach *= 2
		}
		b.center, b.value, b.failed = append(b.center[:0], at...), value, 0
		b.add(slope, height-value)
		return
	}
	above := height - b.value - dot(slope, moved)
	if b.failed++; b.failed > 2 && above > b.ahead {
		b.reach, b.failed = b.reach/2, 0
	}
	b.add(slope, above)
}
