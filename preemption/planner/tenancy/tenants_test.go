package tenancy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/preemption/preemptiontest/filtertest"
	"github.com/outrank-go/outrank/resource"
)

func queueOf(p *outrank.Pod) string { return p.Labels["queue"] }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// drawTree draws a few queues in one or two cohorts, some of which own little.
func drawTree(t *rapid.T) tenancy.Config {
	amount := func(label string, most int) resource.List {
		l := resource.MustList("cpu", fmt.Sprint(rapid.IntRange(0, most).Draw(t, label)))
		if rapid.Bool().Draw(t, label+" of memory") {
			l["memory"] = resource.MustParse(fmt.Sprintf("%dGi", rapid.IntRange(0, most).Draw(t, label)))
		}
		return l
	}
	c := tenancy.Config{Cohorts: []tenancy.Cohort{{Name: "north", Parent: "all"}, {Name: "all", Quota: tenancy.Quota{Nominal: amount("shared", 8)}}}}
	for _, name := range []string{"a", "b", "c", "d"} {
		q := tenancy.Queue{
			Name: name, Cohort: rapid.SampledFrom([]string{"all", "all", "north", ""}).Draw(t, "cohort"), Quota: tenancy.Quota{Nominal: amount("own", 12)},
			Policy: tenancy.Policy{
				Within:         rapid.SampledFrom([]tenancy.Take{tenancy.Nobody, tenancy.Lower, tenancy.LowerOrNewer, tenancy.Anybody}).Draw(t, "within"),
				Reclaim:        rapid.SampledFrom([]tenancy.Take{tenancy.Nobody, tenancy.Lower, tenancy.Anybody, tenancy.Anybody}).Draw(t, "reclaim"),
				WhileBorrowing: rapid.Bool().Draw(t, "while borrowing"),
			},
		}
		if rapid.IntRange(0, 3).Draw(t, "limits") == 0 {
			q.BorrowLimit, q.LendLimit = amount("borrow", 12), amount("lend", 8)
		}
		c.Queues = append(c.Queues, q)
	}
	return c
}

// drawTenants draws full nodes of pods in queues, and a pod that wants a place.
func drawTenants(t *rapid.T) (*outrank.Cluster, func(name string) *outrank.Pod) {
	pod := func(name, node string) *outrank.Pod {
		p := &outrank.Pod{Name: name, NodeName: node, Labels: map[string]string{}, Priority: outrank.Priority(int32(rapid.IntRange(0, 3).Draw(t, "priority")))}
		requests := resource.MustList("cpu", fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "cpu")))
		if rapid.IntRange(0, 2).Draw(t, "has memory") == 0 {
			requests["memory"] = resource.MustParse(fmt.Sprintf("%dGi", rapid.IntRange(0, 3).Draw(t, "memory")))
		}
		p.Containers = []outrank.Container{{Requests: requests}}
		if q := rapid.SampledFrom([]string{"a", "b", "c", "d", "a", "b", ""}).Draw(t, "queue"); q != "" {
			p.Labels["queue"] = q
		}
		if node != "" {
			p.StartTime = gen.Now.Add(-time.Duration(rapid.IntRange(1, 9).Draw(t, "age")) * time.Hour)
		}
		return p
	}
	c := &outrank.Cluster{}
	for n := range rapid.IntRange(1, 4).Draw(t, "nodes") {
		node := &outrank.Node{Name: fmt.Sprint("n", n)}
		cpu := int64(0)
		for i := range rapid.IntRange(1, 5).Draw(t, "pods") {
			p := pod(fmt.Sprintf("p%d-%d", n, i), node.Name)
			cpu += p.Containers[0].Requests.Amount(resource.CPU)
			c.Pods = append(c.Pods, p)
		}
		node.Allocatable = resource.List{"cpu": resource.NewMilli(cpu), "memory": resource.MustParse("64Gi"), "pods": resource.New(20)}
		c.Nodes = append(c.Nodes, node)
	}
	return c, func(name string) *outrank.Pod { return pod(name, "") }
}

// drawRules draws rules over a tree.
func drawRules(t *rapid.T, config tenancy.Config) (*tenancy.Rules, tenancy.Options) {
	o := tenancy.Options{
		Tree: must(tenancy.NewTree(config)), QueueOf: queueOf,
		Style: rapid.SampledFrom([]tenancy.Style{"", "", tenancy.Kueue, tenancy.YuniKorn}).Draw(t, "style"),
	}
	if o.Style != tenancy.YuniKorn && rapid.IntRange(0, 2).Draw(t, "fair") == 0 {
		o.Fair = &tenancy.Fair{Strategies: rapid.SampledFrom([][]tenancy.Strategy{
			nil, {tenancy.LessThanOrEqualToFinalShare}, {tenancy.LessThanInitialShare},
		}).Draw(t, "strategies"), SharesAlone: rapid.Bool().Draw(t, "shares alone")}
	}
	return must(tenancy.New(o)), o
}

