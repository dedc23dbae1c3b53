package score_test

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// node is a node with room; labels are keys and values in turn.
func node(name string, labels ...string) *outrank.Node {
	n := &outrank.Node{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}, Allocatable: resource.MustList("cpu", "4", "memory", "8Gi", "pods", "110")}
	for i := 0; i < len(labels); i += 2 {
		n.Labels[labels[i]] = labels[i+1]
	}
	return n
}

// on is a pod of the application web on a node.
func on(node, name string, requests resource.List) *outrank.Pod {
	return &outrank.Pod{Name: name, Labels: map[string]string{"app": "web"}, NodeName: node, Containers: []outrank.Container{{Name: "c", Requests: requests}}}
}

func waiting() *outrank.Pod { return on("", "new", resource.MustList("cpu", "1", "memory", "1Gi")) }

func rank(t require.TestingT, config score.Config, c *outrank.Cluster, pod *outrank.Pod) *score.Ranking {
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	scorer, err := score.New(config)
	require.NoError(t, err)
	ranked, err := scorer.Rank(context.Background(), eval, snap, pod)
	require.NoError(t, err)
	return ranked
}

// column is that of a plugin; not ok where it had nothing to say.
func column(r *score.Ranking, name string) (score.Column, bool) {
	for _, c := range r.Plugins {
		if c.Plugin == name {
			return c, true
		}
	}
	return score.Column{}, false
}

var web = &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}

