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
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/engine/internal/search"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// Whatever happens to a snapshot and to its clones between decisions, one with a
// cache of earlier decisions answers as one that never made any: a scratch starts
// with an empty cache.
func TestPropertyCache(t *testing.T) {
	t.Parallel()
	used, checked := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		shape := gen.Shape{
			Nodes: 6, Budgets: 3, Nominated: 3, Taints: true, Selectors: rapid.Bool().Draw(t, "selectors"),
			Ports: rapid.Bool().Draw(t, "ports"), Volumes: rapid.Bool().Draw(t, "volumes"),
		}
		if rapid.IntRange(0, 2).Draw(t, "with units") == 0 {
			shape.Groups, shape.Units = 3, true
		}
		c := gen.Cluster(shape).Draw(t, "cluster")
		if shape.Units && rapid.Bool().Draw(t, "teams") {
			c = teams(t)
		}
		m := &cacheMachine{machine: newMachine(c)}
		m.drawAskers(t, shape)
		t.Repeat(map[string]func(*rapid.T){
			"AddPod": m.AddPod, "RemovePod": m.RemovePod, "Bind": m.Bind, "Nominate": m.Nominate,
			"AddNode": m.AddNode, "UpdatePod": m.UpdatePod, "UpdateNode": m.UpdateNode, "RemoveNode": m.RemoveNode, "SetBudgets": m.SetBudgets, "Allow": m.allow,
			"PutPod": m.PutPod, "PutNode": m.PutNode, "PutBudget": m.PutBudget, "RemoveBudget": m.RemoveBudget, "Unbind": m.Unbind,
			"PutGroup": m.PutGroup, "PutComposite": m.PutComposite, "RemoveComposite": m.RemoveComposite,
			"Mark": m.Mark, "Undo": m.Undo, "Apply": m.apply, "Fork": m.fork, "Switch": m.turn,
			"": m.ask,
		})
		used += len(stateOf(m.snap).Cache.BySignature)
		checked += m.checked
	})
	assert.Positive(t, used, "the cache was never used")
	assert.Positive(t, checked, "the cache never had a score")
}

type cacheMachine struct {
	*machine
	others []*machine // clones and origins, each with a life of its own
	askers []*outrank.Pod
	asked  int
	// checked counts the scores in caches that were compared with those of the time.
	checked int
}

// drawAskers draws preemptors that only resources and nodes can keep out: two
// with the same signature, and others that differ from them in one thing.
func (m *cacheMachine) drawAskers(t *rapid.T, shape gen.Shape) {
	p := gen.Preemptor(shape).Draw(t, "asker")
	p.Containers = []outrank.Container{{Name: "c", Ports: p.Containers[0].Ports, Requests: resource.MustList(
		"cpu", fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "cpu")), "memory", fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "memory"), "Gi"))}}
	for i, vary := range []func(*outrank.Pod){
		func(*outrank.Pod) {},
		func(*outrank.Pod) {},
		func(q *outrank.Pod) { q.NodeSelector = map[string]string{"zone": "z1"} },
		func(q *outrank.Pod) { q.NodeName = "n1" },
		func(q *outrank.Pod) { q.Volumes = nil },
		func(q *outrank.Pod) { q.Containers[0].Ports = nil },
		func(q *outrank.Pod) { q.Tolerations = []outrank.Toleration{{Operator: outrank.TolerationExists}} },
		func(q *outrank.Pod) { q.Priority = outrank.Priority(q.PriorityValue() - 50) },
		func(q *outrank.Pod) { q.Containers[0].Requests = resource.MustList("cpu", "2500m") },
		func(q *outrank.Pod) {
			q.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
				MatchFields: []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.NotIn, Values: []string{"n0"}}},
			}}}
		},
	} {
		q := *p
		q.Name, q.NominatedNodeName = fmt.Sprint("asker", i), ""
		q.Containers = slices.Clone(p.Containers)
		vary(&q)
		m.askers = append(m.askers, &q)
	}
}

// fork makes a clone.
func (m *cacheMachine) fork(*rapid.T) {
	other := m.copy()
	other.snap = m.snap.Clone()
	m.others = append(m.others, &other)
}

