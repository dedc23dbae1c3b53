package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// Whatever happens to a snapshot and to its clones between decisions, what affinity and spread
// count, and what nodes answered by that, is what a snapshot of the same cluster finds that has
// never decided.
func TestPropertyCountsFollowChanges(t *testing.T) {
	t.Parallel()
	checked, outcomes := 0, map[preemption.Outcome]bool{}
	rapid.Check(t, func(t *rapid.T) {
		shape := gen.Shape{Nodes: 6, Budgets: 2, Nominated: 3, Taints: true, Affinity: true, Spread: true, Selectors: rapid.Bool().Draw(t, "selectors")}
		if rapid.IntRange(0, 3).Draw(t, "with units") == 0 {
			shape.Groups, shape.Units = 3, true
		}
		m := &countsMachine{cacheMachine: &cacheMachine{machine: newMachine(gen.Cluster(shape).Draw(t, "cluster"))}, outcomes: outcomes}
		m.drawAskers(t, shape)
		t.Repeat(map[string]func(*rapid.T){
			"AddPod": m.AddPod, "RemovePod": m.RemovePod, "Bind": m.Bind, "Nominate": m.Nominate, "Unbind": m.Unbind,
			"UpdatePod": m.UpdatePod, "PutPod": m.PutPod, "Repel": m.repel, "Terminate": m.terminate, "Likewise": m.likewise, "NominateLike": m.nominateLike,
			"AddNode": m.AddNode, "UpdateNode": m.UpdateNode, "RemoveNode": m.RemoveNode, "PutNode": m.PutNode, "Relabel": m.relabel,
			"PutNamespace": m.PutNamespace, "RemoveNamespace": m.RemoveNamespace,
			"SetBudgets": m.SetBudgets, "Allow": m.allow, "PutBudget": m.PutBudget, "PutGroup": m.PutGroup,
			"Mark": m.Mark, "Undo": m.Undo, "Apply": m.apply, "Fork": m.fork, "Switch": m.turn,
			"": m.ask,
		})
		checked += m.checked
	})
	assert.Positive(t, checked, "the cache never had a score")
	assert.True(t, outcomes[preemption.Preempts] && outcomes[preemption.NothingHelps], "%v", outcomes)
}

type countsMachine struct {
	*cacheMachine
	outcomes map[preemption.Outcome]bool
}

// drawAskers draws preemptors whose rules about neighbours differ, and others that differ in
// nothing that they count.
func (m *countsMachine) drawAskers(t *rapid.T, shape gen.Shape) {
	selects := func(apps ...string) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.In, Values: apps}}}
	}
	term := func(key string, apps ...string) []outrank.PodAffinityTerm {
		return []outrank.PodAffinityTerm{{LabelSelector: selects(apps...), TopologyKey: key}}
	}
	spread := func(key string, apps ...string) outrank.TopologySpreadConstraint {
		return outrank.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: key, LabelSelector: selects(apps...)}
	}
	drawn := gen.Preemptor(shape).Draw(t, "asker")
	kinds := []func(*outrank.Pod){
		func(p *outrank.Pod) { p.Affinity.PodAntiAffinity = term("zone", "a", "new") },
		func(p *outrank.Pod) { p.Affinity.PodAffinity = term("zone", "a", "b") },
		func(p *outrank.Pod) { // the first of its kind
			p.Affinity.PodAffinity = slices.Concat(term("zone", "asks"), term("kubernetes.io/hostname", "asks"))
		},
		func(p *outrank.Pod) {
			p.Affinity.PodAffinity = term("zone", "a", "b")
			p.Affinity.PodAffinity[0].NamespaceSelector = &outrank.LabelSelector{MatchLabels: map[string]string{"zone": "z1"}}
		},
		func(p *outrank.Pod) {
			p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{spread("zone", "a", "b")}
		},
		func(p *outrank.Pod) {
			s := spread("zone", "a", "asks")
			s.MinDomains, s.NodeTaintsPolicy = 2, outrank.NodeHonor
			p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{s, spread("kubernetes.io/hostname", "a", "b", "asks")}
		},
		func(p *outrank.Pod) { // an empty selector counts nobody at first
			p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", LabelSelector: &outrank.LabelSelector{}}}
		},
		func(*outrank.Pod) {}, // others may repel it
		func(p *outrank.Pod) {
			p.Affinity, p.TopologySpreadConstraints, p.Labels = drawn.Affinity, drawn.TopologySpreadConstraints, drawn.Labels
		},
	}
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	for i := range 4 {
		p := &outrank.Pod{
			Name: fmt.Sprint("asker", i), Namespace: "default", Labels: map[string]string{"app": "asks"}, Priority: outrank.Priority(1000),
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", rapid.SampledFrom([]string{"0", "500m", "1", "2"}).Draw(t, "cpu"))}},
		}
		switch i {
		case 1:
			p.Containers = m.askers[0].Containers
		case 2:
			p.Priority = outrank.Priority(rapid.SampledFrom([]int32{0, 5, 100}).Draw(t, "priority"))
		case 3:
			kind = rapid.SampledFrom(kinds).Draw(t, "other kind")
		}
		if key := m.podKey(t); i == 0 && m.pods[key] != nil && rapid.Bool().Draw(t, "as high") {
			p.Priority = outrank.Priority(m.pods[key].PriorityValue())
		} else if i == 1 {
			p.Priority = m.askers[0].Priority
		}
		kind(p)
		m.askers = append(m.askers, p)
	}
}

