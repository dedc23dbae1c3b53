package queuepair

import (
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// The queue's timed steps run in goroutines of its own. These are the same steps,
// to be taken when the test wants them.

// FlushBackoff makes the pods active whose backoff is over.
//
//go:linkname FlushBackoff k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushBackoffQCompleted
func FlushBackoff(q *queue.PriorityQueue, logger klog.Logger)

// FlushUnschedulable moves the pods that have been unschedulable for the time-out.
//
//go:linkname FlushUnschedulable k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulableEntitiesLeftover
func FlushUnschedulable(q *queue.PriorityQueue, logger klog.Logger)

//go:linkname lenBackoff k8s.io/kubernetes/pkg/scheduler/backend/queue.(*backoffQueue).lenBackoff
func lenBackoff(backoff unsafe.Pointer) int

//go:linkname worthRequeuing k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).isPodWorthRequeuing
func worthRequeuing(q *queue.PriorityQueue, logger klog.Logger, info *framework.QueuedPodInfo, event fwk.ClusterEvent, before, object any, narrowed unsafe.Pointer) int

// Poppable reports whether Pop returns at once.
func Poppable(q *queue.PriorityQueue, early bool) bool {
	if len(q.PodsInActiveQ()) > 0 {
		return true
	}
	return early && lenBackoff(reflect.ValueOf(q).Elem().FieldByName("backoffQ").Elem().UnsafePointer()) > 0
}

// helps asks the reference's hints of these plugins about an event for a pod.
func helps(q *queue.PriorityQueue, info *framework.PodInfo, plugins []string, event fwk.ClusterEvent, before, object any) bool {
	asked := &framework.QueuedPodInfo{PodInfo: info, QueueingParams: framework.QueueingParams{
		UnschedulablePlugins: sets.New(plugins...), PendingPlugins: sets.New[string](),
	}}
	return worthRequeuing(q, klog.Background(), asked, event, before, object, nil) > 0
}

// gatesOf are the plugins that the queue asks before a pod is active or in backoff, by
// profile and name.
func gatesOf(q *queue.PriorityQueue) map[string]map[string]fwk.PreEnqueuePlugin {
	field := reflect.ValueOf(q).Elem().FieldByName("preEnqueuePluginMap")
	return *(*map[string]map[string]fwk.PreEnqueuePlugin)(field.Addr().UnsafePointer())
}

// eventsOf are the events that each plugin is registered for.
func eventsOf(q *queue.PriorityQueue) map[string][]fwk.ClusterEvent {
	field := reflect.ValueOf(q).Elem().FieldByName("pluginToEventsMap")
	return *(*map[string][]fwk.ClusterEvent)(field.Addr().UnsafePointer())
}
