package explain_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption/explain"
)

// sections returns the fields of each table of REPORT_JSON.md, by the heading above it.
func sections(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("REPORT_JSON.md")
	require.NoError(t, err)
	row := regexp.MustCompile("^\\| `([A-Za-z]+)` \\| .+ \\|$")
	out, heading := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			heading = name
		} else if m := row.FindStringSubmatch(line); m != nil {
			out[heading] = append(out[heading], m[1])
		}
	}
	return out
}

// fieldsOf lists the names in JSON, those of embedded structs in their place.
func fieldsOf(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, fieldsOf(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// The document has a table for each type of the package in a report, with its fields in
// their order, and no other.
func TestDocumentDescribesEveryField(t *testing.T) {
	described := sections(t)
	seen := map[string]bool{}
	var look func(reflect.Type)
	look = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ.Name()] || typ.PkgPath() != reflect.TypeFor[explain.Report]().PkgPath() {
			return
		}
		seen[typ.Name()] = true
		assert.Equal(t, fieldsOf(typ), described[typ.Name()], typ.Name())
		for i := range typ.NumField() {
			look(typ.Field(i).Type)
		}
	}
	look(reflect.TypeFor[explain.Report]())
	look(reflect.TypeFor[explain.Replacement]())
	look(reflect.TypeFor[explain.NodeAnswer]())
	look(reflect.TypeFor[explain.GroupReport]())
	for name := range described {
		assert.True(t, seen[name], "%s is described and in no report", name)
	}
}
