package metrics

import "time"

// firstWidth is the initial length of a stretch.
const firstWidth = time.Second

// timeline divides the time of a run into stretches of equal length. When the run gets longer than most
// stretches, every two of them are joined, so that memory does not grow with the run.
type timeline struct {
	width time.Duration
	most  int // the most stretches, an even number
	lines []*line
}

// line has one sum for each stretch. Missing sums at the end are 0.
type line struct {
	timeline *timeline
	sums     []float64
}

// newTimeline returns a timeline with at most the given number of stretches, which must be even.
func newTimeline(most int) *timeline { return &timeline{width: firstWidth, most: most} }

// line adds a line to the timeline.
func (t *timeline) line() *line {
	l := &line{timeline: t}
	t.lines = append(t.lines, l)
	return l
}

// seconds returns the length of a stretch in seconds.
func (t *timeline) seconds() float64 { return t.width.Seconds() }

// reach joins stretches until the timeline reaches a time.
func (t *timeline) reach(at time.Duration) {
	// All lines have the same width, so all of them are joined.
	for at/t.width >= time.Duration(t.most) {
		t.width *= 2
		for _, l := range t.lines {
			l.join()
		}
	}
}

// join merges every two stretches into one.
func (l *line) join() {
	joined := l.sums[:0]
	for i := 0; i < len(l.sums); i += 2 {
		sum := l.sums[i]
		if i+1 < len(l.sums) {
			sum += l.sums[i+1]
		}
		joined = append(joined, sum)
	}
	l.sums = joined
}

// put adds an amount to the stretch that contains a time. A boundary belongs to the stretch before it, so
// that the end of a run belongs to its last stretch.
func (l *line) put(at time.Duration, amount float64) {
	t := l.timeline
	t.reach(at)
	l.add(int(max(at-1, 0)/t.width), amount)
}

// spread adds a rate per second to the stretches between two times. Time is linear in these stretches.
func (l *line) spread(from, to time.Duration, rate float64) {
	if rate == 0 || from >= to {
		return
	}

	t := l.timeline
	t.reach(to)
	for width := t.width; from < to; {
		i := int(from / width)
		end := min(to, time.Duration(i+1)*width)
		// The conversion prevents the product and the sum from being rounded in one step, which only some
		// machines do.
		l.add(i, float64(rate*(end-from).Seconds()))
		from = end
	}
}

// add adds an amount to the i-th sum.
func (l *line) add(i int, amount float64) {
	for len(l.sums) <= i {
		l.sums = append(l.sums, 0)
	}
	l.sums[i] += amount
}

// total returns the sum over all stretches.
func (l *line) total() float64 {
	sum := 0.0
	for _, v := range l.sums {
		sum += v
	}
	return sum
}

// at returns the i-th sum.
func (l *line) at(i int) float64 {
	if i < len(l.sums) {
		return l.sums[i]
	}
	return 0
}

// stretches returns the number of stretches up to an end.
func (t *timeline) stretches(end time.Duration) int {
	t.reach(end)
	return int((end + t.width - 1) / t.width)
}

// series divides the sums of one line by those of another, stretch by stretch. A figure is undefined if the
// divisor is 0.
func (t *timeline) series(end time.Duration, sum, by *line) []Figure {
	out := make([]Figure, t.stretches(end))
	for i := range out {
		out[i] = over(sum.at(i), by.at(i))
	}
	return out
}

// means divides the sums of a line by the lengths of the stretches.
func (t *timeline) means(end time.Duration, sum *line) []Figure {
	out := make([]Figure, t.stretches(end))
	for i := range out {
		from := time.Duration(i) * t.width
		out[i] = over(sum.at(i), min(t.width, end-from).Seconds())
	}
	return out
}

// counts returns the sums of a line as they are.
func (t *timeline) counts(end time.Duration, sum *line) []Figure {
	out := make([]Figure, t.stretches(end))
	for i := range out {
		out[i] = Figure(sum.at(i))
	}
	return out
}
