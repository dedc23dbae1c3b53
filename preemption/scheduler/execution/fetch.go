package execution

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
)

// fetch gets the latest version of the preemptor (step 0 of the reference's Preempt), and
// reports whether it still needs room.
func (x *execution) fetch(ctx context.Context) (bool, error) {
	if x.group != nil {
		return x.fetchGroup(ctx)
	}

	latest, result, err := x.latestOf(ctx, x.plan.Pod)
	if err != nil {
		return false, err
	}

	// A pod that is to be resized is on its node, and needs room there while its resize is deferred.
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

// fetchGroup gets the latest versions of the pods of the group, and reports whether any of them still needs
// room. The first such pod stands for the group as the preemptor.
func (x *execution) fetchGroup(ctx context.Context) (bool, error) {
	x.report.Members = make([]PodReport, len(x.group.nominations))
	for i, at := range x.group.nominations {
		m := &x.report.Members[i]
		m.Pod, m.Node = at.Pod, at.Node
		m.Result = Interrupted

		// A pod that is being deleted counts as gone, like a single preemptor.
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

	// If no pod needs room, the first pod's result is given as the result of the whole.
	if len(x.group.members) == 0 {
		x.report.Result = x.report.Members[0].Result
		return false, nil
	}
	x.report.Preemptor = x.group.members[0].Pod
	return true, nil
}

// latestOf fetches the latest version of a pod. The result is Interrupted if the pod
// exists and has no node, else Bound or Gone. If a pod comes with Gone, it is another pod that has
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

// stillDeferred reports whether a pod's resize is still deferred, and the pod is on the same node as before.
func stillDeferred(was, latest *outrank.Pod) bool {
	return latest.ResizeDeferred && latest.NodeName == was.NodeName
}
