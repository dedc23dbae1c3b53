package state

import (
	"maps"
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// trial keeps the states of trackers while a search places a group of pods on a snapshot. It differs from an
// attachment in two ways. Attempts begin while pods come and go, so that a state must not change once an
// attempt has seen it. And a pod can be set aside while it is still on its node: the search takes a pod off
// only if its own filters would notice, and the caller's filters must not see it either way.
type trial struct {
	mu   sync.Mutex // guards kept
	kept []keptState
	away map[*PodState]bool
	// version grows with each change of the pods that are on nodes and not set aside.
	version uint64
}

// keptState is the state of one tracker. lent is set if somebody else may hold the state, so that the next
// change must clone it first.
type keptState struct {
	tracker *preemption.Tracker
	state   preemption.ClusterState
	lent    bool
}

// share returns a copy of the trial for another snapshot. Both share the states until one of them changes.
func (x *trial) share() *trial {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()

	for i := range x.kept {
		x.kept[i].lent = true
	}
	return &trial{kept: slices.Clone(x.kept), away: maps.Clone(x.away)}
}

// follow informs the states of a running pod that goes (by is -1) or comes (1). Pods on a node that does not
// exist count in no state.
func (x *trial) follow(p *PodState, node *outrank.Node, by int) {
	if x == nil {
		return
	}
	if x.version++; node == nil {
		return
	}

	for i := range x.kept {
		k := &x.kept[i]
		if k.tracker.Concerns != nil && !k.tracker.Concerns(p.Pod) {
			continue
		}

		// An attempt that has seen the state keeps the old one.
		if k.lent {
			k.state, k.lent = k.state.Clone(), false
		}
		tell(k.state, p, node, by)
	}
}
