package engine

import (
	"errors"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// eligible returns whether the group may preempt.
func (r *groupRun) eligible(possible []possibleVictim) preemption.Ineligibility {
	policy := outrank.PreemptionPolicy("")
	if r.owner.never {
		policy = outrank.PreemptNever
	}
	return r.config.GroupEligible(policy, r.nominated(), func(yield func(*state.PodState) bool) {
		for i := range possible {
			if r.look.Ended(1) {
				return
			}
			for _, p := range r.podsOf(&possible[i]) {
				if !yield(p) {
					return
				}
			}
		}
	})
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
