package packing

import "math"

// bundle is a proximal bundle method. It looks for the highest point of a concave function of
// which each value comes with a slope: the plane through the value along the slope lies nowhere below the
// function. It goes from the best point known in the direction in
// which the slopes seen near it agree. Products are rounded before they are added, so that
// every machine takes the same steps.
type bundle struct {
	// center is the best point known, value the value there.
	center []float64
	value  float64
	// reach is how far a step goes for a slope of length 1.
	reach float64
	// cuts are the slopes that are kept, alpha the weight of each in the direction, which add up to 1.
	cuts  []cut
	alpha []float64
	// gram has the products of all pairs of slopes.
	gram [][]float64
	// ahead is how much the planes promise for the next point.
	ahead float64
	// failed counts the points since the last one that became the center, or since reach was halved.
	failed int
}

// cut is a slope, and how far its plane lies above the value at the center.
type cut struct {
	slope []float64
	above float64
}

// mostCuts is how many slopes are kept.
const mostCuts = 48

// dot returns the scalar product.
func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// start begins at a point. The slope there is added next.
func (b *bundle) start(at []float64, value, reach float64) {
	b.center = append([]float64(nil), at...)
	b.value = value
	b.reach = reach
}

// add adds a slope, with how far its plane lies above the value at the center. The slope with the least weight
// makes room for it.
func (b *bundle) add(slope []float64, above float64) {
	if len(b.cuts) == mostCuts {
		b.dropLightest()
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

// dropLightest removes the slope with the least weight.
func (b *bundle) dropLightest() {
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

// spread gives the weight of a cut to the heaviest other one, so that weights still add up to 1.
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

// next returns the point to ask about. It returns false once the planes promise no gain above worth for any
// point that is as near to the center as the origin is, and where the meter stops it.
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

		// The mean of the planes is a plane above the function, so this is the most that a point at that
		// distance can gain. Where it is worth it, the steps are too short.
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

// weigh finds the weights of the slopes for which half of reach times the square of their mean, and the mean of
// how far their planes lie above, are together the least. That is the dual of the next step. Pairs
// exchange weight until no exchange helps. It returns false where the meter stops it.
func (b *bundle) weigh(m *Meter) bool {
	n := len(b.cuts)
	grad := make([]float64, n) // of that sum, by the weight of each slope
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

		// Along the exchange the sum is a parabola: its lowest point, but no more than there is to give.
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

// tell takes the value at the point that was asked about, and a plane that is nowhere below the function: its
// height at the point, which is the value unless a search was cut off, and its slope.
func (b *bundle) tell(at []float64, value, height float64, slope []float64) {
	gained := value - b.value
	moved := make([]float64, len(at))
	for k := range at {
		moved[k] = at[k] - b.center[k]
	}

	// A point that keeps a tenth of the promise becomes the center, and the planes are told from there.
	if gained >= b.ahead/10 && gained > 0 {
		for i := range b.cuts {
			b.cuts[i].above = max(0, b.cuts[i].above+dot(b.cuts[i].slope, moved)-gained)
		}
		if gained > b.ahead/2 {
			b.reach *= 2
		}
		b.center = append(b.center[:0], at...)
		b.value = value
		b.failed = 0
		b.add(slope, height-value)
		return
	}

	// Otherwise the center stays, and the new plane makes the promise smaller. If that has failed often, and
	// this plane is so high at the center that it hardly does, the points are too far away.
	above := height - b.value - dot(slope, moved)
	if b.failed++; b.failed > 2 && above > b.ahead {
		b.reach /= 2
		b.failed = 0
	}
	b.add(slope, above)
}
