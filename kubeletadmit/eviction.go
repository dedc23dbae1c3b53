package kubeletadmit

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// EvictedPod is one pod to evict, with the reasons for choosing it.
type EvictedPod struct {
	// Pod is the caller's pod.
	Pod *outrank.Pod
	// Tier is the class by which it was chosen.
	Tier outrank.QOSClass
	// Contributions has an entry for each shortage that the tier still had to cover
	// when the pod was chosen, in the order of the failures.
	Contributions []Contribution
	// Distance is the pod's distance from covering all of these shortages: the
	// sum of the squares of the parts that it would leave. It is between 0, if
	// the pod leaves nothing, and len(Contributions), if the pod is of no help.
	// No other pod left in the tier was nearer.
	Distance float64
}

// Contribution is the part of one pod in covering one shortage. Amounts are counted
// like [resource.Amount]: thousandths of a core for cpu, whole units for all
// other resources.
type Contribution struct {
	Resource resource.Name
	// Needed is the rest of the shortage before the pod, above 0. Frees is the amount that the
	// pod counts with.
	Needed, Frees int64
}

// left is what was still short after the pod.
func (c Contribution) left() int64 { return max(resource.SubSat(c.Needed, c.Frees), 0) }

// String returns the pod with its tier.
func (e EvictedPod) String() string { return fmt.Sprintf("%s (%s)", podText(e.Pod), e.Tier) }

// podText names a pod. An admission that was not made here may lack one.
func podText(p *outrank.Pod) string {
	if p == nil {
		return "no pod"
	}
	return string(p.Key())
}
