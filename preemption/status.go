package preemption

import (
	"github.com/outrank-go/outrank/internal/answerjson"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

// Code says whether a pod may run on a node and, if not, whether removing other
// pods may change that.
type Code uint8

// The codes (rule 7.1.1; framework.Code).
const (
	// Success: the pod may run on the node.
	Success Code = iota
	// Unschedulable: the pod may not run there, but removing pods may help.
	Unschedulable
	// UnschedulableAndUnresolvable: the pod may not run there, and removing
	// pods cannot help.
	UnschedulableAndUnresolvable
	// Contradiction: a filter contradicted itself. It failed with the node as
	// it is, and passed with the same pods after they had been removed and put
	// back, so that there is no victim (rule 9.9). A filter of the caller's says by
	// it that it is broken.
	Contradiction
)

// String returns the reference's name of the code.
func (c Code) String() string { return answerjson.Text(codeTexts, c) }

var codeTexts = []string{
	Success: "Success", Unschedulable: "Unschedulable",
	UnschedulableAndUnresolvable: "UnschedulableAndUnresolvable", Contradiction: "Error",
}

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
	return string(phrase.AppendStatus(nil, s.Filter, s.Reasons))
}
