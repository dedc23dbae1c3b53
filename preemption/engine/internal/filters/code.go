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

// codes are the public codes by their bytes.
var codes = [...]preemption.Code{
	Success: preemption.Success, Unschedulable: preemption.Unschedulable,
	UnschedulableAndUnresolvable: preemption.UnschedulableAndUnresolvable, Contradiction: preemption.Contradiction,
}

// Public returns the code as its word.
func (c Code) Public() preemption.Code { return codes[c] }

// CodeOf returns a code in a byte. A word that is none is a filter's mistake, as a contradiction is.
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
