package preemption_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/internal/reference"
	"github.com/outrank-go/outrank/preemption"
)

// followedShapes are sorts of clusters in which FirstFit is followed from put-back
// to put-back: most of the groups that are drawn for them look at nothing but the
// pods of a node.
var followedShapes = map[string]gen.Shape{
	"resources": {Nodes: 9, PodsPerNode: 5, Groups: 2, Budgets: 4, Nominated: 4},
	"alike":     {Nodes: 9, Groups: 1, Budgets: 2, Alike: true},
	"nodes":     {Nodes: 9, Groups: 2, Taints: true, Selectors: true, Features: true},
	"ports":     {Nodes: 9, PodsPerNode: 5, Groups: 2, Budgets: 4, Nominated: 4, Ports: true},
	"volumes":   {Nodes: 9, PodsPerNode: 5, Groups: 2, Nominated: 2, Volumes: true},
	"terms":     {Nodes: 7, PodsPerNode: 5, Groups: 2, Budgets: 2, Nominated: 2, Affinity: true},
	"spread":    {Nodes: 7, PodsPerNode: 5, Groups: 2, Budgets: 2, Nominated: 2, Spread: true},
	"full":      gen.Full(),
}

// drawLargeGroup is drawGroup with several pods of each kind, in any order of
// their names.
func drawLargeGroup(t *rapid.T, shape gen.Shape) (*outrank.Cluster, []*outrank.Pod) {
	c, few := drawGroup(t, shape)
	var pods []*outrank.Pod
	for i, like := range few {
		for j := range rapid.IntRange(1, 4).Draw(t, fmt.Sprint("pods like ", i)) {
			p := *like
			p.Name = fmt.Sprintf("%s-%d", like.Name, j)
			if rapid.Bool().Draw(t, "between the others") {
				p.Name = fmt.Sprintf("a-%d-%d", j, i)
			}
			pods = append(pods, &p)
		}
	}
	return c, pods
}

// drawGroupConfig draws a configuration of what counts for groups.
func drawGroupConfig(t *rapid.T) preemption.Config {
	var config preemption.Config
	if rapid.Bool().Draw(t, "protects") {
		config.MayEvict = func(preemptor, victim *outrank.Pod) bool { return len(preemptor.Name+victim.Name)%7 > 0 }
	}
	if rapid.Bool().Draw(t, "another order") {
		config.Importance = func(a, b *outrank.Pod) int { return len(b.Labels) - len(a.Labels) }
	}
	if rapid.Bool().Draw(t, "a rule about nodes") {
		config.Filters = []preemption.Filter{preemption.NodeRule("Own", func(p *outrank.Pod, n *outrank.Node) preemption.Status {
			switch (len(p.Labels) + len(n.Labels) + int(n.Name[len(n.Name)-1])) % 5 {
			case 0:
				return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"not by " + n.Name}}
			case 1:
				return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Reasons: []string{"never"}}
			}
			return preemption.Status{}
		})}
	}
	config.Variant = rapid.SampledFrom([]outrank.Variant{0, outrank.VariantV1_13, outrank.VariantSimplified}).Draw(t, "variant")
	return config
}

// What is followed from put-back to put-back is what FirstFit says when it is asked
// afresh each time, to the last reason.
func TestPropertyFitterIsFirstFit(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(followedShapes)) {
		t.Run(name, func(t *testing.T) {
			followed := 0
			rapid.Check(t, func(t *rapid.T) {
				c, pods := drawLargeGroup(t, followedShapes[name])
				e, snap := newEvaluator(t, drawGroupConfig(t)), newSnapshot(t, c)
				req := preemption.GroupRequest{Pods: pods, Now: gen.Now}
				if preemption.FollowsFirstFit(e, snap, req) {
					followed++
				}
				answers := rapid.SampledFrom([]int{1 << 20, 1 << 20, 20, 0}).Draw(t, "answers remembered")
				got, err := preemption.PreemptGroupRemembering(e, snap, req, answers)
				require.NoError(t, err)
				req.Place = e.FirstFit
				want, err := e.PreemptGroup(context.Background(), snap, req)
				require.NoError(t, err)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("PreemptGroup (-asked afresh +followed):\n%s\ncluster: %s\ngroup: %s", diff, asJSON(c), asJSON(pods))
				}
			})
			assert.Positive(t, followed, "no group was followed")
		})
	}
}

