package sim

import "time"

// Defaults of [Kubelets].
const (
	DefaultLookPeriod = 10 * time.Second
	DefaultTransition = 5 * time.Minute
	DefaultRetries    = 6
)

// Kubelets puts a kubelet on every node. A bound pod runs only after its kubelet has admitted it, pods may
// come to a node without a scheduler, and a node whose pods use more than it can allocate is under pressure;
// see the package comment.
type Kubelets struct {
	// Period is the time between two looks of a kubelet at usage, which happen at whole multiples of it. Zero
	// means DefaultLookPeriod.
	Period time.Duration
	// Transition is how long a node counts as under pressure after a kubelet last saw the pressure. Zero
	// means DefaultTransition.
	Transition time.Duration
	// Retries is how many rejections by kubelets and evictions under pressure a lineage survives before its
	// controller gives up. Zero means DefaultRetries, the backoffLimit of a job. The delay before each retry
	// starts with the delay of Recreate and doubles up to six minutes.
	Retries int
	// PriorityFirst and Exact change how the victims of a critical pod are chosen: by priority before class,
	// and as the best set of pods. Real kubelets do neither; see kubeletadmit.Config.
	PriorityFirst, Exact bool
}

// check rejects values that make no sense.
func (k *Kubelets) check(ps *problems) {
	if k == nil {
		return
	}

	for _, d := range []struct {
		field string
		value time.Duration
	}{{"Kubelets.Period", k.Period}, {"Kubelets.Transition", k.Transition}} {
		if d.value < 0 || d.value > horizon {
			ps.add("simulation config", d.field, "%v is not between 0 and %v", d.value, horizon)
		}
	}
	if k.Retries < 0 {
		ps.add("simulation config", "Kubelets.Retries", "%d is negative", k.Retries)
	}
}

// filledIn returns the settings with the defaults filled in, or nil without kubelets.
func (k *Kubelets) filledIn() *Kubelets {
	if k == nil {
		return nil
	}

	out := *k
	if out.Period == 0 {
		out.Period = DefaultLookPeriod
	}
	if out.Transition == 0 {
		out.Transition = DefaultTransition
	}
	if out.Retries == 0 {
		out.Retries = DefaultRetries
	}
	return &out
}
