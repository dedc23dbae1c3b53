package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
)

func at(number int32, ip, protocol string) with {
	return func(p *outrank.Pod) {
		p.Containers[0].Ports = []outrank.Port{{HostPort: number, HostIP: ip, Protocol: protocol}}
	}
}

// What the cache knows about one preemptor is not the answer to another that wants something
// else of what pods hold.
func TestCacheTellsHoldingsApart(t *testing.T) {
	rbd := func(monitor string) outrank.Volume { return mounts(outrank.RBD, monitor) }
	other := mounts(outrank.ISCSI)
	other.Disk.ID = "other"
	const leaves, fits = "preempt n1[default/lo]", "fits []"
	for name, test := range map[string]struct{ holds, clashes, passes with }{
		"port":                 {port(80), port(80), port(81)},
		"address":              {at(80, "10.0.0.1", ""), at(80, "", ""), at(80, "10.0.0.2", "")},
		"protocol":             {at(80, "", "UDP"), at(80, "", "UDP"), at(80, "", "TCP")},
		"volume":               {has(handle("one")), has(handle("two")), has(handle("one"))},
		"claim of a volume":    {has(outrank.Volume{Claim: "a", Driver: "csi"}), has(outrank.Volume{Claim: "b", Driver: "csi"}), has(outrank.Volume{Claim: "a", Driver: "csi"})},
		"driver":               {has(handle("one")), has(handle("two")), has(outrank.Volume{Claim: "two", Driver: "other", Handle: "two"})},
		"disk that is written": {has(reads(mounts(outrank.ISCSI))), has(mounts(outrank.ISCSI)), has(reads(mounts(outrank.ISCSI)))},
		"disk":                 {has(mounts(outrank.ISCSI)), has(mounts(outrank.ISCSI)), has(other)},
		"kind of disk":         {has(mounts(outrank.ISCSI)), has(mounts(outrank.ISCSI)), has(mounts(outrank.RBD))},
		"monitor":              {has(rbd("m1")), has(rbd("m1")), has(rbd("m2"))},
	} {
		for _, first := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t, &outrank.Cluster{
					Nodes: []*outrank.Node{limited(node("n1", "4", "a"), 1), node("n2", "0", "a")},
					Pods:  []*outrank.Pod{pod("lo", 1, "1", on("n1"), test.holds)},
				})
				clashes, passes := pod("p", 5, "1", test.clashes), pod("q", 5, "1", test.passes)
				if first {
					assert.Equal(t, leaves, w.agree(t, clashes, gen.Now).String())
				}
				assert.Equal(t, fits, w.agree(t, passes, gen.Now).String())
				assert.Equal(t, leaves, w.agree(t, clashes, gen.Now).String())
			})
		}
	}
}

// Claims for a single pod are counted in the whole cluster: a node's answer changes with what
// happens on others.
func TestCacheFollowsClaimsElsewhere(t *testing.T) {
	w := newWorld(t, &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "0", "a")},
		Pods:  []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(alone("a"))), pod("far", 9, "1", on("n2"), has(alone("b")))},
	})
	p := pod("p", 5, "1", has(alone("a"), alone("b")))
	mark := w.snap.Mark()
	assert.Equal(t, "nothing-helps []", w.agree(t, p, gen.Now).String())
	w.remove(t, "default/far")
	assert.Equal(t, "preempt n1[default/lo]", w.agree(t, p, gen.Now).String())
	clone := w.snap.Clone()
	assert.NoError(t, w.snap.Undo(mark))
	w.pods["default/far"], _ = w.snap.Pod("default/far")
	assert.Equal(t, "nothing-helps []", w.agree(t, p, gen.Now).String())
	w.snap = clone
	delete(w.pods, "default/far")
	assert.Equal(t, "preempt n1[default/lo]", w.agree(t, p, gen.Now).String())
	w.remove(t, "default/lo")
	assert.Equal(t, "fits []", w.agree(t, p, gen.Now).String())
}

// A node that is evaluated as soon as it is looked at is no longer the same an hour later, if one
// of its pods has not started.
func TestCacheOfNodesEvaluatedAtOnce(t *testing.T) {
	one, three := handle("one"), handle("three")
	waits := func(p *outrank.Pod) { p.StartTime = time.Time{} }
	soon := func(p *outrank.Pod) { p.StartTime = gen.Now.Add(time.Minute) }
	w := newWorld(t, &outrank.Cluster{
		Nodes: []*outrank.Node{limited(node("n1", "4", "a"), 1), limited(node("n2", "4", "a"), 1)},
		Pods: []*outrank.Pod{
			pod("a", 1, "1", on("n1"), has(one), waits), pod("b", 1, "1", on("n1"), has(one), waits),
			pod("c", 1, "1", on("n2"), has(three), soon), pod("d", 1, "1", on("n2"), has(three), soon),
		},
	})
	p := pod("p", 5, "1", has(handle("two")))
	assert.Equal(t, "preempt n2[default/c default/d]", w.agree(t, p, gen.Now).String())
	assert.Equal(t, "preempt n1[default/a default/b]", w.agree(t, p, gen.Now.Add(time.Hour)).String())
	assert.Equal(t, "preempt n2[default/c default/d]", w.agree(t, p, gen.Now).String())
	w.update(t, pod("c", 1, "1", on("n2"), has(three)))
	assert.Equal(t, "preempt n1[default/a default/b]", w.agree(t, p, gen.Now.Add(time.Second)).String())
	assert.Equal(t, "preempt n2[default/c default/d]", w.agree(t, p, gen.Now.Add(-2*time.Hour)).String())
}

// Such a node is evaluated again when a budget allows something else.
func TestCacheOfNodesEvaluatedAtOnceFollowsBudgets(t *testing.T) {
	c := &outrank.Cluster{
		Nodes:   []*outrank.Node{node("n1", "4", "a"), node("n2", "4", "b")},
		Pods:    []*outrank.Pod{pod("a", 1, "1", on("n1"), tagged("app", "x", "guarded", "yes")), pod("b", 1, "1", on("n2"), tagged("app", "x"))},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Namespace: "default", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"guarded": "yes"}}, DisruptionsAllowed: 1}},
	}
	w := newWorld(t, c)
	p := pod("p", 5, "1")
	p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: selects("x")}}
	for _, allowed := range []int32{1, 0, 1, 0} {
		b := *c.Budgets[0]
		b.DisruptionsAllowed = allowed
		w.c.Budgets = []*outrank.PodDisruptionBudget{&b}
		assert.NoError(t, w.snap.PutBudget(&b))
		want := "preempt n2[default/b]"
		if allowed > 0 {
			want = "preempt n1[default/a]"
		}
		assert.Equal(t, want, w.agree(t, p, gen.Now).String())
	}
}
