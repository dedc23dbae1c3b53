package kubeletadmit

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// EvictedPod is one pod that has to go, and why it was this one.
type EvictedPod struct {
	// Pod is the caller's pod.
	Pod *outrank.Pod
	// Tier is the class by which it was chosen.
	Tier outrank.QOSClass
	// Contributions has an entry for each shortage that the tier still had to cover
	// when the pod was chosen, in the order of the failures.
	Contributions []Contribution
	// Distance is how far the pod was from covering all of them: the sum of
	// the squares of the parts it would leave, from 0, where it leaves nothing,
	// to len(Contributions), where it is of no help. No other pod that the tier had
	// left was nearer.
	Distance float64
}

// Contribution is what one pod does about one shortage. Amounts are counted like
// [resource.Amount]: thousandths of a core for cpu, whole units for everything
// else.
type Contribution struct {
	Resource resource.Name
	// Needed is what was still to be found, above 0, and Frees what the pod
	// counts with.
	Needed, Frees int64
}

// Left is what was still to be found after the pod, 0 if nothing was.
func (s Contribution) Left() int64 { return max(resource.SubSat(s.Needed, s.Frees), 0) }
