package execution

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// carrying is one plan while it is carried out.
type carrying struct {
	*Executor
	plan *preemption.Plan
	// report is filled in as things happen; while victims are told to go, each
	// goroutine writes to the places of its own.
	report *Report
	// pending are the victims in the report that are not terminating already.
	pending []*VictimReport
}

// newCarrying prepares the report. A victim that stands in the plan twice is
// taken once.
func newCarrying(e *Executor, plan *preemption.Plan) *carrying {
	c := &carrying{Executor: e, plan: plan, report: &Report{Preemptor: plan.Pod, Node: plan.Node}}
	victims, seen := make([]VictimReport, 0, len(plan.Victims)), map[string]bool{}
	for _, v := range plan.Victims {
		id := identityOf(v.Pod)
		if seen[id] {
			continue
		}
		seen[id] = true
		victims = append(victims, VictimReport{Pod: v.Pod})
		if v.Terminating() {
			victims[len(victims)-1].Deed = WasTerminating
		} else {
			c.pending = append(c.pending, &victims[len(victims)-1])
		}
	}
	c.report.Victims = victims
	return c
}

// run takes all steps. The preemptor stays under way until it returns, and is
// activated after that, so that the queue lets it in.
func (c *carrying) run(ctx context.Context) error {
	activate := false
	defer func() {
		c.end(c.plan.Pod.Key())
		if activate {
			c.config.Actions.Activate(c.report.Preemptor)
		}
	}()
	found, err := c.fetch(ctx)
	if err != nil {
		activate = c.config.Order == Asynchronous
		return c.report.failure(err)
	}
	if !found {
		return nil
	}
	c.config.Metrics.AddVictims(len(c.report.Victims))
	// A panic of the caller's actions must not leave the preemptor forgotten.
	activate = c.config.Order == Asynchronous
	err = c.steps(ctx)
	if err == nil && c.report.Ending == Interrupted {
		c.report.Ending = CarriedOut
	}
	activate = activate && (err != nil || c.report.unclear())
	return err
}

// unclear reports whether clearing a nomination failed.
func (r *Report) unclear() bool {
	for _, x := range r.Cleared {
		if !x.Cleared {
			return true
		}
	}
	return false
}

// fetch gets the preemptor as it is now (step 0 of the reference's Preempt), and
// says whether it still wants room.
func (c *carrying) fetch(ctx context.Context) (bool, error) {
	latest, ending, err := latestOf(ctx, c.config.Actions, c.plan.Pod)
	if err != nil {
		return false, err
	}
	if ending == PreemptorBound || ending == PreemptorGone {
		c.report.Ending = ending
		return false, nil
	}
	if latest.Terminating() {
		c.report.Ending = PreemptorGone
		return false, nil
	}
	c.report.Preemptor = latest
	return true, nil
}

// latestFetcher is what [Actions] and [FailureActions] have in common.
type latestFetcher interface {
	Latest(ctx context.Context, pod *outrank.Pod) (*outrank.Pod, error)
}

// latestOf fetches the pod as it is now; the ending is Interrupted where it is
// there and has no node.
func latestOf(ctx context.Context, from latestFetcher, pod *outrank.Pod) (*outrank.Pod, Ending, error) {
	if err := ctx.Err(); err != nil {
		return nil, Interrupted, err
	}
	latest, err := from.Latest(ctx, pod)
	switch {
	case notFound(err):
		return nil, PreemptorGone, nil
	case err != nil:
		return nil, Interrupted, fmt.Errorf("latest version: %w", err)
	case latest == nil || !samePod(latest, pod):
		return nil, PreemptorGone, nil
	case latest.NodeName != "":
		return latest, PreemptorBound, nil
	}
	return latest, Interrupted, nil
}

// steps takes the steps after the first in the order that was asked for.
func (c *carrying) steps(ctx context.Context) error {
	if c.config.Order == Asynchronous {
		if ok, err := c.nominate(ctx); !ok {
			return err
		}
		c.clear(ctx)
		return c.lastAlone(ctx)
	}
	if err := c.victims(ctx, c.pending); err != nil {
		return err
	}
	c.clear(ctx)
	_, err := c.nominate(ctx)
	return err
}

