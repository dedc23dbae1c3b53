// Package handedout answers how the pods of a group get room while the scheduler's queue has handed them out.
//
// During the attempt of a group the scheduler's nominator knows only the names of its pods. Nominations that they
// have from an earlier attempt therefore take no room (rules 12.9.5 and 12.9.9 of the library). They still say
// whether the group waits for victims that are leaving (rule 12.9.7).
package handedout

import (
	"context"
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// errToPlace ends a decision at the point where the group would be placed.
var errToPlace = errors.New("the group is to be placed")

// Nominated reports whether one of several pods is nominated to a node, by the snapshot, or by the pod if the
// snapshot does not know it. If it reports false, Evaluator.PreemptGroup gives the same answer as PreemptGroup.
func Nominated(snap *engine.Snapshot, pods []*outrank.Pod) bool {
	for _, p := range pods {
		if hasNode(snap, p) {
			return len(pods) > 1
		}
	}
	return false
}

func hasNode(snap *engine.Snapshot, p *outrank.Pod) bool {
	if _, known := snap.Pod(p.Key()); known {
		return snap.NominationOf(p.Key()) != ""
	}
	return p.NominatedNodeName != ""
}

// PreemptGroup decides about a group that the queue has handed out. The nominations of its pods count for the
// question whether the group may preempt; they do not count for who has to leave. The request must say Refused
// and have a function that places the group. The snapshot is changed.
func PreemptGroup(ctx context.Context, e *engine.Evaluator, snap *engine.Snapshot, req preemption.GroupRequest) (*preemption.GroupPlan, error) {
	// The first search sees the nominations, which count for eligibility. It ends before the group is placed.
	first := req
	first.Place = func(context.Context, preemption.Draft, []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		return nil, nil, errToPlace
	}
	plan, err := e.PreemptGroup(ctx, snap, first)
	if !errors.Is(err, errToPlace) {
		return plan, err
	}

	// The second search places the group, without the nominations.
	for _, p := range req.Pods {
		if err := setAside(snap, p); err != nil {
			return nil, err
		}
	}
	return e.PreemptGroup(ctx, snap, req)
}

// setAside removes the nomination of a pod from the snapshot. A pod that the snapshot does not know is added
// without its nomination, which would count otherwise.
func setAside(snap *engine.Snapshot, p *outrank.Pod) error {
	switch _, known := snap.Pod(p.Key()); {
	case !hasNode(snap, p):
		return nil
	case known:
		return snap.Nominate(p.Key(), "")
	}
	without := *p
	without.NominatedNodeName = ""
	_, err := snap.PutPod(&without)
	return err
}
