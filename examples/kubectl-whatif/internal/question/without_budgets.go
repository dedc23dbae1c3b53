package question

import "github.com/outrank-go/outrank"

// BudgetLoad is what the nodes' going means to a disruption budget.
type BudgetLoad struct {
	Key outrank.Key `json:"key"`
	// Allowed is how many of its pods may go, and Pods how many of them are on the nodes and
	// would be evicted.
	Allowed int32 `json:"allowed"`
	Pods    int   `json:"pods"`
	// Unready are those of the pods that are not ready, and Free those of them that a drain
	// may evict whatever the budget allows: pods that have not started, and others by the
	// budget's policy for pods that are not ready.
	Unready int `json:"unready,omitempty"`
	Free    int `json:"free,omitempty"`
	// Drain says what that means to a drain, which keeps to budgets. The loss of a node does
	// not ask them: it breaks a budget that loses more ready pods than may go.
	Drain DrainEffect `json:"drain"`
}

// DrainEffect is what a budget does to a drain.
type DrainEffect string

// The effects.
const (
	// Lets: all may go at once.
	Lets DrainEffect = "lets"
	// Slows: some may go at once, and the others as soon as replacements are ready.
	Slows DrainEffect = "slows"
	// Blocks: none may go, until more pods of the budget are ready.
	Blocks DrainEffect = "blocks"
)

// bear counts a pod that the budget covers.
func (l *BudgetLoad) bear(p *outrank.Pod, b *outrank.PodDisruptionBudget) {
	l.Pods++
	if p.Ready {
		return
	}
	l.Unready++
	if p.Phase == outrank.PhasePending || b.UnhealthyPodEvictionPolicy == outrank.AlwaysAllow || b.DesiredHealthy > 0 && b.CurrentHealthy >= b.DesiredHealthy {
		l.Free++
	}
}

// effect is what a budget does to a drain that has to ask it about so many pods.
func effect(allowed int32, pods int) DrainEffect {
	switch {
	case int64(allowed) >= int64(pods):
		return Lets
	case allowed <= 0:
		return Blocks
	}
	return Slows
}