// turn goes on with another of the snapshots.
func (m *cacheMachine) turn(t *rapid.T) {
	if len(m.others) > 0 {
		i := rapid.IntRange(0, len(m.others)-1).Draw(t, "other")
		m.machine, m.others[i] = m.others[i], m.machine
	}
}

// allow changes what budgets allow, but not which pods they cover.
func (m *cacheMachine) allow(t *rapid.T) {
	budgets := make([]*outrank.PodDisruptionBudget, len(m.budgets))
	for i, b := range m.budgets {
		other := *b
		other.DisruptionsAllowed = int32(rapid.IntRange(0, 3).Draw(t, "allowed"))
		budgets[i] = &other
	}
	m.budgets = budgets
	require.NoError(t, setBudgets(m.snap, budgets))
}

func (m *cacheMachine) ask(t *rapid.T) {
	m.asked++
	// Mostly the two with the same signature.
	asker := m.askers[max(0, rapid.IntRange(-12, len(m.askers)-1).Draw(t, "asker"))]
	if asker == m.askers[0] {
		asker = m.askers[m.asked%2]
	}
	now := gen.Now.Add(time.Duration(m.asked) * time.Hour)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	got, gotErr := eval.Preempt(context.Background(), m.snap, preemption.Request{Pod: asker, Now: now})
	want, wantErr := eval.Preempt(context.Background(), snapshotOf(stateOf(m.snap).Scratch()), preemption.Request{Pod: asker, Now: now})
	require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(gotErr))
	if diff := testdiff.Diff(want, got); diff != "" {
		t.Fatalf("plan (-searched +cached):\n%s", diff)
	}
	if gotErr == nil {
		m.checked += entriesHold(t, eval, m.snap, &preemption.Request{Pod: asker, Now: now})
	}
}

// entriesHold compares what the cache says of each node, whichever of them was chosen, with
// what the node says at the time of the request. It returns how many scores it has seen.
func entriesHold(t require.TestingT, e *engine.Evaluator, snap *engine.Snapshot, req *preemption.Request) (scores int) {
	s, err := search.Start(context.Background(), termsOf(e), stateOf(snap), req)
	require.NoError(t, err)
	defer s.Close()
	known := stateOf(snap).Cache.BySignature[string(s.Asked.WriteSignature())]
	if known == nil || s.Asked.Attempt.AskedOne {
		return
	}
	if missed, _, ok := stateOf(snap).Cache.Since(known.Synced); !ok || len(missed) > 0 {
		return 0 // it was not asked
	}
	answers, w := known.Nodes.(*search.Tournament), s.Workers[0]
	for position, slot := range stateOf(snap).Order {
		w.Reset()
		b := search.NodeBound{}
		w.Best = search.NodeScore{Position: -1}
		w.BoundNode(&b, position, slot) // which may evaluate it at once
		w.FindVictims(position, w.NodeAt(position), &b)
		switch e := answers.At(int32(position)); {
		case e.Kind == search.Evaluated:
			scores++
			require.Equal(t, w.Best, e.NodeScore, "node %s", w.NodeAt(position).Name)
		case w.Best.Position >= 0:
			require.False(t, s.Asked.Rules.Better(&w.Best, &e.NodeScore), "node %s: %v is not a bound of %v", w.NodeAt(position).Name, e.NodeScore, w.Best)
		}
	}
	return scores
}

// apply applies a plan, as a simulator does: the victims are gone and the
// preemptor is nominated.
func (m *cacheMachine) apply(t *rapid.T) {
	asker := m.askers[rapid.IntRange(0, 1).Draw(t, "asker")]
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	plan, err := eval.Preempt(context.Background(), m.snap, preemption.Request{Pod: asker, Now: gen.Now})
	if err != nil || plan.Outcome != preemption.Preempts {
		return
	}
	require.NoError(t, m.snap.Apply(plan))
	for _, v := range plan.Victims {
		delete(m.pods, v.Pod.Key())
		delete(m.running, v.Pod.Key())
	}
	for _, p := range plan.ClearedNominations {
		m.waiting[p.Key()] = ""
	}
	m.pods[asker.Key()], m.waiting[asker.Key()] = asker, plan.Node
}

