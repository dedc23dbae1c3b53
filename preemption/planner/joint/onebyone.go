package joint

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// oneByOne places pods that preempt one after the other, as in kube-scheduler (rule 25.3.1).
type oneByOne struct {
	ctx  context.Context
	eval *engine.Evaluator
	snap *engine.Snapshot
	now  time.Time
	pods []*outrank.Pod // in the order of the queue

	// The next four are indexed by position in the queue. nodes has the node of each pod, empty for none; victims
	// the pods that left for it; cleared the pods that lost a nomination to its node; last its last decision.
	nodes   []string
	victims [][]*outrank.Pod
	cleared [][]*outrank.Pod
	last    []*preemption.Plan
	// rules has for each victim the name of the rule by which it was evicted.
	rules map[*outrank.Pod]string
	// order lists the positions of the pods with a place, in the order in which they were bound.
	order []int
}

// newOneByOne prepares the pods to preempt one by one. Its run changes the snapshot.
func newOneByOne(ctx context.Context, eval *engine.Evaluator, snap *engine.Snapshot, pods []*outrank.Pod, now time.Time) *oneByOne {
	n := len(pods)
	return &oneByOne{
		ctx: ctx, eval: eval, snap: snap, now: now, pods: pods,
		nodes: make([]string, n), victims: make([][]*outrank.Pod, n), cleared: make([][]*outrank.Pod, n), last: make([]*preemption.Plan, n),
		rules: map[*outrank.Pod]string{},
	}
}

// run gives the waiting pods turns in rounds, until a round changes nothing. It ends, because each other round binds
// a pod or evicts one.
func (o *oneByOne) run(waiting []int) error {
	for round := 0; len(waiting) > 0; round++ {
		// From the second round on, and with AnyPriority from the first, pods of the request are nobody's victims
		// (rule 25.3.3).
		if anyPriority := o.eval.Config().Eligibility.AnyPriority; round == 1 || round == 0 && anyPriority {
			eval, err := sparing(o.eval, o.pods)
			if err != nil {
				return err
			}
			o.eval = eval
		}

		left, changed, err := o.round(waiting)
		if err != nil || !changed {
			return err
		}
		waiting = left
	}
	return nil
}

// round gives each of the waiting pods one turn, in order. It returns the pods that still have no place, and whether
// anything changed. A pod that preempts evicts its victims at its turn, and stays nominated until all pods have
// had theirs.
func (o *oneByOne) round(waiting []int) (left []int, changed bool, err error) {
	// A pod that fits is bound at its turn (rule 25.1.2).
	var nominated []int
	for _, i := range waiting {
		plan, err := o.eval.Preempt(o.ctx, o.snap, preemption.Request{Pod: o.pods[i], Now: o.now})
		if err != nil {
			return nil, false, err
		}
		o.last[i] = plan

		switch plan.Outcome {
		case preemption.Fits:
			if err := o.bindAnywhere(i); err != nil {
				return nil, false, err
			}
			changed = true
		case preemption.Preempts:
			if err := o.apply(i, plan); err != nil {
				return nil, false, err
			}
			nominated = append(nominated, i)
			changed = true
		default:
			left = append(left, i)
		}
	}

	// A nominated pod whose node no longer takes it gets another turn, at its position in the queue (rule 25.3.3).
	notBound, err := o.bindNominated(nominated)
	if err != nil {
		return nil, false, err
	}
	left = append(left, notBound...)
	slices.Sort(left)
	return left, changed, nil
}

// apply carries out the plan of a pod, and records its victims. A pod that preempts in several rounds accumulates
// the victims of all rounds.
func (o *oneByOne) apply(i int, plan *preemption.Plan) error {
	if err := o.snap.Apply(plan); err != nil {
		return err
	}
	for _, v := range plan.Victims {
		o.victims[i] = append(o.victims[i], v.Pod)
		o.rules[v.Pod] = v.Rule
	}
	o.cleared[i] = append(o.cleared[i], plan.ClearedNominations...)
	return nil
}

// bindNominated binds each of the pods that preempted to its node, if the node still takes it, and returns the
// others. It checks the context for each pod, because a filter may go through the pods of all nodes.
func (o *oneByOne) bindNominated(nominated []int) (notBound []int, err error) {
	for _, i := range nominated {
		node := o.last[i].Node
		status, err := o.eval.Check(o.snap, o.pods[i], node)
		if err := cmp.Or(err, o.ctx.Err()); err != nil {
			return nil, err
		}
		if status.Code != preemption.Success {
			notBound = append(notBound, i)
		} else if err := o.bind(i, node); err != nil {
			return nil, err
		}
	}
	return notBound, nil
}

// bindAnywhere binds a pod that fits to its nominated node, or else to the first feasible node (rule 25.3.2). If the
// nominated node is feasible, Feasible returns only that one.
func (o *oneByOne) bindAnywhere(i int) error {
	nodes, err := o.eval.Feasible(o.ctx, o.snap, o.pods[i])
	if err != nil {
		return err
	}
	return o.bind(i, nodes[0].Name)
}

// bind binds a pod to a node, and records it.
func (o *oneByOne) bind(i int, node string) error {
	o.nodes[i], o.order = node, append(o.order, i)
	return o.snap.Bind(o.pods[i].Key(), node)
}

// allVictims lists the victims of all pods.
func (o *oneByOne) allVictims() []*outrank.Pod {
	return slices.Concat(o.victims...)
}

// sparing returns an evaluator of the same configuration, except that the given pods are never victims.
func sparing(eval *engine.Evaluator, pods []*outrank.Pod) (*engine.Evaluator, error) {
	config := eval.Config()
	spared := make(map[outrank.Key]bool, len(pods))
	for _, pod := range pods {
		spared[pod.Key()] = true
	}

	take := config.Eligibility.Take
	config.Eligibility.Take = func(preemptor, victim *outrank.Pod) (rule string, ok bool) {
		if spared[victim.Key()] || take == nil {
			return "", !spared[victim.Key()]
		}
		return take(preemptor, victim)
	}
	return engine.New(config)
}
