package score_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// The labels that the plain judges look at. A node has a value of each, or none.
const (
	hostKey = "kubernetes.io/hostname"
	zoneKey = "zone"
	diskKey = "disk"
)

// selectors pick the pods of the application a, all pods, and none.
var selectors = []*outrank.LabelSelector{
	{MatchLabels: map[string]string{"app": "a"}}, {MatchLabels: map[string]string{"app": "a"}}, {}, nil,
}

// plainScene is a small cluster, a pod that asks, and the nodes that are scored for it.
type plainScene struct {
	cluster *outrank.Cluster
	pod     *outrank.Pod
	scored  []*outrank.Node
}

// drawScene draws nodes and pods from few values, so that most of them meet.
func drawScene(t *rapid.T) *plainScene {
	s := &plainScene{cluster: &outrank.Cluster{
		Release:    rapid.SampledFrom(outrank.Releases()).Draw(t, "release"),
		Namespaces: []*outrank.Namespace{{Name: "default"}, {Name: "team", Labels: map[string]string{"of": "us"}}},
	}}
	for i := range rapid.IntRange(2, 5).Draw(t, "nodes") {
		n := node(fmt.Sprint("n", i), diskKey, rapid.SampledFrom([]string{"ssd", "hdd"}).Draw(t, "disk"))
		if zone := rapid.SampledFrom([]string{"a", "a", "b", ""}).Draw(t, "zone"); zone != "" {
			n.Labels[zoneKey] = zone
		}
		if rapid.IntRange(0, 3).Draw(t, "taint") == 0 {
			n.Taints = []outrank.Taint{{Key: "k", Effect: outrank.NoSchedule}}
		}
		s.cluster.Nodes = append(s.cluster.Nodes, n)
		if i == 0 || rapid.Bool().Draw(t, "scored") {
			s.scored = append(s.scored, n)
		}
	}
	for i := range rapid.IntRange(0, 12).Draw(t, "pods") {
		p := drawPod(t, fmt.Sprint("p", i))
		p.NodeName = rapid.SampledFrom(s.cluster.Nodes).Draw(t, "runs on").Name
		s.cluster.Pods = append(s.cluster.Pods, p)
	}
	s.pod = drawPod(t, "new")
	return s
}

