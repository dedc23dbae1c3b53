package queue

import (
	"github.com/outrank-go/outrank"
)

// Class stands for pods that fail alike: if an attempt with one of them fails, an attempt with any other fails
// with the same filters, until something changes. They are helped alike, too: pods of one class have the same
// priority and whatever else the hints of these filters look at ([Helps]), among it their labels and their namespace
// where terms of affinity or constraints of spread are about pods, and the namespace where they have claims. Two
// values are the same class if they are equal. The
// queue calls the methods while it is locked: they must not call the queue.
type Class interface {
	// Known returns the filters that an attempt would fail with now. ok is false if they are not known
	// without a closer look, or if an attempt may succeed.
	Known() (filters []string, ok bool)
	// Refuses works out the filters that an attempt with this pod of the class would fail with. ok is
	// false if the attempt must be made. Refuses is called only where Known is not ok, in the order in
	// which the pods would be popped.
	Refuses(pod *outrank.Pod) (filters []string, ok bool)
	// Refused tells the class how many attempts with its pods were refused.
	Refused(attempts int)
}

// Refusing says how far [Queue.Refuse] goes.
type Refusing struct {
	// Class returns the class of a pod, nil if an attempt with the pod must be made. The queue keeps the answer
	// until the pod is popped or replaced.
	Class func(pod *outrank.Pod) Class
	// Most is the largest number of attempts. Zero means any number.
	Most int
	// Since is the number of an attempt, or 0. A pod is fresh if it was last tried in this attempt or an
	// earlier one, or never. MostFresh is the largest number of fresh pods that are refused.
	Since     int64
	MostFresh int
}

// refusals has the three results of [Queue.Refuse].
type refusals struct {
	attempts, fresh int
	last            int64
}
