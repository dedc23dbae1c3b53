package sim

import (
	"errors"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
)

// budgets is the disruption controller: it keeps the allowance of each budget in
// line with the pods it covers, by [pdb.StatusOf]. Pods count from their arrival
// on; those that run are ready. A budget without minAvailable and maxUnavailable
// stays as it was given.
//
// It is lazy: it computes a status when preemption is about to look at it, and
// only where a pod that the budget covers has changed. A new allowance makes the
// snapshot copy its list of budgets.
type budgets struct {
	matcher *pdb.Budgets
	// list has the budgets with their last allowance; each is replaced when
	// that changes.
	list []*outrank.PodDisruptionBudget
	// pods has the pods that each budget covers.
	pods []map[*pod]bool
	// stale says which allowances may be out of date, any whether one of them is.
	stale []bool
	any   bool
	scale func(outrank.Owner, string) (int32, bool)
}

// newBudgets begins to follow the budgets. Their allowances are computed when preemption first asks for them.
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

// join begins to count a pod in the budgets that cover it.
func (b *budgets) join(p *pod) {
	p.covering = b.matcher.AppendCovering(p.covering[:0], p.obj)
	for _, i := range p.covering {
		b.pods[i][p] = true
	}
	b.touch(p)
}

// leave ends the counting of a pod.
func (b *budgets) leave(p *pod) {
	b.touch(p)
	for _, i := range p.covering {
		delete(b.pods[i], p)
	}
	p.covering = p.covering[:0]
}

// touch marks the allowances of a pod's budgets as out of date, since the pod has changed.
func (b *budgets) touch(p *pod) {
	for _, i := range p.covering {
		b.stale[i] = true
		b.any = true
	}
}

// renew brings the allowances up to date, and returns the budgets whose allowance has changed.
func (b *budgets) renew(now time.Time) []*outrank.PodDisruptionBudget {
	var changed []*outrank.PodDisruptionBudget
	for i, x := range b.list {
		if !b.stale[i] || x.MinAvailable == nil && x.MaxUnavailable == nil {
			continue
		}

		in := pdb.StatusInput{Budget: x, Now: now, Scale: b.scale}
		for p := range b.pods[i] { // their order means nothing to the sums
			in.Pods = append(in.Pods, p.obj)
		}

		// A status that cannot be computed leaves the allowance as it is.
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