// used sums up by queue what running pods request, in the plainest way.
func used(snap *engine.Snapshot) map[string]resource.List {
	out := map[string]resource.List{}
	for n := range snap.Nodes() {
		for _, p := range snap.PodsOn(n.Name) {
			if q := queueOf(p); q != "" {
				out[q] = out[q].Plus(p.RunningRequests(outrank.DefaultRelease))
			}
		}
	}
	return out
}

// keepTheirOwn checks that no queue but the preemptor's has lost what is its own, of what
// the preemptor asks for.
func keepTheirOwn(t *rapid.T, config tenancy.Config, p *outrank.Pod, before, after map[string]resource.List) {
	asked := p.RunningRequests(outrank.DefaultRelease)
	for _, q := range config.Queues {
		if q.Name == queueOf(p) {
			continue
		}
		for _, name := range []resource.Name{resource.CPU, resource.Memory} {
			if asked.Amount(name) == 0 {
				continue // rule 24.3.8
			}
			own, had, has := q.Nominal.Amount(name), before[q.Name].Amount(name), after[q.Name].Amount(name)
			require.GreaterOrEqual(t, has, min(own, had), "queue %s has %d of %s, had %d, and %d is its own", q.Name, has, name, had, own)
		}
	}
}

// Step after step, no tenant falls below its quota because of a decision, whatever the
// policies and shares say.
func TestPropertyTenantsKeepTheirOwn(t *testing.T) {
	taken, across := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		config := drawTree(t)
		o := tenancy.Options{Tree: must(tenancy.NewTree(config)), QueueOf: queueOf}
		if rapid.Bool().Draw(t, "fair") {
			o.Fair = &tenancy.Fair{SharesAlone: rapid.Bool().Draw(t, "shares alone")}
		}
		var c preemption.Config
		must(tenancy.New(o)).Use(&c)
		e := must(engine.New(c))
		cluster, pod := drawTenants(t)
		snap := must(engine.NewSnapshot(cluster))
		for step := range 4 {
			p := pod(fmt.Sprint("preemptor", step))
			before := used(snap)
			ex, err := e.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			for i := range ex.Candidates {
				gone := snap.Clone()
				for _, v := range ex.Candidates[i].Victims {
					require.NotEmpty(t, v.Rule)
					require.NoError(t, gone.RemovePod(v.Pod.Key()))
				}
				keepTheirOwn(t, config, p, before, used(gone))
				taken += len(ex.Candidates[i].Victims)
				for _, v := range ex.Candidates[i].Victims {
					if queueOf(v.Pod) != queueOf(p) {
						across++
					}
				}
			}
			plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			require.NoError(t, e.Verify(context.Background(), snap, plan))
			if plan.Outcome != preemption.Preempts {
				continue
			}
			for _, v := range plan.Victims {
				require.NoError(t, snap.RemovePod(v.Pod.Key()))
			}
			keepTheirOwn(t, config, p, before, used(snap))
			running := *p
			running.NodeName = plan.Node
			require.NoError(t, errOf(snap.PutPod(&running)))
		}
	})
	require.Positive(t, taken)
	require.Positive(t, across)
}

// The fast search, the search of all nodes and Verify agree under any of these rules, whether
// the cluster is counted for them or has been before it changed.
func TestPropertyTenantsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, _ := drawRules(t, drawTree(t))
		var c preemption.Config
		rules.Use(&c)
		if rapid.Bool().Draw(t, "guard alone") {
			c.Eligibility = preemption.Eligibility{} // so that not every node is evaluated
		}
		e := must(engine.New(c))
		cluster, pod := drawTenants(t)
		p := pod("preemptor")
		snap := must(engine.NewSnapshot(cluster))
		ex, err := e.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.NoError(t, e.Verify(context.Background(), snap, plan))
		want := *plantest.Unexplained(ex)
		want.Unhelpful, plan.Unhelpful = nil, nil
		require.Empty(t, testdiff.Diff(&want, plan), "(-explained +searched)")
		for q := range snap.Pods() {
			if rapid.Bool().Draw(t, "leaves") {
				require.NoError(t, snap.RemovePod(q.Key()))
			}
		}
		tracked, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		counted, err := e.Preempt(context.Background(), must(engine.NewSnapshot(snap.Cluster())), preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		counted.Unhelpful, tracked.Unhelpful = nil, nil
		require.Empty(t, testdiff.Diff(counted, tracked), "(-counted +tracked)")
	})
}

