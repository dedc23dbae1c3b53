package sim

import (
	"reflect"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
)

// schedulerState is a [Scheduler] ready for use.
type schedulerState struct {
	name string
	eval *engine.Evaluator
	loop *attempt.Loop // from the start of the run on
	// score rates nodes one by one, scorer, if set, beside each other.
	score  Score
	scorer Scorer
	// shares is set if equal pods get the same answer; refused counts the
	// attempts that were not made one by one.
	shares  bool
	refused uint64
}

// schedulers are the schedulers of a run.
type schedulers struct {
	byName  map[string]*schedulerState
	inOrder []*schedulerState // as in the configuration
}

// add makes a scheduler.
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

// forget makes the schedulers forget a pod that is gone.
func (ss *schedulers) forget(obj *outrank.Pod) {
	for _, x := range ss.inOrder {
		x.loop.Executor().Gone(obj)
	}
}

// sharesAnswers reports whether equal pods get the same answer by these rules:
// none of the caller's own is asked.
func sharesAnswers(c preemption.Config) bool {
	_, own := c.Victims.(preemption.Chooser)
	c.Variant, c.Budgets, c.Ranks = 0, 0, nil
	if !own {
		c.Victims = nil
	}
	return reflect.ValueOf(c).IsZero()
}
