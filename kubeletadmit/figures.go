package kubeletadmit

import (
	"cmp"
	"slices"
)

// figures reads what choosing depends on out of the tally. Pods are named by
// their places among the movable ones.
type figures struct {
	// amounts has a row of width columns per pod.
	amounts []int64
	width   int
	// places are the columns of the needs, -1 for pods, which count 1 each.
	places []int
	// memory and cpu are the columns that break ties.
	memory, cpu int
}

func (f *figures) set(t *tally, needs []ResourceNeed) {
	f.amounts, f.width = t.amounts, len(t.names)
	f.memory, f.cpu = t.memory, t.cpu
	f.places = f.places[:0]
	for _, n := range needs {
		f.places = append(f.places, slices.Index(t.names, n.Resource))
	}
}

// frees is what the pod frees of a need.
func (f *figures) frees(pod, need int) int64 {
	if at := f.places[need]; at >= 0 {
		return f.amounts[pod*f.width+at]
	}
	return 1
}

// negative reports whether anything that choosing depends on is below 0.
func (f *figures) negative(pod int) bool {
	row := f.amounts[pod*f.width:]
	below := row[f.memory] < 0 || row[f.cpu] < 0
	for i := range f.places {
		below = below || f.frees(pod, i) < 0
	}
	return below
}

// distance sums the squares of the parts of left that the pod would leave, in
// their order.
func (f *figures) distance(left []int64, pod int) float64 {
	var sum float64
	for i, n := range left {
		sum += square(n, f.frees(pod, i))
	}
	return sum
}

// square is the square of the part that frees leaves of n, 0 where that is
// nothing. The conversion keeps the compiler from fusing the product into a sum,
// which would round differently on some machines.
//
// It never grows where frees does: each step is a function that does not rise
// or one that does not fall, and rounding keeps it so.
func square(n, frees int64) float64 {
	if n <= frees {
		return 0
	}
	part := float64(n-frees) / float64(n)
	return float64(part * part)
}

// compareRequests breaks ties between pods: the smaller memory request comes
// first, then the smaller cpu request (smallerResourceRequest). It is 0 where
// both are equal.
func (f *figures) compareRequests(a, b int) int {
	first, second := f.amounts[a*f.width:], f.amounts[b*f.width:]
	return cmp.Or(
		cmp.Compare(first[f.memory], second[f.memory]),
		cmp.Compare(first[f.cpu], second[f.cpu]),
	)
}
