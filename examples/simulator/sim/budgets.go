package sim

import (
	"errors"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
)

// budgets is the disruption controller: it keeps the allowed disruptions of each budget in line with the pods
// that it covers, by [pdb.StatusOf]. Pods count from their arrival; running pods are ready. A budget without
// minAvailable and maxUnavailable keeps the number that it was given.
//
// It computes a number only when preemption is about to read it, and only if a pod that the budget covers has
// changed. A changed number makes the snapshot copy its list of budgets.
type budgets struct {
	matcher *pdb.Budgets
	// list has the budgets with the last computed numbers. A budget whose number changes is replaced by a
	// copy.
	list []*outrank.PodDisruptionBudget
	// pods has the pods that each budget covers, by the index of the budget.
	pods []map[*pod]bool
	// stale says which budgets may have an outdated number, and any whether one of them has.
	stale []bool
	any   bool

	// scale is Config.Scale.
	scale func(outrank.Owner, string) (int32, bool)
}

// newBudgets follows the budgets from now on. All numbers count as outdated until preemption first reads
// them. The error names budgets whose status cannot be computed.
func newBudgets(list []*outrank.PodDisruptionBudget, scale func(outrank.Owner, string) (int32, bool)) (*budgets, error) {
	b := &budgets{matcher: pdb.New(list), scale: scale}
	var errs []error
	for _, x := range list {
		copied := *x
		b.list = append(b.list, &copied)
		b.pods = append(b.pods, map[*pod]bool{})
		b.stale = append(b.stale, true)
		b.any = true
		_, err := pdb.StatusOf(pdb.StatusInput{Budget: x})
		errs = append(errs, err)
	}
	return b, errors.Join(errs...)
}

// join starts to count a pod in the budgets that cover it.
func (b *budgets) join(p *pod) {
	p.covering = b.matcher.AppendCovering(p.covering[:0], p.obj)
	for _, i := range p.covering {
		b.pods[i][p] = true
	}
	b.touch(p)
}

// leave stops counting a pod.
func (b *budgets) leave(p *pod) {
	b.touch(p)
	for _, i := range p.covering {
		delete(b.pods[i], p)
	}
	p.covering = p.covering[:0]
}

// touch marks the budgets of a pod as outdated, because the pod has changed.
func (b *budgets) touch(p *pod) {
	for _, i := range p.covering {
		b.stale[i] = true
		b.any = true
	}
}

// renew computes the outdated numbers, and returns the budgets whose number has changed.
func (b *budgets) renew(now time.Time) []*outrank.PodDisruptionBudget {
	var changed []*outrank.PodDisruptionBudget
	for i, x := range b.list {
		if !b.stale[i] || x.MinAvailable == nil && x.MaxUnavailable == nil {
			continue
		}

		in := pdb.StatusInput{Budget: x, Now: now, Scale: b.scale}
		for p := range b.pods[i] { // map order is harmless, because the pods are only counted
			in.Pods = append(in.Pods, p.obj)
		}

		// A budget whose status cannot be computed keeps its number.
		status, err := pdb.StatusOf(in)
		if err == nil && status.Allowed != x.DisruptionsAllowed {
			copied := *x
			copied.DisruptionsAllowed = status.Allowed
			b.list[i] = &copied
			changed = append(changed, &copied)
		}
	}

	clear(b.stale)
	b.any = false
	return changed
}
