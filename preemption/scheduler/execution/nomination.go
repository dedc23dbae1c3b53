package execution

// Nomination is a change of a pod's nomination, as NominatingInfo is in the reference. Its zero value
// keeps the nomination as it is.
type Nomination struct {
	// Override: the pod is nominated to Node from now on, or to none where that is empty
	// (ModeOverride).
	Override bool
	Node     string
}

// String returns the change in a few words.
func (n Nomination) String() string {
	switch {
	case !n.Override:
		return "nomination kept"
	case n.Node == "":
		return "nomination cleared"
	}
	return "nominated to " + n.Node
}
