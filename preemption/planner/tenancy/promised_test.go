package tenancy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// roomy are two empty nodes with room for more than the quotas of the shop, where search may not
// borrow, and nobody takes from their own.
func roomy(t testing.TB) (*engine.Evaluator, *engine.Snapshot) {
	t.Helper()
	config := shop()
	config.Queues[1].BorrowLimit, config.Queues[1].Policy.Within = resource.MustList("cpu", "0"), tenancy.Nobody
	rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(config)), QueueOf: queueOf}))
	var c preemption.Config
	rules.Use(&c)
	cluster := &outrank.Cluster{Release: groupsOn, Groups: []*outrank.PodGroup{{Name: "rank", Policy: outrank.GangPolicy, MinCount: 2, Priority: outrank.Priority(5)}}}
	for _, name := range []string{"n1", "n2"} {
		cluster.Nodes = append(cluster.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "9", "pods", "9")})
	}
	return must(engine.New(c)), must(engine.NewSnapshot(cluster))
}

// ranks is a gang of search.
func ranks(cpu ...string) (pods []*outrank.Pod) {
	for i, amount := range cpu {
		p := pending(fmt.Sprint("rank-", i), "search", amount, 5)
		p.Group = "rank"
		pods = append(pods, p)
	}
	return pods
}

// promise nominates a pod.
func promise(t testing.TB, snap *engine.Snapshot, p *outrank.Pod, node string) {
	t.Helper()
	require.NoError(t, errOf(snap.PutPod(p)))
	require.NoError(t, snap.Nominate(p.Key(), node))
}

// Of 4 cpu that search may have, a nominated pod keeps what it asks for, whichever node it waits
// for and whatever its priority, until it runs and afterwards: it counts once (rule 24.5.9).
func TestPromisedQuota(t *testing.T) {
	for _, priority := range []int32{0, 5, 9} {
		for _, tracked := range []bool{false, true} {
			eval, kept := roomy(t)
			snap := kept
			outcomes := func() (out []preemption.Outcome) {
				if !tracked {
					snap = must(engine.NewSnapshot(kept.Cluster())) // which counts anew
				}
				for _, cpu := range []string{"1", "2"} {
					plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pending("search-2", "search", cpu, 5), Now: now})
					require.NoError(t, err)
					group, err := eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: ranks("500m", map[string]string{"1": "500m", "2": "1500m"}[cpu]), Now: now})
					require.NoError(t, err)
					require.Equal(t, plan.Outcome, group.Outcome)
					out = append(out, plan.Outcome)
				}
				return out
			}
			assert.Equal(t, []preemption.Outcome{preemption.Fits, preemption.Fits}, outcomes())
			p := pending("search-1", "search", "3", priority)
			promise(t, kept, p, "n1")
			want := []preemption.Outcome{preemption.Fits, preemption.NothingHelps}
			assert.Equal(t, want, outcomes(), "nominated")
			require.NoError(t, kept.Nominate(p.Key(), "n2"))
			assert.Equal(t, want, outcomes(), "nominated to another node")
			require.NoError(t, kept.Bind(p.Key(), "n2"))
			assert.Equal(t, want, outcomes(), "running")
			require.NoError(t, kept.RemovePod(p.Key()))
			assert.Equal(t, []preemption.Outcome{preemption.Fits, preemption.Fits}, outcomes(), "gone")
		}
	}
}

// What is promised to a pod, or to a gang, is not in its own way when it asks again.
func TestPromisedToOneself(t *testing.T) {
	eval, snap := roomy(t)
	p := pending("search-1", "search", "4", 5)
	promise(t, snap, p, "n1")
	plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: now})
	require.NoError(t, err)
	assert.Equal(t, preemption.Fits, plan.Outcome)

	eval, snap = roomy(t)
	gang := ranks("2", "2")
	promise(t, snap, gang[0], "n1")
	promise(t, snap, gang[1], "n2")
	group, err := eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: gang, Now: now})
	require.NoError(t, err)
	assert.Equal(t, preemption.Fits, group.Outcome)
}

