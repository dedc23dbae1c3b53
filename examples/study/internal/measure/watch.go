package measure

import (
	"context"

	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/preemption"
)

// watch follows a run.
type watch struct {
	use use
	// violations counts the violations of budgets of all plans.
	violations int
	// regret compares every so many-th plan with the best one. plans counts all,
	// compared those that were, worse those for which there was a better one,
	// unproven those whose best one is not proven to be it.
	regret                           int
	plans, compared, worse, unproven int
	// beyond sums the excess of plans over the best ones.
	beyond map[preemption.Rank]int64
}

// decided looks at a plan. Those of gangs are not compared.
func (w *watch) decided(d sim.Decision) error {
	if d.Plan == nil {
		w.violations += d.Group.Violations()
		return nil
	}
	w.violations += d.Plan.Violations()
	if w.plans++; w.regret == 0 || (w.plans-1)%w.regret > 0 {
		return nil
	}
	w.compared++
	if policy := d.Evaluator.Config().Policy; policy.Victims == preemption.Exact {
		w.prove(d.Plan.ClusterCertificate) // it would be compared with itself
		return nil
	}
	r, err := d.Evaluator.Regret(context.Background(), d.Snapshot, d.Plan, d.Time)
	if err != nil {
		return err
	}
	if !r.None() {
		w.worse++
		if w.beyond == nil {
			w.beyond = map[preemption.Rank]int64{}
		}
		for _, g := range r.Gaps {
			w.beyond[g.Rank] += g.Gap
		}
	}
	w.prove(r.Best.ClusterCertificate)
	return nil
}

// prove counts best plans that may not be the best.
func (w *watch) prove(c *preemption.Certificate) {
	if c == nil || !c.Optimal {
		w.unproven++
	}
}

// note computes the figures of the comparison.
func (w *watch) note(figures map[string]float64) {
	if w.compared == 0 {
		return
	}
	each := 100 / float64(w.compared)
	figures["regretPlans"] = each * float64(w.worse)
	figures["regretUnproven"] = each * float64(w.unproven)
	figures["regretViolations"] = each * float64(w.beyond[preemption.ByViolations])
	figures["regretVictims"] = each * float64(w.beyond[preemption.ByVictims])
}
