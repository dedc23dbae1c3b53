package manifest

import (
	"errors"
	"strings"
)

// Item is one object of a stream, still as text.
type Item struct {
	// Kind is the object's kind, or that of its list's elements.
	Kind string
	// Where names the object's place for messages, "items[3]" or "document 2".
	Where string
	// Raw is the object's text, valid until the callback returns.
	Raw []byte
	// Single is set for an object that stands in no list.
	Single bool
}

// ErrSyntax is wrapped by errors about a stream that is not JSON, and equal to
// those, for errors.Is, about one that cannot be used for another reason.
var ErrSyntax = errors.New("not JSON")

// refusal is an error about input that may well be JSON and still cannot be
// used. It counts as [ErrSyntax] under another text.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// Is makes errors.Is find ErrSyntax.
func (r *refusal) Is(target error) bool { return target == ErrSyntax }

// cut returns a text for a message, or the beginning of a long one.
func cut(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
