package document

import (
	"errors"
)

// Version is the apiVersion of every answer. A field that is added keeps it; a
// field that is renamed, removed or given another meaning changes it.
const Version = "outrank/v1"

// Header begins every answer that stands alone.
type Header struct {
	APIVersion string `json:"apiVersion"`
	// Kind is the name of the answer's type.
	Kind string `json:"kind"`
}

// NewHeader returns the header of a kind of answer.
func NewHeader(kind string) Header { return Header{Version, kind} }

// Unread returns the error of reading the JSON of an answer back: it has
// references where the Go value has objects. null is nothing to read, as
// everywhere in encoding/json. name is that of the Go type. The error wraps
// [errors.ErrUnsupported].
func Unread(name string, text []byte) error {
	if string(text) == "null" {
		return nil
	}
	return &unreadError{name}
}

// unreadError says which type cannot be read.
type unreadError struct{ name string }

func (e *unreadError) Error() string {
	return e.name + " cannot be read from JSON: its JSON refers to pods and budgets and does not hold them"
}

func (e *unreadError) Unwrap() error { return errors.ErrUnsupported }
