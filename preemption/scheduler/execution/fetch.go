package execution

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
)

// fetch gets the preemptor as it is now (step 0 of the reference's Preempt), and
// reports whether it still needs room.
func (x *execution) fetch(ctx context.Context) (bool, error) {
	if x.group != nil {
		return x.fetchGroup(ctx)
	}

	latest, result, err := x.latestOf(ctx, x.plan.Pod)
	if err != nil {
		return false, err
	}

	// The pod of a resize is on its node, and needs room there as long as the resize is deferred.
	if result == Bound && x.plan.Resize && stillDeferred(x.plan.Pod, latest) {
		result = Interrupted
	}
	if result == Bound || result == Gone {
		x.report.Result = result
		return false, nil
	}
	if latest.Terminating() {
		x.report.Result = Gone
		return false, nil
	}
	x.report.Preemptor = latest
	return true, nil
}

// fetchGroup gets the pods of the group as they are now, and reports whether any of them still needs
// room. The first of those stands for the group as the preemptor.
func (x *execution) fetchGroup(ctx context.Context) (bool, error) {
	x.report.Members = make([]PodReport, len(x.group.nominations))
	for i, at := range x.group.nominations {
		m := &x.report.Members[i]
		m.Pod, m.Node = at.Pod, at.Node
		m.Result = Interrupted
		latest, result, err := x.latestOf(ctx, at.Pod)
		switch {
		case err != nil:
			return false, err
		case result == Interrupted && latest.Terminating():
			m.Result = Gone
		case result != Interrupted:
			m.Result = result
		default:
			m.Pod = latest
			x.group.members = append(x.group.members, m)
		}
	}

	if len(x.group.members) == 0 {
		x.report.Result = x.report.Members[0].Result
		return false, nil
	}
	x.report.Preemptor = x.group.members[0].Pod
	return true, nil
}

// latestOf fetches the pod as it is now. The result is Interrupted if the pod
// exists and has no node, else Bound or Gone. A pod that is returned with Gone is another one, which has
// taken the name.
func (e *Executor) latestOf(ctx context.Context, pod *outrank.Pod) (*outrank.Pod, Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, Interrupted, err
	}
	latest, err := e.actions.Latest(ctx, pod)
	switch {
	case notFound(err):
		return nil, Gone, nil
	case err != nil:
		return nil, Interrupted, fmt.Errorf("latest version: %w", err)
	case latest == nil:
		return nil, Gone, nil
	case !samePod(latest, pod):
		return latest, Gone, nil
	case latest.NodeName != "":
		return latest, Bound, nil
	}
	return latest, Interrupted, nil
}

// stillDeferred reports whether a pod still waits for its resize on the node that it
// was on.
func stillDeferred(was, latest *outrank.Pod) bool {
	return latest.ResizeDeferred && latest.NodeName == was.NodeName
}