// repel puts a pod that keeps others away from its zone.
func (m *countsMachine) repel(t *rapid.T) {
	m.vary(t, func(p *outrank.Pod) {
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{
			LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "asks"}},
			TopologyKey:   rapid.SampledFrom([]string{"zone", "kubernetes.io/hostname", "rack"}).Draw(t, "key"),
		}}
	})
}

// nominateLike has another preemptor wait for room, which counts on its node alone.
func (m *countsMachine) nominateLike(t *rapid.T) {
	m.serial++
	p := *m.askers[0]
	p.Name, p.NominatedNodeName = fmt.Sprint("waits", m.serial), m.nodeName(t)
	p.Labels = map[string]string{"app": rapid.SampledFrom([]string{"asks", "a"}).Draw(t, "app")}
	require.NoError(t, errOf(m.snap.PutPod(&p)))
	m.take(&p)
}

// terminate has a pod on its way out, which a spread does not count.
func (m *countsMachine) terminate(t *rapid.T) {
	m.vary(t, func(p *outrank.Pod) { p.DeletionTimestamp = gen.Now })
}

// likewise makes a pod one like those that ask.
func (m *countsMachine) likewise(t *rapid.T) {
	m.vary(t, func(p *outrank.Pod) {
		p.Labels = map[string]string{"app": rapid.SampledFrom([]string{"asks", "a", "b"}).Draw(t, "app")}
	})
}

// vary replaces a pod by another version.
func (m *countsMachine) vary(t *rapid.T, change func(*outrank.Pod)) {
	was, ok := m.pods[m.podKey(t)]
	if !ok {
		return
	}
	p := *was
	change(&p)
	m.putVersion(t, &p)
}

// relabel moves a node to another zone, or out of all.
func (m *countsMachine) relabel(t *rapid.T) {
	if len(m.nodes) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.nodes)-1).Draw(t, "node")
	n := *m.nodes[i]
	if n.Labels = zone(t); rapid.IntRange(0, 3).Draw(t, "third") == 0 {
		n.Labels = map[string]string{"zone": "z3"}
	}
	if rapid.Bool().Draw(t, "host") && n.Labels != nil {
		n.Labels = map[string]string{"zone": n.Labels["zone"], "kubernetes.io/hostname": n.Name}
	}
	require.NoError(t, m.snap.PutNode(&n))
	m.nodes = slices.Clone(m.nodes)
	m.nodes[i] = &n
}

