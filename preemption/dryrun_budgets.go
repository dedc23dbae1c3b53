package preemption

// charge takes a pod from the budgets that cover it, and lists those that this
// violates (group 6.3; filterPodsWithPDBViolation). The list lasts until the next
// call.
func (w *dryRunner) charge(p *podState) []int32 {
	covering := p.class.covering
	if w.a.config.variant().emptySelectors {
		covering = w.coveringAny(p)
	}
	if len(covering) == 0 {
		return nil
	}
	if w.a.config.uncharged() {
		return w.exhausted(covering)
	}
	return w.chargeAll(p, covering)
}

// chargeAll charges these budgets, or up to the first that is violated, as the release
// has it (rules 6.3.5 and 6.3.8). Where each violation counts by itself, all are.
func (w *dryRunner) chargeAll(p *podState, covering []int32) []int32 {
	if w.a.stopsAtFirst() {
		return w.ledger.ChargeToFirst(p.pod, covering)
	}
	return w.ledger.Charge(p.pod, covering)
}

// stopsAtFirst reports whether a pod is charged no further than to the first budget
// that it violates.
func (a *attempt) stopsAtFirst() bool {
	return a.rules.BudgetsStopAtFirst && !a.config.uncharged() && !a.config.perBudget()
}

// coveringAny lists the budgets that cover a pod where empty selectors and pods
// without labels count (rule 13.3.6).
func (w *dryRunner) coveringAny(p *podState) []int32 {
	w.covering = w.covering[:0]
	for i, b := range w.a.snap.budgets.list {
		if b != nil && b.NamespaceName() == p.pod.NamespaceName() && b.Selector.Matches(p.pod.Labels) {
			w.covering = append(w.covering, int32(i))
		}
	}
	return w.covering
}

// exhausted picks the budgets that allow no disruption as they stand (rule
// 13.2.2).
func (w *dryRunner) exhausted(covering []int32) []int32 {
	w.none = w.none[:0]
	for _, i := range covering {
		if w.a.snap.budgets.list[i].Allowed <= 0 {
			w.none = append(w.none, i)
		}
	}
	return w.none
}
