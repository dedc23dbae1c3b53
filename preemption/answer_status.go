package preemption

import "fmt"

// Code says whether a pod may run on a node and, if not, whether taking other
// pods away may change that.
type Code uint8

// The codes (rule 7.1.1; framework.Code).
const (
	// Success: the pod may run there.
	Success Code = iota
	// Unschedulable: it may not, but removing pods may help.
	Unschedulable
	// UnschedulableAndUnresolvable: it may not, and removing pods cannot help.
	UnschedulableAndUnresolvable
	// Contradiction: a filter contradicted itself. It failed with the node as it is
	// and passed once the same pods had been taken away and put back, so that
	// there is no victim to name.
	Contradiction
)

// String names the code as the reference does.
func (c Code) String() string {
	switch c {
	case Success:
		return "Success"
	case Unschedulable:
		return "Unschedulable"
	case UnschedulableAndUnresolvable:
		return "UnschedulableAndUnresolvable"
	case Contradiction:
		return "Error"
	}
	return fmt.Sprintf("Code(%d)", uint8(c))
}

// Status is what one filter says of one node.
type Status struct {
	Code Code
	// Filter is the name of the filter that failed; empty on success, and
	// where no filter was run at all.
	Filter string
	// Reasons are texts for people. They are shared: do not change them.
	Reasons []string
}

// String gives the reasons, and the filter where there is one.
func (s Status) String() string {
	if s.Code == Success {
		return s.Code.String()
	}
	return string(s.appendText(nil))
}

func (s *Status) appendText(b []byte) []byte {
	if s.Filter != "" {
		b = append(b, s.Filter...)
		b = append(b, ": "...)
	}
	for i, reason := range s.Reasons {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, reason...)
	}
	return b
}