// Guard and filter keep their contracts in every style.
func TestTenantsKeepTheirContracts(t *testing.T) {
	one := int32(0)
	config := tenancy.Config{Cohorts: []tenancy.Cohort{{Name: "all", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "100m")}}}}
	for i, name := range []string{"a", "b", "c"} {
		config.Queues = append(config.Queues, tenancy.Queue{
			Name: name, Cohort: "all", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", fmt.Sprintf("%d00m", 1+i), "memory", "4Gi"), BorrowLimit: resource.MustList("cpu", "200m")},
			Policy: tenancy.Policy{Within: tenancy.Lower, Reclaim: tenancy.Anybody, WhileBorrowing: i == 1, BorrowUpTo: &one},
		})
	}
	prepare := func(c *outrank.Cluster, pod *outrank.Pod) {
		r := rand.New(rand.NewPCG(uint64(len(c.Pods)), 1))
		for _, p := range append(slices.Clone(c.Pods), pod) {
			p.Labels["queue"] = []string{"a", "b", "c"}[r.IntN(3)]
		}
	}
	clusters := seeded.Sample(4, seeded.Checks()/10)
	for _, o := range []tenancy.Options{{}, {Style: tenancy.Kueue}, {Style: tenancy.YuniKorn}, {Fair: &tenancy.Fair{}}, {Style: tenancy.Kueue, Fair: &tenancy.Fair{SharesAlone: true}}} {
		o.Tree, o.QueueOf = must(tenancy.NewTree(config)), queueOf
		rules := must(tenancy.New(o))
		t.Run(fmt.Sprint(o.Style, o.Fair != nil), func(t *testing.T) {
			require.NoError(t, filtertest.CheckGuard(rules.Guard(), filtertest.Options{Prepare: prepare, Clusters: clusters}))
			require.NoError(t, filtertest.Check(rules.Filter(), filtertest.Options{Prepare: prepare, Clusters: clusters}))
		})
	}
}

// A guard says of a group what it says of one pod that asks for all of it, of the lowest priority.
func TestPropertyGroupsAskAsOne(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		config := drawTree(t)
		cluster, ask := drawTenants(t)
		uses := map[string]resource.List{}
		rules := must(tenancy.New(tenancy.Options{
			Tree: must(tenancy.NewTree(config)), QueueOf: queueOf,
			Style: rapid.SampledFrom([]tenancy.Style{"", tenancy.Kueue, tenancy.YuniKorn}).Draw(t, "style"),
			Uses: func(p *outrank.Pod) resource.List {
				if l, ok := uses[p.Name]; ok {
					return l
				}
				return p.RunningRequests(outrank.DefaultRelease)
			},
		}))
		one := *ask("whole")
		one.Labels = map[string]string{"queue": rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "of")}
		var gang []*outrank.Pod
		sum := resource.List{}
		for i := range rapid.IntRange(1, 4).Draw(t, "members") {
			p := one
			p.Name = fmt.Sprint("member-", i)
			p.Priority = outrank.Priority(one.PriorityValue() + int32(i%2))
			uses[p.Name] = ask("like").Requests()
			sum = sum.Plus(uses[p.Name])
			gang = append(gang, &p)
		}
		uses["whole"] = sum
		snap := must(engine.NewSnapshot(cluster))
		whole, group := must(rules.Guard().Start([]*outrank.Pod{&one}, snap)), must(rules.Guard().Start(gang, snap))
		var away []*outrank.Pod
		for _, p := range cluster.Pods {
			node, there := snap.Node(p.NodeName)
			if !there || !rapid.Bool().Draw(t, "leaves") {
				continue
			}
			whole.Remove(p, node)
			group.Remove(p, node)
			away = append(away, p)
			require.Equal(t, whole.Check(), group.Check())
			if len(whole.Check().Reasons) > 0 {
				refused++
			}
			for _, v := range away {
				require.Equal(t, whole.Rule(v), group.Rule(v))
			}
		}
	})
	require.Positive(t, refused)
}

// The pods of a group ask one queue.
func TestGroupOfTwoQueues(t *testing.T) {
	rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf}))
	for _, other := range []string{"ads", ""} {
		_, err := rules.Guard().Start([]*outrank.Pod{pending("x", "search", "1", 1), pending("y", other, "1", 1)}, lent())
		require.ErrorIs(t, err, outrank.ErrInvalid)
		require.ErrorContains(t, err, "pod default/y: queue: ")
		require.ErrorContains(t, err, "pod default/x of the same group is in \"search\"")
	}
	state, err := rules.Guard().Start([]*outrank.Pod{pending("x", "", "1", 1), pending("y", "", "1", 1)}, lent())
	require.NoError(t, err)
	require.Nil(t, state)
}

// errOf is the error of a call that returns something beside it.
func errOf[T any](_ T, err error) error { return err }

// Rules have one filter at all times, and rules that New has not made decide as well.
func TestFilterIsTheSame(t *testing.T) {
	options := tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf}
	made := must(tenancy.New(options))
	assert.Same(t, made.Filter(), made.At(now).Filter())
	assert.Same(t, made.Filter(), made.At(now).At(now.Add(time.Hour)).Filter())

	literal := &tenancy.Rules{Options: options}
	assert.Same(t, literal.Filter(), literal.At(now).Filter())
	var plans []*preemption.Plan
	for _, rules := range []*tenancy.Rules{made, literal, literal.At(now)} {
		var config preemption.Config
		rules.Use(&config)
		plans = append(plans, must(must(engine.New(config)).Preempt(context.Background(), lent(), preemption.Request{Pod: pending("search-2", "search", "4", 80), Now: now})))
	}
	require.Equal(t, preemption.Preempts, plans[0].Outcome)
	for _, plan := range plans[1:] {
		assert.Equal(t, plans[0].String(), plan.String())
	}
}
