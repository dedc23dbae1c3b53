package manifest

import (
	"errors"
	"strings"
)

// Item is one object of a stream, still as text.
type Item struct {
	// Kind is the kind of the object, or the kind of elements that its list names.
	Kind string
	// Where is the place of the object for messages, "items[3]" or "document 2".
	Where string
	// Raw is the text of the object, valid until the callback returns.
	Raw []byte
	// Single is set for an object that stands in no list.
	Single bool
}

// ErrSyntax is the error of a stream that cannot be used. Errors about a stream that is not JSON wrap it. Errors about one
// that cannot be used for another reason are equal to it for errors.Is.
var ErrSyntax = errors.New("not JSON")

// refusal is an error about input that may be JSON and still cannot be used. It is an [ErrSyntax] with another text.
type refusal struct{ text string }

// Error returns the text.
func (r *refusal) Error() string { return r.text }

// Is reports whether target is ErrSyntax.
func (r *refusal) Is(target error) bool { return target == ErrSyntax }

// cut returns a text for a message; of a long text it returns the beginning.
func cut(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
