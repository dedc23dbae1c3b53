package explain

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/document"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/preemption"
)

// apiVersion is the version of the documents. Adding a member keeps it. Renaming or removing a member, or
// giving it another meaning, changes it.
const apiVersion = "outrank/v1"

// read reads a document into a value. The value changes only if the whole document can be read; null leaves it
// as it is.
func read[T any](text []byte, name string, into *T, object func(*T) document.Object) error {
	switch {
	case into == nil:
		return &outrank.InputError{Problems: []outrank.Problem{{Object: name, Text: "there is nothing to read it into"}}}
	case string(text) == "null":
		return nil
	}

	var v T
	if err := document.Unmarshal(text, name, object(&v)); err != nil {
		return err
	}
	*into = v
	return nil
}

// header has the members that begin a document of a kind.
func header(kind string) document.Member {
	return document.With(document.Follows("apiVersion", apiVersion), document.Follows("kind", kind))
}

// optional is the member of a list of values. It is left out where the list is empty.
func optional[T any](name string, l *List[T]) document.Member {
	return document.Cut(document.Optional(name, &l.Items), &l.More)
}

// scoreObject describes the document of a score. The document has the plain sum of the priorities. Reading adds the
// shift of each victim again, whichever of the two members comes first. A start may have any year (rule 26.2.2), and
// package time only writes years from 0 to 9999.
func scoreObject(s *preemption.Score) document.Object {
	return document.Object{
		document.Value("violations", &s.Violations),
		document.Value("topPriority", &s.TopPriority),
		document.Through("prioritySum", func() int64 { return plainSum(s) }, func(sum int64) { s.PrioritySum += sum }),
		document.Through("victims", func() int { return s.Victims }, func(n int) {
			s.Victims = n
			s.PrioritySum += int64(n) * priorityShift
		}),
		document.OptionalThrough("start", func() timestamp { return timestamp(s.Start) }, func(at timestamp) { s.Start = time.Time(at) }),
		document.Optional("own", &s.Own),
	}
}

// timestamp is a time that is written as in a manifest.
type timestamp time.Time

// IsZero reports whether the member is left out.
func (m timestamp) IsZero() bool { return time.Time(m).IsZero() }

// MarshalText writes the time.
func (m timestamp) MarshalText() ([]byte, error) {
	return []byte(manifest.FormatTime(time.Time(m))), nil
}

// UnmarshalText reads what MarshalText writes.
func (m *timestamp) UnmarshalText(text []byte) error {
	at, err := manifest.ParseTime(string(text))
	*m = timestamp(at)
	return err
}