// Each plugin, by hand: the differential test compares all of them with kube-scheduler.
func TestPlugins(t *testing.T) {
	spread := func(key string) func(*outrank.Pod) {
		return func(p *outrank.Pod) {
			p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: outrank.ScheduleAnyway, LabelSelector: web}}
		}
	}
	wishes := func(p outrank.Preferences) func(*outrank.Pod) { return func(pod *outrank.Pod) { pod.Preferences = &p } }
	near := []outrank.WeightedPodAffinityTerm{{Weight: 10, PodAffinityTerm: outrank.PodAffinityTerm{LabelSelector: web, TopologyKey: "zone"}}}
	zones := []*outrank.Node{node("a", "zone", "1"), node("b", "zone", "1"), node("c", "zone", "2")}
	for _, tt := range []struct {
		name            string
		plugin          string
		nodes           []*outrank.Node
		pods            []*outrank.Pod
		pod             func(*outrank.Pod)
		config          score.Config
		raw, normalized []int64
	}{
		{
			name: "a taint that is only preferred (27.2.1)", plugin: preemption.TaintToleration,
			nodes: []*outrank.Node{node("a"), {Name: "b", Allocatable: node("").Allocatable, Taints: []outrank.Taint{{Key: "k", Effect: outrank.PreferNoSchedule}}}},
			raw:   []int64{0, 1}, normalized: []int64{100, 0},
		},
		{
			name: "the emptier node (27.3.4)", plugin: preemption.NodeResourcesFit, nodes: []*outrank.Node{node("a"), node("b")},
			pods: []*outrank.Pod{on("a", "p", resource.MustList("cpu", "1", "memory", "1Gi"))},
			raw:  []int64{(50 + 75) / 2, (75 + 87) / 2}, normalized: []int64{62, 81},
		},
		{
			name: "a container that names nothing counts (27.3.3)", plugin: preemption.NodeResourcesFit, nodes: []*outrank.Node{node("a"), node("b")},
			pods: []*outrank.Pod{on("a", "p", nil), on("a", "q", nil), on("a", "r", nil), on("a", "s", nil)},
			raw:  []int64{(65 + 77) / 2, (75 + 87) / 2}, normalized: []int64{71, 81},
		},
		{
			name: "the fuller node (27.3.5)", plugin: preemption.NodeResourcesFit, nodes: []*outrank.Node{node("a"), node("b")},
			pods:   []*outrank.Pod{on("a", "p", resource.MustList("cpu", "1", "memory", "1Gi"))},
			config: score.Config{Fit: score.Strategy{Type: score.MostAllocated, Resources: map[resource.Name]int64{"cpu": 3, "memory": 0}}},
			raw:    []int64{(3*50 + 25) / 4, (3*25 + 12) / 4}, normalized: []int64{43, 21},
		},
		{
			name: "along a line (27.3.6)", plugin: preemption.NodeResourcesFit, nodes: []*outrank.Node{node("a"), node("b")},
			pods: []*outrank.Pod{on("a", "p", resource.MustList("cpu", "2"))},
			config: score.Config{Fit: score.Strategy{
				Type: score.RequestedToCapacityRatio, Resources: map[resource.Name]int64{"cpu": 0},
				Shape: []score.Point{{Utilization: 25, Score: 2}, {Utilization: 75, Score: 10}},
			}},
			raw: []int64{100, 20}, normalized: []int64{100, 20},
		},
		{
			name: "preferred labels (27.4.1)", plugin: preemption.NodeAffinity, nodes: []*outrank.Node{node("a", "disk", "ssd"), node("b", "disk", "hdd")},
			pod:    wishes(outrank.Preferences{NodeAffinity: []outrank.PreferredSchedulingTerm{{Weight: 8, Preference: term("disk", "ssd")}}}),
			config: score.Config{AddedAffinity: []outrank.PreferredSchedulingTerm{{Weight: 2, Preference: term("disk", "ssd", "hdd")}}},
			raw:    []int64{10, 2}, normalized: []int64{100, 20},
		},
		{
			name: "away from those like it (27.5.7)", plugin: preemption.PodTopologySpread, nodes: zones,
			pods: []*outrank.Pod{on("a", "p", nil), on("a", "q", nil), on("c", "r", nil)}, pod: spread("zone"),
			raw: []int64{3, 3, 1}, normalized: []int64{33, 33, 100}, // ln 4 times 2, and times 1
		},
		{
			name: "a node of its own each (27.5.7)", plugin: preemption.PodTopologySpread, nodes: zones,
			pods: []*outrank.Pod{on("a", "p", nil), on("a", "q", nil), on("c", "r", nil)}, pod: spread("kubernetes.io/hostname"),
			raw: []int64{3, 0, 2}, normalized: []int64{0, 100, 33}, // ln 5 times 2, 0 and 1
		},
		{
			name: "a node without the key (27.5.5)", plugin: preemption.PodTopologySpread, nodes: []*outrank.Node{node("a", "zone", "1"), node("b")},
			pod: spread("zone"), raw: []int64{0, 0}, normalized: []int64{100, 0},
		},
		{
			name: "the constraints of the system (27.5.3)", plugin: preemption.PodTopologySpread, nodes: zones,
			pods:   []*outrank.Pod{on("a", "p", nil)},
			config: score.Config{SpreadSelector: func(*outrank.Pod) *outrank.LabelSelector { return web }},
			raw:    []int64{4, 2, 2}, normalized: []int64{50, 100, 100}, // ln 5 and 2; no node has a zone's label
		},
		{
			name: "near those it likes (27.6.1)", plugin: preemption.InterPodAffinity, nodes: zones, pods: []*outrank.Pod{on("a", "p", nil)},
			pod: wishes(outrank.Preferences{PodAffinity: near}),
			raw: []int64{10, 10, 0}, normalized: []int64{100, 100, 0},
		},
		{
			name: "away from those that dislike it (27.6.1)", plugin: preemption.InterPodAffinity, nodes: zones,
			pods: []*outrank.Pod{func() *outrank.Pod {
				p := on("a", "p", nil)
				p.Preferences = &outrank.Preferences{PodAntiAffinity: near}
				return p
			}()},
			raw: []int64{-10, -10, 0}, normalized: []int64{0, 0, 100},
		},
		{
			name: "evenly (27.7.3)", plugin: score.BalancedAllocation, nodes: []*outrank.Node{node("a"), node("b")},
			pods: []*outrank.Pod{on("a", "p", resource.MustList("memory", "4Gi"))},
			raw:  []int64{50 + (50+81-75)/2, 50 + (50+93-100)/2}, normalized: []int64{78, 71},
		},
		{
			name: "where its image is (27.8.3)", plugin: score.ImageLocality, nodes: []*outrank.Node{node("a"), withImage(node("b"))},
			raw: []int64{0, 100 * (250 - 23) / (1000 - 23)}, normalized: []int64{0, 23},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := waiting()
			p.Containers[0].Image = "registry.example/app"
			if tt.pod != nil {
				tt.pod(p)
			}
			r := rank(t, tt.config, &outrank.Cluster{Nodes: tt.nodes, Pods: tt.pods}, p)
			c, ok := column(r, tt.plugin)
			require.True(t, ok, "%v", r.Plugins)
			assert.Equal(t, tt.raw, c.Raw)
			assert.Equal(t, tt.normalized, c.Normalized)
			assert.Equal(t, score.DefaultWeights()[tt.plugin], c.Weight)
		})
	}
}

