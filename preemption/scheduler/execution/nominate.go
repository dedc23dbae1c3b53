package execution

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
)

// clearNominations clears the nominations that the plan names, as far as they still
// stand, one after the other. A failure does not stop it; the end of the context does. A
// pod that is not found is cleared, and counts as a failure all the same (rule 14.3.4).
func (x *execution) clearNominations(ctx context.Context) {
	pods := x.plan.ClearedNominations
	if x.nominator != nil {
		pods = x.nominator.standing(pods, x.plan.Node, x.report.Preemptor.PriorityValue())
	}
	for _, p := range pods {
		err := ctx.Err()
		if err == nil {
			err = x.retry.do(ctx, func() error { return x.actions.ClearNomination(ctx, p) })
		}
		x.clearingFailed = x.clearingFailed || err != nil

		c := PodReport{Pod: p, Result: Completed}
		switch {
		case err == nil:
		case notFound(err):
			c.Result = Gone
		default:
			c.Result, c.Err = Failed, err
		}
		if c.Result != Failed {
			x.forgetNomination(p)
		}
		x.report.Cleared = append(x.report.Cleared, c)
	}
}

// nominate writes the nomination down on the preemptor, and first in the
// Nominator, so that no other pod takes the room in the meantime. Where it cannot
// be written, the Nominator drops it again, as in v1.13 (rule 13.2.7). It
// reports whether the preemptor is nominated now.
func (x *execution) nominate(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, x.report.failure(err)
	}
	if x.plan.Resize {
		return true, nil // it is on its node (rule 7.19.9)
	}
	if x.group != nil {
		return x.nominateGroup(ctx)
	}
	pod, memory := x.report.Preemptor, x.nominator
	if memory != nil {
		memory.move(pod, x.plan.Node)
	}
	err := x.retry.do(ctx, func() error { return x.actions.Nominate(ctx, pod, x.plan.Node) })
	switch {
	case err == nil:
		x.report.Nominated = true
		return true, nil
	case notFound(err):
		x.forgetNomination(pod)
		x.report.Result = Gone
		return false, nil
	case memory != nil:
		memory.move(pod, "")
	}
	return false, x.report.failure(fmt.Errorf("nominating: %w", err))
}

// nominateGroup nominates the pods that still wait, each first in the Nominator. It
// reports whether any of them is there to be nominated.
func (x *execution) nominateGroup(ctx context.Context) (bool, error) {
	memory := x.nominator
	if memory != nil {
		for _, m := range x.group.members {
			memory.move(m.Pod, m.Node)
		}
	}
	for i, m := range x.group.members {
		err := ctx.Err()
		if err == nil {
			err = x.retry.do(ctx, func() error { return x.actions.Nominate(ctx, m.Pod, m.Node) })
		}
		switch {
		case err == nil:
			m.Result, x.report.Nominated = Completed, true
		case notFound(err):
			x.forgetNomination(m.Pod)
			m.Result = Gone
		default:
			for _, left := range x.group.members[i:] {
				if memory != nil {
					memory.move(left.Pod, "")
				}
			}
			return false, x.report.failure(fmt.Errorf("nominating %s: %w", m.Pod.Key(), err))
		}
	}
	if !x.report.Nominated {
		x.report.Result = Gone
	}
	return x.report.Nominated, nil
}

func (x *execution) forgetNomination(p *outrank.Pod) {
	if x.nominator != nil {
		x.nominator.Remove(p)
	}
}
