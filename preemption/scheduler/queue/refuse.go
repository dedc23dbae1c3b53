package queue

import (
	"github.com/outrank-go/outrank"
)

// Class stands for pods that fail alike: where an attempt with one of them fails, an attempt
// with any other fails with the same filters, until something changes. Pods of one class
// have the same priority and the same terms of affinity and, where they have
// terms, the same namespace. Two classes are the same if they are equal. The
// queue calls the methods while it is locked: they must not call it.
type Class interface {
	// Known returns the filters that an attempt would fail with now. It is not ok where that is
	// not known without looking, or where an attempt may succeed.
	Known() (filters []string, ok bool)
	// Refuses looks, for a pod of the class, and is not ok where an attempt has to be made. It
	// is called where Known is not ok, in the order in which the pods would be popped.
	Refuses(pod *outrank.Pod) (filters []string, ok bool)
	// Refused is told of attempts with pods of the class that were refused.
	Refused(attempts int)
}

// Refusing says how far [Queue.Refuse] goes.
type Refusing struct {
	// Class returns the class of a pod, nil for one that an attempt has to be made
	// with. A class stays with the pod until the pod is popped or replaced.
	Class func(pod *outrank.Pod) Class
	// Most is how many attempts there are at most; zero means any number.
	Most int
	// Since is the number of an attempt, 0 for the beginning. MostFresh is how many pods are
	// refused at most that were last tried in this attempt or an earlier one.
	Since     int64
	MostFresh int
}

// refusals is what was refused, as [Queue.Refuse] returns it.
type refusals struct {
	attempts, fresh int
	last            int64
}
