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

// StaticPods returns a new list with one more static pod for every node, such as a new agent on all nodes. It
// is called static- followed by the name of the node. The pods arrive one after another, evenly over the time
// in which the other pods arrive. They have the priority of system-node-critical, and run forever. The given
// items are only read. The result is ordered by arrival, then by name. Errors wrap [outrank.ErrInvalid]:
// another pod has such a name. Time is O(n log n).
func StaticPods(items []Item, nodes []*outrank.Node, asks Amounts) ([]Item, error) {
	_, last := span(items)
	out := make([]Item, 0, len(items)+len(nodes))
	out = append(out, items...)
	for i, n := range nodes {
		part := last / time.Duration(len(nodes)+1) // divides first, because the product may overflow
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

// ParseStatic parses the requests of a static pod, like "4000,8192": thousandths of a core and MiB. Errors
// wrap [outrank.ErrInvalid].
func ParseStatic(text string) (Amounts, error) {
	var milli, mib int64
	var rest string
	n, _ := fmt.Sscanf(text, "%d,%d%s", &milli, &mib, &rest)
	if n != 2 || milli < 0 || milli > mostMilli || mib < 0 || mib > mostMiB {
		return Amounts{}, fmt.Errorf("%w: %s is not cpu_milli,memory_mib; write 4000,8192", outrank.ErrInvalid, quote(text))
	}
	return Amounts{MilliCPU: milli, Memory: resource.Amount(resource.Memory, mebibytes(mib))}, nil
}