// Readers share the cache of a snapshot. A reader that finds it in use
// searches, with the same answer.
func TestCacheConcurrently(t *testing.T) {
	b := benched(t, 50, 10, 5)
	p, snap := b.pod, b.snap
	want := b.ask(snap, p)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				assert.Empty(t, testdiff.Diff(want, b.ask(snap, p)))
			}
		})
	}
	group.Wait()
}

// bench is a generated cluster with somebody who asks about it.
type bench struct {
	t       testing.TB
	cluster *outrank.Cluster
	pod     *outrank.Pod
	snap    *engine.Snapshot
	eval    *engine.Evaluator
}

func benched(t testing.TB, nodes, podsPerNode, budgets int) *bench {
	b := &bench{t: t}
	b.cluster, b.pod = gen.Benchmark(nodes, podsPerNode, budgets)
	var err error
	b.snap, err = engine.NewSnapshot(b.cluster)
	require.NoError(t, err)
	b.eval, err = engine.New(preemption.Config{})
	require.NoError(t, err)
	return b
}

// ask may be called by several goroutines.
func (b *bench) ask(s *engine.Snapshot, p *outrank.Pod) *preemption.Plan {
	plan, err := b.eval.Preempt(context.Background(), s, preemption.Request{Pod: p, Now: gen.Now})
	assert.NoError(b.t, err)
	return plan
}

// sameAsCold asks about the cluster's pod, and once more a snapshot that knows nothing.
func (b *bench) sameAsCold(s *engine.Snapshot) *preemption.Plan {
	plan := b.ask(s, b.pod)
	require.Empty(b.t, testdiff.Diff(b.ask(snapshotOf(stateOf(s).Scratch()), b.pod), plan))
	return plan
}

// A clone begins with what its origin knows, and copies of that only what changes.
func TestCloneIsWarm(t *testing.T) {
	const blocks = 5
	b := benched(t, blocks*search.TournamentBlockSize-10, 10, 5)
	c, snap := b.cluster, b.snap
	ask := b.sameAsCold
	blocksOf := func(s *engine.Snapshot) []*search.TournamentBlock {
		require.Len(t, stateOf(s).Cache.BySignature, 1)
		for _, known := range stateOf(s).Cache.BySignature {
			return slices.Clone(known.Nodes.(*search.Tournament).Blocks)
		}
		return nil
	}
	differing := func(x, y []*search.TournamentBlock) (count int) {
		require.Len(t, y, len(x))
		for i := range x {
			if x[i] != y[i] {
				count++
			}
		}
		return count
	}
	for range 20 { // each search adds a part
		ask(snap)
	}
	before := blocksOf(snap)
	require.Len(t, before, blocks)
	clone := snap.Clone()
	plan := ask(clone)
	assert.Zero(t, differing(before, blocksOf(clone)), "nothing has changed")
	require.NoError(t, clone.Apply(plan))
	assert.NotEqual(t, plan.Victims, ask(clone).Victims)
	assert.LessOrEqual(t, differing(before, blocksOf(clone)), 2, "the node that changed, and the next one")
	assert.Empty(t, testdiff.Diff(plan, ask(snap)), "the origin is as it was")
	assert.Zero(t, differing(before, blocksOf(snap)))
	further := clone.Clone()
	assert.Empty(t, testdiff.Diff(ask(clone), ask(further)), "a clone of a clone")
	for _, p := range c.Pods[:10] { // of the first node
		dearer := *p
		dearer.Priority = outrank.Priority(p.PriorityValue() + 1)
		require.NoError(t, errOf(snap.PutPod(&dearer)))
	}
	late := snap.Clone()
	ask(late)
	assert.LessOrEqual(t, differing(before, blocksOf(late)), 2, "it knows what has changed since the last decision")
	ask(snap)
	assert.Equal(t, 1, differing(blocksOf(clone), blocksOf(further)), "the node that the preemptor is nominated to")
}

// What a clone notes of its own changes is not what its origin has noted.
func TestClonesNoteTheirOwnChanges(t *testing.T) {
	b := benched(t, 100, 10, 0)
	c, p, snap := b.cluster, b.pod, b.snap
	ask := b.sameAsCold
	for range 3 {
		ask(snap)
	}
	plan := ask(snap)
	dearer := *plan.Victims[0].Pod
	dearer.Priority = outrank.Priority(p.PriorityValue() - 1)
	require.NoError(t, errOf(snap.PutPod(&dearer)))
	clone := snap.Clone()
	require.NoError(t, clone.PutNode(&outrank.Node{Name: "another"}))
	for range 3 {
		ask(clone)
	}
	for _, q := range c.Pods {
		if q.NodeName != plan.Node {
			require.NoError(t, errOf(clone.PutPod(q)))
		}
	}
	assert.NotEqual(t, plan.Victims, ask(snap).Victims)
	ask(clone)
}

