package explain_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/kubeletadmit/explain"
	"github.com/outrank-go/outrank/resource"
)

// asks are questions to the node of the examples, each changed in one way.
var asks = map[string]func(*outrank.Node, *outrank.Pod){
	"evicts":     func(*outrank.Node, *outrank.Pod) {},
	"not-enough": func(_ *outrank.Node, p *outrank.Pod) { p.Containers[0].Requests = resource.MustList("cpu", "3800m") },
	"fits":       func(n *outrank.Node, _ *outrank.Pod) { n.Allocatable = resource.MustList("cpu", "40", "pods", "10") },
	"plain":      func(_ *outrank.Node, p *outrank.Pod) { p.Static, p.Priority = false, outrank.Priority(10) },
	"full": func(n *outrank.Node, p *outrank.Pod) {
		n.Allocatable = resource.MustList("cpu", "40", "pods", "5")
	},
	"predicates": func(n *outrank.Node, p *outrank.Pod) {
		n.Labels = map[string]string{"disk": "hdd\n"}
		n.Taints = []outrank.Taint{{Key: "gone", Value: "yes", Effect: outrank.NoExecute}}
		p.NodeSelector = map[string]string{"disk": "ssd", "zone": "a"}
		p.Static, p.Priority, p.NodeName = false, outrank.Priority(2_000_000_000), "n2"
		p.Containers[0].Ports = []outrank.Port{{HostPort: 53}}
	},
}

// The wording is stable: what stands in the files is read by people and compared by
// programs.
func TestGoldenReports(t *testing.T) {
	for name, change := range asks {
		t.Run(name, func(t *testing.T) {
			node, active, pod := crowded()
			active[5].Containers[0].Ports = []outrank.Port{{HostPort: 53}}
			change(node, pod)
			r, err := explain.Ask(context.Background(), explain.Question{Node: node, Active: active, Pod: pod})
			require.NoError(t, err)
			scenario.Golden(t, filepath.Join("testdata", name+".txt"), r.Text())
			text, err := json.MarshalIndent(r, "", "  ")
			require.NoError(t, err)
			scenario.Golden(t, filepath.Join("testdata", name+".json"), string(text)+"\n")
		})
	}
}

// What is said of options that go beyond the kubelet.
func TestGoldenReportsOfOptions(t *testing.T) {
	for name, a := range map[string]kubeletadmit.Config{
		"by-priority": {PriorityFirst: true}, "best-set": {Exact: true}, "best-set-by-priority": {PriorityFirst: true, Exact: true, Limit: 1},
	} {
		t.Run(name, func(t *testing.T) {
			node, active, pod := crowded()
			for i, p := range active[:5] {
				p.Priority = outrank.Priority(int32(100 - 10*(i%3)))
			}
			pod.Containers[0].Requests = resource.MustList("cpu", "1200m")
			r, err := explain.Ask(context.Background(), explain.Question{Node: node, Active: active, Pod: pod, Config: a})
			require.NoError(t, err)
			scenario.Golden(t, filepath.Join("testdata", name+".txt"), r.Text())
			text, err := json.MarshalIndent(r, "", "  ")
			require.NoError(t, err)
			scenario.Golden(t, filepath.Join("testdata", name+".json"), string(text)+"\n")
		})
	}
}

// A report of thousands of evictions is cut, and one that nobody made has a text.
func TestReportsAreBounded(t *testing.T) {
	node, active, pod := crowded()
	node.Allocatable = resource.MustList("cpu", "1000", "pods", "5000")
	for range 3000 {
		active = append(active, &outrank.Pod{Name: "b" + strings.Repeat("x", len(active)%200), UID: string(rune(len(active))), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}})
	}
	pod.Containers[0].Requests = resource.MustList("cpu", "900")
	r, err := explain.Ask(context.Background(), explain.Question{Node: node, Active: active, Pod: pod, Most: 3})
	require.NoError(t, err)
	assert.Len(t, r.Tiers.Items[1].Rounds.Items, 3)
	assert.Greater(t, r.Tiers.Items[1].Rounds.More, 2000)
	assert.Less(t, len(r.Text()), 4000)
	_, err = explain.Ask(context.Background(), explain.Question{})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.NotEmpty(t, (&explain.Report{Failures: []explain.Failure{{}, {Ports: []explain.Port{{}}}}, Tiers: explain.List[explain.Tier]{Items: []explain.Tier{{Rounds: explain.List[explain.Round]{Items: []explain.Round{{}}}}}}}).Text())
}