// Whoever asks first gets the quota, and what is left does not depend on the order: two single
// pods, two pods of which one is taken back, a gang and a pod.
func TestPromisesInAnyOrder(t *testing.T) {
	gang := ranks("1500m", "1500m")
	asks := map[string][]*outrank.Pod{
		"three": {pending("three", "search", "3", 5)},
		"two":   {pending("two", "search", "2", 9)},
		"one":   {pending("one", "search", "1", 0)},
		"gang":  gang,
	}
	fits := func(t *testing.T, eval *engine.Evaluator, snap *engine.Snapshot, name string) bool {
		pods := asks[name]
		if len(pods) == 1 {
			plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pods[0], Now: now})
			require.NoError(t, err)
			if plan.Outcome == preemption.Fits {
				promise(t, snap, pods[0], "n1")
			}
			return plan.Outcome == preemption.Fits
		}
		plan, err := eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: now})
		require.NoError(t, err)
		if plan.Outcome == preemption.Fits {
			for _, a := range plan.Placement {
				promise(t, snap, a.Pod, a.Node)
			}
		}
		return plan.Outcome == preemption.Fits
	}
	for _, order := range [][]string{
		{"three", "two", "one"}, {"two", "three", "one"}, {"one", "three", "two"}, {"one", "two", "three"},
		{"gang", "two", "one"}, {"two", "gang", "one"}, {"one", "gang", "two"}, {"gang", "three", "one"}, {"three", "gang", "one"},
	} {
		eval, snap := roomy(t)
		milli := int64(0)
		for _, name := range order {
			asked := int64(0)
			for _, p := range asks[name] {
				asked += p.RunningRequests(outrank.DefaultRelease).Amount(resource.CPU)
			}
			want := milli+asked <= 4000
			require.Equal(t, want, fits(t, eval, snap, name), "%v: %s", order, name)
			if want {
				milli += asked
			}
		}
		kept := int64(0)
		for p := range snap.Nominated() {
			kept += p.RunningRequests(outrank.DefaultRelease).Amount(resource.CPU)
		}
		require.Equal(t, milli, kept, "%v", order)
	}
}

// A queue has more than its own by what is promised to it, and its running pods give way for
// that, to a single pod and to a gang.
func TestPromisedCountsAsBorrowed(t *testing.T) {
	for _, waiting := range []string{"", "2"} {
		rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf}))
		var config preemption.Config
		rules.Use(&config)
		eval := must(engine.New(config))
		snap := must(engine.NewSnapshot(&outrank.Cluster{
			Release: groupsOn,
			Groups:  []*outrank.PodGroup{{Name: "rank", Policy: outrank.GangPolicy, MinCount: 1, Priority: outrank.Priority(5)}},
			Nodes: []*outrank.Node{
				{Name: "n1", Allocatable: resource.MustList("cpu", "4", "pods", "9")}, {Name: "n2", Allocatable: resource.MustList("cpu", "2", "pods", "9")},
			},
			Pods: []*outrank.Pod{running("ads-1", "ads", "2", 9), running("ads-2", "ads", "2", 9)},
		}))
		want := 0
		if waiting != "" {
			promise(t, snap, pending("ads-3", "ads", waiting, 20), "n2")
			want = 1
		}
		plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pending("search-1", "search", "2", 5), Now: now})
		require.NoError(t, err)
		if waiting == "" {
			require.Equal(t, preemption.Fits, plan.Outcome)
		}
		require.Len(t, plan.Victims, want, "%v", plan)
		group, err := eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: ranks("2"), Now: now})
		require.NoError(t, err)
		require.Equal(t, plan.Outcome, group.Outcome)
		require.Len(t, group.Victims, want)
	}
}

// On the node that it is nominated to, where the filters are asked with it and without, it counts
// once, too.
func TestPromisedCountsOnce(t *testing.T) {
	eval, snap := roomy(t)
	require.NoError(t, snap.RemoveNode("n2"))
	promise(t, snap, pending("search-1", "search", "3", 9), "n1")
	plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pending("search-2", "search", "1", 5), Now: now})
	require.NoError(t, err)
	require.Equal(t, preemption.Fits, plan.Outcome)
	group, err := eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: ranks("500m", "500m"), Now: now})
	require.NoError(t, err)
	require.Equal(t, preemption.Fits, group.Outcome)
}