// A snapshot and its clones may be used at once, several goroutines reading each.
func TestClonesConcurrently(t *testing.T) {
	b := benched(t, 200, 10, 5)
	p, snap := b.pod, b.snap
	q := *p
	q.Priority = outrank.Priority(p.PriorityValue() - 1)
	ask := b.ask
	for range 3 {
		ask(snap, p)
		ask(snap, &q)
	}
	sides := []*engine.Snapshot{snap}
	for range 3 {
		sides = append(sides, snap.Clone())
	}
	var group sync.WaitGroup
	for side, s := range sides {
		group.Go(func() {
			for round := range 15 {
				want, wantOther := ask(snapshotOf(stateOf(s).Scratch()), p), ask(snapshotOf(stateOf(s).Scratch()), &q)
				var readers sync.WaitGroup
				for range 3 {
					readers.Go(func() {
						assert.Empty(t, testdiff.Diff(want, ask(s, p)))
						assert.Empty(t, testdiff.Diff(wantOther, ask(s, &q)))
					})
				}
				readers.Wait()
				if round%4 == 3 {
					s = s.Clone()
				}
				dearer := *want.Victims[side%len(want.Victims)].Pod
				dearer.Priority = outrank.Priority(q.PriorityValue() - 1)
				assert.NoError(t, errOf(s.PutPod(&dearer)))
			}
		})
	}
	group.Wait()
}

// The memory of a cache is bounded, however many signatures are asked for.
func TestCacheBounds(t *testing.T) {
	b := benched(t, 20, 5, 0)
	c, p, snap := b.cluster, b.pod, b.snap
	for i := range 3 * state.MostSignatures {
		q := *p
		q.Priority = outrank.Priority(5000 + int32(i))
		for range 2 {
			b.ask(snap, &q)
		}
	}
	assert.Len(t, stateOf(snap).Cache.BySignature, state.MostSignatures)
	victim := c.Pods[0]
	for range 5000 {
		require.NoError(t, snap.RemovePod(victim.Key()))
		require.NoError(t, errOf(snap.PutPod(victim)))
	}
	assert.Less(t, len(stateOf(snap).Cache.Log), 1200)
}

// A signature that was not asked for in a long time makes room for a new one.
func TestCacheForgets(t *testing.T) {
	b := benched(t, 20, 5, 0)
	p, snap := b.pod, b.snap
	ask := func(shape int) {
		q := *p
		q.Priority = outrank.Priority(5000 + int32(shape))
		b.ask(snap, &q)
	}
	for shape := range state.MostSignatures {
		ask(shape)
		ask(shape)
	}
	oldest := ""
	for shape, m := range stateOf(snap).Cache.BySignature {
		if oldest == "" || m.Used < stateOf(snap).Cache.BySignature[oldest].Used {
			oldest = shape
		}
	}
	ask(state.MostSignatures)
	ask(state.MostSignatures)
	assert.Contains(t, stateOf(snap).Cache.BySignature, oldest, "it is not long ago")
	for range 10 {
		for shape := 1; shape < state.MostSignatures; shape++ {
			ask(shape)
		}
	}
	ask(state.MostSignatures)
	ask(state.MostSignatures)
	assert.NotContains(t, stateOf(snap).Cache.BySignature, oldest)
	assert.Len(t, stateOf(snap).Cache.BySignature, state.MostSignatures)
}

