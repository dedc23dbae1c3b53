package answerjson_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	admission "github.com/outrank-go/outrank/kubeletadmit/explain"
)

// tables returns the fields of each table of a document, by the heading above it.
func tables(t *testing.T, file string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(file)
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

// A package's document of its reports has a table for each type of the package that stands
// in one, with its fields in their order, and no other.
func TestReportsAreDescribed(t *testing.T) {
	for folder, reports := range map[string][]reflect.Type{
		"kubeletadmit/explain": {reflect.TypeFor[admission.Report]()},
	} {
		t.Run(folder, func(t *testing.T) {
			described := tables(t, filepath.Join("../..", folder, "REPORT_JSON.md"))
			seen := map[string]bool{}
			var look func(reflect.Type)
			look = func(typ reflect.Type) {
				for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
					typ = typ.Elem()
				}
				if typ.Kind() != reflect.Struct || seen[typ.Name()] || typ.PkgPath() != reports[0].PkgPath() {
					return
				}
				seen[typ.Name()] = true
				assert.Equal(t, fieldsOf(typ), described[typ.Name()], typ.Name())
				for i := range typ.NumField() {
					look(typ.Field(i).Type)
				}
			}
			for _, report := range reports {
				look(report)
			}
			for name := range described {
				assert.True(t, seen[name], "%s is described and in no report", name)
			}
		})
	}
}