// drawPod draws a pod of one of three namespaces, of which no object tells of the last.
func drawPod(t *rapid.T, name string) *outrank.Pod {
	p := &outrank.Pod{
		Name: name, Namespace: rapid.SampledFrom([]string{"default", "default", "default", "team", "dark"}).Draw(t, "namespace"),
		Labels: map[string]string{"app": rapid.SampledFrom([]string{"a", "a", "b"}).Draw(t, "app")},
	}
	if rapid.IntRange(0, 5).Draw(t, "leaves") == 0 {
		p.DeletionTimestamp = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return p
}

// rawOf returns the raw scores of a plugin for the scored nodes, nil where it has nothing to say.
func (s *plainScene) rawOf(t *rapid.T, plugin string) score.Column {
	snap, err := engine.NewSnapshot(s.cluster)
	require.NoError(t, err)
	scorer, err := score.New(score.Config{})
	require.NoError(t, err)
	ranking, err := scorer.Score(context.Background(), snap, s.pod, s.scored)
	require.NoError(t, err)
	got, _ := column(ranking, plugin)
	return got
}

// drawConstraints gives the pod preferred constraints, with and without policies.
func (s *plainScene) drawConstraints(t *rapid.T) {
	policies := rapid.SampledFrom([]outrank.NodeInclusionPolicy{"", outrank.NodeIgnore, outrank.NodeHonor})
	for range rapid.IntRange(1, 2).Draw(t, "constraints") {
		s.pod.TopologySpreadConstraints = append(s.pod.TopologySpreadConstraints, outrank.TopologySpreadConstraint{
			MaxSkew: rapid.Int32Range(1, 3).Draw(t, "skew"), WhenUnsatisfiable: outrank.ScheduleAnyway,
			TopologyKey:        rapid.SampledFrom([]string{zoneKey, hostKey, diskKey}).Draw(t, "key"),
			NodeAffinityPolicy: policies.Draw(t, "affinity policy"), NodeTaintsPolicy: policies.Draw(t, "taints policy"),
			LabelSelector: rapid.SampledFrom(selectors).Draw(t, "selector"),
		})
	}
	if rapid.Bool().Draw(t, "selects") {
		s.pod.NodeSelector = map[string]string{diskKey: "ssd"}
	}
	if rapid.Bool().Draw(t, "tolerates") {
		s.pod.Tolerations = []outrank.Toleration{{Operator: outrank.TolerationExists}}
	}
}

// hasKeys reports whether a node has the topology keys of all constraints (rule 27.5.5).
func (s *plainScene) hasKeys(n *outrank.Node) bool {
	for _, c := range s.pod.TopologySpreadConstraints {
		if n.Labels[c.TopologyKey] == "" {
			return false
		}
	}
	return true
}

// includes is rule 27.5.6: the policies say whether the pods of a node count in its domain. A policy that is
// not set honors the affinity and ignores the taints.
func (s *plainScene) includes(c *outrank.TopologySpreadConstraint, n *outrank.Node) bool {
	affine := s.pod.NodeSelector == nil || n.Labels[diskKey] == "ssd"
	tolerated := len(n.Taints) == 0 || len(s.pod.Tolerations) > 0
	return (affine || c.NodeAffinityPolicy == outrank.NodeIgnore) && (tolerated || c.NodeTaintsPolicy != outrank.NodeHonor)
}

// countNear counts the pods that the constraint counts near a node (rules 27.5.4 to 27.5.6).
func (s *plainScene) countNear(c *outrank.TopologySpreadConstraint, at *outrank.Node) (count int) {
	if c.LabelSelector == nil || c.LabelSelector.MatchLabels == nil {
		return 0
	}
	for _, n := range s.cluster.Nodes {
		near := n == at
		if c.TopologyKey != hostKey {
			near = n.Labels[c.TopologyKey] == at.Labels[c.TopologyKey] && s.hasKeys(n) && s.includes(c, n)
		}
		for _, p := range s.cluster.Pods {
			if near && p.NodeName == n.Name && p.Namespace == s.pod.Namespace && p.Labels["app"] == "a" && p.DeletionTimestamp.IsZero() {
				count++
			}
		}
	}
	return count
}

// spreadRaw is rule 27.5.7, in the words of the rule.
func (s *plainScene) spreadRaw(at *outrank.Node) int64 {
	if !s.hasKeys(at) {
		return 0
	}
	sum := 0.0
	for i := range s.pod.TopologySpreadConstraints {
		c := &s.pod.TopologySpreadConstraints[i]
		domains := map[string]bool{}
		for _, n := range s.scored {
			if s.hasKeys(n) {
				domains[n.Labels[c.TopologyKey]] = true
			}
		}
		factor := math.Log(float64(len(domains) + 2))
		sum += float64(float64(s.countNear(c, at))*factor) + float64(c.MaxSkew-1)
	}
	return int64(math.Round(sum))
}

// Preferred spreading scores each node by the pods that its constraints count there and nowhere else, counted
// one by one, whatever the policies, the keys of the nodes and the namespaces say.
func TestPropertySpreadCountsPodByPod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		s.drawConstraints(t)
		got := s.rawOf(t, preemption.PodTopologySpread)
		least, most, want := int64(math.MaxInt64), int64(0), []int64{}
		for _, n := range s.scored {
			raw := s.spreadRaw(n)
			want = append(want, raw)
			if s.hasKeys(n) {
				least, most = min(least, raw), max(most, raw)
			}
		}
		require.Equal(t, want, got.Raw, "raw scores")

		// Rule 27.5.9: the fewer pods near a node, the better. A node that is left out has 0 after all.
		for i, n := range s.scored {
			switch {
			case !s.hasKeys(n):
				want[i] = 0
			case most == 0:
				want[i] = 100
			default:
				want[i] = 100 * (most + least - want[i]) / most
			}
		}
		require.Equal(t, want, got.Normalized, "scores")
	})
}
