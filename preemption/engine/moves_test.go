package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/internal/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

func ownedBy(kind, name string) func(*outrank.Pod) {
	return func(p *outrank.Pod) { p.Owner = outrank.Owner{Kind: kind, Name: name} }
}

// movesCluster has a full node, one with room for one pod, and a full one of another zone.
func movesCluster() *outrank.Cluster {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "2", "a"), node("n3", "1", "b")}}
	c.Pods = []*outrank.Pod{
		pod("web-1", 1, "1", on("n1"), ownedBy("ReplicaSet", "web")), pod("web-2", 1, "1", on("n1"), ownedBy("ReplicaSet", "web")),
		pod("agent", 1, "1", on("n1"), ownedBy("DaemonSet", "agent")), pod("shell", 1, "1", on("n1")),
		pod("api", 1, "1", on("n2"), ownedBy("ReplicaSet", "api")), pod("other", 1, "1", on("n3"), ownedBy("ReplicaSet", "other")),
	}
	return c
}

func TestMoves(t *testing.T) {
	c := movesCluster()
	big := pod("big", 1, "2", on("n1"), ownedBy("Job", "big"))
	tied := pod("tied", 1, "0", on("n1"), ownedBy("StatefulSet", "tied"))
	tied.NodeSelector = map[string]string{"kubernetes.io/hostname": "n1"}
	c.Nodes[0].Labels["kubernetes.io/hostname"] = "n1"
	c.Pods = append(c.Pods, tied)
	m, err := engine.NewMoves(newEvaluator(t, engine.Config{}), newSnapshot(t, c))
	require.NoError(t, err)
	want := map[string]engine.Loss{
		"web-1": engine.Moved, "web-2": engine.Moved, "agent": engine.Lost, "shell": engine.Lost,
		"api": engine.Waits, "other": engine.Moved, "tied": engine.Lost, "big": engine.Waits,
	}
	for _, p := range append(slices.Clone(c.Pods), big) {
		assert.Equal(t, want[p.Name], m.Of(p), p.Name)
	}
	require.NoError(t, m.Err())
	// Both could move, and there is room for one of them.
	losses, err := m.Together(pod("urgent", 9, "2"), &preemption.Candidate{Node: "n1", Victims: []preemption.Victim{{Pod: c.Pods[0]}, {Pod: c.Pods[1]}, {Pod: c.Pods[2]}}})
	require.NoError(t, err)
	assert.Equal(t, []engine.Loss{engine.Moved, engine.Waits, engine.Lost}, losses)
	_, err = m.Together(pod("urgent", 9, "2"), &preemption.Candidate{Node: "n1", Victims: []preemption.Victim{{Pod: big}}})
	require.ErrorIs(t, err, preemption.ErrNotFound)
}

// A pod that stands in the way of its own copy in its zone does not once it is gone.
func TestMovesOfAPodThatKeepsItselfAway(t *testing.T) {
	c := movesCluster()
	lonely := c.Pods[0]
	lonely.Labels = map[string]string{"app": "lonely"}
	lonely.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: selects("lonely")}}
	for _, n := range c.Nodes {
		n.Labels["zone"] = "a"
	}
	m, err := engine.NewMoves(newEvaluator(t, engine.Config{}), newSnapshot(t, c))
	require.NoError(t, err)
	assert.Equal(t, engine.Moved, m.Of(lonely))
	second := *lonely
	second.Name = "lonely-2"
	assert.Equal(t, engine.Waits, m.Of(&second), "one that is not there keeps to the first, which is")
}

func TestBadMoves(t *testing.T) {
	_, err := engine.NewMoves(nil, nil)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	m, err := engine.NewMoves(newEvaluator(t, engine.Config{}), newSnapshot(t, movesCluster()))
	require.NoError(t, err)
	_, err = m.Together(nil, nil)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Equal(t, engine.Lost, m.Of(nil))
	require.ErrorIs(t, m.Err(), outrank.ErrInvalid)
	assert.Equal(t, "Loss(9)", engine.Loss(9).String())
}

// What is said of a pod is what a cluster without it says: a node other than its own
// takes it, or could, or none.
func TestPropertyMovesAreTrue(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "affinity", "spread", "volumes"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := gen.Cluster(movesShapes[name]).Draw(t, "cluster")
				for i, p := range c.Pods {
					p.Owner, p.Group = outrank.Owner{Kind: "ReplicaSet", Name: fmt.Sprint(i % 3)}, ""
				}
				snap, err := engine.NewSnapshot(c)
				require.NoError(t, err)
				e, err := engine.NewEvaluator(engine.Config{})
				require.NoError(t, err)
				m, err := engine.NewMoves(e, snap)
				require.NoError(t, err)
				for p := range snap.Pods() {
					if p.NodeName == "" {
						continue
					}
					require.Equal(t, movesPlainly(t, e, snap, p), m.Of(p), p.Name)
				}
				require.NoError(t, m.Err())
			})
		})
	}
}

