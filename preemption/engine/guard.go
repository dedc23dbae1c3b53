package engine

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Guard is a rule of the caller about which pods may leave together: a tenant keeps its
// quota, say, or a group takes back no more than it is short of. [Config].MayTake and
// lower priority say of each pod by itself whether it may be a victim. A guard follows
// the pods that are taken away and put back, and says whether those that are away may be
// away together (group 13.6).
//
// For a single pod it is asked about each node as if nothing else left, for a group of pods about
// the whole cluster. [Snapshot.LeavesWith] says which pods leave together. A guard that counts the
// cluster should be a
// [StatefulFilter] as well: a snapshot that it is attached to counts for it, and its Start
// asks [Snapshot.StateOf].
type Guard interface {
	// Name stands in statuses and errors. It is not empty.
	Name() string
	// Start begins an attempt to place a pod, or all pods of a group together: those that
	// wait for a place, in their order, never none. A nil state means that the guard has
	// nothing to say about them. An error ends the attempt. The slice is the guard's. Several
	// goroutines may call Start at once.
	Start(preemptors []*outrank.Pod, snap *Snapshot) (preemption.GuardState, error)
}
