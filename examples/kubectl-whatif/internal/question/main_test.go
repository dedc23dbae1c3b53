package question_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/drawn"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/resource"
)

var update = flag.Bool("update", false, "write golden files")

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// set is a setting about a cluster.
func set(t require.TestingT, c *outrank.Cluster) question.Setting {
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	return question.Setting{Cluster: c, Snapshot: snap, Evaluator: eval, Now: now}
}

// sample is the program's own sample cluster.
func sample(t require.TestingT) *outrank.Cluster {
	f, err := os.Open("../../sample/cluster.json")
	require.NoError(t, err)
	defer f.Close()
	c, err := kube.ReadCluster(f)
	require.NoError(t, err)
	return c
}

// answer is a result of a question.
type answer interface {
	WriteText(w io.Writer, limit int) error
}

// golden compares text and JSON with a file.
func golden(t *testing.T, name string, a answer) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, a.WriteText(&out, 10))
	out.WriteString("\n")
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	require.NoError(t, encoder.Encode(a))
	file := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), out.String())
}

// unchanged checks that a question leaves cluster and snapshot alone.
func unchanged(t require.TestingT, s question.Setting, ask func()) {
	before := drawn.State(s)
	ask()
	require.Equal(t, before, drawn.State(s), "the snapshot is left alone")
}

func node(name string, pairs ...string) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.MustList(append([]string{"pods", "10", "cpu", "4", "memory", "8Gi"}, pairs...)...)}
}

// pod is on a node, or pending where that is empty.
func pod(name, on string, priority int32, cpu string, more ...func(*outrank.Pod)) *outrank.Pod {
	p := &outrank.Pod{
		Namespace: "shop", Name: name, NodeName: on, Priority: outrank.Priority(priority),
		Containers: []outrank.Container{{Name: "main", Requests: resource.MustList("cpu", cpu)}},
	}
	if on != "" {
		p.StartTime, p.Ready = now.Add(-time.Hour), true
	}
	for _, f := range more {
		f(p)
	}
	return p
}

func owned(kind, name string) func(*outrank.Pod) {
	return func(p *outrank.Pod) { p.Owner = outrank.Owner{Kind: kind, Name: name} }
}

func labelled(key, value string) func(*outrank.Pod) {
	return func(p *outrank.Pod) { p.Labels = map[string]string{key: value} }
}

func TestMain(m *testing.M) { seeded.Run(m, 100) }

// askWithout answers what becomes of everybody without some nodes.
func askWithout(ctx context.Context, s question.Setting, nodes []string) (*question.Aftermath, error) {
	without, err := question.NewScenario(ctx, s, &question.RemoveNodes{Of: "the question", Names: nodes})
	if err != nil {
		return nil, err
	}
	return without.Aftermath()
}
