package joint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// ofSet has a ReplicaSet make a pod again.
func ofSet(p *outrank.Pod) *outrank.Pod {
	p.Owner = outrank.Owner{Kind: "ReplicaSet", Name: "set"}
	return p
}

func preemptMoving(t *testing.T, snap *engine.Snapshot, req joint.Request) *joint.Plan {
	req.Now = clustergen.Now()
	if req.Moves == nil {
		req.Moves = &joint.LossCosts{}
	}
	plan, err := joint.Preempt(context.Background(), must(engine.New(preemption.Config{})), snap, req)
	require.NoError(t, err)
	return plan
}

// fates returns what becomes of the victims of a plan, by name.
func fates(plan *joint.Plan) map[string]string {
	out := map[string]string{}
	for _, v := range plan.Victims {
		out[v.Pod.Name] = v.Fate.String()
	}
	return out
}

// oneOrTwo has a full node of one pod that is lost, one of two pods that can move, and room for them.
func oneOrTwo(t *testing.T) *engine.Snapshot {
	return cluster(t, []string{"n1", "n2", "n3", "n4"}, pod("shell", "n1", 1, "4"), ofSet(pod("web-1", "n2", 3, "2")), ofSet(pod("web-2", "n2", 3, "2")),
		pod("held", "n3", 500, "2"), pod("held-2", "n4", 500, "2"))
}

// Nobody is lost, and two pods move, though one victim of a lower priority would do.
func TestTwoMoveAndNobodyIsLost(t *testing.T) {
	w := []*outrank.Pod{pod("w", "", 100, "4")}
	plan := preempt(t, oneOrTwo(t), preemption.Config{}, w...)
	assert.Equal(t, "n1", plan.Placements[0].Node)
	plan = preemptMoving(t, oneOrTwo(t), joint.Request{Pods: w})
	assert.Equal(t, "default/w on n2 in place of default/web-1, default/web-2\ntogether: 2 victims up to priority 3; 2 moved, 0 waiting, 0 lost; "+
		"one by one: 1 victim up to priority 1; better by: less that is lost; optimal", plan.String()[:strings.LastIndex(plan.String(), ",")])
	assert.Equal(t, map[string]string{"web-1": "moves to n3", "web-2": "moves to n4"}, fates(plan))
	assert.Equal(t, int64(2), plan.Total.Own["moves"])
	assert.Equal(t, int64(100), plan.OneByOne.Own["moves"])
	plan = preemptMoving(t, oneOrTwo(t), joint.Request{Pods: w, Moves: &joint.LossCosts{Moved: 6, Waits: 20, Lost: 10}})
	assert.Equal(t, "n1", plan.Placements[0].Node, "two moves cost more than one loss")
}

// A move is as much a disruption as a loss: budgets are charged, and violations come first
// (rules 25.6.2 and 25.6.3).
func TestBudgetsOfVictimsThatMove(t *testing.T) {
	snap := oneOrTwo(t)
	web, _ := snap.Pod("default/web-1")
	labelled := *web
	labelled.Labels = map[string]string{"app": "web"}
	require.NoError(t, errOf(snap.PutPod(&labelled)))
	require.NoError(t, snap.PutBudget(&outrank.PodDisruptionBudget{Name: "b", Selector: &outrank.LabelSelector{MatchLabels: labelled.Labels}}))
	plan := preemptMoving(t, snap, joint.Request{Pods: []*outrank.Pod{pod("w", "", 100, "4")}})
	assert.Equal(t, "n1", plan.Placements[0].Node)
	assert.Equal(t, map[string]string{"shell": "lost: no controller makes it again"}, fates(plan))
}

