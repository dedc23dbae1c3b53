package execution_test

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/priority"
)

// What the tests see of the inside of the package. They stand outside of it, because a test inside of it would have
// every package between it and these tests compiled a second time.

// compareNominated is the order of the pods nominated to one node: by priority, and then by start, those without a start
// last.
func compareNominated(a, b *outrank.Pod) int {
	return priority.Compare(a, b, time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC))
}

// checkNominator says what is wrong with the two maps of a nominator: they have to agree, without empty lists and in
// order.
func checkNominator(n *execution.Nominator) error {
	inside := reflect.ValueOf(n).Elem()
	mu := (*sync.RWMutex)(inside.FieldByName("mu").Addr().UnsafePointer())
	mu.RLock()
	defer mu.RUnlock()

	listed := 0
	byNode, byPod := inside.FieldByName("byNode"), inside.FieldByName("byPod")
	for on := byNode.MapRange(); on.Next(); {
		node, pods := on.Key().String(), podsIn(on.Value())
		if node == "" || len(pods) == 0 {
			return fmt.Errorf("node %q has %d pods", node, len(pods))
		}
		if !slices.IsSortedFunc(pods, compareNominated) {
			return fmt.Errorf("node %s: not in order", node)
		}
		for _, p := range pods {
			listed++
			e := byPod.MapIndex(reflect.ValueOf(p.Key()))
			if !e.IsValid() {
				return fmt.Errorf("node %s lists pod %s, which has no entry", node, p.Key())
			}
			if at := e.FieldByName("node").String(); at != node || podIn(e.FieldByName("pod")) != p {
				return fmt.Errorf("node %s lists pod %s, whose entry is on %q", node, p.Key(), at)
			}
		}
	}
	if listed != byPod.Len() {
		return fmt.Errorf("%d pods in lists, %d entries", listed, byPod.Len())
	}
	return nil
}

// podIn returns the pod to which a pointer points that stands in a field of the package.
func podIn(pointer reflect.Value) *outrank.Pod { return (*outrank.Pod)(pointer.UnsafePointer()) }

// podsIn returns the pods of a list that stands there.
func podsIn(list reflect.Value) (pods []*outrank.Pod) {
	for i := range list.Len() {
		pods = append(pods, podIn(list.Index(i)))
	}
	return pods
}

// remembered is the number of victims that the executor remembers or is evicting.
func remembered(e *execution.Executor) int {
	evictions := reflect.ValueOf(e).Elem().FieldByName("evictions").Elem()
	mu := (*sync.Mutex)(evictions.FieldByName("mu").Addr().UnsafePointer())
	mu.Lock()
	defer mu.Unlock()
	return evictions.FieldByName("byID").Len()
}
