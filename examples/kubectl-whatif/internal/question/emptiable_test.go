package question_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/inverse"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// empties drains nodes by hand, all of them cordoned first, and reports whether that ends with
// nobody pushed out or lost and a place for everybody who was evicted.
func (d *drainByHand) empties(nodes []string) bool {
	d.cordon(nodes)
	var evicted []outrank.Key
	for _, name := range nodes {
		for _, p := range d.snap.PodsOn(name) {
			if p.Owner.Kind == "DaemonSet" || p.Owner.Kind == "Node" || p.Mirror || p.Static {
				continue
			}
			if p.Owner == (outrank.Owner{}) {
				return false
			}
			evicted = append(evicted, p.Key())
		}
	}
	for _, name := range nodes {
		if !d.drain(name) {
			return false
		}
	}
	for _, key := range evicted {
		if d.snap.NodeOf(key) == "" {
			return false
		}
	}
	d.empty = append(d.empty, nodes...)
	for _, name := range d.empty {
		for _, p := range d.snap.PodsOn(name) {
			if p.Owner.Kind != "DaemonSet" && p.Owner.Kind != "Node" && !p.Mirror && !p.Static {
				return false // it tolerates the cordon
			}
		}
	}
	return d.pushed == 0
}

// settled is the cluster once everybody who waits has had a turn.
func settled(t *rapid.T, s question.Setting) *drainByHand {
	d := &drainByHand{stage: follow(t, s), another: map[outrank.Key]bool{}}
	d.begin(nil)
	d.schedule()
	d.pushed = 0
	return d
}

// Those that can be emptied together can be drained together by hand, one pod after the other, and
// nobody is pushed out, lost or without a place; with any of the others on top of them that is not so.
func TestPropertyEmptiableNodesCanBeEmptied(t *testing.T) {
	some, several, waited, left := 0, 0, 0, 0
	overShapes(t, func(t *rapid.T, s question.Setting) {
		for i, b := range s.Cluster.Budgets {
			b.DesiredHealthy = int32(i % 3)
			b.CurrentHealthy = b.DesiredHealthy + b.DisruptionsAllowed
		}
		// Most draws are too full for anything to be emptied.
		for i, n := range s.Cluster.Nodes {
			if i%2 == 0 && rapid.Bool().Draw(t, "roomy") {
				n.Allocatable = n.Allocatable.Plus(resource.MustList("cpu", "8", "memory", "32Gi", "pods", "50"))
			}
		}
		bare := rapid.IntRange(0, 3).Draw(t, "bare") == 0
		for _, p := range s.Cluster.Pods {
			if !bare && p.Owner == (outrank.Owner{}) {
				p.Owner = outrank.Owner{Kind: "ReplicaSet", Name: "any"}
			}
		}
		s.Snapshot, _ = engine.NewSnapshot(s.Cluster)
		chosen := map[string]bool{}
		for _, n := range s.Cluster.Nodes {
			chosen[n.Name] = rapid.IntRange(0, 3).Draw(t, "chosen") > 0
		}
		r := stable(t, func() (*inverse.Emptiable, error) {
			sc, err := question.NewScenario(t.Context(), s)
			require.NoError(t, err)
			return inverse.AskEmptiable(sc, inverse.Nodes{MostTurns: inverse.MostTurns, Chosen: func(n *outrank.Node) bool { return chosen[n.Name] }})
		})
		require.False(t, r.Ended)
		require.Equal(t, r.Of, len(r.Nodes)+len(r.LeftOut))
		whole := settled(t, s)
		require.True(t, whole.empties(r.Nodes), "%v", r.Nodes)
		require.Equal(t, whole.evicted, r.Pods)
		require.Equal(t, whole.waits, r.Waits)
		for _, node := range r.Nodes {
			require.True(t, chosen[node])
		}
		for _, l := range r.LeftOut {
			require.True(t, chosen[l.Node] && l.Tried)
			require.NotEmpty(t, l.Why)
			one := settled(t, s)
			require.True(t, one.empties(r.Nodes))
			onTop := one.empties([]string{l.Node})
			again := settled(t, s)
			require.False(t, onTop && again.empties(slices.Concat(inOrder(s, append(slices.Clone(r.Nodes), l.Node)))), "%s could be emptied, too", l.Node)
			left++
		}
		if r.Pods > 0 {
			some++
		}
		if r.Pods > 0 && len(r.Nodes) > 1 {
			several++
		}
		if r.Waits > 0 {
			waited++
		}
	})
	require.Positive(t, some)
	require.Positive(t, several)
	require.Positive(t, waited)
	require.Positive(t, left)
}