func term(key string, values ...string) outrank.NodeSelectorTerm {
	return outrank.NodeSelectorTerm{MatchExpressions: []outrank.NodeRequirement{{Key: key, Operator: outrank.In, Values: values}}}
}

func withImage(n *outrank.Node) *outrank.Node {
	n.Images = []outrank.NodeImage{{Names: []string{"registry.example/app:latest"}, SizeBytes: 500 << 20}}
	return n
}

// Plugins without anything to say have no column (rules 27.4.2, 27.5.1, 27.6.5 and 27.7.1), and
// neither have those without a weight.
func TestSilentPlugins(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("a"), node("b")}}
	p := on("", "new", nil)
	var names []string
	for _, x := range rank(t, score.Config{}, c, p).Plugins {
		names = append(names, x.Plugin)
	}
	assert.Equal(t, []string{preemption.TaintToleration, preemption.NodeResourcesFit, score.ImageLocality}, names)
	r := rank(t, score.Config{Weights: map[string]int64{preemption.NodeResourcesFit: 5, score.ImageLocality: 0}}, c, p)
	require.Len(t, r.Plugins, 1)
	assert.Equal(t, []int64{5 * r.Plugins[0].Normalized[0], 5 * r.Plugins[0].Normalized[1]}, r.Totals)
}

// A node that the pod is nominated to is the only one if it takes the pod (rule 27.1.2).
func TestNominatedNodeIsTheOnlyOne(t *testing.T) {
	p := waiting()
	p.NominatedNodeName = "b"
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("a"), node("b")}, Pods: []*outrank.Pod{p}}
	assert.Equal(t, "b", rank(t, score.Config{}, c, p).Choose(nil).Name)
	c.Pods = append(c.Pods, on("b", "large", resource.MustList("cpu", "4")))
	assert.Equal(t, "a", rank(t, score.Config{}, c, p).Choose(nil).Name)
}

// Amounts and sizes beyond all bounds make no score that is out of its range.
func TestAmountsBeyondAllBounds(t *testing.T) {
	huge := resource.MustList("cpu", "5000T", "memory", "5E") // two are more than an int64 holds
	a, b := node("a"), withImage(node("b"))
	b.Images[0].SizeBytes = 1<<63 - 1
	c := &outrank.Cluster{Nodes: []*outrank.Node{a, b}, Pods: []*outrank.Pod{on("a", "p", huge), on("a", "q", huge), on("b", "s", resource.MustList("memory", "8Ei"))}}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	for _, strategy := range []score.Strategy{{}, {Type: score.MostAllocated}, {Type: score.RequestedToCapacityRatio, Shape: []score.Point{{Utilization: 3, Score: 9}, {Utilization: 90}}}} {
		scorer, err := score.New(score.Config{Fit: strategy})
		require.NoError(t, err)
		for _, p := range []*outrank.Pod{waiting(), on("", "huge", huge)} {
			p.Containers[0].Image = "registry.example/app"
			r, err := scorer.Score(context.Background(), snap, p, c.Nodes)
			require.NoError(t, err)
			for _, x := range r.Plugins {
				for _, n := range x.Normalized {
					assert.True(t, n >= 0 && n <= 100, "%s gives %d", x.Plugin, n)
				}
			}
		}
	}
}