// The replacement of the most important victim takes the node that leaves the other one to the second,
// which is not the first node with room (rules 25.6.2 and 25.6.4).
func TestPlacesOfReplacementsAreSearchedFor(t *testing.T) {
	first, second := ofSet(pod("first", "n1", 2, "1")), ofSet(inZone(pod("second", "n1", 1, "3"), "n2"))
	second.NodeSelector = nil
	snap := cluster(t, []string{"n1", "n2", "n3"}, first, second, pod("held", "n2", 500, "1"), pod("held-2", "n3", 500, "3"))
	for _, limit := range []int{1, 0} {
		plan := preemptMoving(t, snap, joint.Request{Pods: []*outrank.Pod{pod("w", "", 100, "4")}, Limit: limit, Moves: &joint.LossCosts{Moved: 1, Waits: 2, Lost: 3}})
		assert.Equal(t, map[string]string{"first": "moves to n3", "second": "moves to n2"}, fates(plan), "limit %d", limit)
		assert.True(t, plan.Kept, "one node and one set of victims: one by one is it")
	}
}

// The plan says why the other nodes do not take a replacement, and whether it helps if pods leave them.
func TestFates(t *testing.T) {
	tied, big, agent := ofSet(inZone(pod("tied", "n1", 1, "1"), "n1")), ofSet(pod("big", "n1", 1, "2")), pod("agent", "n1", 1, "1")
	agent.Owner = outrank.Owner{Kind: "DaemonSet", Name: "agent"}
	grouped := ofSet(inZone(pod("grouped", "n4", 1, "4"), "n4"))
	grouped.Group = "g"
	snap := cluster(t, []string{"n1", "n2", "n3", "n4"}, tied, big, agent, grouped, pod("held", "n2", 500, "3"), pod("held-2", "n3", 500, "4"))
	plan := preemptMoving(t, snap, joint.Request{Pods: []*outrank.Pod{inZone(pod("w", "", 100, "4"), "n1"), inZone(pod("v", "", 100, "4"), "n4")}})
	affinity := "node(s) didn't match Pod's node affinity/selector on 3 of 3"
	assert.Equal(t, map[string]string{
		"tied": "lost: " + affinity, "big": "waits: Insufficient cpu on 3 of 3", "agent": "lost: its DaemonSet makes it again for n1 alone",
		"grouped": "waits: its group is scheduled as a whole, which is not looked at",
	}, fates(plan))
	text, err := json.Marshal(plan.Victims[0].Fate)
	require.NoError(t, err)
	assert.NotEmpty(t, text)
	all, err := json.Marshal(plan)
	require.NoError(t, err)
	assert.Contains(t, string(all), `"fate":{"loss":"lost","why":["`+`node(s) didn't match Pod's node affinity/selector on 3 of 3"]}`)
	alone := preemptMoving(t, cluster(t, []string{"n1"}, ofSet(pod("a", "n1", 1, "4"))), joint.Request{Pods: []*outrank.Pod{pod("w", "", 100, "4")}})
	assert.Equal(t, map[string]string{"a": "lost: there is no other node"}, fates(alone))
	moved, err := json.Marshal(preemptMoving(t, oneOrTwo(t), joint.Request{Pods: []*outrank.Pod{pod("w", "", 100, "4")}}))
	require.NoError(t, err)
	assert.Contains(t, string(moved), `"fate":{"loss":"moved","node":"n3"}`)
}

// What becomes of victims is compared where the ranks name it, and has a figure of its own beside what
// the caller says of each victim (rule 25.6.3).
func TestWhereMovesAreCompared(t *testing.T) {
	w := []*outrank.Pod{pod("w", "", 100, "4")}
	ten := preemption.Rank{Name: "ten", Cost: func(*outrank.Pod) int64 { return 10 }}
	for _, tt := range []struct {
		ranks []preemption.Rank
		node  string
	}{
		{[]preemption.Rank{preemption.ByVictims, byMoves}, "n1"},
		{[]preemption.Rank{preemption.ByVictims, ten}, "n2"},
		{[]preemption.Rank{preemption.ByVictims}, "n2"},
		{[]preemption.Rank{preemption.ByViolations, preemption.ByVictims}, "n2"},
		{[]preemption.Rank{byMoves, preemption.ByVictims}, "n2"},
		{[]preemption.Rank{ten, byMoves}, "n1"},
		{[]preemption.Rank{byMoves, ten}, "n2"},
	} {
		eval := must(engine.New(preemption.Config{Ranks: tt.ranks}))
		plan, err := joint.Preempt(context.Background(), eval, oneOrTwo(t), joint.Request{Pods: w, Now: clustergen.Now(), Moves: &joint.LossCosts{}})
		require.NoError(t, err)
		assert.Equal(t, tt.node, plan.Placements[0].Node, "%v", tt.ranks)
		assert.Equal(t, map[string]int64{"n1": 100, "n2": 2}[tt.node], plan.Total.Own["moves"])
		if cost, there := plan.Total.Own["ten"]; there {
			assert.EqualValues(t, 10*plan.Total.Victims, cost)
		}
	}
}

