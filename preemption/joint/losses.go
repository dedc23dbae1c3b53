package joint

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/recreate"
	"github.com/outrank-go/outrank/preemption/engine"
)

// lot is what becomes of the work of one victim.
type lot struct {
	loss engine.Loss
	node int // of the replacement, -1 for none
}

// settled are the victims of a solution, the most important first, with what becomes of each.
type settled struct {
	victims []*outrank.Pod
	fates   []lot
	// exact is set where no other places for the replacements cost less.
	exact bool
}

// byOwner returns what becomes of a victim where no node need be asked (rule 11.13).
func byOwner(pod *outrank.Pod) (loss engine.Loss, known bool) {
	switch recreate.By(pod) {
	case recreate.Nobody, recreate.ForItsNode:
		return engine.Lost, true
	case recreate.WithItsGroup:
		return engine.Waits, true
	}
	return engine.Moved, false
}

// mildest is what the loss of a pod costs at least, whatever nodes say (rule 25.6.5).
func mildest(costs engine.LossCosts, pod *outrank.Pod) int64 {
	if loss, known := byOwner(pod); known {
		return costs.Of(loss)
	}
	return min(costs.Moved, costs.Waits, costs.Lost)
}
