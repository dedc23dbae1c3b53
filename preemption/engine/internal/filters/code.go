package filters

import "github.com/outrank-go/outrank/preemption"

// Code is a [preemption.Code] in a byte: the engine holds one for each node.
type Code uint8

// The codes, in the order of the public ones.
const (
	Success Code = iota
	Unschedulable
	UnschedulableAndUnresolvable
	Contradiction
)

// codes has the public code of each byte.
var codes = [...]preemption.Code{
	Success: preemption.Success, Unschedulable: preemption.Unschedulable,
	UnschedulableAndUnresolvable: preemption.UnschedulableAndUnresolvable, Contradiction: preemption.Contradiction,
}

// Public returns the code as its word.
func (c Code) Public() preemption.Code { return codes[c] }

// CodeOf returns a code in a byte. A word that is no code counts as a contradiction: both are mistakes
// of a filter.
func CodeOf(c preemption.Code) Code {
	switch c {
	case preemption.Success:
		return Success
	case preemption.Unschedulable:
		return Unschedulable
	case preemption.UnschedulableAndUnresolvable:
		return UnschedulableAndUnresolvable
	}
	return Contradiction
}
