package lockstep

import (
	"reflect"
	"unsafe"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
)

// What the queue does with time it does in goroutines of its own. These are the steps
// that they take, to be taken when the test says so.

//go:linkname flushBackoff k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushBackoffQCompleted
func flushBackoff(q *queue.PriorityQueue, logger klog.Logger)

//go:linkname flushUnschedulable k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulableEntitiesLeftover
func flushUnschedulable(q *queue.PriorityQueue, logger klog.Logger)

//go:linkname lenBackoff k8s.io/kubernetes/pkg/scheduler/backend/queue.(*backoffQueue).lenBackoff
func lenBackoff(backoff unsafe.Pointer) int

// poppable reports whether Pop has something to return at once.
func poppable(q *queue.PriorityQueue, early bool) bool {
	if len(q.PodsInActiveQ()) > 0 {
		return true
	}
	return early && lenBackoff(reflect.ValueOf(q).Elem().FieldByName("backoffQ").Elem().UnsafePointer()) > 0
}
