package lockstep

import (
	"context"
	"reflect"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
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

// actuatePod has the reference's executor carry a candidate out for a pod.
//
//go:linkname actuatePod k8s.io/kubernetes/pkg/scheduler/framework/preemption.(*Executor).actuatePodPreemption
func actuatePod(e *preemption.Executor, ctx context.Context, c preemption.Candidate, preemptor *corev1.Pod, plugin string) *fwk.Status
