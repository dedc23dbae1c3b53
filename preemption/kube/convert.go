package kube

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/resource"
)

// converter turns the wire form of one object into a plain value.
type converter struct {
	kind, where string
	meta        *manifest.Meta // nil where the kind says it all
	namespaced  bool
	problems    []outrank.Problem
	more        *int // counts the problems that are too many to be kept
	texts       *manifest.Decoder
	asOf        *time.Time // of the cluster; see created
}

// object names the object.
func (cv *converter) object() string {
	switch m := cv.meta; {
	case m == nil:
		return cv.kind
	case m.Name == "" && cv.where != "":
		return cv.kind + " (" + cv.where + ")"
	case m.Name == "":
		return cv.kind + " without a name"
	case cv.namespaced:
		return cv.kind + " " + string(outrank.NewKey(m.Namespace, m.Name))
	default:
		return cv.kind + " " + m.Name
	}
}

func (cv *converter) add(at *apis.Path, format string, args ...any) {
	if len(cv.problems) >= apis.MostProblems {
		*cv.more++
		return
	}
	cv.problems = append(cv.problems, outrank.Problem{Object: cv.object(), Field: at.String(), Text: fmt.Sprintf(format, args...)})
}

// wrong records the problems of the values at a place.
func (cv *converter) wrong(ms []manifest.Mismatch, at *apis.Path) {
	for _, m := range ms {
		one := *at
		if m.Field != "" {
			one = at.Field(m.Field)
		}
		cv.add(&one, "%s", m.Text)
		*cv.more += m.More
	}
}

// word refuses a word that its field does not know and that is not kept. The path
// is made only then.
func (cv *converter) word(word string, known []string, field string, parent *apis.Path) {
	if !apis.IsWord(word, known) {
		at := parent.Field(field)
		cv.add(&at, "%s", apis.NoWord(word, known))
	}
}

// onlyOne refuses a second object of a name; those that were read are the keys of seen.
func onlyOne[T any](cv *converter, seen map[string]T, name string) {
	if _, twice := seen[name]; twice && name != "" {
		cv.add(&apis.Path{Name: "metadata.name", Index: -1}, "there are two of this name")
	}
}

// text returns the single copy of a text.
func (cv *converter) text(s string) string { return cv.texts.Text(s) }

func (cv *converter) list(ss []string) []string {
	if len(ss) == 0 {
		return nil
	}
	for i, s := range ss {
		ss[i] = cv.text(s)
	}
	return ss
}

func (cv *converter) labels(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return m
}

func (cv *converter) requirements(r *manifest.Requirements, parent *apis.Path) resource.Requirements {
	requests, limits := parent.Field("requests"), parent.Field("limits")
	return resource.Requirements{
		Requests: cv.amounts(r.Requests, &requests),
		Limits:   cv.amounts(r.Limits, &limits),
	}
}

func (cv *converter) amounts(as manifest.Amounts, at *apis.Path) resource.List {
	if len(as) == 0 {
		return nil
	}
	out := make(resource.List, len(as))
	bad := false
	for name, q := range as {
		out[resource.Name(cv.text(name))] = q.Quantity
		bad = bad || q.Err != nil
	}
	if bad {
		for _, name := range apis.SortedKeys(as) {
			if err := as[name].Err; err != nil {
				one := at.Field(name)
				cv.add(&one, "%v", err)
			}
		}
	}
	return out
}

// reported is amounts for a list of a status, where an empty one is not the same as
// none.
func (cv *converter) reported(as manifest.Amounts, at *apis.Path) resource.List {
	if as != nil && len(as) == 0 {
		return resource.List{}
	}
	return cv.amounts(as, at)
}

func (cv *converter) time(text string, at *apis.Path) time.Time {
	if text == "" {
		return time.Time{}
	}
	t, err := manifest.ParseTime(text)
	if err != nil {
		cv.notTime(text, at)
	}
	return t
}

func (cv *converter) notTime(text string, at *apis.Path) {
	cv.add(at, "%s is not a time such as 2026-01-10T12:00:00Z", apis.Quote(text))
}
