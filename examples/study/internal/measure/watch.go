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

// watch follows a run, and counts what its result does not tell.
type watch struct {
	use use
	// course follows the pods. It is nil for a dump, whose pods have no end, and for a run with kubelets, about
	// whose evictions it would not learn.
	course *course.Course
	// now returns the time of the run, and begun is the date at which it began.
	now   func() time.Duration
	begun time.Time
	// violations counts the violations of budgets in all plans.
	violations int
	// regret is n if every n-th plan is compared with the best one. It is 0 if none is.
	regret int
	// plans counts all plans, compared the compared ones, worse the ones among them for which there was a
	// better plan, and unproven the ones whose best plan was not proven to be optimal.
	plans, compared, worse, unproven int
	// beyond sums, by rank, by how much plans exceed the best ones.
	beyond map[string]int64
}

// sample records the use of the nodes.
func (w *watch) sample(s chart.Sample) {
	w.use.sample(s)
	if w.course != nil {
		w.course.Advance(s.Time)
	}
}

// bound records that a pod is bound to a node.
func (w *watch) bound(pod *outrank.Pod, node *outrank.Node) error {
	w.course.Bound(w.now(), pod, node)
	return nil
}

// evicted records the victims of a plan.
func (w *watch) evicted(d sim.Decision) {
	if w.course == nil {
		return
	}

	var grace *time.Duration // nil leaves each pod its own; the simplified variant sets one
	if d.Plan.Variant == outrank.VariantSimplified {
		grace = new(time.Duration)
	}
	for _, v := range d.Plan.Victims {
		w.course.Evicted(d.Time.Sub(w.begun), v.Pod, grace)
	}
}

// decided counts a plan. Plans for gangs are not compared; they occur only in a dump.
func (w *watch) decided(d sim.Decision) error {
	plan := d.Plan
	if plan == nil {
		for _, v := range d.Group.Victims {
			w.violations += min(1, len(v.Violated))
		}
		return nil
	}

	w.evicted(d)
	w.violations += plan.Score.Violations
	w.plans++
	if w.regret == 0 || (w.plans-1)%w.regret > 0 {
		return nil
	}
	return w.compare(d)
}

// compare compares a plan with the best possible one.
func (w *watch) compare(d sim.Decision) error {
	w.compared++

	// The plan of an exact search is the best one already, if that was proven.
	if _, exact := d.Evaluator.Config().Victims.(preemption.Exact); exact {
		w.countUnproven(d.Plan.ClusterCertificate)
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
	w.countUnproven(r.Best.ClusterCertificate)
	return nil
}

// countUnproven counts a best plan that was not proven to be optimal.
func (w *watch) countUnproven(c *preemption.Certificate) {
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
