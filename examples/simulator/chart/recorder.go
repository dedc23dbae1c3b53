package chart

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// Level is how much of a resource is in use, in any unit.
type Level struct {
	Used, Capacity float64
}

// Sample is the state from its time on, until the next sample.
type Sample struct {
	// Time is the time since the beginning of the run.
	Time time.Duration
	// Levels are the levels of the resources, in the order given to NewRecorder.
	Levels []Level
	// Waiting counts the waiting pods by priority. A missing priority has none.
	Waiting map[int32]int
	// Evicted counts the pods that were evicted since the previous sample, by priority.
	Evicted map[int32]int
}

// mostColumns is the most stretches that are kept, about one for two points of the picture. It is even, so
// that stretches can be joined in pairs.
const mostColumns = 480

// mostTime is the latest time of a sample, some 146 years. The end of the stretch that contains it does not
// overflow.
const mostTime = time.Duration(math.MaxInt64 / 2)

// Recorder makes a [Series] from any number of samples. Its memory, and its time for a sample, depend only on
// the numbers of resources and priorities; some dozen times in a run it joins all stretches. Only one
// goroutine may use it at a time.
type Recorder struct {
	resources []string
	// width is the length of each stretch.
	width time.Duration
	// columns[i] is the stretch that begins at i times width. The last stretch is still open.
	columns []column
	// last is the last sample, without its evictions. It holds from its Time on.
	last Sample
	evictions
}

// column holds sums over a stretch of time.
type column struct {
	// share and waiting are integrals over the stretch: shares of the capacity, and numbers of pods, times
	// nanoseconds.
	share   []float64
	waiting map[int32]float64
	// evicted counts the evicted pods by priority. It is nil if there are none.
	evicted map[int32]int
}

// NewRecorder starts a record at time 0. Until the first sample nothing is in use, no pod waits, and none has
// been evicted.
func NewRecorder(resources ...string) *Recorder {
	return &Recorder{resources: slices.Clone(resources), width: time.Millisecond}
}

// Add records the next sample, and keeps no reference to it. Errors wrap [outrank.ErrInvalid] and change
// nothing. They are a time before the previous sample, a number of levels that differs from the number of
// resources, and an amount that is negative or not a number. The share of a resource without capacity is 0.
func (r *Recorder) Add(s Sample) error {
	if err := r.check(&s); err != nil {
		return fmt.Errorf("%w: sample at %v: %w", outrank.ErrInvalid, s.Time, err)
	}

	// The previous state lasted until now. Its memory is reused.
	r.hold(s.Time)
	r.last.Time = s.Time
	r.last.Levels = append(r.last.Levels[:0], s.Levels...)
	if r.last.Waiting == nil {
		r.last.Waiting = map[int32]int{}
	}
	clear(r.last.Waiting)
	maps.Copy(r.last.Waiting, s.Waiting)

	r.evict(s.Evicted)
	return nil
}

// check rejects a sample that makes no sense after the last one.
func (r *Recorder) check(s *Sample) error {
	if s.Time < r.last.Time {
		return fmt.Errorf("it is before %v", r.last.Time)
	}
	if s.Time > mostTime {
		return fmt.Errorf("it is after %v", mostTime)
	}
	if len(s.Levels) != len(r.resources) {
		return fmt.Errorf("%d levels for %d resources", len(s.Levels), len(r.resources))
	}

	// Comparisons with NaN are false, so the conditions are written as what must hold.
	for i, l := range s.Levels {
		if !(l.Used >= 0 && l.Capacity >= 0 && l.Used <= math.MaxFloat64 && l.Capacity <= math.MaxFloat64) {
			return fmt.Errorf("%s: %v of %v", r.resources[i], l.Used, l.Capacity)
		}
	}

	// The priorities are sorted, so that the error does not depend on the order of a map.
	for _, priority := range slices.Sorted(maps.Keys(s.Waiting)) {
		if n := s.Waiting[priority]; n < 0 {
			return fmt.Errorf("%d pods of priority %d wait", n, priority)
		}
	}
	for _, priority := range slices.Sorted(maps.Keys(s.Evicted)) {
		if n := s.Evicted[priority]; n < 0 {
			return fmt.Errorf("%d pods of priority %d were evicted", n, priority)
		}
	}
	return nil
}

