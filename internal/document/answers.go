package document

import (
	"errors"
)

// Version is the apiVersion of every answer. Adding a field keeps it. Renaming or removing a field, or giving it
// another meaning, changes it.
const Version = "outrank/v1"

// Header has the fields that begin every answer that stands alone.
type Header struct {
	APIVersion string `json:"apiVersion"`
	// Kind is the name of the answer's type.
	Kind string `json:"kind"`
}

// NewHeader returns the header of a kind of answer.
func NewHeader(kind string) Header { return Header{Version, kind} }

// Unread returns the error of reading an answer from JSON into the Go type of a name. The JSON refers to objects that
// the Go value holds, so that it cannot be read. null is no error, as everywhere in encoding/json. The error wraps
// [errors.ErrUnsupported].
func Unread(name string, text []byte) error {
	if string(text) == "null" {
		return nil
	}
	return &unreadError{name}
}

// unreadError says which type cannot be read.
type unreadError struct{ name string }

// Error names the type.
func (e *unreadError) Error() string {
	return e.name + " cannot be read from JSON: its JSON refers to pods and budgets and does not hold them"
}

// Unwrap returns errors.ErrUnsupported.
func (e *unreadError) Unwrap() error { return errors.ErrUnsupported }
