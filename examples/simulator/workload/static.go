package workload

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/resource"
)

// StaticClass is the service class of the pods that [StaticPods] makes.
const StaticClass = "static"

// staticPriority is the priority of the class system-node-critical.
const staticPriority = priority.SystemCritical + 1000

// StaticPods returns a new list with one more static pod for every node, called
// static- and the node's name: a new agent on all nodes. They come to one node after
// another, evenly over the time in which the other pods come. They have the priority
// of system-node-critical, and never end. The items given are only read. The
// result is in the order of arrival, of equals by name. Errors wrap
// [outrank.ErrInvalid]: another pod has such a name. Time is O(n log n).
func StaticPods(items []Item, nodes []*outrank.Node, asks Amounts) ([]Item, error) {
	_, last := span(items)
	out := make([]Item, 0, len(items)+len(nodes))
	out = append(out, items...)
	for i, n := range nodes {
		part := last / time.Duration(len(nodes)+1) // divided first, since the product may be too large
		out = append(out, Item{
			Class: StaticClass, Arrival: (part * time.Duration(i+1)).Truncate(time.Millisecond), Endless: true,
			Pod: &outrank.Pod{
				Name: "static-" + n.Name, NodeName: n.Name, Static: true,
				Priority:   outrank.Priority(staticPriority),
				Containers: []outrank.Container{{Name: "main", Requests: asks.requests()}},
			},
		})
	}

	sortItems(out)
	if err := unique(out); err != nil {
		return nil, fmt.Errorf("static pods: %w", err)
	}
	return out, nil
}

// requests returns the amounts as the requests of a pod.
func (a Amounts) requests() resource.List {
	l := resource.List{}
	if a.MilliCPU > 0 {
		l[resource.CPU] = resource.NewMilli(a.MilliCPU)
	}
	if a.Memory > 0 {
		l[resource.Memory] = resource.NewBinary(a.Memory)
	}
	if a.MilliGPU > 0 {
		l[GPU] = resource.New(a.MilliGPU)
	}
	return l
}

// ParseStatic reads the request of a static pod, like "4000,8192": thousandths of
// a core and MiB. Errors wrap [outrank.ErrInvalid].
func ParseStatic(text string) (Amounts, error) {
	var milli, mib int64
	var rest string
	n, _ := fmt.Sscanf(text, "%d,%d%s", &milli, &mib, &rest)
	if n != 2 || milli < 0 || milli > mostMilli || mib < 0 || mib > mostMiB {
		return Amounts{}, fmt.Errorf("%w: %s is not cpu_milli,memory_mib; write 4000,8192", outrank.ErrInvalid, quote(text))
	}
	return Amounts{MilliCPU: milli, Memory: resource.Amount(resource.Memory, mebibytes(mib))}, nil
}
