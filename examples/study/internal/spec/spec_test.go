package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// Every problem of a study is named at once.
func TestReadNamesEveryProblem(t *testing.T) {
	_, err := Read([]byte(`
traces:
  - {name: a, sample: true, dump: x.json}
  - {name: a, nodes: n.csv}
  - {name: g, generate: {nodes: 0, pods: 1, hours: 1, minutes: 1, gpus: 17}, podsPerNode: -1, every: 2}
grid: {policy: [current, newest, current], load: [], cycle: [-1s], sample: [0], grace: [soon]}
compare: speed
seeds: {first: 1, count: 0}
confidence: 2
metrics: [evictions, waits]
`), ".")
	require.Error(t, err)
	for _, want := range []string{
		"name: ", "traces[0]: one of", `traces[1].name: "a"`, "traces[1]: nodes and pods", "traces[2].generate: nodes and pods",
		"traces[2].podsPerNode: -1", "traces[2].every: 2", "traces[2].generate: gpus are between 0 and 16", "grid.policy[1]: newest: it is one of", "grid.policy[2]: current is there twice",
		"grid.load: the list is empty", "grid.cycle[0]: -1s", "grid.sample[0]: 0", "grid.grace[0]: soon", "grid.load: traces[0] is a dump",
		`compare: there is no axis "speed"`,
		"seeds: {first: 1, count: 0}", "confidence: 2", `metrics[1]: there is no metric "waits"`,
	} {
		assert.Contains(t, err.Error(), want)
	}
	assert.Len(t, strings.Split(err.Error(), "\n"), 19, err.Error())
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
	assert.Equal(t, 240, s.Runs())
}

func TestTooManyRuns(t *testing.T) {
	_, err := Read([]byte("name: x\ntraces: [{name: a, sample: true}]\ngrid: {load: [1, 2]}\nseeds: {count: 1000000}"), ".")
	require.ErrorContains(t, err, "more than 1000000 runs")
}

// Fields that cannot be read are all named, too.
func TestReadNamesEveryField(t *testing.T) {
	_, err := Read([]byte("name: [x]\nnames: y\ntraces: [{name: a, sample: true, path: z}]\nseeds: {count: many}\ngrid: {load: [[1]]}"), ".")
	require.Error(t, err)
	for _, want := range []string{"name: ", `unknown field "names"`, `unknown field "path"`, "seeds: ", "grid.load: [1] is no single value"} {
		assert.ErrorContains(t, err, want)
	}
	assert.Len(t, strings.Split(err.Error(), "\n"), 5, err.Error())
}

// Values of an axis are checked one by one, and as a cell has them together.
func TestValues(t *testing.T) {
	for values, want := range map[string]string{
		`kubelets: ["order=best,period=30s,transition=1m,retries=3"]`:    "",
		`kubelets: ["order=first"]`:                                      "order is class, priority or best",
		`kubelets: ["period=0s"]`:                                        "period is a time above 0",
		`kubelets: ["retries=0"]`:                                        "retries are a number",
		`kubelets: ["period=1s,period=2s"]`:                              "period is there twice",
		`kubelets: [maybe]`:                                              "it is false, true, or options",
		`static: ["6000,8192", none]`:                                    "",
		`static: [6000]`:                                                 "write 4000,8192",
		`budgets: ["LS=90%,BE=5", none]`:                                 "",
		`budgets: ["LS=101%"]`:                                           "class LS: 101% is neither",
		`budgets: ["LS=1,LS=2"]`:                                         "there twice",
		`budgets: [LS]`:                                                  "is not class=value",
		`quotas: [none, "LS=60,BE=40.5", "kueue:LS=1", "yunikorn:BE=2"]`: "",
		`quotas: ["slurm:LS=1"]`:                                         "before the colon it is one of kueue, yunikorn",
		`quotas: ["LS=-1"]`:                                              "class LS: -1 is no percentage",
		`{quotas: ["LS=60"], regret: [true]}`:                            "trace a, quotas LS=60, regret true: regret: ",
		`{quotas: ["LS=60"], policy: [exact]}`:                           "trace a, policy exact, quotas LS=60: preemption config: Guard",
		`{quotas: ["LS=60"], policy: [current, v1.13]}`:                  "",
		`regret: [false, true, 10]`:                                      "",
		`regret: [0]`:                                                    "it is false, true or a number",
		`until: [end, 3h]`:                                               "",
		`until: [0s]`:                                                    "it is end, or a time above 0",
		`earlyPop: [1]`:                                                  "it is true or false",
		`cycle: [100000000h]`:                                            "cycle",
		`{policy: [honest, exact], sample: [all, 10], kubelets: [true, false]}`: "",
	} {
		_, err := Read([]byte("name: x\ntraces: [{name: a, sample: true}]\ngrid: "+braced(values)), ".")
		if want == "" {
			assert.NoError(t, err, values)
		} else {
			assert.ErrorContains(t, err, want, values)
		}
	}
}

func braced(values string) string {
	if strings.HasPrefix(values, "{") {
		return values
	}
	return "{" + values + "}"
}

// A dump has pods and budgets of its own.
func TestAxesNotForDumps(t *testing.T) {
	_, err := Read([]byte("name: x\ntraces: [{name: a, dump: d.json}]\ngrid: {load: [2], classes: [LS=1], quotas: [LS=1]}"), ".")
	require.Error(t, err)
	assert.Equal(t, "grid.classes: traces[0] is a dump, with pods and budgets of its own\ngrid.load: traces[0] is a dump, with pods and budgets of its own", err.Error())
}

