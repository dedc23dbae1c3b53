package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

func generated(seed uint64, pods int) *spec.Trace {
	return &spec.Trace{Name: "g", Generate: &spec.Generate{Nodes: 5, Pods: pods, Hours: 2, Minutes: 10, Seed: seed}}
}

// Of the rows of files every n-th is taken; pods are counted in the order of their arrival.
func TestEvery(t *testing.T) {
	dir := t.TempDir()
	nodes, pods := "sn,cpu_milli,memory_mib\n", "name,creation_time\n"
	for i := range 10 {
		nodes += fmt.Sprintf("n%d,1000,1024\n", i)
		pods += fmt.Sprintf("p%d,%d\n", i, i)
	}
	of := &spec.Trace{Name: "x", Nodes: filepath.Join(dir, "n.csv"), Pods: filepath.Join(dir, "p.csv"), Every: 4}
	require.NoError(t, os.WriteFile(of.Nodes, []byte(nodes), 0o600))
	require.NoError(t, os.WriteFile(of.Pods, []byte(pods), 0o600))
	tr, err := Load(t.Context(), of, workload.DefaultClasses())
	require.NoError(t, err)
	var names []string
	for _, n := range tr.Cluster.Nodes {
		names = append(names, n.Name)
	}
	for _, x := range tr.Items {
		names = append(names, x.Pod.Name)
	}
	assert.Equal(t, []string{"n0", "n4", "n8", "p0", "p4", "p8"}, names)
}

// Of generated pods about 60 in 100 ask for GPUs, where nodes have some, and none asks
// for more than a node has.
func TestGeneratedGPUs(t *testing.T) {
	of := generated(9, 5000)
	of.Generate.GPUs = 2
	tr, err := Load(t.Context(), of, workload.DefaultClasses())
	require.NoError(t, err)
	assert.Equal(t, int64(2000), tr.Cluster.Nodes[0].Allocatable.Amount(workload.GPU))
	asking, most := 0, int64(0)
	for _, x := range tr.Items {
		require.NoError(t, x.Pod.Validate())
		if amount := x.Pod.RunningRequests(outrank.DefaultRelease).Amount(workload.GPU); amount > 0 {
			asking, most = asking+1, max(most, amount)
		}
	}
	assert.InDelta(t, 3000, asking, 150)
	assert.Equal(t, int64(2000), most)
}

// A worker reads a trace once, and keeps the last ones.
func TestLoadOnce(t *testing.T) {
	classes := workload.DefaultClasses()
	one, err := Load(t.Context(), generated(1, 100), classes)
	require.NoError(t, err)
	again, err := Load(t.Context(), generated(1, 100), classes)
	require.NoError(t, err)
	assert.Same(t, one, again)
	for seed := range uint64(kept) {
		_, err := Load(t.Context(), generated(seed+2, 100), classes)
		require.NoError(t, err)
	}
	assert.Len(t, entries, kept)
	fresh, err := Load(t.Context(), generated(1, 100), classes)
	require.NoError(t, err)
	assert.NotSame(t, one, fresh)
	assert.Equal(t, one, fresh)
}

// Other priorities of the classes make another trace.
func TestLoadByPriorities(t *testing.T) {
	other, err := workload.ParseClasses("BE=5,Burstable=6,LS=7,Guaranteed=8")
	require.NoError(t, err)
	_, err = Load(t.Context(), generated(1, 100), workload.DefaultClasses())
	require.NoError(t, err)
	mapped, err := Load(t.Context(), generated(1, 100), other)
	require.NoError(t, err)
	for _, x := range mapped.Items {
		require.Contains(t, []int32{5, 6, 7, 8}, *x.Pod.Priority)
	}
}

func TestGenerated(t *testing.T) {
	tr, err := Load(t.Context(), generated(9, 20_000), workload.DefaultClasses())
	require.NoError(t, err)
	assert.Len(t, tr.Cluster.Nodes, 5)
	require.Len(t, tr.Items, 20_000)
	count, last, total := map[string]int{}, tr.Items[0].Arrival, 0.0
	for _, x := range tr.Items {
		count[x.Class]++
		require.LessOrEqual(t, last, x.Arrival)
		last = x.Arrival
		total += x.Duration.Minutes()
	}
	assert.InDelta(t, 11_000, count["BE"], 500)
	assert.InDelta(t, 1000, count["Guaranteed"], 200)
	assert.InDelta(t, 10, total/20_000, 0.5)
	assert.LessOrEqual(t, last.Hours(), 2.0)
	_, err = Load(t.Context(), generated(9, 10), workload.Classes{})
	require.ErrorContains(t, err, "trace g: ")
	assert.Len(t, entries, 1, "an error is not kept")
}
