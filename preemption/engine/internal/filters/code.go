package filters

import "github.com/outrank-go/outrank/preemption"

// Code is a [preemption.Code] in one byte, because the engine keeps a code for each node.
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

// Public converts the code to the public type.
func (c Code) Public() preemption.Code { return codes[c] }

// CodeOf converts a public code. An unknown code becomes Contradiction: both are mistakes of a filter.
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