func TestCostsBelowNothing(t *testing.T) {
	_, err := joint.Preempt(context.Background(), must(engine.New(preemption.Config{})), oneOrTwo(t), joint.Request{Moves: &joint.LossCosts{Waits: -1}})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "Moves: {Moved:0 Waits:-1 Lost:0} has a cost below 0")
}

// entangled are nodes on which the first place of a replacement is in the way of the last one, and so many
// places for those between them that a short search does not get back to the first.
func entangled(t *testing.T, others ...*outrank.Pod) *engine.Snapshot {
	names := []string{"n0", "n1", "n2", "n3"}
	pods := slices.Clone(others)
	pods = append(pods, pod("held-2", "n2", 500, "3"), pod("held-3", "n3", 500, "3.5"), ofSet(pod("v-first", "n1", 9, "0.5")), ofSet(pod("v-last", "n1", 1, "1")))
	for i := range 5 {
		names = append(names, fmt.Sprint("m", i))
		pods = append(pods, pod(fmt.Sprint("held-m", i), fmt.Sprint("m", i), 500, "3.6"), ofSet(pod(fmt.Sprint("v-", i), "n1", int32(8-i), "0.2")))
	}
	pods = append(pods, pod("held-1", "n1", 500, "1.5"))
	return cluster(t, names, pods...)
}

// A plan of one by one that is called optimal has the best places for its replacements (rule 25.6.4).
func TestPlacesOfOneByOneAreProven(t *testing.T) {
	full := pod("full", "n0", 500, "4")
	plan := preemptMoving(t, entangled(t, full), joint.Request{Pods: []*outrank.Pod{inZone(pod("w", "", 100, "2.5"), "n1")}})
	assert.True(t, plan.Certificate.Optimal)
	assert.Equal(t, int64(7), plan.Total.Own["moves"], "%v", plan)
	few := preemptMoving(t, entangled(t, full), joint.Request{Pods: []*outrank.Pod{inZone(pod("w", "", 100, "2.5"), "n1")}, Limit: 1})
	assert.Equal(t, int64(26), few.Total.Own["moves"], "the first places: %v", few)
	assert.False(t, few.Certificate.Optimal)
	for _, limit := range []int{1, 0} {
		got, all, err := joint.Outlooks(context.Background(), must(engine.New(preemption.Config{})), entangled(t, full),
			joint.Request{Pods: []*outrank.Pod{pod("w", "", 100, "2.5")}, Limit: limit})
		require.NoError(t, err)
		assert.Equal(t, limit == 0, all)
		assert.Equal(t, limit == 0, got[0].Exact)
	}
}

// The proof looks for the best places of each plan (rule 25.6.4).
func TestPlacesOfOtherPlansAreProven(t *testing.T) {
	w := pod("w", "", 100, "2.5")
	snap := entangled(t, pod("shell", "n0", 1, "4"))
	plan := preemptMoving(t, snap, joint.Request{Pods: []*outrank.Pod{w}, Moves: &joint.LossCosts{Moved: 1, Waits: 20, Lost: 10}})
	assert.Equal(t, "n0", plan.Placements[0].OneByOne.Node)
	assert.Equal(t, int64(7), plan.Total.Own["moves"], "%v", plan)
	assert.True(t, plan.Certificate.Optimal)
}