// Budgets that allow more or less change the answers of nodes that have not
// changed.
func TestCacheNoticesBudgets(t *testing.T) {
	b := benched(t, 30, 10, 20)
	p, snap := b.pod, b.snap
	ask := func(s *engine.Snapshot) *preemption.Plan { return b.ask(s, p) }
	for range 3 {
		ask(snap)
	}
	require.Len(t, stateOf(snap).Cache.BySignature, 1)
	victim := ask(snap).Victims[0].Pod
	require.NoError(t, setBudgets(snap, []*outrank.PodDisruptionBudget{{
		Name: "guard", Namespace: victim.Namespace, Selector: &outrank.LabelSelector{MatchLabels: victim.Labels},
	}}))
	assert.Empty(t, testdiff.Diff(ask(snapshotOf(stateOf(snap).Scratch())), ask(snap)))
	before := ask(snap)
	require.NoError(t, setBudgets(snap, []*outrank.PodDisruptionBudget{{
		Name: "guard", Namespace: victim.Namespace, Selector: &outrank.LabelSelector{MatchLabels: victim.Labels}, DisruptionsAllowed: 5,
	}}))
	assert.Empty(t, testdiff.Diff(ask(snapshotOf(stateOf(snap).Scratch())), ask(snap)))
	assert.NotEmpty(t, testdiff.Diff(before, ask(snap)))
}

// So does one that allows as many as before, and counts a pod as disrupted already.
func TestCacheNoticesWhoIsDisruptedAlready(t *testing.T) {
	b := benched(t, 30, 10, 0)
	victim := b.ask(b.snap, b.pod).Victims[0].Pod
	guard := &outrank.PodDisruptionBudget{Name: "guard", Namespace: victim.Namespace, Selector: &outrank.LabelSelector{MatchLabels: victim.Labels}}
	require.NoError(t, b.snap.PutBudget(guard))
	leaves := func(plan *preemption.Plan) bool {
		return slices.ContainsFunc(plan.Victims, func(v preemption.Victim) bool { return v.Pod == victim })
	}
	for range 3 {
		require.False(t, leaves(b.ask(b.snap, b.pod)), "its budget allows nothing")
	}
	counted := *guard
	counted.DisruptedPods = map[string]time.Time{victim.Name: gen.Now}
	require.NoError(t, b.snap.PutBudget(&counted))
	assert.True(t, leaves(b.sameAsCold(b.snap)))
}

// So it does after all nodes were bounded anew, because more changed than there
// are.
func TestMemoNoticesBudgetsAfterManyChanges(t *testing.T) {
	b := benched(t, 10, 10, 20)
	c, p, snap := b.cluster, b.pod, b.snap
	ask := func(s *engine.Snapshot) *preemption.Plan { return b.ask(s, p) }
	guard := func(allowed int32, labels map[string]string, namespace string) {
		require.NoError(t, snap.PutBudget(&outrank.PodDisruptionBudget{
			Name: "guard", Namespace: namespace, DisruptionsAllowed: allowed, Selector: &outrank.LabelSelector{MatchLabels: labels},
		}))
	}
	victim := ask(snap).Victims[0].Pod
	guard(5, victim.Labels, victim.Namespace)
	for range 3 {
		ask(snap)
	}
	for range 4 {
		for _, pod := range c.Pods[:20] {
			require.NoError(t, errOf(snap.PutPod(pod)))
		}
		before := ask(snap)
		guard(0, victim.Labels, victim.Namespace)
		after := ask(snap)
		assert.Empty(t, testdiff.Diff(ask(snapshotOf(stateOf(snap).Scratch())), after))
		assert.NotEmpty(t, testdiff.Diff(before, after))
		guard(5, victim.Labels, victim.Namespace)
	}
}

// On many nodes, too, of which a change of a few budgets concerns many at once.
func TestPropertyCacheFollowsBudgetsOnManyNodes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, p := gen.Benchmark(rapid.IntRange(1, 300).Draw(t, "nodes"), 30, 40)
		if rapid.Bool().Draw(t, "anti-affinity") {
			// Then pods above the bound may be victims, and violate a budget.
			p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{
				Namespaces: []string{"team-1"}, LabelSelector: &outrank.LabelSelector{}, TopologyKey: "kubernetes.io/hostname",
			}}
		}
		snap, err := engine.NewSnapshot(c)
		require.NoError(t, err)
		e, err := engine.New(preemption.Config{})
		require.NoError(t, err)
		for range 12 {
			for range rapid.IntRange(0, 12).Draw(t, "budgets") {
				b := *rapid.SampledFrom(c.Budgets).Draw(t, "budget")
				b.DisruptionsAllowed = int32(rapid.IntRange(0, 1).Draw(t, "allowed"))
				require.NoError(t, snap.PutBudget(&b))
			}
			if rapid.Bool().Draw(t, "moves") {
				require.NoError(t, errOf(snap.PutPod(rapid.SampledFrom(c.Pods).Draw(t, "pod"))))
			}
			got, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			want, err := e.Preempt(context.Background(), snapshotOf(stateOf(snap).Scratch()), preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			if diff := testdiff.Diff(want, got); diff != "" {
				t.Fatalf("plan (-searched +cached):\n%s", diff)
			}
			entriesHold(t, e, snap, &preemption.Request{Pod: p, Now: gen.Now})
		}
	})
}

