package preemption

import "github.com/outrank-go/outrank"

// Guard is a rule of the caller about which pods may leave together: a tenant keeps its quota,
// say. Lower priority and the caller's other rules say of each pod by itself whether it may leave;
// a guard follows those that are away, and says whether all of them may be (group 13.6).
//
// For a single pod it is asked about each node as if nothing else left, for a group of pods about
// the whole cluster. [View].LeavesWith says which pods leave together, and a [Tracker] counts the
// cluster for it.
type Guard struct {
	// Name stands in statuses and errors.
	Name string
	// Start begins an attempt to place a pod, or the waiting pods of a group, in their order and
	// never none. A nil state has nothing to say about them. An error ends the attempt. The slice
	// is the guard's. Several goroutines may call it at once.
	Start func(preemptors []*outrank.Pod, view View) (GuardState, error)
}

// GuardState is what a guard knows during one attempt. It begins with nobody away. Its answers
// depend on who is away, and not on the order in which they left. Where victims are units (rule
// 12.8.2), pods of other nodes leave, too, and Check is asked once all pods of a unit have.
//
// Each clone belongs to one goroutine; what Start returned is only cloned. Whoever was removed is
// added again before the next node. Nothing is called once the decision has returned.
// filtertest.CheckGuard looks whether a guard keeps to that.
type GuardState interface {
	// Follower is told of a pod that leaves by Remove, and of its return by Add.
	Follower
	// Check returns Success if all that are away may be. It allows that nobody is. Reasons say
	// why not; the rest of the status is filled in.
	Check() Status
	// Rule names the rule by which a victim may be away beside the others that are; empty for
	// the one that the caller's other rules name. It is asked about victims alone, of a group's
	// victims about the most important pod of each unit.
	Rule(victim *outrank.Pod) string
	// Clone returns an independent copy.
	Clone() GuardState
}
