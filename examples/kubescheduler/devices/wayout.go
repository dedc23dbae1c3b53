package devices

import (
	"context"
	"errors"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// WayOut returns the step that the plugin DynamicResources takes for a pod that fits nowhere, before preemption is
// asked. The plugin gives up an allocation of one of the pod's claims that cannot be used on some node, if nobody
// else uses the claim. That makes no room in this attempt, so that the way out has no plan; the pod's condition
// has its text. Idle are the claims that the plugin may give up; it gives up one, by chance. Ex is the explanation
// of the attempt.
func (f *Filter) WayOut(ex *preemption.Plan, snap *engine.Snapshot) (way execution.WayOut, idle []*resourcev1.ResourceClaim, err error) {
	way = execution.WayOut{Name: Name, Ask: func(context.Context, *engine.Snapshot, preemption.Request) (*preemption.Plan, error) {
		return nil, nil
	}}
	if f.config.Release == outrank.V1_36 {
		way.Says = "no new claims to deallocate"
	}
	if ex == nil || snap == nil {
		return way, nil, problem("explanation", "", "is nil, or its snapshot is")
	}

	// If another filter refused the pod first, the plugin has noted nothing about it, and fails.
	if ex.Refused.Code != preemption.Success && ex.Refused.Filter != Name {
		way.Says = "not found"
		way.Ask = func(context.Context, *engine.Snapshot, preemption.Request) (*preemption.Plan, error) {
			return ex, errors.New("not found")
		}
		return way, nil, nil
	}

	// A claim for extended resources that was created in an earlier attempt is deleted.
	a, err := f.x.Load().start(ex.Pod, snap)
	if err != nil || a == nil || a.refusal != "" {
		return way, nil, err
	}
	if a.extended != nil && a.extended.claim.Name != inMemory {
		way.Says = "deletion of ResourceClaim completed"
		return way, nil, nil
	}

	for i := range ex.Nodes {
		s := &ex.Nodes[i].Status
		if s.Filter != Name || !slices.Equal(s.Reasons, []string{notAvailable}) {
			continue
		}
		if n, ok := snap.Node(ex.Nodes[i].Node); ok {
			idle = a.idleOn(n, idle)
		}
	}

	if f.config.Release == outrank.V1_36 {
		way.Says = "still not schedulable"
	}
	if len(idle) > 0 {
		way.Says = "deallocation of ResourceClaim completed"
	}
	return way, idle, nil
}

// idleOn adds the pod's claims that cannot be used on a node and that nobody else uses.
func (a *attempt) idleOn(n *outrank.Node, idle []*resourcev1.ResourceClaim) []*resourcev1.ResourceClaim {
	v := a.x.viewOf(n)
	for i, c := range a.claims {
		if !a.unavailableAt(i, v) || slices.Contains(idle, c) {
			continue
		}
		others := slices.ContainsFunc(c.Status.ReservedFor, func(r resourcev1.ResourceClaimConsumerReference) bool {
			return string(r.UID) != a.asker.UID
		})
		if len(c.Status.ReservedFor) <= 1 && !others {
			idle = append(idle, c)
		}
	}
	return idle
}
