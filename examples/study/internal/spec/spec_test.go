package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every problem of a study is named at once.
func TestReadNamesEveryProblem(t *testing.T) {
	_, err := Read([]byte(`
traces:
  - {name: a, sample: true, dump: x.json}
  - {name: a, nodes: n.csv}
  - {name: g, generate: {nodes: 0, pods: 1, hours: 1, minutes: 1}, podsPerNode: -1}
grid: {policy: [current, newest, current], load: [], cycle: [-1s], sample: [0], grace: [soon]}
compare: speed
seeds: {first: 1, count: 0}
confidence: 2
resamples: 1
`), ".")
	require.Error(t, err)
	for _, want := range []string{
		"name: ", "traces[0]: one of", `traces[1].name: "a"`, "traces[1]: nodes and pods", "traces[2].generate: nodes and pods",
		"traces[2].podsPerNode: -1", "grid.policy[1]: newest: it is one of", "grid.policy[2]: current is there twice",
		"grid.load: the list is empty", "grid.cycle[0]: -1s", "grid.sample[0]: 0", "grid.grace[0]: soon", `compare: there is no axis "speed"`,
		"seeds: {first: 1, count: 0}", "confidence: 2", "resamples: 1",
	} {
		assert.Contains(t, err.Error(), want)
	}
	assert.Len(t, strings.Split(err.Error(), "\n"), 16, err.Error())
}

func TestCells(t *testing.T) {
	s, err := Read([]byte(`{"name": "x", "traces": [{"name": "a", "sample": true}, {"name": "b", "sample": true}],
		"grid": {"load": [1, 2.5], "policy": ["current", "v1.13"], "earlyPop": [true]}, "compare": "load"}`), ".")
	require.NoError(t, err)
	var keys []string
	for _, c := range s.Cells() {
		keys = append(keys, c.Trace+" "+c.Value("policy")+" "+c.Value("load")+" "+c.Value("earlyPop"))
		base, ok := s.Base(c)
		assert.Equal(t, c.Value("load") != "1", ok)
		assert.Equal(t, "1", base.Value("load"))
		assert.Equal(t, c.Value("policy"), base.Value("policy"))
	}
	assert.Equal(t, []string{
		"a current 1 true", "a current 2.5 true", "a v1.13 1 true", "a v1.13 2.5 true",
		"b current 1 true", "b current 2.5 true", "b v1.13 1 true", "b v1.13 2.5 true",
	}, keys)
	assert.Equal(t, []string{"trace", "policy", "load"}, s.Varied())
	assert.Equal(t, 80, s.Runs())
}

func TestTooManyRuns(t *testing.T) {
	_, err := Read([]byte("name: x\ntraces: [{name: a, sample: true}]\ngrid: {load: [1, 2]}\nseeds: {count: 1000000}"), ".")
	require.ErrorContains(t, err, "more than 1000000 runs")
}

// The studies of the repository can be read.
func TestStudies(t *testing.T) {
	files, err := filepath.Glob("../../studies/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, err = Read(text, filepath.Dir(file))
		assert.NoError(t, err, file)
	}
}