// tops is the heap that kube-scheduler makes of scored nodes.
type tops []struct{ index, total int64 }

func (h tops) Len() int           { return len(h) }
func (h tops) Less(i, j int) bool { return h[i].total > h[j].total }
func (h tops) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *tops) Push(any)          {}
func (h *tops) Pop() any          { return nil }

// The node that is chosen without a lot is that at the top of a heap (rule 27.1.6), and with
// one it is among the best.
func TestPropertyChoice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &score.Ranking{Totals: rapid.SliceOfN(rapid.Int64Range(0, 3), 1, 20).Draw(t, "totals")}
		h := tops{}
		for i, total := range r.Totals {
			r.Nodes = append(r.Nodes, &outrank.Node{Name: fmt.Sprint(i)})
			h = append(h, struct{ index, total int64 }{int64(i), total})
		}
		heap.Init(&h)
		if got := r.Choose(nil); got.Name != fmt.Sprint(h[0].index) {
			t.Fatalf("node %s, want %d", got.Name, h[0].index)
		}
		best := r.Best()
		for i := range best {
			if got := r.Choose(func(n int) int { return n - len(best) + i }); got != best[i] {
				t.Fatalf("lot %d takes node %s, want %s", i, got.Name, best[i].Name)
			}
		}
		if r.Choose(func(int) int { return -7 }) != best[0] || r.Choose(func(n int) int { return n }) != best[len(best)-1] {
			t.Fatal("a lot that is not there counts as the nearest")
		}
	})
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]score.Config{
		"an unknown plugin":         {Weights: map[string]int64{"NodeName": 1}},
		"a weight below int32":      {Weights: map[string]int64{preemption.NodeAffinity: -1<<31 - 1}},
		"an unknown strategy":       {Fit: score.Strategy{Type: "Best"}},
		"a line without points":     {Fit: score.Strategy{Type: score.RequestedToCapacityRatio}},
		"points without a line":     {Fit: score.Strategy{Shape: []score.Point{{}}}},
		"points out of order":       {Fit: score.Strategy{Type: score.RequestedToCapacityRatio, Shape: []score.Point{{Utilization: 5}, {Utilization: 5}}}},
		"a score beyond 10":         {Fit: score.Strategy{Type: score.RequestedToCapacityRatio, Shape: []score.Point{{Score: 11}}}},
		"a resource without a name": {Fit: score.Strategy{Resources: map[resource.Name]int64{"": 0}}},
		"a weight beyond int32":     {Fit: score.Strategy{Resources: map[resource.Name]int64{"cpu": 1 << 31}}},
		"a resource twice":          {Balanced: []resource.Name{"cpu", "cpu"}},
		"a constraint without skew": {DefaultSpread: []outrank.TopologySpreadConstraint{{TopologyKey: "zone"}}},
		"a term without a weight":   {AddedAffinity: []outrank.PreferredSchedulingTerm{{Preference: term("a", "b")}}},
		"a value that is none":      {AddedAffinity: []outrank.PreferredSchedulingTerm{{Weight: 1, Preference: term("a", "-")}}},
		"a weight of terms":         {HardPodAffinityWeight: outrank.Priority(101)},
	} {
		_, err := score.New(c)
		require.ErrorIs(t, err, outrank.ErrInvalid, name)
	}
	ctx, a := context.Background(), node("a")
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{a}})
	require.NoError(t, err)
	scorer := new(score.Scorer)
	_, err = scorer.Score(ctx, snap, waiting(), []*outrank.Node{node("a")})
	require.ErrorIs(t, err, preemption.ErrNotFound, "another object than that of the snapshot")
	_, err = scorer.Score(ctx, snap, waiting(), []*outrank.Node{nil})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = scorer.Score(gone, snap, waiting(), []*outrank.Node{a})
	require.ErrorIs(t, err, context.Canceled)
}

