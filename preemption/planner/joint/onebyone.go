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

// oneByOne places pods that preempt one after the other, as kube-scheduler has
// them do (rule 25.3.1).
type oneByOne struct {
	ctx  context.Context
	eval *engine.Evaluator
	snap *engine.Snapshot
	now  time.Time
	pods []*outrank.Pod

	nodes   []string // by place in the queue, empty for none
	victims [][]*outrank.Pod
	cleared [][]*outrank.Pod
	last    []*preemption.Plan
	rules   map[*outrank.Pod]string // by which a victim is taken
	// order lists the pods that have a place, in the order in which they got it.
	order []int
}

func newOneByOne(ctx context.Context, eval *engine.Evaluator, snap *engine.Snapshot, pods []*outrank.Pod, now time.Time) *oneByOne {
	n := len(pods)
	return &oneByOne{
		ctx: ctx, eval: eval, snap: snap, now: now, pods: pods,
		nodes: make([]string, n), victims: make([][]*outrank.Pod, n), cleared: make([][]*outrank.Pod, n), last: make([]*preemption.Plan, n),
		rules: map[*outrank.Pod]string{},
	}
}

// run goes through the waiting pods again and again, as long as that changes anything.
// Each round binds a pod or evicts one, so that there is a last one. From the second round
// on, and where other rules than priority say who takes from whom from the first, pods of the request
// are nobody's victims (rule 25.3.3).
func (o *oneByOne) run(waiting []int) error {
	for round := 0; len(waiting) > 0; round++ {
		if spared := o.eval.Config().Eligibility.AnyPriority; round == 1 || round == 0 && spared {
			eval, err := sparing(o.eval, o.pods)
			if err != nil {
				return err
			}
			o.eval = eval
		}
		left, moved, err := o.round(waiting)
		if err != nil || !moved {
			return err
		}
		waiting = left
	}
	return nil
}

// round has each of the pods preempt, in order. The victims are gone at once, and the
// preemptor is nominated until all pods had their turn.
func (o *oneByOne) round(waiting []int) (left []int, moved bool, err error) {
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
			moved = true
		case preemption.Preempts:
			if err := o.snap.Apply(plan); err != nil {
				return nil, false, err
			}
			for _, v := range plan.Victims {
				o.victims[i] = append(o.victims[i], v.Pod)
				o.rules[v.Pod] = v.Rule
			}
			o.cleared[i] = append(o.cleared[i], plan.ClearedNominations...)
			nominated, moved = append(nominated, i), true
		default:
			left = append(left, i)
		}
	}
	for _, i := range nominated {
		node := o.last[i].Node
		status, err := o.eval.Check(o.snap, o.pods[i], node)
		if err := cmp.Or(err, o.ctx.Err()); err != nil { // a filter may count the pods of every node for it
			return nil, false, err
		}
		if status.Code != preemption.Success {
			left = append(left, i)
		} else if err := o.bind(i, node); err != nil {
			return nil, false, err
		}
	}
	slices.Sort(left)
	return left, moved, nil
}

// bindAnywhere binds a pod that fits: to the node that it is nominated to, or to the first
// one that takes it (rule 25.3.2).
func (o *oneByOne) bindAnywhere(i int) error {
	nodes, err := o.eval.Feasible(o.ctx, o.snap, o.pods[i])
	if err != nil {
		return err
	}
	return o.bind(i, nodes[0].Name)
}

func (o *oneByOne) bind(i int, node string) error {
	o.nodes[i], o.order = node, append(o.order, i)
	return o.snap.Bind(o.pods[i].Key(), node)
}

// all lists the victims of all pods.
func (o *oneByOne) all() []*outrank.Pod {
	return slices.Concat(o.victims...)
}

// sparing returns an evaluator like this one, for which none of the pods is a victim.
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
