package across_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/across"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

func TestMain(m *testing.M) { seeded.Run(m, 400) }

// zoneOfWeb is what keeps a pod away from the zones in which a pod with the label app=web runs.
func zoneOfWeb() outrank.Affinity {
	return outrank.Affinity{PodAntiAffinity: []outrank.PodAffinityTerm{{
		LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, TopologyKey: "zone",
	}}}
}

// Where nothing but anti-affinity is in the way, the pods that it names leave the whole zone, on whatever nodes
// they run; and the zone is the one where that is the least by the ranks of kube-scheduler.
func TestPropertyAntiAffinityEmptiesAZone(t *testing.T) {
	t.Parallel()
	terms := dryrun.TermsOf(preemption.Config{Victims: preemption.Across{}})
	met := map[preemption.Outcome]int{}
	elsewhere := 0
	rapid.Check(t, func(t *rapid.T) {
		c := &outrank.Cluster{}
		for i := range rapid.IntRange(1, 6).Draw(t, "nodes") {
			zone := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "zone")
			c.Nodes = append(c.Nodes, &outrank.Node{
				Name: fmt.Sprint("n", i), Labels: map[string]string{"zone": zone}, Allocatable: resource.MustList("pods", "100"),
			})
		}
		for i := range rapid.IntRange(0, 10).Draw(t, "pods") {
			c.Pods = append(c.Pods, &outrank.Pod{
				Name: fmt.Sprint("p", i), NodeName: rapid.SampledFrom(c.Nodes).Draw(t, "node").Name,
				Labels:   map[string]string{"app": rapid.SampledFrom([]string{"web", "web", "db"}).Draw(t, "app")},
				Priority: outrank.Priority(rapid.Int32Range(0, 5).Draw(t, "priority")),
			})
		}
		pod := &outrank.Pod{Name: "preemptor", Priority: outrank.Priority(5), Affinity: zoneOfWeb()}
		snap, err := state.New(c, state.UsualTraits)
		require.NoError(t, err)
		plan, err := across.Preempt(context.Background(), &terms, snap, &preemption.Request{Pod: pod}, false)
		require.NoError(t, err)

		want, best := preemption.NothingHelps, loss{}
		for _, n := range c.Nodes {
			l, may := lossOf(c, n)
			switch {
			case len(l.pods) == 0:
				want = preemption.Fits
			case may && want == preemption.NothingHelps, may && want == preemption.Preempts && l.compare(best) < 0:
				want, best = preemption.Preempts, l
			}
		}
		met[want]++
		require.Equal(t, want, plan.Outcome)
		if want != preemption.Preempts {
			return
		}
		require.Equal(t, best.node, plan.Node)
		var victims []string
		for _, v := range plan.Victims {
			victims = append(victims, v.Pod.Name)
			if v.Node != "" {
				elsewhere++
				require.Equal(t, v.Pod.NodeName, v.Node)
			}
		}
		slices.Sort(victims)
		require.Equal(t, best.pods, victims)
		require.True(t, plan.ClusterCertificate.Optimal)
	})
	for _, o := range []preemption.Outcome{preemption.Fits, preemption.NothingHelps, preemption.Preempts} {
		require.Positive(t, met[o], o)
	}
	require.Positive(t, elsewhere, "no victim ran on another node")
}

// loss is who leaves for a node.
type loss struct {
	node     string
	pods     []string // sorted
	top, sum int64
}

// lossOf lists the pods that anti-affinity names in the zone of a node, and whether all of them may leave.
func lossOf(c *outrank.Cluster, n *outrank.Node) (l loss, may bool) {
	l, may = loss{node: n.Name, top: -1}, true
	for _, p := range c.Pods {
		on := slices.IndexFunc(c.Nodes, func(n *outrank.Node) bool { return n.Name == p.NodeName })
		if p.Labels["app"] != "web" || c.Nodes[on].Labels["zone"] != n.Labels["zone"] {
			continue
		}
		priority := int64(p.PriorityValue())
		l.pods, l.top, l.sum = append(l.pods, p.Name), max(l.top, priority), l.sum+priority+1<<31
		may = may && priority < 5
	}
	slices.Sort(l.pods)
	return l, may
}

func (l loss) compare(o loss) int {
	return cmp.Or(cmp.Compare(l.top, o.top), cmp.Compare(l.sum, o.sum), cmp.Compare(len(l.pods), len(o.pods)))
}
