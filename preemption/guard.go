package preemption

import "github.com/outrank-go/outrank"

// Guard is a rule of the caller about which pods may leave together, such as a quota that a tenant keeps.
// Priority and the caller's other rules decide about each pod by itself. A guard follows the pods that are away,
// and says whether all of them may be away together (group 13.6).
//
// For a single pod it is asked about each node as if nothing else left, for a group of pods about the whole
// cluster. [View].LeavesWith says which pods leave as a unit, and a [Tracker] counts the cluster for it.
type Guard struct {
	// Name appears in statuses and errors.
	Name string
	// Start begins an attempt to place a pod, or the waiting pods of a group in the order in which they are
	// placed. preemptors is never empty, and the guard may keep it. A nil state has nothing to say about
	// them. An error ends the attempt. Several goroutines may call Start at once.
	Start func(preemptors []*outrank.Pod, view View) (GuardState, error)
}

// GuardState is what a guard knows during one attempt. At first no pod is away. Its answers depend on which pods
// are away, and not on the order in which they left. Where victims are units (rule 12.8.2), pods on other nodes
// leave, too, and Check is called once all pods of a unit have left.
//
// Each clone belongs to one goroutine; the state that Start returned is only cloned. Every pod that was
// removed is added again before the next node. Nothing is called once the decision has returned.
// filtertest.CheckGuard tests that a guard keeps to these rules.
type GuardState interface {
	// Remove tells the guard of a pod that leaves, Add of its return.
	Follower
	// Check returns Success if all pods that are away may be away together, and always if none is. Otherwise
	// Reasons must say why not; the caller of Check fills in the rest of the status.
	Check() Status
	// Rule names the rule by which a victim may be away beside the others that are away. Empty leaves the
	// name to the caller's other rules. It is called for victims alone, and in a plan for a group only for
	// the most important pod of each unit.
	Rule(victim *outrank.Pod) string
	// Clone returns an independent copy.
	Clone() GuardState
}