// API servers let preferred terms in that kube-scheduler cannot read. Its attempt ends over
// them, unless one node alone takes the pod: then nobody asks for scores (rule 27.1.7).
func TestTermsThatCannotBeRead(t *testing.T) {
	both := []*outrank.Node{node("a", "cores", "4"), node("b", "cores", "8")}
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: both})
	require.NoError(t, err)
	for _, x := range []struct {
		operator outrank.Operator
		values   []string
		problem  string // empty for a term that can be read
	}{
		{outrank.In, []string{"-"}, `"-" is not a label value`},
		{outrank.NotIn, []string{"4", "-1"}, `"-1" is not a label value`},
		{outrank.Gt, []string{"-1"}, `"-1" is not a label value`},
		{outrank.Lt, []string{"+9"}, `"+9" is not a label value`},
		{outrank.Gt, []string{" 3"}, `" 3" is not a label value`},
		{outrank.Gt, []string{"four"}, `"four" is not an integer`},
		{outrank.Lt, []string{"9223372036854775808"}, `"9223372036854775808" is not an integer`},
		{outrank.Gt, []string{"004"}, ""},
	} {
		odd := waiting()
		odd.Preferences = &outrank.Preferences{NodeAffinity: []outrank.PreferredSchedulingTerm{{Weight: 1, Preference: outrank.NodeSelectorTerm{
			MatchExpressions: []outrank.NodeRequirement{{Key: "cores", Operator: x.operator, Values: x.values}},
		}}}}
		require.NoError(t, odd.Validate())
		scorer := new(score.Scorer)
		ranked, err := scorer.Score(context.Background(), snap, odd, both)
		alone, errAlone := scorer.Score(context.Background(), snap, odd, both[:1])
		require.NoError(t, errAlone)
		_, scored := column(alone, preemption.NodeAffinity)
		assert.Equal(t, x.problem == "", scored)
		for asked, want := range map[bool]bool{true: x.problem == "", false: true} {
			weights := map[string]int64{score.ImageLocality: 1}
			if asked {
				weights[preemption.NodeAffinity] = 0
			}
			silent, err := score.New(score.Config{Weights: weights})
			require.NoError(t, err)
			_, err = silent.Score(context.Background(), snap, odd, both)
			assert.Equal(t, want, err == nil, "asked: %v, %+v: %v", asked, x, err)
		}
		_, errAdded := score.New(score.Config{AddedAffinity: odd.Preferences.NodeAffinity})
		if x.problem == "" {
			require.NoError(t, errors.Join(err, errAdded))
			of, _ := column(ranked, preemption.NodeAffinity)
			assert.Equal(t, []int64{0, 1}, of.Raw)
			continue
		}
		for _, err := range []error{err, errAdded} {
			require.ErrorIs(t, err, outrank.ErrInvalid)
			require.ErrorContains(t, err, x.problem)
		}
		require.ErrorContains(t, err, "pod default/new: NodeAffinity")
	}
}

// world is a generated cluster whose pods and nodes have what scores go by.
func world(t require.TestingT, seed uint64) *outrank.Cluster {
	c, err := clustergen.Cluster(clustergen.Full(), seed)
	require.NoError(t, err)
	for i, n := range c.Nodes {
		if i%2 == 0 {
			n.Images = []outrank.NodeImage{{Names: []string{"a:latest"}, SizeBytes: int64(i) << 28}}
		}
	}
	for i, p := range c.Pods {
		wish(p, i)
	}
	return c
}

