package explain

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/document"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/preemption"
)

// apiVersion is that of a document. A member that is added keeps it; one that is
// renamed, removed or given another meaning changes it.
const apiVersion = "outrank/v1"

// read reads a document into a value that is changed only if all of it can be read.
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

// header begins a document of a kind.
func header(kind string) document.Member {
	return document.With(document.Follows("apiVersion", apiVersion), document.Follows("kind", kind))
}

// optional is a list of values that is left out where it is empty.
func optional[T any](name string, l *List[T]) document.Member {
	return document.Cut(document.Optional(name, &l.Items), &l.More)
}

// scoreObject has the plain sum of the priorities, and a start of any year: package time writes none beyond the
// years 0 to 9999 (rule 26.2.2).
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

// timestamp is a time as it is written.
type timestamp time.Time

func (m timestamp) IsZero() bool { return time.Time(m).IsZero() }

func (m timestamp) MarshalText() ([]byte, error) {
	return []byte(manifest.FormatTime(time.Time(m))), nil
}

func (m *timestamp) UnmarshalText(text []byte) error {
	at, err := manifest.ParseTime(string(text))
	*m = timestamp(at)
	return err
}
