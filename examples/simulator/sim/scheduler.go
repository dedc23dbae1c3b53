package sim

import (
	"context"
	"reflect"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// schedulerState is a [Scheduler] ready for use.
type schedulerState struct {
	name string
	eval *engine.Evaluator
	loop *attempt.Loop // nil until the snapshot of the run exists
	// score rates nodes one by one. A scorer, if set, replaces it and rates them all at once.
	score  Score
	scorer Scorer
	// shares is set if equal pods always get equal answers.
	shares bool
	// refused counts the attempts that scheduling.refuse has made for several pods at once.
	refused uint64
}

// attempt makes an attempt with a pod or gang from the queue.
func (x *schedulerState) attempt(ctx context.Context, entry queue.Entry, now time.Time) (*attempt.Result, error) {
	return x.loop.Attempt(ctx, entry, now)
}

// rank asks the scorer, which must be set, about all feasible nodes for a pod.
func (x *schedulerState) rank(ctx context.Context, snap *engine.Snapshot, obj *outrank.Pod, nodes []*outrank.Node) (*score.Ranking, error) {
	return x.scorer.Score(ctx, snap, obj, nodes)
}

// decide returns the feasible nodes for a pod or, if there are none, the plan to make room.
func (x *schedulerState) decide(ctx context.Context, obj *outrank.Pod, now time.Time) ([]*outrank.Node, *preemption.Plan, error) {
	return x.loop.Decide(ctx, obj, now)
}

// feasible returns the feasible nodes for a pod.
func (x *schedulerState) feasible(ctx context.Context, snap *engine.Snapshot, obj *outrank.Pod) ([]*outrank.Node, error) {
	return x.eval.Feasible(ctx, snap, obj)
}

// preempt decides who has to leave for a pod.
func (x *schedulerState) preempt(ctx context.Context, snap *engine.Snapshot, request preemption.Request) (*preemption.Plan, error) {
	return x.eval.Preempt(ctx, snap, request)
}

// schedulers has the schedulers of a run.
type schedulers struct {
	byName  map[string]*schedulerState
	inOrder []*schedulerState // in the order of the configuration
}

// add adds a configured scheduler. Its loop is made later, because it needs the snapshot.
func (ss *schedulers) add(c *Scheduler) error {
	eval, err := engine.New(c.Preemption)
	if err != nil {
		return err
	}

	added := &schedulerState{name: c.name(), eval: eval, score: c.Score, scorer: c.Scorer, shares: sharesAnswers(c.Preemption)}
	if added.score == nil {
		added.score = LeastAllocated
	}

	ss.byName[added.name] = added
	ss.inOrder = append(ss.inOrder, added)
	return nil
}

// forget lets all schedulers forget a pod that has left.
func (ss *schedulers) forget(obj *outrank.Pod) {
	for _, x := range ss.inOrder {
		x.loop.Executor().Gone(obj)
	}
}

// sharesAnswers reports whether equal pods always get equal answers by these rules. They do unless the
// caller's own code takes part, which may tell pods apart by anything.
func sharesAnswers(c preemption.Config) bool {
	// Only refusals are shared. Ranks take no part in them, because they compare candidates. The variant and
	// the rule about budgets apply to all pods alike. Any other setting ends the sharing.
	_, own := c.Victims.(preemption.Chooser)
	c.Variant, c.Budgets, c.Ranks = 0, 0, nil
	if !own {
		c.Victims = nil
	}
	return reflect.ValueOf(c).IsZero()
}