// wish gives a pod preferences, one of a few by a number.
func wish(p *outrank.Pod, i int) {
	if i%3 == 0 {
		return
	}
	selector := &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.Exists}}}
	terms := []outrank.WeightedPodAffinityTerm{{Weight: int32(i%7 + 1), PodAffinityTerm: outrank.PodAffinityTerm{LabelSelector: selector, TopologyKey: outrank.ZoneLabel}}}
	p.Preferences = &outrank.Preferences{NodeAffinity: []outrank.PreferredSchedulingTerm{{Weight: 5, Preference: term(outrank.ZoneLabel, "z1")}}}
	if i%3 == 1 {
		p.Preferences.PodAffinity = terms
	} else {
		p.Preferences.PodAntiAffinity = terms
	}
	for j := range p.Containers {
		p.Containers[j].Image = "a"
	}
}

// A snapshot that has kept the counts gives the same scores as one that counts anew, whatever has
// changed, was undone or cloned since, and normalized scores are from 0 to 100.
func TestPropertyCountedBeforeOrNow(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		c := world(t, rapid.Uint64Range(1, 40).Draw(t, "seed"))
		snap, err := engine.NewSnapshot(c)
		require.NoError(t, err)
		scorer, err := score.New(score.Config{SpreadSelector: func(p *outrank.Pod) *outrank.LabelSelector { return &outrank.LabelSelector{MatchLabels: p.Labels} }})
		require.NoError(t, err)
		pod, err := clustergen.Preemptor(clustergen.Full(), rapid.Uint64Range(1, 40).Draw(t, "pod seed"))
		require.NoError(t, err)
		wish(pod, rapid.IntRange(0, 8).Draw(t, "wish"))
		mark := snap.Mark()
		_, err = scorer.Score(ctx, snap, pod, c.Nodes)
		require.NoError(t, err, "this counts")
		for range rapid.IntRange(0, 8).Draw(t, "changes") {
			p := c.Pods[rapid.IntRange(0, len(c.Pods)-1).Draw(t, "pod")]
			switch at := snap.NodeOf(p.Key()); rapid.IntRange(0, 3).Draw(t, "change") {
			case 0:
				_ = snap.RemovePod(p.Key())
			case 1:
				if at != "" {
					_ = snap.Bind(p.Key(), "")
				} else {
					_ = snap.Bind(p.Key(), c.Nodes[0].Name)
				}
			case 2:
				snap = snap.Clone()
				mark = snap.Mark()
			case 3:
				require.NoError(t, snap.Undo(mark))
				mark = snap.Mark()
			}
		}
		plain, err := engine.NewSnapshot(snap.Cluster())
		require.NoError(t, err)
		var nodes []*outrank.Node
		for n := range plain.Nodes() {
			nodes = append(nodes, n)
		}
		want, err := scorer.Score(ctx, plain, pod, nodes)
		require.NoError(t, err)
		got, err := scorer.Score(ctx, snap, pod, nodes)
		require.NoError(t, err)
		require.Equal(t, want, got)
		for _, x := range got.Plugins {
			for i, n := range x.Normalized {
				require.True(t, n >= 0 && n <= 100, "%s gives %d to %s", x.Plugin, n, got.Nodes[i].Name)
			}
		}
	})
}

// What a pod would like, and images, make no difference to preemption.
func TestPreferencesDoNotPreempt(t *testing.T) {
	decisions := map[string]bool{}
	for seed := range uint64(30) {
		pod, err := clustergen.Preemptor(clustergen.Full(), seed)
		require.NoError(t, err)
		plain, err := clustergen.Cluster(clustergen.Full(), seed)
		require.NoError(t, err)
		var plans []string
		for _, c := range []*outrank.Cluster{plain, world(t, seed)} {
			snap, err := engine.NewSnapshot(c)
			require.NoError(t, err)
			eval, err := engine.New(preemption.Config{})
			require.NoError(t, err)
			plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: clustergen.Now()})
			require.NoError(t, err)
			text, err := plan.MarshalJSON()
			require.NoError(t, err)
			plans = append(plans, string(text))
			wish(pod, 1)
		}
		assert.Equal(t, plans[0], plans[1])
		decisions[plans[0]] = true
	}
	assert.Greater(t, len(decisions), 15)
}
