package release

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inModule is a part of the go.mod of a folder, found by a pattern with one group.
func inModule(t *testing.T, file, pattern string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)` + pattern).FindStringSubmatch(string(text))
	require.Len(t, m, 2, "%s has no %s", file, pattern)
	return m[1]
}

// The first row of the table of versions says which releases and which Go the modules name.
func TestWhatGoesTogether(t *testing.T) {
	text, err := os.ReadFile("../../.github/RELEASES.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "| Go for the programs |\n|---|---|---|---|---|---|\n")
	require.True(t, found, "the table of versions")
	first, _, _ := strings.Cut(table, "\n")

	rules := Default.String() + " (default)"
	for _, r := range All() {
		if r != Default {
			rules += ", " + r.String()
		}
	}
	programs := inModule(t, "../../examples/kubectl-whatif/go.mod", `^go (\S+)$`)
	want := []string{
		rules,
		inModule(t, "../../examples/kubescheduler/go.mod", `^\s*k8s\.io/kubernetes (v\S+)$`) + ", " +
			inModule(t, "../../examples/kubescheduler/v136/go.mod", `^replace k8s\.io/kubernetes => k8s\.io/kubernetes (v\S+)$`),
		inModule(t, "../../examples/clientgo/go.mod", `^\s*k8s\.io/client-go (v\S+)$`),
		inModule(t, "../../go.mod", `^go (\S+)$`), programs,
	}
	cells := strings.Split(strings.Trim(first, "| "), " | ")
	require.NotEmpty(t, cells)
	assert.Regexp(t, `^(next|v\d+\.\d+\.\d+)$`, cells[0])
	assert.Equal(t, want, cells[1:], "the first row has to be: | %s | %s |", cells[0], strings.Join(want, " | "))

	modules, err := filepath.Glob("../../examples/*/go.mod")
	require.NoError(t, err)
	deeper, err := filepath.Glob("../../examples/*/*/go.mod")
	require.NoError(t, err)
	for _, file := range append(modules, deeper...) {
		assert.Equal(t, programs, inModule(t, file, `^go (\S+)$`), file)
	}
}
