package kubeletadmit

import (
	"cmp"
	"slices"
)

// figures has the amounts by which pods are chosen, from the tally. Pods are
// identified by their index among the movable pods.
type figures struct {
	// amounts has a row of width columns per pod: what the kubelet's preemption
	// counts the pod with.
	amounts []int64
	width   int
	// needColumns has the column of each need. It is -1 for the resource pods, of
	// which each pod frees 1 (rule 17.5.8).
	needColumns []int
	// memory and cpu are the columns that break ties.
	memory, cpu int
}

// set reads the figures from the tally. They are valid until the tally changes.
func (f *figures) set(t *tally, needs []ResourceNeed) {
	f.amounts, f.width = t.amounts, len(t.names)
	f.memory, f.cpu = t.memory, t.cpu
	f.needColumns = f.needColumns[:0]
	for _, n := range needs {
		f.needColumns = append(f.needColumns, slices.Index(t.names, n.Resource))
	}
}

// frees returns what the pod frees of a need.
func (f *figures) frees(pod, need int) int64 {
	if column := f.needColumns[need]; column >= 0 {
		return f.amounts[pod*f.width+column]
	}
	return 1
}

// requests returns what the pod requests of memory and cpu.
func (f *figures) requests(pod int) (memory, cpu int64) {
	row := f.amounts[pod*f.width:]
	return row[f.memory], row[f.cpu]
}

// negative reports whether any amount of the pod that choosing depends on is below 0.
func (f *figures) negative(pod int) bool {
	row := f.amounts[pod*f.width:]
	below := row[f.memory] < 0 || row[f.cpu] < 0
	for i := range f.needColumns {
		below = below || f.frees(pod, i) < 0
	}
	return below
}

// distance returns the sum, over the needs in their order, of the square of the part of
// left that the pod would leave (rules 17.6.2 and 17.6.3).
func (f *figures) distance(left []int64, pod int) float64 {
	var sum float64
	for i, n := range left {
		sum += square(n, f.frees(pod, i))
	}
	return sum
}

// square returns the square of the part that frees leaves of n, 0 if it leaves
// nothing. The conversion keeps the compiler from fusing the product into a
// sum, which would round differently on some machines.
//
// The result never grows as frees grows: each step is a monotone function, and
// rounding keeps it monotone.
func square(n, frees int64) float64 {
	if n <= frees {
		return 0
	}
	part := float64(n-frees) / float64(n)
	return float64(part * part)
}

// compareRequests breaks ties between pods: the smaller memory request comes
// first, then the smaller cpu request (smallerResourceRequest). It is 0 if both
// are equal.
func (f *figures) compareRequests(a, b int) int {
	first, second := f.amounts[a*f.width:], f.amounts[b*f.width:]
	return cmp.Or(
		cmp.Compare(first[f.memory], second[f.memory]),
		cmp.Compare(first[f.cpu], second[f.cpu]),
	)
}