// lastAlone tells all victims to go, and the last one when all others have been
// told.
func (c *carrying) lastAlone(ctx context.Context) error {
	if len(c.pending) == 0 {
		return nil
	}
	last := len(c.pending) - 1
	if err := c.victims(ctx, c.pending[:last]); err != nil {
		return err
	}
	c.lastOf(c.plan.Pod.Key(), c.pending[last].Pod)
	return c.victims(ctx, c.pending[last:])
}

// victims tells these to go, in groups.
func (c *carrying) victims(ctx context.Context, all []*VictimReport) error {
	for group := range slices.Chunk(all, c.config.Parallel) {
		if err := ctx.Err(); err != nil {
			return c.report.failure(err)
		}
		c.group(ctx, group)
		if !c.tell(group) {
			return c.report.failure(nil)
		}
	}
	return nil
}

// group tells all of them to go at once, and waits for that.
func (c *carrying) group(ctx context.Context, group []*VictimReport) {
	var others sync.WaitGroup
	for _, v := range group[1:] {
		others.Go(func() { c.push(ctx, v) })
	}
	c.push(ctx, group[0])
	others.Wait()
}

// tell posts the events about a group, and reports whether all are done.
func (c *carrying) tell(group []*VictimReport) bool {
	all := true
	for _, v := range group {
		if v.Deed == Evicted || v.Deed == Rejected {
			c.config.Actions.Event(preempted(v.Pod, c.report.Preemptor, c.plan.Node))
		}
		all = all && v.Deed.Done()
	}
	return all
}

// push tells one victim to go, unless that has been done.
func (c *carrying) push(ctx context.Context, v *VictimReport) {
	id := identityOf(v.Pod)
	claim, err := c.leaving.claim(ctx, id)
	switch {
	case err != nil:
		v.Err = err
		return
	case claim == nil:
		v.Deed = WasEvicted
		return
	}
	// Settled even after a panic of the caller's, or others would wait forever.
	v.Deed = Failed
	defer func() { c.leaving.settle(id, claim, v.Deed) }()
	v.Deed, v.Err = c.act(ctx, v.Pod)
}

// act rejects or evicts a victim.
func (c *carrying) act(ctx context.Context, victim *outrank.Pod) (Deed, error) {
	waited, err := c.config.Actions.Reject(ctx, victim)
	if err == nil && waited {
		return Rejected, nil
	}
	if err == nil {
		err = c.config.Actions.Evict(ctx, Eviction{
			Victim: victim, Condition: disruption(c.config.Scheduler), Grace: c.plan.Grace,
			Preemptor: c.report.Preemptor, Node: c.plan.Node,
		})
	}
	switch {
	case err == nil:
		return Evicted, nil
	case notFound(err):
		return WasGone, nil
	}
	return Failed, err
}

// clear takes away the nominations of lower priority to the node, one after the
// other. It ends nothing but with the context.
func (c *carrying) clear(ctx context.Context) {
	pods := c.plan.ClearedNominations
	if c.config.Nominator != nil {
		pods = c.config.Nominator.below(c.plan.Node, c.report.Preemptor.PriorityValue())
	}
	for _, p := range pods {
		x := ClearReport{Pod: p, Err: ctx.Err()}
		if x.Err == nil {
			x.Err = c.config.Actions.ClearNomination(ctx, p)
		}
		if x.Err == nil || notFound(x.Err) {
			x.Cleared, x.Err = true, nil
			c.forgetNomination(p)
		}
		c.report.Cleared = append(c.report.Cleared, x)
	}
}

func (c *carrying) forgetNomination(p *outrank.Pod) {
	if c.config.Nominator != nil {
		c.config.Nominator.Delete(p)
	}
}

// nominate notes the room on the preemptor, and first in memory, lest others
// take it in the meantime; seed 001 takes that back where it cannot be written,
// too. It reports whether the preemptor is nominated now.
func (c *carrying) nominate(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, c.report.failure(err)
	}
	pod, memory := c.report.Preemptor, c.config.Nominator
	if memory != nil {
		memory.Add(pod, c.plan.Node)
	}
	err := c.config.Actions.Nominate(ctx, pod, c.plan.Node)
	switch {
	case err == nil:
		c.report.Nominated = true
		return true, nil
	case notFound(err):
		c.forgetNomination(pod)
		c.report.Ending = PreemptorGone
		return false, nil
	case memory != nil:
		memory.Add(pod, "")
	}
	return false, c.report.failure(fmt.Errorf("nominating: %w", err))
}
