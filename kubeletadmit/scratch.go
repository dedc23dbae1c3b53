package kubeletadmit

import (
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// scratch is the memory that one call works in. Later calls reuse it, so that a
// call allocates only its answer. One call uses it at a time.
type scratch struct {
	tally    tally
	pool     pool
	failures []CheckFailure
	names    []resource.Name
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// newScratch returns memory to work in for the pod, by the rules of an admitter.
func newScratch(a Admitter, pod *outrank.Pod) *scratch {
	s := scratches.Get().(*scratch)
	s.tally.admitter, s.tally.pod = a, pod
	return s
}

// release lets later calls use the memory. It keeps numbers alone, so that no
// pod and no text of the caller stays alive.
func (s *scratch) release() {
	s.failures, s.names = wiped(s.failures), wiped(s.names)
	s.tally.reset()
	s.pool.reset()
	scratches.Put(s)
}

// wiped empties a slice that has only grown since it was empty.
func wiped[T any](list []T) []T {
	clear(list)
	return list[:0]
}
