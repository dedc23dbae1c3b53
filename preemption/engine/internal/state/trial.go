package state

import (
	"maps"
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// trial keeps the states of trackers while a group of pods is tried on a snapshot. Two things differ
// from an attachment. Attempts begin while pods come and go, so that a state never changes once an
// attempt has seen it. And a pod can be away while it is still on its node: the engine takes it off
// only where its own filters would notice, and the caller's filters are not to see it.
type trial struct {
	mu   sync.Mutex // of kept
	kept []keptState
	away map[*PodState]bool
	// version grows with each change of the pods that are there.
	version uint64
}

// keptState is the state of one tracker. lent says that somebody else may have it, too: the next
// change clones it first.
type keptState struct {
	tracker *preemption.Tracker
	state   preemption.ClusterState
	lent    bool
}

// share returns a copy of the trial for another snapshot. Both have the same states until one of them
// changes.
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

// follow tells the states of a running pod that goes (by is -1) or comes (1). Pods on a node that does
// not exist have no part in any state.
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

		// An attempt that has seen the state goes on with it as it was.
		if k.lent {
			k.state, k.lent = k.state.Clone(), false
		}
		tell(k.state, p, node, by)
	}
}