// hold adds the last sample to all stretches up to a time.
func (r *Recorder) hold(until time.Duration) {
	for until/r.width >= mostColumns {
		r.join()
	}

	// The evictions of the last sample happened at its time, so they count in the first of these stretches.
	for from := r.last.Time; from < until; {
		i := int(from / r.width)
		to := min(until, time.Duration(i+1)*r.width)
		for len(r.columns) <= i {
			r.columns = append(r.columns, r.empty())
		}
		r.columns[i].add(&r.last, to-from)
		r.flush(&r.columns[i])
		from = to
	}
}

// empty returns an empty stretch.
func (r *Recorder) empty() column {
	return column{share: make([]float64, len(r.resources)), waiting: map[int32]float64{}}
}

// add adds a sample that lasts for some time.
func (c *column) add(s *Sample, d time.Duration) {
	for i, l := range s.Levels {
		if l.Capacity > 0 {
			// The conversions prevent the product and the sum from being rounded in one step, which only some
			// machines do.
			c.share[i] += float64(min(l.Used/l.Capacity, mostShare) * float64(d))
		}
	}
	for priority, n := range s.Waiting {
		if n > 0 {
			c.waiting[priority] += float64(float64(n) * float64(d))
		}
	}
}

// mostShare bounds the share of a resource, so that absurd amounts do not overflow.
const mostShare = 1e6

// join merges every two stretches into one.
func (r *Recorder) join() {
	r.width *= 2
	joined := r.columns[:0]
	for i := 0; i < len(r.columns); i += 2 {
		c := r.columns[i]
		if i+1 < len(r.columns) {
			c.addColumn(&r.columns[i+1])
		}
		joined = append(joined, c)
	}
	clear(r.columns[len(joined):])
	r.columns = joined
}

// addColumn adds the sums of another stretch.
func (c *column) addColumn(d *column) {
	for i := range c.share {
		c.share[i] += d.share[i]
	}
	for priority, n := range d.waiting {
		c.waiting[priority] += n
	}
	c.evict(d.evicted)
}

// Series is a run as means over stretches of equal length.
type Series struct {
	Resources []string
	// Width is the length of each stretch. The last one may be cut off at End.
	Width, End time.Duration
	// Share[i][k] is the mean share of resource i that is in use in stretch k; 1 is all of it.
	Share [][]float64
	// Waiting has the waiting pods by priority, the highest first.
	Waiting []Waiting
	// Evicted has the evicted pods by priority, the highest first.
	Evicted []Evicted
}

// Waiting is the mean number of waiting pods of one priority in every stretch.
type Waiting struct {
	Priority int32
	Pods     []float64
}

// Series returns the record up to end, until which the last sample lasts. An end before the last sample
// counts as the time of that sample. Recording may continue from there. The caller owns the result.
func (r *Recorder) Series(end time.Duration) Series {
	end = min(max(end, r.last.Time), mostTime)
	r.hold(end)
	r.last.Time = end

	s := Series{Resources: slices.Clone(r.resources), Width: r.width, End: end}
	for i := range r.resources {
		s.Share = append(s.Share, r.means(end, func(c *column) float64 { return c.share[i] }))
	}

	// Each priority has a mean in every stretch, even if none of its pods waited there.
	seen := map[int32]bool{}
	for i := range r.columns {
		for priority := range r.columns[i].waiting {
			seen[priority] = true
		}
	}
	for priority := range seen {
		pods := r.means(end, func(c *column) float64 { return c.waiting[priority] })
		s.Waiting = append(s.Waiting, Waiting{priority, pods})
	}
	slices.SortFunc(s.Waiting, func(a, b Waiting) int { return cmp.Compare(b.Priority, a.Priority) })

	s.Evicted = r.evicted()
	return s
}

// means divides the sums of the stretches by their lengths.
func (r *Recorder) means(end time.Duration, sum func(*column) float64) []float64 {
	out := make([]float64, len(r.columns))
	for i := range r.columns {
		from := time.Duration(i) * r.width
		out[i] = sum(&r.columns[i]) / float64(min(r.width, end-from))
	}
	return out
}
