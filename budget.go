package outrank

import "time"

// PodDisruptionBudget limits how many of the pods it covers may be down by
// choice at the same time. Preemption honours budgets as far as it can, and
// breaks them where nothing else helps.
type PodDisruptionBudget struct {
	// Name and Namespace identify the budget; an empty Namespace is "default".
	// It covers pods of its own namespace alone.
	Name, Namespace string
	// Selector picks the pods covered; nil, empty or invalid ones cover none.
	Selector *LabelSelector
	// MinAvailable and MaxUnavailable are the spec; at most one is set. They
	// matter only to those who work out a status (package pdb).
	MinAvailable, MaxUnavailable *IntOrPercent

	// Allowed is status.disruptionsAllowed, the number of covered pods that
	// may still go without breaking the budget.
	Allowed int32
	// Disrupted are names of pods whose eviction was already counted, with
	// its time; going again costs them nothing.
	Disrupted map[string]time.Time
}

// Key names the budget as namespace/name.
func (b *PodDisruptionBudget) Key() string { return b.NamespaceName() + "/" + b.Name }

// NamespaceName is the budget's namespace, "default" if it names none.
func (b *PodDisruptionBudget) NamespaceName() string { return namespaceOr(b.Namespace) }

// IntOrPercent is a number of pods, or a share of them in per cent.
type IntOrPercent struct {
	Value   int32
	Percent bool
}

// PriorityClass gives a priority a name. Package priority resolves and
// validates classes.
type PriorityClass struct {
	Name  string
	Value int32
	// GlobalDefault makes this the class of pods that name none.
	GlobalDefault bool
	// PreemptionPolicy is PreemptLowerPriority if empty.
	PreemptionPolicy PreemptionPolicy
	Description      string
}