// So has one that falls apart at once, which the proof does not go through: the second pod takes away what
// the first has to be near (rules 25.1.4 and 25.6.4).
func TestPlacesOfAPlanThatFallsApartAreProven(t *testing.T) {
	snap := entangled(t, pod("full", "n0", 500, "4"))
	require.NoError(t, snap.PutNode(&outrank.Node{Name: "c", Allocatable: resource.MustList("cpu", "4", "pods", "10"), Labels: map[string]string{"zone": "c"}}))
	for _, p := range []*outrank.Pod{cache("cache", "c", 10, "1"), pod("held-c", "c", 2000, "2")} {
		require.NoError(t, errOf(snap.PutPod(p)))
	}
	plan := preemptMoving(t, snap, joint.Request{Pods: []*outrank.Pod{nearCache("1"), inZone(pod("w", "", 95, "2.5"), "n1"), inZone(pod("takes", "", 90, "1"), "c")}})
	require.True(t, plan.Kept, "%v", plan)
	assert.Equal(t, int64(107), plan.Total.Own["moves"], "%v", plan)
	assert.True(t, plan.Certificate.Optimal)
}

// roomForLate has joint plans leave room on n3 that one by one leave none, for the replacement of the pod
// in the way on n4, and for late.
func roomForLate(t *testing.T, cache, moves *outrank.Pod) (*engine.Snapshot, []*outrank.Pod) {
	snap := cluster(t, []string{"n1", "n2", "n3", "n4"}, pod("s1", "n1", 10, "0.5"), pod("a1", "n1", 2000, "3.5"), pod("s2", "n2", 10, "0.5"), pod("a2", "n2", 2000, "3.5"),
		pod("large", "n3", 60, "3"), cache, moves, pod("a4", "n4", 2000, "3"))
	return snap, []*outrank.Pod{pod("w1", "", 1000, "0.5"), pod("w2", "", 1000, "0.5"), inZone(pod("w3", "", 1000, "1"), "n4"), inZone(pod("late", "", 50, "2"), "n3")}
}

// A pod without a place one by one does not evict a replacement (rule 25.6.6).
func TestMoreSparesReplacements(t *testing.T) {
	snap, pods := roomForLate(t, cache("cache", "n3", 70, "1"), ofSet(pod("moves", "n4", 10, "1")))
	plan := preemptMoving(t, snap, joint.Request{Pods: pods})
	require.Equal(t, map[string]string{"large": "lost: no controller makes it again", "moves": "moves to n3"}, fates(plan))
	assert.Empty(t, plan.Placements[3].Node, "%v", plan)
	snap, pods = roomForLate(t, cache("cache", "n3", 70, "1"), pod("moves", "n4", 10, "1"))
	assert.Equal(t, "n3", preemptMoving(t, snap, joint.Request{Pods: pods}).Placements[3].Node, "without the replacement there is room")
}

// Nor does it take away what a replacement has to be near (rule 25.6.6).
func TestMoreSparesNeighboursOfReplacements(t *testing.T) {
	near := ofSet(pod("moves", "n4", 10, "1"))
	near.Affinity = nearCache("1").Affinity
	snap, pods := roomForLate(t, cache("cache", "n3", 40, "1"), near)
	plan := preemptMoving(t, snap, joint.Request{Pods: pods})
	require.Equal(t, "moves to n3", fates(plan)["moves"])
	assert.Empty(t, plan.Placements[3].Node, "%v", plan)
	snap, pods = roomForLate(t, cache("cache", "n3", 40, "1"), ofSet(pod("moves", "n4", 10, "1")))
	assert.Equal(t, "n3", preemptMoving(t, snap, joint.Request{Pods: pods}).Placements[3].Node, "what need not be near it does not mind")
}

