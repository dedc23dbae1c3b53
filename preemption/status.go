package preemption

import (
	"cmp"

	"github.com/outrank-go/outrank/internal/prose"
)

// Code says whether a pod may run on a node and, if not, whether the loss of other pods may
// change that. Its values are words that never change; [Success] is the zero value.
type Code string

// The codes (rule 7.1.1; framework.Code).
const (
	// Success means that the pod may run there.
	Success Code = ""
	// Unschedulable means that it may not, and that the loss of pods may help.
	Unschedulable Code = "unschedulable"
	// UnschedulableAndUnresolvable means that it may not, and that no loss of pods helps.
	UnschedulableAndUnresolvable Code = "unschedulable-and-unresolvable"
	// Contradiction means that a filter contradicts itself: it turned the node down, but passed once the same
	// pods had been taken away and put back, so that there is no victim (rule 9.9). A caller's filter returns
	// it to say that it has failed.
	Contradiction Code = "contradiction"
)

// String returns the code, "success" for [Success].
func (c Code) String() string { return cmp.Or(string(c), "success") }

// Because returns a status with the code, and with reasons for people to read.
func (c Code) Because(reasons ...string) Status { return Status{Code: c, Reasons: reasons} }

// Status is the answer of one filter about one node.
type Status struct {
	Code Code
	// Filter is the name of the filter that turned the pod down. It is empty on success, and if no filter
	// was asked.
	Filter string
	// ExcludedBy is the name of the filter that left the node out before any filter was asked about it,
	// because the pod names the only nodes that may take it (rule 7.15.2). Filter is empty then.
	ExcludedBy string
	// Reasons are texts for people. They are shared: do not change them.
	Reasons []string
}

// String returns the reasons, after the name of the filter if there is one.
func (s Status) String() string {
	if s.Code == Success {
		return s.Code.String()
	}
	return string(prose.AppendStatus(nil, s.Filter, s.Reasons))
}
