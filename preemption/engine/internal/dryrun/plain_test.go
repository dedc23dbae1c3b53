package dryrun_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

var now = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// plainNode is one node with its pods, of which only the cpu counts, and a pod that has no room there.
type plainNode struct {
	cores, places int64
	pods          []*outrank.Pod
	budgets       []*outrank.PodDisruptionBudget
	asks          *outrank.Pod
}

func cores(p *outrank.Pod) int64 {
	cpu := p.Containers[0].Requests[resource.CPU]
	return cpu.Value()
}

func drawNode(t *rapid.T) *plainNode {
	n := &plainNode{cores: rapid.Int64Range(1, 9).Draw(t, "cores"), places: rapid.Int64Range(1, 7).Draw(t, "places")}
	pod := func(name string, priority int32) *outrank.Pod {
		return &outrank.Pod{
			Name: name, Priority: outrank.Priority(priority), Labels: map[string]string{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(t, "app"), "all": "yes"},
			Containers: []outrank.Container{{Requests: resource.List{resource.CPU: resource.New(rapid.Int64Range(0, 3).Draw(t, "cpu"))}}},
		}
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "pods") {
		p := pod(fmt.Sprint("p", i), rapid.SampledFrom([]int32{0, 1, 2, 10, 11}).Draw(t, "priority"))
		p.NodeName, p.StartTime = "n", now.Add(-time.Duration(rapid.IntRange(1, 3).Draw(t, "age"))*time.Hour)
		n.pods = append(n.pods, p)
	}
	for i, labels := range []map[string]string{{"app": "web"}, {"app": "db"}, {"all": "yes"}} {
		if rapid.Bool().Draw(t, "budget") {
			n.budgets = append(n.budgets, &outrank.PodDisruptionBudget{
				Name: fmt.Sprint("b", i), Selector: &outrank.LabelSelector{MatchLabels: labels}, DisruptionsAllowed: rapid.Int32Range(0, 2).Draw(t, "allowed"),
			})
		}
	}
	n.asks = pod("asks", 10)
	return n
}

// cluster is the node as a cluster.
func (n *plainNode) cluster() *outrank.Cluster {
	return &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.List{resource.CPU: resource.New(n.cores), resource.Pods: resource.New(n.places)}}},
		Pods:  n.pods, Budgets: n.budgets,
	}
}

// fits reports whether there is room beside these pods.
func (n *plainNode) fits(pods []*outrank.Pod) bool {
	free := n.cores
	for _, p := range pods {
		free -= cores(p)
	}
	return (cores(n.asks) == 0 || cores(n.asks) <= free) && int64(len(pods))+1 <= n.places
}

// lower lists the pods of lower priority, the most important first (rules 9.1 and 9.4). stays lists the others.
func (n *plainNode) lower() (lower, stays []*outrank.Pod) {
	for _, p := range n.pods {
		if *p.Priority < *n.asks.Priority {
			lower = append(lower, p)
		} else {
			stays = append(stays, p)
		}
	}
	slices.SortFunc(lower, byImportance)
	return lower, stays
}

func byImportance(p, q *outrank.Pod) int {
	return cmp.Or(cmp.Compare(*q.Priority, *p.Priority), p.StartTime.Compare(q.StartTime), cmp.Compare(p.Name, q.Name))
}

// violating marks the pods that violate a budget once all of these leave in turn (rules 6.3.5 and 6.3.8): each uses a
// disruption up of every budget that covers it, up to the first that has none left.
func (n *plainNode) violating(pods []*outrank.Pod) map[*outrank.Pod]bool {
	used := map[*outrank.PodDisruptionBudget]int32{}
	out := map[*outrank.Pod]bool{}
	for _, p := range pods {
		for _, b := range n.budgets {
			if covers(b, p) && !out[p] {
				used[b]++
				out[p] = used[b] > b.DisruptionsAllowed
			}
		}
	}
	return out
}

func covers(b *outrank.PodDisruptionBudget, p *outrank.Pod) bool {
	for key, value := range b.Selector.MatchLabels {
		if p.Labels[key] != value {
			return false
		}
	}
	return true
}

// scoreOf adds victims up (chapter 11).
func scoreOf(victims []*outrank.Pod, violating map[*outrank.Pod]bool) preemption.Score {
	s := preemption.Score{Victims: len(victims), TopPriority: math.MinInt32}
	for _, p := range victims {
		s.PrioritySum += int64(*p.Priority) + 1<<31
		if violating[p] {
			s.Violations++
		}
		switch {
		case *p.Priority > s.TopPriority:
			s.TopPriority, s.Start = *p.Priority, p.StartTime
		case *p.Priority == s.TopPriority && p.StartTime.Before(s.Start):
			s.Start = p.StartTime
		}
	}
	return s
}

// begin begins an attempt with the pod of the node, and a runner of it.
func (n *plainNode) begin(t require.TestingT, config preemption.Config) (*dryrun.DryRunner, *state.NodeState) {
	snap, err := state.New(n.cluster(), state.UsualTraits)
	require.NoError(t, err)
	terms := dryrun.TermsOf(config)
	a, err := dryrun.NewAttempt(context.Background(), &terms, snap, n.asks, now)
	require.NoError(t, err)
	return dryrun.NewDryRunner(a), snap.NodeState("n")
}

// without lists the pods that are not among others.
func without(pods, others []*outrank.Pod) []*outrank.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(p *outrank.Pod) bool { return slices.Contains(others, p) })
}

func podsOf(victims []preemption.Victim) (out []*outrank.Pod) {
	for i := range victims {
		out = append(out, victims[i].Pod)
	}
	return out
}

func names(pods []*outrank.Pod) (out []string) {
	for _, p := range pods {
		out = append(out, p.Name)
	}
	return out
}