// Whoever one by one leaves for a pod that finds no place after all stays (rule 25.1.7), and is in the way
// of replacements.
func TestVictimsOfPodsThatPreemptInVainStay(t *testing.T) {
	never := inZone(pod("never", "", 95, "3"), "n2")
	never.PreemptionPolicy = outrank.PreemptNever
	snap := cluster(t, []string{"n1", "n2"}, withPort(pod("low", "n1", 1, "3")), withPort(pod("agent", "n1", 2000, "1")), ofSet(pod("large", "n2", 50, "3")), pod("a2", "n2", 2000, "1"))
	plan := preemptMoving(t, snap, joint.Request{Pods: []*outrank.Pod{withPort(pod("first", "", 100, "3")), never, inZone(pod("last", "", 90, "1"), "n2")}, Limit: 1})
	assert.Equal(t, 2, plan.OneByOne.Victims, "%v", plan)
	assert.Equal(t, map[string]string{"large": "waits: Insufficient cpu on 1 of 1"}, fates(plan), "%v", plan)
	assert.Empty(t, plan.Placements[0].Victims, "%v", plan)
}

// A context that ends the search leaves a plan that knows what becomes of its victims, but not what keeps
// replacements away about which it ended; one that ends before is an error.
func TestContextWithMoves(t *testing.T) {
	snap, pods := waiting(t, 20, 8, 5)
	for _, p := range slices.Collect(snap.Pods()) {
		owned := *p
		require.NoError(t, errOf(snap.PutPod(ofSet(&owned))))
	}
	eval := must(engine.New(preemption.Config{}))
	ended, brief := 0, 0
	for left := 20; left < 1200; left += seeded.Sample(390, 170) {
		plan, err := joint.Preempt(&counting{context.Background(), left}, eval, snap, joint.Request{Pods: pods, Now: clustergen.Now(), Moves: &joint.LossCosts{}})
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			ended++
			continue
		}
		for _, v := range plan.Victims {
			require.Equal(t, v.Fate.Loss == joint.Moved, v.Fate.Node != "")
			if plan.Interrupted && v.Fate.Loss == joint.Waits {
				if v.Fate.String() == "waits: nobody asked for the reasons after the interruption" {
					brief++
				} else { // they were asked for before
					assert.Regexp(t, `^waits: .* on \d+ of 19$`, v.Fate.String())
				}
			}
		}
	}
	assert.Positive(t, ended)
	assert.Positive(t, brief)
}

// Ten pods move whose priority is higher than that of the ten that one by one are lost, in a cluster too large
// for the proof: the search by amounts looks at all victims where the cost comes before the priorities.
func TestTenMove(t *testing.T) {
	c := &outrank.Cluster{}
	var waiting []*outrank.Pod
	for i := range 10 {
		for _, kind := range []string{"shell", "web", "spare"} {
			n := &outrank.Node{Name: fmt.Sprint(kind, i), Allocatable: resource.MustList("cpu", "4", "pods", "10")}
			if kind == "spare" {
				n.Taints = []outrank.Taint{{Key: "spare", Effect: outrank.NoSchedule}}
			}
			c.Nodes = append(c.Nodes, n)
		}
		web := ofSet(pod(fmt.Sprint("web-", i), fmt.Sprint("web", i), 3, "4"))
		web.Tolerations = []outrank.Toleration{{Key: "spare", Operator: outrank.TolerationExists}}
		c.Pods = append(c.Pods, pod(fmt.Sprint("shell-", i), fmt.Sprint("shell", i), 1, "4"), web)
		waiting = append(waiting, pod(fmt.Sprint("w", i), "", 100, "4"))
	}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	plan := preemptMoving(t, snap, joint.Request{Pods: waiting, Limit: 800})
	assert.Equal(t, int64(1000), plan.OneByOne.Own["moves"])
	assert.Equal(t, int64(10), plan.Total.Own["moves"], "%v", plan)
	assert.Equal(t, int32(3), plan.Total.TopPriority)
	assert.Equal(t, int64(10), plan.Certificate.Bound.Own["moves"])
}
