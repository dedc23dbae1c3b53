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
	// Tier is the class of the tier from which it was chosen.
	Tier outrank.QOSClass
	// Contributions has an entry for each shortage that the tier still had to cover
	// when the pod was chosen, in the order of the failures.
	Contributions []Contribution
	// Distance is the pod's distance from covering all of these shortages: the
	// sum of the squares of the parts that it would leave. It is between 0, if
	// the pod leaves nothing, and len(Contributions), if the pod is of no help.
	// No other pod left in the tier was nearer, unless Config.Exact chose the pods.
	Distance float64
}

// Contribution says how far one pod covers one shortage. Amounts are counted
// like [resource.Amount]: thousandths of a core for cpu, whole units for all
// other resources.
type Contribution struct {
	Resource resource.Name
	// Needed is what was still short before the pod went. It is above 0. Frees is what the
	// pod frees, which may be more.
	Needed, Frees int64
}

// left returns what was still short after the pod went.
func (c Contribution) left() int64 { return max(resource.SubSat(c.Needed, c.Frees), 0) }

// String returns the pod with its tier.
func (e EvictedPod) String() string { return fmt.Sprintf("%s (%s)", podText(e.Pod), e.Tier) }

// podText names a pod. It is nil only in an admission that the caller has built.
func podText(p *outrank.Pod) string {
	if p == nil {
		return "no pod"
	}
	return string(p.Key())
}