// movesPlainly asks every node for a copy of the pod, in a cluster without it.
func movesPlainly(t *rapid.T, e *engine.Evaluator, snap *engine.Snapshot, p *outrank.Pod) engine.Loss {
	without := snap.Clone()
	require.NoError(t, without.RemovePod(p.Key()))
	again := *p
	again.Name, again.UID, again.NodeName, again.NominatedNodeName, again.Phase = "some-copy", "", "", "", ""
	again.StartTime, again.DeletionTimestamp = time.Time{}, time.Time{}
	again.AllocatedResources, again.Actual, again.Reported, again.ResizeDeferred, again.ResizeInfeasible = nil, nil, false, false, false
	again.Containers = slices.Clone(p.Containers)
	for i := range again.Containers {
		again.Containers[i].AllocatedResources, again.Containers[i].Actual, again.Containers[i].Reported = nil, nil, false
	}
	loss := engine.Lost
	for n := range without.Nodes() {
		if n.Name == p.NodeName {
			continue
		}
		status, err := e.Check(without, &again, n.Name)
		require.NoError(t, err)
		switch status.Code {
		case preemption.Success:
			return engine.Moved
		case preemption.Unschedulable:
			loss = engine.Waits
		}
	}
	return loss
}

// A decision by what can move is the one by the same costs looked up in a table.
func TestMovesDecide(t *testing.T) {
	c := movesCluster()
	c.Nodes[0].Allocatable["cpu"], c.Nodes[1].Allocatable["cpu"] = c.Nodes[2].Allocatable["cpu"], c.Nodes[2].Allocatable["cpu"]
	c.Nodes = append(c.Nodes, node("n4", "1", "b"))
	c.Pods = []*outrank.Pod{pod("shell", 1, "1", on("n1")), pod("agent", 1, "1", on("n2"), ownedBy("DaemonSet", "agent")), pod("web", 1, "1", on("n3"), ownedBy("ReplicaSet", "web"))}
	c.Pods = append(c.Pods, pod("held", 50, "1", on("n4")))
	snap := newSnapshot(t, c)
	require.NoError(t, snap.RemovePod("default/held"))
	m, err := engine.NewMoves(newEvaluator(t, engine.Config{}), snap)
	require.NoError(t, err)
	require.NoError(t, errOf(snap.PutPod(c.Pods[3])))
	e := newEvaluator(t, byCost(m.Cost(engine.LossCosts{Moved: 1, Waits: 5, Lost: 10})))
	plan, err := e.Preempt(context.Background(), snap, pod("urgent", 9, "1"), gen.Now)
	require.NoError(t, err)
	assert.Equal(t, "n3", plan.Node)
	assert.Equal(t, int64(1), plan.Score.Cost)
}

var movesShapes = map[string]gen.Shape{
	"plain":    {Nodes: 4, PodsPerNode: 4, Taints: true, Selectors: true, Nominated: 2},
	"affinity": {Nodes: 4, PodsPerNode: 4, Affinity: true, Ports: true},
	"spread":   {Nodes: 4, PodsPerNode: 4, Spread: true, Nominated: 2},
	"volumes":  {Nodes: 4, PodsPerNode: 4, Volumes: true},
}

// Several workers, and several calls at once, may ask about costs, and get the answers that
// one gets.
func TestMovesAtOnce(t *testing.T) {
	c, asks := gen.Benchmark(seeded.InShort(600, 2000), 6, 0)
	for i, p := range c.Pods {
		p.Owner = outrank.Owner{Kind: []string{"ReplicaSet", "DaemonSet"}[i%2], Name: fmt.Sprint(i % 7)}
	}
	snap := newSnapshot(t, c)
	m, err := engine.NewMoves(newEvaluator(t, engine.Config{}), snap)
	require.NoError(t, err)
	config := byCost(m.Cost(engine.LossCosts{Moved: 1, Waits: 5, Lost: 10}))
	want, err := newEvaluator(t, config).Preempt(context.Background(), snap, asks, gen.Now)
	require.NoError(t, err)
	config.Workers = 4
	e := newEvaluator(t, config)
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() {
			got, err := e.Preempt(context.Background(), snap, asks, gen.Now)
			if assert.NoError(t, err) {
				assert.Equal(t, want, got)
			}
		})
	}
	calls.Wait()
	require.NoError(t, m.Err())
}
