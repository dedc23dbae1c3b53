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
	// kind is the name of the object's kind in problems. where is its place in the input, which identifies an
	// object without a name.
	kind, where string
	// meta is the metadata of the object. It is nil for a part of an object, which has no name.
	meta       *manifest.Meta
	namespaced bool
	// problems has at most apis.MostProblems entries. more counts further ones.
	problems []outrank.Problem
	more     *int
	// texts interns strings.
	texts *manifest.Decoder
	// asOf points to Cluster.AsOf (see created).
	asOf *time.Time
}

// object returns the name of the object in problems.
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

// add records a problem at a place in the object.
func (cv *converter) add(at *apis.Path, format string, args ...any) {
	if len(cv.problems) >= apis.MostProblems {
		*cv.more++
		return
	}
	cv.problems = append(cv.problems, outrank.Problem{Object: cv.object(), Field: at.String(), Text: fmt.Sprintf(format, args...)})
}

// wrong records a problem for each value below a place that could not be decoded.
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

// word records a problem if a field has a word that is not known. It is used for fields that become a bool, in which an
// unknown word would go unnoticed.
func (cv *converter) word(word string, known []string, field string, parent *apis.Path) {
	// There are many words, so the path is only built for a problem.
	if !apis.IsWord(word, known) {
		at := parent.Field(field)
		cv.add(&at, "%s", apis.NoWord(word, known))
	}
}

// onlyOne records a problem for a second object of the same name. The keys of seen are the names so far.
func onlyOne[T any](cv *converter, seen map[string]T, name string) {
	if _, twice := seen[name]; twice && name != "" {
		cv.add(&apis.Path{Name: "metadata.name", Index: -1}, "there are two of this name")
	}
}

// text interns a string: equal strings, which many objects have, share their memory.
func (cv *converter) text(s string) string { return cv.texts.Text(s) }

// list interns each string of a slice in place, and returns it; an empty one becomes nil.
func (cv *converter) list(ss []string) []string {
	if len(ss) == 0 {
		return nil
	}
	for i, s := range ss {
		ss[i] = cv.text(s)
	}
	return ss
}

// labels returns the map as it is; an empty one becomes nil.
func (cv *converter) labels(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return m
}

// requirements reads requests and limits.
func (cv *converter) requirements(r *manifest.Requirements, parent *apis.Path) resource.Requirements {
	requests, limits := parent.Field("requests"), parent.Field("limits")
	return resource.Requirements{
		Requests: cv.amounts(r.Requests, &requests),
		Limits:   cv.amounts(r.Limits, &limits),
	}
}

// amounts reads a list of amounts; an empty one becomes nil. Problems come in the order of the names.
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

	// The names are only sorted if there is a problem to report.
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

// reported is like amounts, for a list in a status. There an empty list differs from a missing one, and stays empty.
func (cv *converter) reported(as manifest.Amounts, at *apis.Path) resource.List {
	if as != nil && len(as) == 0 {
		return resource.List{}
	}
	return cv.amounts(as, at)
}

// time reads a time; an empty text is the zero time.
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

// notTime records the problem that a text is not a time.
func (cv *converter) notTime(text string, at *apis.Path) {
	cv.add(at, "%s is not a time such as 2026-01-10T12:00:00Z", apis.Quote(text))
}