// Budgets that cover pods together, up to the bound and above it, decide whether what a node answered
// still holds.
func TestPropertyCacheFollowsBudgetsThatOverlap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &outrank.Cluster{}
		for i := range rapid.IntRange(2, 4).Draw(t, "nodes") {
			node := fmt.Sprint("n", i)
			c.Nodes = append(c.Nodes, &outrank.Node{Name: node, Allocatable: resource.MustList("cpu", "12", "memory", "12", "pods", "20")})
			for k := range rapid.IntRange(3, 8).Draw(t, "pods") {
				c.Pods = append(c.Pods, &outrank.Pod{
					Name: fmt.Sprint(node, "-", k), NodeName: node, Priority: outrank.Priority(rapid.SampledFrom([]int32{0, 0, 1, 2}).Draw(t, "priority")),
					Labels: map[string]string{"app": rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "app"), "tier": rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "tier")},
					Containers: []outrank.Container{{Requests: resource.List{
						resource.CPU: resource.New(rapid.Int64Range(1, 4).Draw(t, "cpu")), resource.Memory: resource.New(rapid.Int64Range(1, 4).Draw(t, "memory")),
					}}},
					StartTime: gen.Now.Add(-time.Duration(rapid.IntRange(1, 5).Draw(t, "age")) * time.Hour),
				})
			}
		}
		for _, of := range [][2]string{{"app", "a"}, {"tier", "x"}, {"app", "b"}, {"tier", "y"}} {
			c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{Name: of[1], Selector: &outrank.LabelSelector{MatchLabels: map[string]string{of[0]: of[1]}}})
		}
		p := &outrank.Pod{Name: "p", Priority: outrank.Priority(3), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "7", "memory", "7")}}}
		snap, err := engine.NewSnapshot(c)
		require.NoError(t, err)
		e, err := engine.New(preemption.Config{})
		require.NoError(t, err)
		for range 20 {
			b := *rapid.SampledFrom(c.Budgets).Draw(t, "budget")
			b.DisruptionsAllowed = int32(rapid.IntRange(0, 2).Draw(t, "allowed"))
			require.NoError(t, snap.PutBudget(&b))
			got, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			want, err := e.Preempt(context.Background(), snapshotOf(stateOf(snap).Scratch()), preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			if diff := testdiff.Diff(want, got); diff != "" {
				t.Fatalf("plan (-searched +cached):\n%s", diff)
			}
			entriesHold(t, e, snap, &preemption.Request{Pod: p, Now: gen.Now})
		}
	})
}

// A node that a rule of the caller turns down is evaluated as it is bounded. Where the
// preemptor is nominated to it, it is bounded twice, and counts once.
func TestCacheCountsTheNominatedNodeOnce(t *testing.T) {
	ask := []outrank.Container{{Requests: resource.MustList("cpu", "2")}}
	p := &outrank.Pod{Name: "p", Priority: outrank.Priority(10), NominatedNodeName: "n0", Containers: ask}
	c := &outrank.Cluster{Pods: []*outrank.Pod{p}}
	for _, name := range []string{"n0", "n1"} {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "5", "pods", "9")})
	}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	refuse := &preemption.Filter{Name: "own", Key: func(*outrank.Pod) string { return "" }, Node: func(*outrank.Pod, *outrank.Node) preemption.Status {
		return preemption.Unschedulable.Because("not here")
	}}
	e, err := engine.New(preemption.Config{Filters: []*preemption.Filter{refuse}})
	require.NoError(t, err)
	for i := range 4 {
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		counted := 0
		for _, s := range plan.Unhelpful {
			counted += s.Nodes
		}
		assert.Equal(t, 2, counted, "decision %d", i)
	}
}
