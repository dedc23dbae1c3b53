package preemption

// status is a Status before its texts are made. Its zero value is success.
type filterStatus struct {
	code Code
	by   int // place of the filter, byNone for none
	// short are the needs that are not met, by bit, and tooMany whether the
	// pod count is one of them; set by NodeResourcesFit alone.
	short   uint64
	tooMany bool
	// text are the reasons where they are known from the start, and filter the
	// name of one that is neither built in nor the caller's.
	text   []string
	filter string
}

// byNone stands for no filter. Others are known by their place in the list of
// filters.
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