// Larger groups agree with the slow reference as well.
func TestLargeGroupAgreesWithReference(t *testing.T) {
	for _, name := range []string{"resources", "ports", "terms"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c, pods := drawLargeGroup(t, followedShapes[name])
				want := tellDecision(reference.DecideGroup(reference.GroupInput{Cluster: c, Pods: pods, Now: gen.Now}))
				if diff := cmp.Diff(want, tellPlan(preemptGroup(t, newSnapshot(t, c), pods)), equateEmpty); diff != "" {
					t.Fatalf("PreemptGroup (-reference +engine):\n%s\ncluster: %s\ngroup: %s", diff, asJSON(c), asJSON(pods))
				}
			})
		})
	}
}

// Units are sorted byte by byte as they are by comparison.
func TestUnitsAreSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a")}, Groups: []*outrank.PodGroup{whole("g"), whole("h")}}
		priorities := rapid.SliceOfN(rapid.OneOf(rapid.Int32Range(-3, 3), rapid.Int32Max(math.MaxInt32-1)), 1, 4).Draw(t, "priorities")
		starts := rapid.SliceOfN(rapid.Int64Range(-1<<33, 1<<36), 1, 40).Draw(t, "starts")
		for i := range rapid.SampledFrom([]int{3, 256, 700}).Draw(t, "pods") {
			p := pod(fmt.Sprint("p", i*7919%700), rapid.SampledFrom(priorities).Draw(t, "priority"), "0", on(fmt.Sprint("n", 1+i%2)))
			if start := rapid.SampledFrom(starts).Draw(t, "start"); start%3 != 0 {
				p.StartTime = time.Unix(start, start&3)
			}
			if i%50 == 49 {
				p.Group = rapid.SampledFrom([]string{"g", "h"}).Draw(t, "group")
			}
			c.Pods = append(c.Pods, p)
		}
		req := preemption.GroupRequest{Pods: []*outrank.Pod{pod("p", math.MaxInt32, "1")}, Now: gen.Now}
		got, want, err := preemption.SortedUnits(newEvaluator(t, preemption.Config{}), newSnapshot(t, before37(c)), req)
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// A node may take a pod only once another is put back: with its volume attached
// for the other, it attaches none beyond its limit; or the pod wants to be near the
// other. So keeps makes room on n1, and stays keeps its place on n2.
func TestGroupMovesWhereAPutBackMakesRoom(t *testing.T) {
	attaches := func(volume string) func(*outrank.Pod) {
		return func(p *outrank.Pod) { p.Volumes = []outrank.Volume{{Driver: "csi", Handle: volume}} }
	}
	near := func(p *outrank.Pod) {
		p.Affinity.Pods = []outrank.PodAffinityTerm{{Selector: selects("db"), TopologyKey: "kubernetes.io/hostname"}}
	}
	for _, test := range []struct {
		name       string
		asks       func(*outrank.Pod)
		vip, keeps *outrank.Pod
	}{
		{"volumes", attaches("wanted"), pod("vip", 50, "0", on("n1"), attaches("other")), pod("keeps", 5, "0", on("n1"), attaches("wanted"))},
		{"affinity", near, pod("vip", 50, "0", on("n2"), app("db")), pod("keeps", 5, "0", on("n1"), app("db"))},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a")}, Pods: []*outrank.Pod{
				test.vip, test.keeps, pod("leaves", 1, "1", on("n1")), pod("stays", 3, "1", on("n2")),
			}}
			c.Nodes[0].AttachLimits = map[string]int64{"csi": 1}
			for _, n := range c.Nodes {
				n.Labels = map[string]string{"kubernetes.io/hostname": n.Name}
			}
			snap, e := newSnapshot(t, before37(c)), newEvaluator(t, preemption.Config{})
			req := preemption.GroupRequest{Pods: gang(1, test.asks), Now: gen.Now}
			require.True(t, preemption.FollowsFirstFit(e, snap, req))
			plan, err := e.PreemptGroup(context.Background(), snap, req)
			require.NoError(t, err)
			assert.Equal(t, "preempt [default/leaves] violations 0; gang-0 on n1", say(plan))
			want := tellDecision(reference.DecideGroup(reference.GroupInput{Cluster: c, Pods: req.Pods, Now: gen.Now}))
			assert.Empty(t, cmp.Diff(want, tellPlan(plan), equateEmpty))
		})
	}
}
