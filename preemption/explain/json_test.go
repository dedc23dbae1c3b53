package explain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/document"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// REPORT_JSON.md has a table for each object that stands in a document, with the members in their order, and no
// other. The documents are of values that have everything that may be set.
func TestDocumentsAreDescribed(t *testing.T) {
	text, err := os.ReadFile("REPORT_JSON.md")
	require.NoError(t, err)
	b := &described{tables: document.Described(string(text)), kinds: kindsOf(string(text)), seen: map[string]bool{}}
	for _, bare := range []bool{false, true} {
		for heading, d := range map[string]any{
			"Report": &explain.Report{}, "NodeAnswer": &explain.NodeAnswer{}, "GroupReport": &explain.GroupReport{}, "Replacement": &explain.Replacement{},
		} {
			filled{"a filter of the caller", bare}.fill(reflect.ValueOf(d).Elem(), 12)
			b.judge(t, heading, d)
		}
	}

	// Some members of an obstacle are those of one filter.
	for _, subject := range filter.Names() {
		var r explain.Report
		filled{subject, false}.fill(reflect.ValueOf(&r.Refused).Elem(), 12)
		b.judge(t, "Report", &r)
	}
	for heading, names := range b.tables {
		for _, name := range names {
			assert.True(t, b.seen[heading+"."+name], "%s has no %s", heading, name)
		}
	}
}

// described is what REPORT_JSON.md says of objects, by their headings, and what of it was met.
type described struct {
	tables map[string][]string
	kinds  map[string]string // the headings of members that are objects, by heading.name
	seen   map[string]bool   // by heading.name
}

// ofOthers are members whose objects have no table: a toleration is one of a manifest, amounts are by their resources,
// and figures by the names of the caller's ranks.
var ofOthers = []string{"Taint.toleration", "Spared.takes", "Score.own"}

// judge holds a document to the tables.
func (b *described) judge(t *testing.T, heading string, document any) {
	t.Helper()
	written, err := json.Marshal(document)
	require.NoError(t, err)
	b.read(t, heading, written)
}

// read holds the members of an object, and those of what is in it, to the tables.
func (b *described) read(t *testing.T, heading string, object []byte) {
	t.Helper()
	rest := b.tables[heading]
	for _, m := range membersOf(t, object) {
		at := slices.Index(rest, m.name)
		require.GreaterOrEqual(t, at, 0, "%s has a member %s, which its table does not have there", heading, m.name)
		rest, b.seen[heading+"."+m.name] = rest[at+1:], true

		var list []json.RawMessage
		if m.value[0] != '[' {
			list = append(list, m.value)
		} else {
			require.NoError(t, json.Unmarshal(m.value, &list))
		}
		for _, v := range list {
			if name := heading + "." + m.name; v[0] == '{' && !slices.Contains(ofOthers, name) {
				require.Contains(t, b.kinds, name, "the row of %s has no link to the table of its objects", name)
				b.read(t, b.kinds[name], v)
			}
		}
	}
}

type member struct {
	name  string
	value json.RawMessage
}

// membersOf lists the members of an object in their order.
func membersOf(t *testing.T, object []byte) (out []member) {
	d := json.NewDecoder(bytes.NewReader(object))
	_, err := d.Token()
	require.NoError(t, err)
	for d.More() {
		name, err := d.Token()
		require.NoError(t, err)
		m := member{name: name.(string)}
		require.NoError(t, d.Decode(&m.value))
		out = append(out, m)
	}
	return out
}

// linked is a row of a table whose text has a link to another one.
var linked = regexp.MustCompile("^\\| `([A-Za-z]+)` \\| .*\\]\\(#([a-z]+)\\)")

// kindsOf returns the headings of the tables to which the rows of tables have links, by heading.name.
func kindsOf(markdown string) map[string]string {
	headings, kinds := map[string]string{}, map[string]string{}
	for heading := range document.Described(markdown) {
		headings[strings.ToLower(heading)] = heading
	}
	heading := ""
	for line := range strings.Lines(markdown) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.TrimSpace(name)
		} else if m := linked.FindStringSubmatch(line); m != nil {
			kinds[heading+"."+m[1]] = headings[m[2]]
		}
	}
	return kinds
}

// filled sets everything in a value that can be set: obstacles to those of a filter, and where it is bare nothing that
// says what a label is, as of a node without it.
type filled struct {
	subject string
	bare    bool
}

func (f filled) fill(v reflect.Value, depth int) {
	switch set := v.Addr().Interface().(type) {
	case *time.Time:
		*set = time.Unix(1, 0)
		return
	case *resource.Quantity:
		*set = resource.New(1)
		return
	case **string:
		if f.bare {
			return
		}
	case *explain.Obstacle:
		defer func() { set.Filter = f.subject }()
	}

	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(2_000_000_000) // more than a priority that users may give
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0), depth)
	case reflect.Map:
		key, one := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, depth)
		f.fill(one, depth)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, one)
	case reflect.Struct:
		for i := range v.NumField() {
			if depth > 0 { // replacements have replacements
				f.fill(v.Field(i), depth-1)
			}
		}
	default:
		panic(fmt.Sprint("nothing is known of ", v.Type()))
	}
}
