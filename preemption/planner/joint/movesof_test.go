package joint_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/resource"
)

// ownedBy is a running pod of priority 1, or a pending one, that a controller makes again.
func ownedBy(kind, owner, name, node, cpu string) *outrank.Pod {
	p := pod(name, node, 1, cpu)
	p.Owner = outrank.Owner{Kind: kind, Name: owner}
	return p
}

// sized is a node with so many cpus.
func sized(name, cpu string) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", cpu, "pods", "10"), Labels: map[string]string{"host": name, "zone": "a"}}
}

// movesCluster has a full node, one with room for one pod, and another full one.
func movesCluster() *outrank.Cluster {
	return &outrank.Cluster{
		Nodes: []*outrank.Node{sized("n1", "4"), sized("n2", "2"), sized("n3", "1")},
		Pods: []*outrank.Pod{
			ownedBy("ReplicaSet", "web", "web-1", "n1", "1"), ownedBy("ReplicaSet", "web", "web-2", "n1", "1"),
			ownedBy("DaemonSet", "agent", "agent", "n1", "1"), pod("shell", "n1", 1, "1"),
			ownedBy("ReplicaSet", "api", "api", "n2", "1"), ownedBy("ReplicaSet", "other", "other", "n3", "1"),
		},
	}
}

// movesIn returns the Moves of a cluster by the default filters.
func movesIn(t *testing.T, c *outrank.Cluster) *joint.Moves {
	return must(joint.NewMoves(must(engine.New(preemption.Config{})), must(engine.NewSnapshot(c))))
}

// byCost compares candidates by a cost alone.
func byCost(cost func(*outrank.Pod) int64) preemption.Config {
	return preemption.Config{Ranks: []preemption.Rank{{Name: "cost", Cost: cost}}}
}

func TestMoves(t *testing.T) {
	c := movesCluster()
	big := ownedBy("Job", "big", "big", "n1", "2")
	tied := ownedBy("StatefulSet", "tied", "tied", "n1", "0")
	tied.NodeSelector = map[string]string{"host": "n1"}
	c.Pods = append(c.Pods, tied)
	m := movesIn(t, c)
	want := map[string]joint.Loss{
		"web-1": joint.Moved, "web-2": joint.Moved, "agent": joint.Lost, "shell": joint.Lost,
		"api": joint.Waits, "other": joint.Moved, "tied": joint.Lost, "big": joint.Waits,
	}
	for _, p := range append(slices.Clone(c.Pods), big) {
		assert.Equal(t, want[p.Name], m.Of(p), p.Name)
	}
	require.NoError(t, m.Err())
	// Both could move, and there is room for one of them.
	losses, err := m.Together(pod("urgent", "", 9, "2"), &preemption.Candidate{Node: "n1", Victims: []preemption.Victim{{Pod: c.Pods[0]}, {Pod: c.Pods[1]}, {Pod: c.Pods[2]}}})
	require.NoError(t, err)
	assert.Equal(t, []joint.Loss{joint.Moved, joint.Waits, joint.Lost}, losses)
	_, err = m.Together(pod("urgent", "", 9, "2"), &preemption.Candidate{Node: "n1", Victims: []preemption.Victim{{Pod: big}}})
	require.ErrorIs(t, err, preemption.ErrNotFound)
}

// A pod that stands in the way of its own copy in its zone no longer does once it is gone.
func TestMovesOfAPodThatKeepsItselfAway(t *testing.T) {
	c := movesCluster()
	lonely := c.Pods[0]
	lonely.Labels = map[string]string{"app": "lonely"}
	lonely.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: &outrank.LabelSelector{MatchLabels: lonely.Labels}}}
	m := movesIn(t, c)
	assert.Equal(t, joint.Moved, m.Of(lonely))
	second := *lonely
	second.Name = "lonely-2"
	assert.Equal(t, joint.Waits, m.Of(&second), "one that is not there keeps to the first, which is")
}