func (m *countsMachine) ask(t *rapid.T) {
	m.asked++
	asker := m.askers[max(0, rapid.IntRange(-6, len(m.askers)-1).Draw(t, "asker"))]
	if asker == m.askers[0] {
		asker = m.askers[m.asked%2]
	}
	now := gen.Now.Add(time.Duration(m.asked) * time.Hour)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	fresh, err := engine.NewSnapshot(m.snap.Cluster())
	require.NoError(t, err)
	got, gotErr := eval.Preempt(context.Background(), m.snap, preemption.Request{Pod: asker, Now: now})
	want, wantErr := eval.Preempt(context.Background(), fresh, preemption.Request{Pod: asker, Now: now})
	require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(gotErr))
	if diff := testdiff.Diff(want, got); diff != "" {
		t.Fatalf("plan (-afresh +followed):\n%s", diff)
	}
	if gotErr == nil {
		m.outcomes[got.Outcome] = true
		m.checked += entriesHold(t, eval, m.snap, &preemption.Request{Pod: asker, Now: now})
	}
}

// spreadOverTwo is a node in each of two zones, of which the second is full of pods that stay, and
// a preemptor that is spread over the zones with the pods like it.
func spreadOverTwo() (*outrank.Cluster, *outrank.Pod) {
	node := func(name, zone string) *outrank.Node {
		return &outrank.Node{Name: name, Labels: map[string]string{"zone": zone}, Allocatable: resource.MustList("cpu", "4", "pods", "9")}
	}
	pod := func(name, app, on, cpu string, priority int32) *outrank.Pod {
		return &outrank.Pod{
			Name: name, Labels: map[string]string{"app": app}, NodeName: on, Priority: outrank.Priority(priority), StartTime: gen.Now,
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", cpu)}},
		}
	}
	p := pod("asker", "a", "", "3500m", 10)
	p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: "zone", LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "a"}},
	}}
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "z1"), node("n2", "z2")},
		Pods: []*outrank.Pod{
			pod("leaves", "x", "n1", "3", 0), pod("stays", "x", "n2", "3900m", 100), pod("like", "a", "n2", "1m", 100),
			pod("waits1", "a", "", "1m", 10), pod("waits2", "a", "", "1m", 10),
		},
	}
	c.Pods[3].NominatedNodeName, c.Pods[4].NominatedNodeName = "n1", "n1"
	return c, p
}

// A node looks at the least count of the other domains also where its own is the least, once
// nominated pods make it more.
func TestLeastCountOfTheOthers(t *testing.T) {
	c, p := spreadOverTwo()
	for i := range 6 { // so that it is less work to look at the changed domain alone
		c.Nodes = append(c.Nodes, &outrank.Node{Name: fmt.Sprint("closed", i), Labels: map[string]string{"zone": "z1"}, Unschedulable: true})
	}
	b := &bench{t: t, cluster: c, pod: p}
	var err error
	b.snap, err = engine.NewSnapshot(c)
	require.NoError(t, err)
	b.eval, err = engine.New(preemption.Config{})
	require.NoError(t, err)
	for range 3 {
		require.Equal(t, preemption.NothingHelps, b.ask(b.snap, p).Outcome)
	}
	other := *c.Pods[2]
	other.Name = "like2"
	require.NoError(t, errOf(b.snap.PutPod(&other)))
	assert.Equal(t, "n1", b.ask(b.snap, p).Node)
}

