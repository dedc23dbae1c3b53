package ledger_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/kubescheduler/ledger"
)

// tableOf reads one of the tables.
func tableOf(t *testing.T, of ledger.TableOf) *ledger.Table {
	t.Helper()
	text, err := os.ReadFile(of.File)
	require.NoError(t, err)
	table, err := ledger.Parse(string(text))
	require.NoError(t, err)
	return table
}

// Every field has a verdict, and every verdict a field: a release with a new field fails here until somebody says what
// the field does.
func TestTablesAreComplete(t *testing.T) {
	for _, of := range ledger.Tables() {
		t.Run(of.File, func(t *testing.T) {
			table := tableOf(t, of)
			paths, err := of.Paths()
			require.NoError(t, err)
			anew, gone := table.Anew(paths)
			assert.Empty(t, anew.Missing(), "say what they do, in a line each: `go run ./ledger/cmd/ledger -w` writes the lines")
			assert.Empty(t, gone, "there are no such fields any more")

			text, err := os.ReadFile(of.File)
			require.NoError(t, err)
			assert.Equal(t, anew.String(), string(text), "`go run ./ledger/cmd/ledger -w` writes it anew")
		})
	}
}

// A line that says "cannot" has a reason, and every reason is one of some line.
func TestReasons(t *testing.T) {
	for _, of := range ledger.Tables() {
		table := tableOf(t, of)
		used := map[string]bool{}
		for _, l := range table.Lines {
			if l.Verdict == ledger.Cannot {
				used[l.Where] = true
				assert.NotEmpty(t, table.Reasons[l.Where], "%s: %s", of.File, l.Path)
			} else {
				assert.NotEmpty(t, l.Where, "%s: %s", of.File, l.Path)
			}
		}
		for name := range table.Reasons {
			assert.True(t, used[name], "%s: no line has the reason %s", of.File, name)
		}
	}
}

// A test that a line names exists where the line says.
func TestNamedTestsExist(t *testing.T) {
	by := regexp.MustCompile(`^by (Test\w+) in (\S+)$`)
	known := map[string]bool{}
	for _, of := range ledger.Tables() {
		for _, l := range tableOf(t, of).Lines {
			if !strings.HasPrefix(l.Where, "by ") || known[l.Where] {
				continue
			}
			known[l.Where] = true
			parts := by.FindStringSubmatch(l.Where)
			require.NotNil(t, parts, "%s: %s", l.Path, l.Where)
			assert.True(t, hasTest(t, filepath.Join("../../..", parts[2]), parts[1]), "%s: there is no %s in %s", l.Path, parts[1], parts[2])
		}
	}
}

// hasTest reports whether a test of this name is in a folder.
func hasTest(t *testing.T, folder, name string) bool {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(text), "func "+name+"(") {
			return true
		}
	}
	return false
}

// A field that is new is a line without a verdict, and one that is gone is named.
func TestANewFieldIsMissed(t *testing.T) {
	type spec struct {
		Old int  `json:"old"`
		New bool `json:"new,omitempty"`
	}
	type kind struct {
		Spec   spec              `json:"spec"`
		Labels map[string]string `json:"labels"`
		Lists  []*spec           `json:"lists"`
	}
	var paths []string
	for _, f := range ledger.Fields(reflect.TypeFor[kind](), "K") {
		paths = append(paths, f.Path)
	}
	require.Equal(t, []string{"K.spec.old", "K.spec.new", "K.labels{}", "K.lists[].old", "K.lists[].new"}, paths)

	table, err := ledger.Parse("# head\nreason r: why\n\nK.spec.old  decides w/o() = 1\nK.labels{} cannot r\nK.gone told w/o() = 2\nK.lists[].old cannot r\n")
	require.NoError(t, err)
	anew, gone := table.Anew(paths)
	assert.Equal(t, []string{"K.spec.new", "K.lists[].new"}, anew.Missing())
	assert.Equal(t, []string{"K.gone"}, gone)

	again, err := ledger.Parse(anew.String())
	require.NoError(t, err)
	assert.Equal(t, anew, again, "a table that is written reads the same")
	_, err = ledger.Parse("K.spec.old perhaps w")
	assert.ErrorContains(t, err, "line 1")
}
