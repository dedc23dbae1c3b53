package engine_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
)

// largeShapes are sorts of clusters with room for groups of many pods.
var largeShapes = map[string]gen.Shape{
	"resources": {Nodes: 9, PodsPerNode: 5, Groups: 2, Budgets: 4, Nominated: 4},
	"alike":     {Nodes: 9, Groups: 1, Budgets: 2, Alike: true},
	"nodes":     {Nodes: 9, Groups: 2, Taints: true, Selectors: true, Features: true},
	"ports":     {Nodes: 9, PodsPerNode: 5, Groups: 2, Budgets: 4, Nominated: 4, Ports: true},
	"volumes":   {Nodes: 9, PodsPerNode: 5, Groups: 2, Nominated: 2, Volumes: true},
	"terms":     {Nodes: 7, PodsPerNode: 5, Groups: 2, Budgets: 2, Nominated: 2, Affinity: true},
	"spread":    {Nodes: 7, PodsPerNode: 5, Groups: 2, Budgets: 2, Nominated: 2, Spread: true},
	"full":      gen.Full(),
}

// drawLargeGroup draws a workload with several pods of each kind.
func drawLargeGroup(t *rapid.T, shape gen.Shape) (*outrank.Cluster, []*outrank.Pod) {
	w := gen.Workloads(shape).Draw(t, "workload")
	var pods []*outrank.Pod
	for i, like := range w.Pods {
		for j := range rapid.IntRange(1, 4).Draw(t, fmt.Sprint("pods like ", i)) {
			p := *like
			p.Name = fmt.Sprintf("%s-%d", like.Name, j)
			pods = append(pods, &p)
		}
	}
	return w.Cluster, rapid.Permutation(pods).Draw(t, "order")
}

// drawGroupConfig draws a configuration of what counts for groups.
func drawGroupConfig(t *rapid.T) preemption.Config {
	var config preemption.Config
	if rapid.Bool().Draw(t, "protects") {
		config.Eligibility.Take = func(preemptor, victim *outrank.Pod) (string, bool) { return "", len(preemptor.Name+victim.Name)%7 > 0 }
	}
	if rapid.Bool().Draw(t, "another order") {
		config.Importance = func(a, b *outrank.Pod) int { return len(b.Labels) - len(a.Labels) }
	}
	if rapid.Bool().Draw(t, "a rule about nodes") {
		config.Filters = []*preemption.Filter{{Name: "Own", Node: func(p *outrank.Pod, n *outrank.Node) preemption.Status {
			switch (len(p.Labels) + len(n.Labels) + int(n.Name[len(n.Name)-1])) % 5 {
			case 0:
				return preemption.Unschedulable.Because("not by " + n.Name)
			case 1:
				return preemption.UnschedulableAndUnresolvable.Because("never")
			}
			return preemption.Status{}
		}}}
	}
	return config
}

// What the evaluator places by itself is what FirstFit places as a function of the caller,
// to the last reason, by any configuration and however few answers are remembered.
func TestPropertyFitterIsFirstFit(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(largeShapes)) {
		t.Run(name, func(t *testing.T) {
			decided := map[preemption.Outcome]int{}
			rapid.Check(t, func(t *rapid.T) {
				c, pods := drawLargeGroup(t, largeShapes[name])
				e, snap := newEvaluator(t, drawGroupConfig(t)), newSnapshot(t, c)
				req := preemption.GroupRequest{Pods: pods, Now: gen.Now}
				answers := rapid.SampledFrom([]int{1 << 20, 1 << 20, 20, -1}).Draw(t, "answers remembered")
				got, err := preemptGroupRemembering(e, snap, req, answers)
				if err != nil {
					return
				}
				req.Place = firstFitIn(e, snap)
				want, err := e.PreemptGroup(context.Background(), snap, req)
				require.NoError(t, err)
				if diff := testdiff.Diff(want, got); diff != "" {
					t.Fatalf("PreemptGroup (-placed by FirstFit +placed by itself):\n%s\ncluster: %s\ngroup: %s", diff, asJSON(c), asJSON(pods))
				}
				decided[got.Outcome]++
			})
			assert.Positive(t, decided[preemption.Preempts]+decided[preemption.Fits], "nothing was placed")
		})
	}
}

// Larger groups agree with the book as well.
func TestLargeGroupAgreesWithBook(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"resources", "ports", "terms"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c, pods := drawLargeGroup(t, largeShapes[name])
				for _, refused := range []bool{false, true} {
					groupsAgreeWithBook(t, c, preemption.GroupRequest{Pods: pods, Now: gen.Now, Refused: refused}, preemption.Config{})
				}
			})
		})
	}
}