// A pod in one zone may change the answers in all others: once the zone with the least has one more, the pod may go to
// the cheaper nodes elsewhere. What they said before is not kept, though nothing has changed on them.
func TestLeastCountElsewhere(t *testing.T) {
	c := &outrank.Cluster{}
	put := func(name, app, on, cpu string, priority int32) {
		c.Pods = append(c.Pods, &outrank.Pod{
			Name: name, Labels: map[string]string{"app": app}, NodeName: on, Priority: outrank.Priority(priority), StartTime: gen.Now,
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", cpu)}},
		})
	}
	for i := range 6 {
		n := &outrank.Node{Name: fmt.Sprint("n", i), Labels: map[string]string{"zone": fmt.Sprint("z", i)}, Allocatable: resource.MustList("cpu", "1", "pods", "9")}
		c.Nodes = append(c.Nodes, n)
		if i == 0 {
			put("dear", "x", n.Name, "1", 5)
			continue
		}
		put(fmt.Sprint("cheap", i), "x", n.Name, "1", 1)
		put(fmt.Sprint("like", i), "a", n.Name, "0", 100)
	}
	_, p := spreadOverTwo()
	p.Containers = c.Pods[0].Containers

	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	b := &bench{t: t, pod: p, snap: snap}
	b.eval, err = engine.New(preemption.Config{})
	require.NoError(t, err)
	for range 3 {
		require.Equal(t, "n0", b.ask(snap, p).Node, "n0 has no pod like it, all others have one")
	}
	like := *c.Pods[2]
	like.Name, like.NodeName = "like0", "n0"
	require.NoError(t, errOf(snap.PutPod(&like)))
	assert.Equal(t, "n1", b.ask(snap, p).Node)
}

// Counts begin anew where the snapshot has forgotten how the nodes were divided.
func TestCountsOutliveNoPartition(t *testing.T) {
	c, p := spreadOverTwo()
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	for range 3 {
		_, err = eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
	}
	for i := range state.MostPartitions {
		stateOf(snap).Partition(fmt.Sprint("key-", i))
	}
	for i, zone := range []string{"z2", "z1"} {
		n := *c.Nodes[i]
		n.Labels = map[string]string{"zone": zone}
		require.NoError(t, snap.PutNode(&n))
		got, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		fresh, err := engine.NewSnapshot(snap.Cluster())
		require.NoError(t, err)
		want, err := eval.Preempt(context.Background(), fresh, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Empty(t, testdiff.Diff(want, got))
	}
}

// The memory for counts is bounded, and what was not used for longest makes room.
func TestCountsAreBounded(t *testing.T) {
	c, p := spreadOverTwo()
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	for i := range 20 * state.MostCounts {
		q := *p
		q.Labels = map[string]string{"app": "a", "of": fmt.Sprint(i)}
		plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: &q, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, preemption.NothingHelps, plan.Outcome)
		assert.LessOrEqual(t, len(stateOf(snap).Topology.Counts.ByShape), state.MostCounts)
	}
	assert.Equal(t, state.MostCounts, len(stateOf(snap).Topology.Counts.ByShape))
}

// Pods on their way out are not counted, and still count less when they leave (rule 7.12.6); a pod
// as important as the preemptor stays and counts.
func TestWhoLeavesTheCounts(t *testing.T) {
	for name, c := range map[string]struct {
		priority    int32
		terminating bool
		want        preemption.Outcome
	}{
		"lower":           {9, false, preemption.Preempts},
		"as high":         {10, false, preemption.NothingHelps},
		"lower, ending":   {9, true, preemption.Preempts},
		"as high, ending": {10, true, preemption.NothingHelps},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, p := spreadOverTwo()
			own, near := *cluster.Pods[2], *cluster.Pods[2]
			own.Name, own.NodeName, own.Priority = "own", "n1", outrank.Priority(c.priority)
			near.Name, near.NodeName = "near", "n3"
			far := near
			far.Name = "near2"
			n3 := *cluster.Nodes[0]
			n3.Name, n3.Unschedulable = "n3", true
			cluster.Nodes = append(cluster.Nodes, &n3)
			cluster.Pods = append(cluster.Pods[:3], &own, &near)
			if c.terminating {
				own.DeletionTimestamp = gen.Now
				cluster.Pods = append(cluster.Pods, &far)
			}
			snap, err := engine.NewSnapshot(cluster)
			require.NoError(t, err)
			eval, err := engine.New(preemption.Config{})
			require.NoError(t, err)
			for range 3 {
				plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
				require.NoError(t, err)
				require.Equal(t, c.want, plan.Outcome)
			}
		})
	}
}
