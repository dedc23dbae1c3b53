package sim

import "time"

// Defaults of [Kubelets].
const (
	DefaultLookPeriod = 10 * time.Second
	DefaultTransition = 5 * time.Minute
	DefaultRetries    = 6
)

// Kubelets has a kubelet on every node. A pod that was bound does not run before its
// kubelet has admitted it, pods may come to a node past the scheduler, and a node whose
// pods use more than it can allocate is under pressure; see the package comment.
type Kubelets struct {
	// Period is the time between two looks of a kubelet at usage. Looks come at whole
	// multiples of it. Zero means DefaultLookPeriod.
	Period time.Duration
	// Transition is the time that a node counts as under pressure after a kubelet
	// has seen it so for the last time; zero means DefaultTransition.
	Transition time.Duration
	// Retries is how often kubelets may turn a pod away, or evict it under pressure, and its controller
	// still makes it anew. Zero means DefaultRetries, the backoffLimit of a job. Each time the controller
	// waits twice as long as before, six minutes at most, beginning with the delay of Recreate.
	Retries int
	// PriorityFirst and Exact choose the victims of a critical pod in other ways than kubelets do: by
	// priority before class, and the best set of pods; see kubeletadmit.Config.
	PriorityFirst, Exact bool
}

// check refuses values that make no sense.
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

// filledIn replaces zeros by the defaults.
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
