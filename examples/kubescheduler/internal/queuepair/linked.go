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

// The scheduler's queue takes its timed steps in goroutines of its own. Here a test takes the same steps when it
// wants to.

// FlushBackoff makes the pods whose backoff is over active.
//
//go:linkname FlushBackoff k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushBackoffQCompleted
func FlushBackoff(q *queue.PriorityQueue, logger klog.Logger)

// FlushUnschedulable moves the pods that have been unschedulable for longer than the time-out.
//
//go:linkname FlushUnschedulable k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulableEntitiesLeftover
func FlushUnschedulable(q *queue.PriorityQueue, logger klog.Logger)

//go:linkname lenBackoff k8s.io/kubernetes/pkg/scheduler/backend/queue.(*backoffQueue).lenBackoff
func lenBackoff(backoff unsafe.Pointer) int

//go:linkname worthRequeuing k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).isPodWorthRequeuing
func worthRequeuing(q *queue.PriorityQueue, logger klog.Logger, info *framework.QueuedPodInfo, event fwk.ClusterEvent, before, object any, narrowed unsafe.Pointer) int

// Poppable reports whether Pop returns at once. Early says that Pop may take a pod before its backoff is over.
func Poppable(q *queue.PriorityQueue, early bool) bool {
	if len(q.PodsInActiveQ()) > 0 {
		return true
	}
	return early && lenBackoff(reflect.ValueOf(q).Elem().FieldByName("backoffQ").Elem().UnsafePointer()) > 0
}

// helps reports whether the reference's hints of these plugins say that an event helps a pod.
func helps(q *queue.PriorityQueue, info *framework.PodInfo, plugins []string, event fwk.ClusterEvent, before, object any) bool {
	asked := &framework.QueuedPodInfo{PodInfo: info, QueueingParams: framework.QueueingParams{
		UnschedulablePlugins: sets.New(plugins...), PendingPlugins: sets.New[string](),
	}}
	return worthRequeuing(q, klog.Background(), asked, event, before, object, nil) > 0
}

// gatesOf returns the plugins that the queue asks before a pod becomes active or goes into backoff, by profile
// and name.
func gatesOf(q *queue.PriorityQueue) map[string]map[string]fwk.PreEnqueuePlugin {
	field := reflect.ValueOf(q).Elem().FieldByName("preEnqueuePluginMap")
	return *(*map[string]map[string]fwk.PreEnqueuePlugin)(field.Addr().UnsafePointer())
}

// eventsOf returns the events for which each plugin is registered.
func eventsOf(q *queue.PriorityQueue) map[string][]fwk.ClusterEvent {
	field := reflect.ValueOf(q).Elem().FieldByName("pluginToEventsMap")
	return *(*map[string][]fwk.ClusterEvent)(field.Addr().UnsafePointer())
}
