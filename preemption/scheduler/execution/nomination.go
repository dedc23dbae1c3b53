package execution

// Nomination is a change of a pod's nomination (NominatingInfo in the reference). Its zero value
// keeps the nomination as it is.
type Nomination struct {
	// Override says that the nomination changes: the pod is nominated to Node from now on, or to no node if
	// that is empty (ModeOverride).
	Override bool
	Node     string
}

// String returns "nomination kept", "nomination cleared" or "nominated to" with the node.
func (n Nomination) String() string {
	switch {
	case !n.Override:
		return "nomination kept"
	case n.Node == "":
		return "nomination cleared"
	}
	return "nominated to " + n.Node
}
