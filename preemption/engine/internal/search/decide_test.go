package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// fleet is nodes with their pods, of which only the cpu counts.
type fleet struct {
	nodes []*outrank.Node
	pods  []*outrank.Pod // those that run
	made  int
}

func cores(l resource.List) int64 {
	cpu := l[resource.CPU]
	return cpu.Value()
}

func (f *fleet) pod(t *rapid.T, priorities ...int32) *outrank.Pod {
	f.made++
	return &outrank.Pod{
		Name: fmt.Sprint("p", f.made), Priority: outrank.Priority(rapid.SampledFrom(priorities).Draw(t, "priority")),
		StartTime:  gen.Now.Add(-time.Duration(rapid.IntRange(1, 3).Draw(t, "age")) * time.Hour),
		Containers: []outrank.Container{{Requests: resource.List{resource.CPU: resource.New(rapid.Int64Range(1, 3).Draw(t, "cpu"))}}},
	}
}

// on lists the pods on a node, the most important first.
func (f *fleet) on(node *outrank.Node) (pods []*outrank.Pod) {
	for _, p := range f.pods {
		if p.NodeName == node.Name {
			pods = append(pods, p)
		}
	}
	slices.SortFunc(pods, func(p, q *outrank.Pod) int {
		return cmp.Or(cmp.Compare(*q.Priority, *p.Priority), p.StartTime.Compare(q.StartTime), cmp.Compare(p.Name, q.Name))
	})
	return pods
}

func fits(node *outrank.Node, asks *outrank.Pod, pods []*outrank.Pod) bool {
	free := cores(node.Allocatable) - cores(asks.Containers[0].Requests)
	for _, p := range pods {
		free -= cores(p.Containers[0].Requests)
	}
	return free >= 0
}

// decide goes through the nodes one by one: it names the first that takes the pod, or else the node with the best
// victims, of those with equally good ones the first, and these victims (chapters 9 and 11).
func (f *fleet) decide(asks *outrank.Pod) (outcome preemption.Outcome, node string, victims []string) {
	outcome = preemption.NothingHelps
	var best []int64
	for _, n := range f.nodes {
		all := f.on(n)
		if fits(n, asks, all) {
			return preemption.Fits, n.Name, nil
		}
		var stays, leaves []*outrank.Pod
		for _, p := range all {
			if *p.Priority >= *asks.Priority {
				stays = append(stays, p)
			}
		}
		if !fits(n, asks, stays) {
			continue
		}
		for _, p := range all[len(stays):] {
			if fits(n, asks, append(slices.Clone(stays), p)) {
				stays = append(stays, p)
			} else {
				leaves = append(leaves, p)
			}
		}

		// The ranks of kube-scheduler, less being better: the top priority, the sum, the number, the latest start.
		sum := int64(0)
		for _, p := range leaves {
			sum += int64(*p.Priority) + 1<<31
		}
		figures := []int64{int64(*leaves[0].Priority), sum, int64(len(leaves)), -leaves[0].StartTime.Unix()}
		if best == nil || slices.Compare(figures, best) < 0 {
			outcome, node, best, victims = preemption.Preempts, n.Name, figures, nil
			for _, p := range leaves {
				victims = append(victims, p.Name)
			}
		}
	}
	return outcome, node, victims
}

// A search finds what one finds who looks at every node, the first time and when it remembers what it has found,
// whatever has become of the pods meanwhile.
func TestPropertySearchFindsTheBestNode(t *testing.T) {
	outcomes := map[preemption.Outcome]int{}
	rapid.Check(t, func(t *rapid.T) {
		f := &fleet{}
		for i := range rapid.IntRange(1, 8).Draw(t, "nodes") {
			n := &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: resource.List{resource.CPU: resource.New(rapid.Int64Range(2, 6).Draw(t, "cores")), resource.Pods: resource.New(100)}}
			f.nodes = append(f.nodes, n)
			for range rapid.IntRange(0, 4).Draw(t, "pods") {
				if p := f.pod(t, -1, 0, 0, 1, 10); fits(n, p, f.on(n)) {
					p.NodeName = n.Name
					f.pods = append(f.pods, p)
				}
			}
		}
		snap, err := state.New(&outrank.Cluster{Nodes: f.nodes, Pods: f.pods}, state.UsualTraits)
		require.NoError(t, err)
		terms := dryrun.TermsOf(preemption.Config{})
		askers := []*outrank.Pod{f.pod(t, 5), f.pod(t, 1), f.pod(t, 20)}

		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			for _, asks := range askers {
				outcome, node, victims := f.decide(asks)
				outcomes[outcome]++
				for turn := range 3 {
					plan, err := Decide(context.Background(), &terms, snap, &preemption.Request{Pod: asks, Now: gen.Now})
					require.NoError(t, err)
					require.Equal(t, outcome, plan.Outcome, "turn %d", turn)
					if outcome == preemption.Fits {
						require.Equal(t, node, plan.FirstFit, "turn %d", turn)
					} else {
						require.Equal(t, node, plan.Node, "turn %d", turn)
					}
					var got []string
					for i := range plan.Victims {
						got = append(got, plan.Victims[i].Pod.Name)
					}
					require.Equal(t, victims, got, "turn %d", turn)
				}
			}
			if len(f.pods) > 0 && rapid.Bool().Draw(t, "leaves") {
				at := rapid.IntRange(0, len(f.pods)-1).Draw(t, "pod")
				require.NoError(t, snap.RemovePod(f.pods[at].Key()))
				f.pods = slices.Delete(f.pods, at, at+1)
			} else {
				p := f.pod(t, 0, 1, 10)
				p.NodeName = rapid.SampledFrom(f.nodes).Draw(t, "node").Name
				_, err := snap.PutPod(p)
				require.NoError(t, err)
				f.pods = append(f.pods, p)
			}
		}
	})
	for _, outcome := range []preemption.Outcome{preemption.Fits, preemption.Preempts, preemption.NothingHelps} {
		require.Positive(t, outcomes[outcome], outcome)
	}
}
