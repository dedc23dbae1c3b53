package packing

import "math"

// bundle is a proximal bundle method: it looks for the highest point of a concave function. Each value of the
// function comes with a slope; the plane through the value along the slope lies nowhere below the function.
// From the best point known, the method goes in the direction in which the slopes seen near it agree. Products
// are rounded before they are added, so that every machine takes the same steps.
type bundle struct {
	// center is the best point known, and value is the function's value there.
	center []float64
	value  float64
	// reach is how far a step goes for a slope of length 1.
	reach float64
	// cuts are the slopes that are kept. alpha has the weight of each in the direction; the weights add up to
	// 1.
	cuts  []cut
	alpha []float64
	// gram has the scalar product of every pair of slopes.
	gram [][]float64
	// ahead is the gain over value that the planes promise for the next point.
	ahead float64
	// failed counts the points since the last one that became the center, or since reach was halved.
	failed int
}

// cut is a slope. above is how far its plane, at the center, lies above the value there.
type cut struct {
	slope []float64
	above float64
}

// mostCuts is the largest number of slopes that are kept.
const mostCuts = 48

// dot returns the scalar product.
func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// start begins the search at a point with this value. The caller then adds the slope there.
func (b *bundle) start(at []float64, value, reach float64) {
	b.center = append([]float64(nil), at...)
	b.value = value
	b.reach = reach
}

// add adds a slope, and how far its plane lies above the value at the center. If there are mostCuts already,
// the slope with the least weight is dropped.
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

// next returns the point whose value and slope are to be told next. It returns false once the planes promise no
// gain above worth for any point that is as near to the center as the origin is, or once the meter stops the
// search.
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

		// The weighted mean of the planes lies nowhere below the function, so this is the most that a point at
		// that distance can gain. If that is more than worth, the steps were too short.
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

// weigh finds the weights of the slopes that minimize reach/2 times the square of the mean slope, plus the mean
// of above. That is the dual of finding the next point. Pairs of slopes exchange weight until no exchange
// helps. It returns false if the meter stops the search.
func (b *bundle) weigh(m *Meter) bool {
	n := len(b.cuts)
	grad := make([]float64, n) // the derivative of that sum by the weight of each slope
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

		// Along the exchange the sum is a parabola. The exchange goes to its lowest point, but gives no more
		// weight than there is.
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

// tell takes the answer for the point that next returned: the function's value there, and a plane that lies
// nowhere below the function, by its height at the point and its slope. The height equals the value unless a
// search was cut off.
func (b *bundle) tell(at []float64, value, height float64, slope []float64) {
	gained := value - b.value
	moved := make([]float64, len(at))
	for k := range at {
		moved[k] = at[k] - b.center[k]
	}

	// A point that gains a tenth of what was promised becomes the center. For all planes, above is then
	// computed for the new center.
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

	// Otherwise the center stays, and the new plane lowers the promise of the next point. If points have failed
	// repeatedly, and this plane is so high at the center that it hardly lowers the promise, the steps are too
	// long.
	above := height - b.value - dot(slope, moved)
	if b.failed++; b.failed > 2 && above > b.ahead {
		b.reach /= 2
		b.failed = 0
	}
	b.add(slope, above)
}
