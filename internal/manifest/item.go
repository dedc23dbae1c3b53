package manifest

import (
	"errors"
	"strings"
)

// Item is one object of a stream, still as text.
type Item struct {
	// Kind is the kind of the object or, if it has none, the kind of elements that its list names.
	Kind string
	// Where is the place of the object for messages, such as "items[3]" or "document 2".
	Where string
	// Raw is the text of the object, valid until the callback returns.
	Raw []byte
	// Single says that the object is not an element of a list.
	Single bool
}

// ErrSyntax is the error about a stream that cannot be used. Errors about a stream that is not JSON wrap it. If
// a stream cannot be used for another reason, errors.Is(err, ErrSyntax) is true as well.
var ErrSyntax = errors.New("not JSON")

// refusal is an error about input that may be JSON but cannot be used. For errors.Is it is an [ErrSyntax], with
// another text.
type refusal struct{ text string }

// Error returns the text.
func (r *refusal) Error() string { return r.text }

// Is reports whether target is ErrSyntax.
func (r *refusal) Is(target error) bool { return target == ErrSyntax }

// cut returns a text for a message. A long text is cut after its beginning.
func cut(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
