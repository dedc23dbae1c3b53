package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
)

// mostProblems is the largest number of problems that are kept. Further ones are only counted.
const mostProblems = 1000

// problems collects the problems of a file.
type problems struct {
	list []outrank.Problem
	// more counts the problems beyond mostProblems.
	more int
}

// add adds a problem of the field at this path.
func (ps *problems) add(at, format string, args ...any) {
	if len(ps.list) >= mostProblems {
		ps.more++
		return
	}
	ps.list = append(ps.list, outrank.Problem{Object: kind, Field: at, Text: fmt.Sprintf(format, args...)})
}

// object is a JSON object whose fields are read by name. A field that was not read when done is
// called is unknown, and a problem.
type object struct {
	ps *problems
	// at is the path of the object in the file, empty for the whole file.
	at string
	// names are the names of the fields in the order of the file. value has the fields' values by name.
	names []string
	value map[string]value
	// asked has the names of the fields that were read, and of known fields that are not read.
	asked map[string]bool
}

// objectOf opens a value as an object. Null counts as an object without fields.
func objectOf(ps *problems, at string, v value) *object {
	o := &object{ps: ps, at: at, value: map[string]value{}, asked: map[string]bool{}}
	if v.kind != '{' && v.kind != 'n' {
		ps.add(at, "%s where an object is wanted", v.word())
	}
	for _, f := range v.fields {
		o.names = append(o.names, f.name)
		o.value[f.name] = f.value
	}
	return o
}

// word returns how messages name the kind of a value.
func (v *value) word() string {
	switch v.kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'b':
		return v.text
	}
	return "null"
}

// done adds a problem for each field that was not asked for.
func (o *object) done() {
	for _, name := range o.names {
		if !o.asked[name] {
			o.ps.add(o.path(cut(name)), "unknown field")
		}
	}
}

// path returns the path of a field.
func (o *object) path(name string) string {
	if o.at == "" {
		return name
	}
	return o.at + "." + name
}

// field returns the value of a field. The result is false if the field is missing, null or of another kind
// than wanted; the last is a problem.
func (o *object) field(name string, kind byte, wanted string) (value, bool) {
	o.asked[name] = true
	v, ok := o.value[name]
	if !ok || v.kind == 'n' {
		return value{}, false
	}
	if v.kind != kind {
		o.ps.add(o.path(name), "%s where %s is wanted", v.word(), wanted)
		return value{}, false
	}
	return v, true
}

// text reads a string, empty if there is none.
func (o *object) text(name string) string {
	v, _ := o.field(name, '"', "a string")
	return v.text
}

// flag reads a boolean, false if there is none.
func (o *object) flag(name string) bool {
	v, _ := o.field(name, 'b', "true or false")
	return v.text == "true"
}

// number reads an integer from low to high. The result is false if there is none.
func (o *object) number(name string, low, high int64) (int64, bool) {
	v, ok := o.field(name, '0', "an integer")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	switch {
	case err != nil:
		o.ps.add(o.path(name), "%s is not an integer", cut(v.text))
		return 0, false
	case n < low || n > high:
		o.ps.add(o.path(name), "%d is not between %d and %d", n, low, high)
		return 0, false
	}
	return n, true
}

// int32 reads an int32, zero if there is none.
func (o *object) int32(name string) int32 {
	n, _ := o.number(name, math.MinInt32, math.MaxInt32)
	return int32(n)
}

// object opens a field as an object. A missing one counts as an object without fields.
func (o *object) object(name string) *object {
	v, _ := o.field(name, '{', "an object")
	return objectOf(o.ps, o.path(name), value{kind: '{', fields: v.fields})
}

// has reports whether a field is there and not null.
func (o *object) has(name string) bool {
	v, ok := o.value[name]
	return ok && v.kind != 'n'
}

// list calls f with each element of a field.
func (o *object) list(name string, f func(at string, v value)) {
	v, _ := o.field(name, '[', "a list")
	for i, x := range v.list {
		f(fmt.Sprintf("%s[%d]", o.path(name), i), x)
	}
}

// mostProfiles is the largest number of profiles in a file, and also of extenders, because every extender
// counts in every profile (rule 19.1.7).
const mostProfiles = 1000

// tooLong reports whether a list has more entries than mostProfiles. It adds a problem if it has.
func (o *object) tooLong(name string) bool {
	v := o.value[name]
	if len(v.list) <= mostProfiles {
		return false
	}
	o.ps.add(o.path(name), "%d entries, and there can be %d", len(v.list), mostProfiles)
	return true
}

// objects calls f with each object in a list, and adds a problem for each field that f did not ask for.
func (o *object) objects(name string, f func(x *object)) {
	o.list(name, func(at string, v value) {
		x := objectOf(o.ps, at, v)
		f(x)
		x.done()
	})
}

// texts reads a list of strings.
func (o *object) texts(name string) []string {
	var all []string
	o.list(name, func(at string, v value) {
		if v.kind != '"' {
			o.ps.add(at, "%s where a string is wanted", v.word())
			return
		}
		all = append(all, v.text)
	})
	return all
}

// duration checks a duration such as "15s".
func (o *object) duration(name string) {
	text := o.text(name)
	if text == "" {
		return
	}
	if _, err := time.ParseDuration(text); err != nil {
		o.ps.add(o.path(name), "%q is not a duration", cut(text))
	}
}

// typed reads the version and kind of an object. Missing ones are fine for nested objects.
func (o *object) typed(version, kind string) {
	if got := o.text("apiVersion"); got != "" && got != version {
		o.ps.add(o.path("apiVersion"), "%q where %q is wanted", cut(got), version)
	}
	if got := o.text("kind"); got != "" && got != kind {
		o.ps.add(o.path("kind"), "%q where %q is wanted", cut(got), kind)
	}
}

func itoa(i int) string { return strconv.Itoa(i) }

// qualified reports whether a text is a qualified name, such as the key of a label.
func qualified(name string) bool {
	s := outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: name, Operator: outrank.Exists}}}
	return s.Validate() == nil
}

func hasSlash(s string) bool { return strings.Contains(s, "/") }

// fieldProblem says what is wrong with a requirement on the fields of a node, empty if nothing is.
func fieldProblem(r *outrank.NodeRequirement) string {
	switch {
	case !slices.Contains([]outrank.Operator{outrank.In, outrank.NotIn}, r.Operator):
		return "the operators are In and NotIn"
	case len(r.Values) != 1:
		return string(r.Operator) + " takes one value"
	}
	return ""
}
