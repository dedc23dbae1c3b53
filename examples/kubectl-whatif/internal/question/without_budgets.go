package question

import "github.com/outrank-go/outrank"

// BudgetLoad is the effect of the nodes' removal on a disruption budget.
type BudgetLoad struct {
	Key outrank.Key `json:"key"`
	// Allowed is the number of its pods that may go, and Pods the number of them
	// on the nodes, which would be evicted.
	Allowed int32 `json:"allowed"`
	Pods    int   `json:"pods"`
	// Unready are those of the pods that are not ready, and Free those of them
	// that a drain may evict whatever the budget allows: pods that have not
	// started, and others by the budget's policy for pods that are not ready.
	Unready int `json:"unready,omitempty"`
	Free    int `json:"free,omitempty"`
	// Drain is the effect on a drain, which keeps to budgets. The loss of a node does
	// not ask them: it breaks a budget that loses more ready pods than may go.
	Drain DrainEffect `json:"drain"`
}

// DrainEffect is the effect of a budget on a drain.
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

// effect is the effect of a budget on a drain of so many of its pods.
func effect(allowed int32, pods int) DrainEffect {
	switch {
	case int64(allowed) >= int64(pods):
		return Lets
	case allowed <= 0:
		return Blocks
	}
	return Slows
}
