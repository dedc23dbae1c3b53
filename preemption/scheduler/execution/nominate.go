package execution

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
)

// clearNominations clears the nominations that the plan names and that still stand, one after the other. A
// failure does not stop it. Once the context has ended the rest fails. A pod that is not found needs no
// clearing, but counts as a failure all the same (rule 14.3.4).
func (x *execution) clearNominations(ctx context.Context) {
	// The plan's list may be outdated. A Nominator knows which of these nominations still stand.
	pods := x.plan.ClearedNominations
	if x.nominator != nil {
		preemptor := x.report.Preemptor
		pods = x.nominator.standing(pods, x.plan.Node, preemptor.PriorityValue())
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

// nominate records the nomination in the Nominator, so that no other pod takes the room in the meantime, and
// then writes it to the preemptor. If it cannot be written the Nominator drops it again, as in v1.13 (rule
// 13.2.7). It reports whether the preemptor is nominated now.
func (x *execution) nominate(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, x.report.failure(err)
	}
	if x.plan.Resize {
		return true, nil // the pod is on its node already (rule 7.19.9)
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

// nominateGroup nominates the pods that still wait, each to its own node. It reports whether any of them is
// nominated now.
func (x *execution) nominateGroup(ctx context.Context) (bool, error) {
	// All nominations are in the Nominator before the first one is written, so that the room is kept for
	// the whole group.
	memory, members := x.nominator, x.group.members
	if memory != nil {
		for _, m := range members {
			memory.move(m.Pod, m.Node)
		}
	}

	for i, m := range members {
		err := ctx.Err()
		if err == nil {
			err = x.retry.do(ctx, func() error { return x.actions.Nominate(ctx, m.Pod, m.Node) })
		}

		switch {
		case err == nil:
			m.Result = Completed
			x.report.Nominated = true
		case notFound(err):
			x.forgetNomination(m.Pod)
			m.Result = Gone
		default:
			// Members whose nomination was not written lose it in the Nominator as well.
			for _, left := range members[i:] {
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

// forgetNomination removes a nomination from the Nominator, if there is one.
func (x *execution) forgetNomination(p *outrank.Pod) {
	if x.nominator != nil {
		x.nominator.Remove(p)
	}
}