// Quotas are shares of what all nodes have together.
func TestQuotasUse(t *testing.T) {
	s := &Setting{}
	require.NoError(t, readQuotas(s, "yunikorn:LS=60,BE=40"))
	nodes := []*outrank.Node{
		{Name: "a", Allocatable: resource.MustList("cpu", "4", "memory", "8Gi", "pods", "10")},
		{Name: "b", Allocatable: resource.MustList("cpu", "6", "pods", "10")},
	}
	require.NoError(t, s.Quotas.Use(&s.Preemption, nodes))
	require.NoError(t, s.Preemption.Validate())
	require.NotNil(t, s.Preemption.Guard)
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: nodes})
	require.NoError(t, err)
	eval, err := engine.New(s.Preemption)
	require.NoError(t, err)
	ask := func(class, cpu string) preemption.Outcome {
		plan, err := eval.Preempt(t.Context(), snap, preemption.Request{Pod: &outrank.Pod{Name: "p", PriorityClassName: class,
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}}})
		require.NoError(t, err)
		return plan.Outcome
	}
	assert.Equal(t, preemption.Fits, ask("LS", "6"), "its own 6 cores")
	assert.Equal(t, preemption.Fits, ask("", "6"), "no class, no quota")
	assert.Equal(t, preemption.Fits, ask("Guaranteed", "6"), "a class without a quota")
}

// Every study of the repository makes sense, has a name of its own and says where its data
// are from, whether they are there or not.
func TestStudies(t *testing.T) {
	files, err := filepath.Glob("../../studies/*.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 6)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		s, err := Read(text, "data")
		require.NoError(t, err, file)
		assert.Equal(t, strings.TrimSuffix(filepath.Base(file), ".yaml"), s.Name)
		assert.NotEmpty(t, s.About, file)
		assert.NotEmpty(t, s.first(), "%s compares", file)
		for _, trace := range s.Traces {
			for _, path := range []string{trace.Nodes, trace.Pods, trace.Dump} {
				if path != "" {
					assert.Equal(t, "data", filepath.Dir(path), file)
					assert.NotEmpty(t, trace.Source, file)
				}
			}
		}
	}
}

// Paths are relative to a folder of any file system.
func TestPaths(t *testing.T) {
	text := []byte("name: x\ntraces: [{name: a, nodes: n.csv, pods: gs://other/p.csv}, {name: b, dump: /d.json}]")
	for folder, want := range map[string]string{"": "n.csv", "data/x": "data/x/n.csv", "gs://bucket/traces/": "gs://bucket/traces/n.csv", "gs://bucket": "gs://bucket/n.csv"} {
		s, err := Read(text, folder)
		require.NoError(t, err)
		assert.Equal(t, []string{want, "gs://other/p.csv", "/d.json"}, []string{s.Traces[0].Nodes, s.Traces[0].Pods, s.Traces[1].Dump})
	}
}

// The message about a value of the wrong kind has the axis, and no word of Go.
func TestWrongKinds(t *testing.T) {
	for text, want := range map[string]string{
		"name: 5":                        "name: it is a text, and not a number",
		"seeds: 10":                      "seeds: it is an object, like {name: value}, and not a number",
		"seeds: {count: 1.5}":            "seeds: count: it is a whole number below 2^63, and not 1.5",
		"seeds: {first: -1}":             "seeds: first: it is a whole number from 0 on and below 2^64, and not -1",
		"confidence: high":               "confidence: it is a number, and not a text",
		"metrics: evictions":             "metrics: it is a list, like [a, b], and not a text",
		"grid: [policy]":                 "grid: it is an object, like {name: value}, and not a list",
		"grid: {load: 2, cycle: x}":      "grid.cycle: it is a list, like [a, b], and not a text\ngrid.load: it is a list, like [a, b], and not a number",
		"traces: [{name: a, sample: 1}]": "traces: sample: it is true or false, and not a number",
		"traces: {name: a}":              "traces: it is a list, like [a, b], and not an object",
		"seeds: {frist: 1}":              "seeds: unknown field \"frist\"",
	} {
		_, err := Read([]byte(text), ".")
		assert.EqualError(t, err, want, text)
	}
}

// A second document is reported; marks around the one are none.
func TestOneDocument(t *testing.T) {
	const study = "name: x\ntraces: [{name: a, sample: true}]\n"
	for _, text := range []string{study, "---\n" + study, "# why\n---\n" + study + "---\n# end\n", "%YAML 1.1\n---\r\n" + study + "...\n"} {
		_, err := Read([]byte(text), ".")
		assert.NoError(t, err, text)
	}
	for _, text := range []string{study + "---\n" + study, study + "--- {name: y}\n"} {
		_, err := Read([]byte(text), ".")
		assert.ErrorContains(t, err, "a second document begins; a study is one", text)
	}
}

func TestMetricTwice(t *testing.T) {
	_, err := Read([]byte("name: x\ntraces: [{name: a, sample: true}]\nmetrics: [evictions, waitMean, evictions]"), ".")
	assert.EqualError(t, err, "metrics[2]: evictions is there twice")
}