// inOrder are nodes in the order of the cluster.
func inOrder(s question.Setting, names []string) (out []string) {
	for _, n := range s.Cluster.Nodes {
		if slices.Contains(names, n.Name) {
			out = append(out, n.Name)
		}
	}
	return out
}

func emptiable(t *testing.T, c *outrank.Cluster, most int) *inverse.Emptiable {
	sc, err := question.NewScenario(t.Context(), set(t, c))
	require.NoError(t, err)
	return stable(t, func() (*inverse.Emptiable, error) { return inverse.AskEmptiable(sc, inverse.Nodes{MostTurns: most}) })
}

// Each thing that can be in the way is named.
func TestWhatKeepsNodesFromBeingEmptied(t *testing.T) {
	web := owned("ReplicaSet", "web")
	budget := func(name string) *outrank.PodDisruptionBudget {
		return &outrank.PodDisruptionBudget{Namespace: "shop", Name: name, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "held"}}}
	}
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("bare"), node("held"), node("big"), node("high"), node("free"), node("target")},
		Pods: []*outrank.Pod{
			pod("alone", "bare", 5, "3100m"), pod("held", "held", 5, "3100m", web, labelled("app", "held")), pod("big", "big", 1, "3500m", web),
			pod("high", "high", 50, "3100m", web), pod("small", "free", 5, "500m", web), pod("low", "target", 1, "1", web), pod("agent", "free", 5, "100m", owned("DaemonSet", "agent")),
		},
		Budgets: []*outrank.PodDisruptionBudget{budget("one")},
	}
	why := func(r *inverse.Emptiable) map[string]string {
		out := map[string]string{}
		for _, l := range r.LeftOut {
			out[l.Node] = l.Why
		}
		return out
	}
	r := emptiable(t, c, 1000)
	require.Equal(t, []string{"free"}, r.Nodes)
	require.Equal(t, map[string]string{
		"bare": "pod shop/alone would be lost: it has no controller", "held": "pod shop/held may not be evicted: budget shop/one lets no more of its pods go",
		"big": "pod shop/big would stay pending: Insufficient cpu (4 nodes); node(s) were unschedulable (2 nodes)", "high": "pod shop/big would be pushed out",
		"target": "pod shop/low would stay pending: Insufficient cpu (4 nodes); node(s) were unschedulable (2 nodes)",
	}, why(r))
}

// Where the nodes with the fewest pods take the room of two others, an exchange finds these.
func TestEmptiableByExchange(t *testing.T) {
	web := owned("ReplicaSet", "web")
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("a"), node("b"), node("c"), node("rest")},
		Pods: []*outrank.Pod{
			pod("large", "a", 5, "2", web), pod("b1", "b", 5, "500m", web), pod("b2", "b", 5, "500m", web),
			pod("c1", "c", 5, "500m", web), pod("c2", "c", 5, "500m", web), pod("r1", "rest", 5, "1", web), pod("r2", "rest", 5, "1", web),
		},
	}
	fill := func(on, cpu string) { c.Pods = append(c.Pods, pod("fill-"+on, on, 5, cpu, owned("DaemonSet", "fill"))) }
	fill("a", "2")
	fill("b", "3")
	fill("c", "3")
	r := emptiable(t, c, 1000)
	require.Equal(t, []string{"b", "c"}, r.Nodes)
	require.Positive(t, r.Exchanges)
	require.Equal(t, 4, r.Pods)

	// A limit ends it with what was found by then, and that is said.
	r = emptiable(t, c, 1)
	require.True(t, r.Ended)
	require.Equal(t, []string{"a"}, r.Nodes)
	var text bytes.Buffer
	require.NoError(t, r.WriteText(&text, 5))
	require.Contains(t, text.String(), "not tried")
	require.Contains(t, strings.ReplaceAll(text.String(), "\n", " "), "there may be a larger set")
}

// A pod that tolerates the cordon of its node comes back to it, which is not empty then.
func TestWhoTolerateTheCordonComeBack(t *testing.T) {
	back := pod("back", "n1", 5, "1", owned("ReplicaSet", "web"))
	back.Tolerations = []outrank.Toleration{{Operator: outrank.TolerationExists}}
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1"), node("n2")}, Pods: []*outrank.Pod{back, pod("full", "n2", 5, "4", owned("DaemonSet", "full"))}}
	r := emptiable(t, c, 1000)
	require.Equal(t, []string{"n2"}, r.Nodes, "a DaemonSet's pod goes with its node")
	require.Equal(t, "pod shop/back would come back to node n1: it tolerates the cordon", r.LeftOut[0].Why)
}
