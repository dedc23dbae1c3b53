package document

import (
	"errors"
)

// Version is the apiVersion of every answer. Adding a field keeps it. Renaming or removing a field, or giving it
// another meaning, changes it.
const Version = "outrank/v1"

// Header has the first fields of every answer that is a document of its own.
type Header struct {
	APIVersion string `json:"apiVersion"`
	// Kind is the name of the answer's type.
	Kind string `json:"kind"`
}

// NewHeader returns the header of a kind of answer.
func NewHeader(kind string) Header { return Header{Version, kind} }

// Unread returns the error for reading an answer from JSON into the Go type with this name. The Go value holds
// objects to which the JSON only refers, so it cannot be read. null is no error, as everywhere in
// encoding/json. The error wraps [errors.ErrUnsupported].
func Unread(name string, text []byte) error {
	if string(text) == "null" {
		return nil
	}
	return &unreadError{name}
}

// unreadError is the error about a type that cannot be read from JSON.
type unreadError struct{ name string }

// Error returns a text that names the type and says why it cannot be read.
func (e *unreadError) Error() string {
	return e.name + " cannot be read from JSON: its JSON refers to pods and budgets and does not hold them"
}

// Unwrap returns errors.ErrUnsupported.
func (e *unreadError) Unwrap() error { return errors.ErrUnsupported }
