package convert

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
)

// problems collects the problems of one object.
type problems struct {
	kind, namespace, name string
	list                  []outrank.Problem
}

func (ps *problems) add(field, format string, args ...any) {
	object := ps.kind + " " + ps.name
	if ps.namespace != "" {
		object = ps.kind + " " + string(outrank.NewKey(ps.namespace, ps.name))
	}
	ps.list = append(ps.list, outrank.Problem{Object: object, Field: field, Text: fmt.Sprintf(format, args...)})
}

// with adds the problems that validation has found, except for fields that have a problem already, and returns
// all problems as an error.
func (ps *problems) with(found error) error {
	var invalid *outrank.InputError
	if !errors.As(found, &invalid) {
		if len(ps.list) == 0 {
			return found
		}
		return &outrank.InputError{Problems: ps.list}
	}
	known := make(map[string]bool, len(ps.list))
	for _, p := range ps.list {
		known[p.Field] = true
	}
	for _, p := range invalid.Problems {
		if !known[p.Field] {
			ps.list = append(ps.list, p)
		}
	}
	return &outrank.InputError{Problems: ps.list, More: invalid.More}
}

// orDefault returns the namespace, or the default namespace if it is empty.
func orDefault(namespace string) string {
	if namespace == "" {
		return outrank.DefaultNamespace
	}
	return namespace
}

// missing returns the error about an object that is nil.
func missing(kind string) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: kind, Text: "there is none: the pointer is nil"}}}
}

// word refuses an unknown word in a field that becomes a bool. In other fields the library refuses unknown
// words.
func word[T ~string](ps *problems, word T, field string, known ...T) {
	if text := noWord(word, known...); text != "" {
		ps.add(field, "%s", text)
	}
}

// noWord says that a word is not known. It is empty for one that is known, and for none.
func noWord[T ~string](word T, known ...T) string {
	if word == "" || slices.Contains(known, word) {
		return ""
	}
	list := make([]string, len(known))
	for i := range known {
		list[i] = string(known[i])
	}
	if len(list) == 2 {
		return fmt.Sprintf("%s is neither %s nor %s", quote(string(word)), list[0], list[1])
	}
	return fmt.Sprintf("%s is none of %s", quote(string(word)), strings.Join(list, ", "))
}

// quote quotes a string from an object, and shortens a long one.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	return strconv.Quote(text)
}
