package state

import (
	"maps"
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// trial is what a snapshot keeps of trackers while a group of pods is tried on it. Attempts begin
// there while pods come and go, so that a state that one of them has seen never changes any more;
// and pods can be away that are still on their nodes, because no filter but those of the caller
// looks there.
type trial struct {
	mu   sync.Mutex
	kept []keptState
	away map[*PodState]bool
	// version is another one after each change of who is there.
	version uint64
}

// keptState is what a tracker knows. lent is set once an attempt has seen the state.
type keptState struct {
	tracker *preemption.Tracker
	state   preemption.ClusterState
	lent    bool
}

// share returns the trial for another snapshot.
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

// follow tells the states of a running pod that goes (by is -1) or comes back (1).
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
		if k.lent {
			k.state, k.lent = k.state.Clone(), false
		}
		tell(k.state, p, node, by)
	}
}
