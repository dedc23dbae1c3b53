package preemption

// filterStatus is a Status without its texts. The zero value is Success.
type filterStatus struct {
	code Code
	// by is the index of the filter, byNone for none.
	by int
	// short has a bit for each need that is not met. tooMany says that the pod
	// count is exceeded. Only NodeResourcesFit sets them.
	short   uint64
	tooMany bool
	// text has the reasons of any other filter. filter is the name of a filter
	// that is neither built in nor the caller's.
	text   []string
	filter string
}

// byNone stands for no filter. Other filters are known by their index in the
// list of filters.
const byNone = -1

// Reasons that belong to no filter.
var (
	notFilteredText = []string{"node(s) didn't satisfy plugin(s) [" + NodeAffinity + "]"}
	noVictimsText   = []string{"No preemption victims found for incoming pod"}
	droppedText     = []string{"an extender dropped the node"}
)

const (
	reasonNoStatus    = "the node was not filtered"
	reasonContradicts = "expected at least one victim pod on node"
)
