package measure

import (
	"context"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/examples/study/internal/course"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// watch follows a run.
type watch struct {
	use use
	// course follows the pods; nil for a dump, whose pods have no end, and where kubelets
	// evict. now is the time of the run, begun the time at which it began.
	course *course.Course
	now    func() time.Duration
	begun  time.Time
	// violations counts the violations of budgets of all plans.
	violations int
	// regret compares every so many-th plan with the best one. plans counts all,
	// compared those that were, worse those for which there was a better one,
	// unproven those whose best one is not proven to be it.
	regret                           int
	plans, compared, worse, unproven int
	// beyond sums the excess of plans over the best ones.
	beyond map[string]int64
}

// sample takes in the use of the nodes.
func (w *watch) sample(s chart.Sample) {
	w.use.sample(s)
	if w.course != nil {
		w.course.Advance(s.Time)
	}
}

// bound takes in that a pod is put on a node.
func (w *watch) bound(pod *outrank.Pod, node *outrank.Node) error {
	w.course.Bound(w.now(), pod, node)
	return nil
}

// evicted takes in the victims of a plan.
func (w *watch) evicted(d sim.Decision) {
	if w.course == nil {
		return
	}
	var grace *time.Duration // each has its own, but with the simplified variant
	if d.Plan.Variant == outrank.VariantSimplified {
		grace = new(time.Duration)
	}
	for _, v := range d.Plan.Victims {
		w.course.Evicted(d.Time.Sub(w.begun), v.Pod, grace)
	}
}

// decided looks at a plan. Those of gangs, which no trace has but a dump, are not compared.
func (w *watch) decided(d sim.Decision) error {
	if d.Plan == nil {
		for _, v := range d.Group.Victims {
			w.violations += min(1, len(v.Violated))
		}
		return nil
	}
	w.evicted(d)
	w.violations += d.Plan.Score.Violations
	if w.plans++; w.regret == 0 || (w.plans-1)%w.regret > 0 {
		return nil
	}
	w.compared++
	if _, exact := d.Evaluator.Config().Victims.(preemption.Exact); exact {
		w.prove(d.Plan.ClusterCertificate) // it would be compared with itself
		return nil
	}
	r, err := joint.RegretOf(context.Background(), d.Evaluator, d.Snapshot, d.Plan, d.Time)
	if err != nil {
		return err
	}
	if r.By != "" {
		w.worse++
		if w.beyond == nil {
			w.beyond = map[string]int64{}
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
	figures["regretViolations"] = each * float64(w.beyond[preemption.ByViolations.Name])
	figures["regretVictims"] = each * float64(w.beyond[preemption.ByVictims.Name])
}