func TestBadMoves(t *testing.T) {
	_, err := joint.NewMoves(nil, nil)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	m := movesIn(t, movesCluster())
	_, err = m.Together(nil, nil)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Equal(t, joint.Lost, m.Of(nil))
	require.ErrorIs(t, m.Err(), outrank.ErrInvalid)
}

// Moves says of a pod what a cluster without it says: that a node other than its own takes it, that one could, or
// that none does.
func TestPropertyMovesAreTrue(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(movesShapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := gen.Cluster(movesShapes[name]).Draw(t, "cluster")
				for i, p := range c.Pods {
					p.Owner, p.Group = outrank.Owner{Kind: "ReplicaSet", Name: fmt.Sprint(i % 3)}, ""
				}
				replicate(t, c)
				snap, err := engine.NewSnapshot(c)
				require.NoError(t, err)
				e, err := engine.New(drawMovesConfig(t))
				require.NoError(t, err)
				m, err := joint.NewMoves(e, snap)
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

// replicate makes some of the pods of a cluster equal to others but for their names, nodes and perhaps labels, so that answers
// are shared.
func replicate(t *rapid.T, c *outrank.Cluster) {
	for i, p := range c.Pods {
		if j := rapid.IntRange(0, 2*len(c.Pods)).Draw(t, "replica of"); j < i && p.NodeName != "" {
			q := *c.Pods[j]
			q.Name, q.UID, q.NodeName, q.NominatedNodeName = p.Name, p.UID, p.NodeName, ""
			q.Phase, q.Namespace, q.Volumes = p.Phase, p.Namespace, p.Volumes
			if rapid.Bool().Draw(t, "labels of its own") {
				q.Labels = c.Pods[i].Labels
			}
			c.Pods[i] = &q
		}
	}
}

// drawMovesConfig draws what a Moves goes by: no filter of the caller, or one that looks at other pods for the sake of some
// of them.
func drawMovesConfig(t *rapid.T) preemption.Config {
	var config preemption.Config
	if rapid.IntRange(0, 2).Draw(t, "filter") == 0 {
		config.Filters = []*preemption.Filter{alone}
	}
	if rapid.IntRange(0, 3).Draw(t, "spread by default") == 0 {
		config.Profile.DefaultConstraints = []outrank.TopologySpreadConstraint{{TopologyKey: "rack", MaxSkew: 1, WhenUnsatisfiable: rapid.SampledFrom([]outrank.UnsatisfiablePolicy{outrank.DoNotSchedule, outrank.ScheduleAnyway}).Draw(t, "hard")}}
		config.Profile.SpreadSelector = func(p *outrank.Pod) *outrank.LabelSelector { return &outrank.LabelSelector{MatchLabels: p.Labels} }
	}
	return config
}

// alone is a filter by which a pod with a label is alone of its kind on a node.
var alone = &preemption.Filter{Name: "Alone", Start: func(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	if len(pod.Labels) == 0 {
		return nil, nil
	}
	a := &aloneOn{labels: pod.Labels, there: map[string]int{}}
	for n := range view.Nodes() {
		for _, p := range view.PodsOn(n.Name) {
			a.Add(p, n)
		}
	}
	return a, nil
}}

// aloneOn counts the pods with the same labels on each node.
type aloneOn struct {
	labels map[string]string
	there  map[string]int
}

func (a *aloneOn) Check(n *outrank.Node) preemption.Status {
	if a.there[n.Name] > 0 {
		return preemption.Unschedulable.Because("not alone")
	}
	return preemption.Status{}
}

func (a *aloneOn) Add(p *outrank.Pod, n *outrank.Node)    { a.count(p, n, 1) }
func (a *aloneOn) Remove(p *outrank.Pod, n *outrank.Node) { a.count(p, n, -1) }
func (a *aloneOn) Clone() preemption.FilterState {
	return &aloneOn{a.labels, maps.Clone(a.there)}
}

func (a *aloneOn) count(p *outrank.Pod, n *outrank.Node, by int) {
	if maps.Equal(p.Labels, a.labels) {
		a.there[n.Name] += by
	}
}

// movesPlainly asks every node for a copy of the pod, in a cluster without it.
func movesPlainly(t *rapid.T, e *engine.Evaluator, snap *engine.Snapshot, p *outrank.Pod) joint.Loss {
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
	loss := joint.Lost
	for n := range without.Nodes() {
		if n.Name == p.NodeName {
			continue
		}
		status, err := e.Check(without, &again, n.Name)
		require.NoError(t, err)
		switch status.Code {
		case preemption.Success:
			return joint.Moved
		case preemption.Unschedulable:
			loss = joint.Waits
		}
	}
	return loss
}

// A decision by what can move is the one by the same costs looked up in a table.
func TestMovesDecide(t *testing.T) {
	c := movesCluster()
	c.Nodes[0].Allocatable["cpu"], c.Nodes[1].Allocatable["cpu"] = c.Nodes[2].Allocatable["cpu"], c.Nodes[2].Allocatable["cpu"]
	c.Nodes = append(c.Nodes, sized("n4", "1"))
	c.Pods = []*outrank.Pod{pod("shell", "n1", 1, "1"), ownedBy("DaemonSet", "agent", "agent", "n2", "1"), ownedBy("ReplicaSet", "web", "web", "n3", "1"), pod("held", "n4", 50, "1")}
	snap := must(engine.NewSnapshot(c))
	require.NoError(t, snap.RemovePod("default/held"))
	m, err := joint.NewMoves(must(engine.New(preemption.Config{})), snap)
	require.NoError(t, err)
	require.NoError(t, errOf(snap.PutPod(c.Pods[3])))
	e := must(engine.New(byCost(m.Cost(joint.LossCosts{Moved: 1, Waits: 5, Lost: 10}))))
	plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod("urgent", "", 9, "1"), Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "n3", plan.Node)
	assert.Equal(t, int64(1), plan.Score.Own["cost"])
}

var movesShapes = map[string]gen.Shape{
	"plain":    {Nodes: 4, PodsPerNode: 4, Taints: true, Selectors: true, Nominated: 2},
	"features": {Nodes: 4, PodsPerNode: 4, Ports: true, Features: true, Nominated: 2},
	"nodes":    {Nodes: 24, PodsPerNode: 2, Selectors: true},
	"affinity": {Nodes: 4, PodsPerNode: 4, Affinity: true, Ports: true},
	"spread":   {Nodes: 4, PodsPerNode: 4, Spread: true, Nominated: 2},
	"volumes":  {Nodes: 4, PodsPerNode: 4, Volumes: true},
}

// Several workers, and several calls at once, may ask about costs, and get the answers that
// one gets.
func TestMovesAtOnce(t *testing.T) {
	c, asks := gen.Benchmark(seeded.Sample(600, 2000), 6, 0)
	for i, p := range c.Pods {
		p.Owner = outrank.Owner{Kind: []string{"ReplicaSet", "DaemonSet"}[i%2], Name: fmt.Sprint(i % 7)}
	}
	snap := must(engine.NewSnapshot(c))
	m, err := joint.NewMoves(must(engine.New(preemption.Config{})), snap)
	require.NoError(t, err)
	config := byCost(m.Cost(joint.LossCosts{Moved: 1, Waits: 5, Lost: 10}))
	want, err := must(engine.New(config)).Preempt(context.Background(), snap, preemption.Request{Pod: asks, Now: gen.Now})
	require.NoError(t, err)
	e := must(engine.New(config)).Parallel(4)
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() {
			got, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: asks, Now: gen.Now})
			if assert.NoError(t, err) {
				assert.Equal(t, want, got)
			}
		})
	}
	calls.Wait()
	require.NoError(t, m.Err())
}
