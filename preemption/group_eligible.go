package preemption

import (
	"errors"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// eligible returns whether the group may preempt (rules 12.9.6 and 12.9.7;
// preemptorEligibleToPreemptOthers). Unlike for a single pod, the answer of a
// nominated node does not matter.
func (r *groupRun) eligible(possible []possibleVictim) Ineligibility {
	variant := r.config.ByVariant()
	if r.config.Policy.Disabled {
		return Disabled
	}
	if r.owner.never && !variant.IgnoresNever {
		return PolicyNever
	}
	nominated := r.nominated()
	if variant.WaitsWhileNominated && len(nominated) > 0 {
		return Nominated
	}
	if len(nominated) == 0 {
		return Eligible
	}
	for i := range possible {
		for _, p := range r.podsOf(&possible[i]) {
			leaves := dryrun.LeavesByPreemption(p) || variant.WaitsForTerminating && p.Pod.Terminating()
			if leaves && nominated[p.Node()] {
				return VictimsTerminating
			}
		}
	}
	return Eligible
}

// nominated returns the nodes that pods of the group are nominated to.
func (r *groupRun) nominated() map[string]bool {
	nodes := map[string]bool{}
	for _, p := range r.pods {
		if node := r.nominationOf(p); node != "" {
			nodes[node] = true
		}
	}
	return nodes
}

// checkGroup returns everything that keeps the pods from being a group.
func checkGroup(snap *state.Snapshot, pods []*outrank.Pod) error {
	if len(pods) == 0 {
		return refuseGroup([]outrank.Problem{{Object: "group request", Field: "Pods", Text: "empty"}})
	}
	var ps []outrank.Problem
	var running []error
	seen := map[outrank.Key]bool{}
	for i, p := range pods {
		var invalid *outrank.InputError
		if errors.As(p.Validate(), &invalid) {
			if p == nil {
				invalid.Problems[0].Object = fmt.Sprintf("pod number %d", i+1)
			}
			ps = append(ps, invalid.Problems...)
			continue
		}
		if seen[p.Key()] {
			ps = append(ps, outrank.Problem{Object: "pod " + string(p.Key()), Text: "stands in the group twice"})
		}
		seen[p.Key()] = true
		if err := snap.CheckWaits(p); err != nil {
			running = append(running, err)
		}
	}
	if len(ps) == 0 {
		ps = unlikeOwner(snap, pods)
	}
	return errors.Join(append(running, refuseGroup(ps))...)
}

func refuseGroup(ps []outrank.Problem) error {
	if len(ps) == 0 {
		return nil
	}
	return &outrank.InputError{Problems: ps}
}
