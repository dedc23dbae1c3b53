package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A module outside this repository has a policy of its own in a study: with the program in own,
// which is a main function of no more than ten lines, and nothing of the tree changed.
func TestModuleOutsideTheTree(t *testing.T) {
	program, err := os.ReadFile("../own/main.go")
	require.NoError(t, err)
	_, body, found := strings.Cut(string(program), "func main() {")
	require.True(t, found)
	body, _, _ = strings.Cut(body, "\n}")
	require.LessOrEqual(t, strings.Count(body, "\n"), 10)

	dir := t.TempDir()
	tree, err := filepath.Abs("../../..")
	require.NoError(t, err)
	sums, err := os.ReadFile("../go.sum")
	require.NoError(t, err)
	const library = "github.com/outrank-go/outrank"
	for name, text := range map[string]string{
		"main.go": string(program), "go.sum": string(sums),
		"go.mod": "module example.com/policies\n\ngo 1.26.0\n\nrequire (\n\t" + library + " v0.0.0\n\t" + library + "/examples/simulator v0.0.0\n\t" + library + "/examples/study v0.0.0\n)\n\n" +
			"replace " + library + " => " + tree + "\n\nreplace " + library + "/examples/simulator => " + filepath.Join(tree, "examples", "simulator") +
			"\n\nreplace " + library + "/examples/study => " + filepath.Join(tree, "examples", "study") + "\n",
		"study.yaml": "name: own\ntraces: [{name: sample, sample: true}]\ngrid: {policy: [current, cheapest]}\nseeds: {count: 2}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	binary := filepath.Join(dir, "policies")
	build := exec.CommandContext(t.Context(), "go", "build", "-mod=mod", "-o", binary, ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off")
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%s", text)

	out := filepath.Join(dir, "results")
	text, err = exec.CommandContext(t.Context(), binary, "-study", filepath.Join(dir, "study.yaml"), "-out", out).CombinedOutput()
	require.NoError(t, err, "%s", text)
	table, err := os.ReadFile(filepath.Join(out, "table.md"))
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^\| cheapest \| .*Δ [+−]`, string(table), "it decides otherwise")
	assert.NotRegexp(t, `runs failed`, string(table))

	status, _, stderr := started(t, filepath.Join(dir, "study.yaml"), t.TempDir())
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "grid.policy[1]: cheapest: it is one of current,", "this program has no such policy")
}
