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
	// Success: the pod may run there.
	Success Code = ""
	// Unschedulable: it may not, and the loss of pods may help.
	Unschedulable Code = "unschedulable"
	// UnschedulableAndUnresolvable: it may not, and no loss of pods helps.
	UnschedulableAndUnresolvable Code = "unschedulable-and-unresolvable"
	// Contradiction: a filter failed with the node as it is and passed with the same pods taken
	// away and put back, so that there is no victim (rule 9.9). A filter says by it that it is
	// broken.
	Contradiction Code = "contradiction"
)

// String returns the code, "success" for [Success].
func (c Code) String() string { return cmp.Or(string(c), "success") }

// Because returns a status with the code and reasons for people.
func (c Code) Because(reasons ...string) Status { return Status{Code: c, Reasons: reasons} }

// Status is the answer of one filter about one node.
type Status struct {
	Code Code
	// Filter is the name of the filter that failed. It is empty on success, and
	// if no filter was asked.
	Filter string
	// ExcludedBy is the name of the filter because of which no filter was asked
	// about the node: one that names the only nodes which come into question
	// (rule 7.15.2). Filter is empty then.
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
