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

// Ads has borrowed 2 cpu with pods of 3: only Kueue and YuniKorn let a whole one go (rules
// 24.5.2 to 24.5.4). With pods of 2 all do, and YuniKorn spares those above the preemptor.
func TestStyles(t *testing.T) {
	for _, tt := range []struct {
		size                   string
		keeps, kueue, yunikorn string
	}{
		{"3", "", "ads-1", "ads-1"},
		{"2", "ads-1", "ads-1", "ads-1"},
	} {
		for style, want := range map[tenancy.Style]string{"": tt.keeps, tenancy.Kueue: tt.kueue, tenancy.YuniKorn: tt.yunikorn} {
			rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf, Style: style}))
			var config preemption.Config
			rules.Use(&config)
			cluster := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "6", "pods", "9")}}}
			cluster.Pods = append(cluster.Pods, running("ads-1", "ads", tt.size, 0), running("ads-2", "ads", tt.size, 5))
			if tt.size == "2" {
				cluster.Pods = append(cluster.Pods, running("ads-3", "ads", tt.size, 9))
			}
			eval := must(engine.New(config))
			plan, err := eval.Preempt(context.Background(), must(engine.NewSnapshot(cluster)), preemption.Request{Pod: pending("search-1", "search", tt.size, 0), Now: now})
			require.NoError(t, err)
			got := ""
			if plan.Outcome == preemption.Preempts {
				got = plan.Victims[0].Pod.Name
			}
			assert.Equal(t, want, got, "style %d, pods of %s", style, tt.size)
		}
	}
	rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf, Style: tenancy.YuniKorn}))
	asker := pending("a", "search", "1", 5)
	assert.Equal(t, "reclaimed within the cohort", taken(rules, asker, running("b", "ads", "1", 5)))
	assert.Empty(t, taken(rules, asker, running("b", "ads", "1", 6)), "above the preemptor")
	assert.Empty(t, taken(rules, asker, running("b", "search", "1", 0)), "of its own queue")
}

// A queue that has no more than its own gives up nothing, not even a pod that has nothing
// of what its quota is of and is in the way by number alone (rule 24.5.2).
func TestWithinItsOwn(t *testing.T) {
	for _, style := range []tenancy.Style{"", tenancy.Kueue} {
		rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf, Style: style}))
		var config preemption.Config
		rules.Use(&config)
		snap := must(engine.NewSnapshot(&outrank.Cluster{
			Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "6", "pods", "1")}},
			Pods:  []*outrank.Pod{running("ads-1", "ads", "0", 0)},
		}))
		plan, err := must(engine.New(config)).Preempt(context.Background(), snap, preemption.Request{Pod: pending("search-1", "search", "1", 5), Now: now})
		require.NoError(t, err)
		require.Equal(t, preemption.NothingHelps, plan.Outcome)
		assert.Equal(t, []string{"ads would lose what is its own"}, plan.Unhelpful[0].Reasons)
	}
}

// Two containers whose requests change places count with 6 cpu by v1.36, of which ads has borrowed 2,
// and with 4, its own, by v1.37: the same rules count by the release of each cluster.
func TestRequestsByRelease(t *testing.T) {
	resized := running("ads-1", "ads", "1", 0)
	resized.Containers[0].Actual = resource.MustList("cpu", "3")
	resized.Containers = append(resized.Containers, outrank.Container{Requests: resource.MustList("cpu", "3"), Actual: resource.MustList("cpu", "1")})
	rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf, Style: tenancy.Kueue}))
	var config preemption.Config
	rules.Use(&config)
	preempt := func(of outrank.Release) (*preemption.Plan, error) {
		snap := must(engine.NewSnapshot(&outrank.Cluster{
			Release: of, Pods: []*outrank.Pod{resized},
			Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "9", "pods", "1")}},
		}))
		return must(engine.New(config)).Preempt(context.Background(), snap, preemption.Request{Pod: pending("search-1", "search", "1", 5), Now: now})
	}
	for _, tt := range []struct {
		of   outrank.Release
		want preemption.Outcome
	}{
		{outrank.V1_36, preemption.Preempts},
		{outrank.V1_37, preemption.NothingHelps},
		{0, preemption.NothingHelps},
		{outrank.V1_36, preemption.Preempts}, // what was counted for the others is not mixed in
	} {
		plan, err := preempt(tt.of)
		require.NoError(t, err)
		assert.Equal(t, tt.want, plan.Outcome, "of %v", tt.of)
	}
}

// A queue that has less than its own of one resource can give up what it has borrowed of
// another (rule 24.5.2).
func TestBorrowedOfOneResource(t *testing.T) {
	rules := must(tenancy.New(tenancy.Options{QueueOf: queueOf, Tree: must(tenancy.NewTree(tenancy.Config{
		Queues: []tenancy.Queue{
			{Name: "ads", Cohort: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "2", "memory", "8Gi")}},
			{Name: "search", Cohort: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "4", "memory", "8Gi")}, Policy: tenancy.Policy{Reclaim: tenancy.Anybody}},
		},
	}))}))
	var config preemption.Config
	rules.Use(&config)
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "4", "memory", "16Gi", "pods", "9")}},
		Pods:  []*outrank.Pod{running("ads-1", "ads", "2", 0), running("ads-2", "ads", "2", 0)},
	}))
	asker := pending("search-1", "search", "1", 5)
	asker.Containers[0].Requests["memory"] = resource.MustParse("1Gi")
	plan, err := must(engine.New(config)).Preempt(context.Background(), snap, preemption.Request{Pod: asker, Now: now})
	require.NoError(t, err)
	require.Equal(t, preemption.Preempts, plan.Outcome, "%v", plan)
	assert.Equal(t, "reclaimed within the cohort", plan.Victims[0].Rule)
}

// Up to which priority a queue may take while it borrows is said of other queues alone, and
// not of what leaves its own beside that (rule 24.3.5).
func TestWhileBorrowingAndWithin(t *testing.T) {
	zero := int32(0)
	rules := must(tenancy.New(tenancy.Options{QueueOf: queueOf, Tree: must(tenancy.NewTree(tenancy.Config{
		Cohorts: []tenancy.Cohort{{Name: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "4")}}},
		Queues: []tenancy.Queue{
			{Name: "ads", Cohort: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "0")}},
			{Name: "search", Cohort: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "0")},
				Policy: tenancy.Policy{Within: tenancy.Lower, Reclaim: tenancy.Lower, WhileBorrowing: true, BorrowUpTo: &zero}},
		},
	}))}))
	var config preemption.Config
	rules.Use(&config)
	for _, tt := range []struct {
		ads, search int32 // priorities
		want        int   // victims
	}{{0, 3, 2}, {1, 3, 0}} {
		snap := must(engine.NewSnapshot(&outrank.Cluster{
			Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "4", "pods", "9")}},
			Pods:  []*outrank.Pod{running("ads-1", "ads", "2", tt.ads), running("search-1", "search", "2", tt.search)},
		}))
		plan, err := must(engine.New(config)).Preempt(context.Background(), snap, preemption.Request{Pod: pending("search-2", "search", "4", 5), Now: now})
		require.NoError(t, err)
		assert.Len(t, plan.Victims, tt.want, "%+v: %v", tt, plan)
	}
}

// What is there for the cohort in which two queues meet gives neither of them a claim on the
// other: the preemptor's queue would have more than its own (rules 24.3.4 and 24.3.5).
func TestNoClaimWhereQueuesMeet(t *testing.T) {
	rules := must(tenancy.New(tenancy.Options{QueueOf: queueOf, Tree: must(tenancy.NewTree(tenancy.Config{
		Cohorts: []tenancy.Cohort{{Name: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "4")}}},
		Queues: []tenancy.Queue{
			{Name: "ads", Cohort: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "0")}},
			{Name: "search", Cohort: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "0")}, Policy: tenancy.Policy{Reclaim: tenancy.Anybody}},
		},
	}))}))
	var config preemption.Config
	rules.Use(&config)
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "4", "pods", "9")}},
		Pods:  []*outrank.Pod{running("ads-1", "ads", "4", 0)},
	}))
	plan, err := must(engine.New(config)).Preempt(context.Background(), snap, preemption.Request{Pod: pending("search-1", "search", "2", 5), Now: now})
	require.NoError(t, err)
	require.Equal(t, preemption.NothingHelps, plan.Outcome, "%v", plan)
	assert.Equal(t, []string{"queue search would have more than its own"}, plan.Unhelpful[0].Reasons)
}

// The second strategy is asked about each queue with one of its own pods back, whatever
// leaves from its neighbours (rule 24.5.5).
func TestSharesWithOnesOwnPodsBack(t *testing.T) {
	none := resource.MustList("cpu", "0")
	rules := must(tenancy.New(tenancy.Options{
		QueueOf: queueOf, Fair: &tenancy.Fair{Strategies: []tenancy.Strategy{tenancy.LessThanInitialShare}},
		Tree: must(tenancy.NewTree(tenancy.Config{
			Cohorts: []tenancy.Cohort{{Name: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "8")}}, {Name: "team", Parent: "shop"}},
			Queues: []tenancy.Queue{
				{Name: "search", Cohort: "shop", Quota: tenancy.Quota{Nominal: none}, Policy: tenancy.Policy{Reclaim: tenancy.Anybody}},
				{Name: "ads", Cohort: "team", Quota: tenancy.Quota{Nominal: none}}, {Name: "news", Cohort: "team", Quota: tenancy.Quota{Nominal: none}},
			},
		})),
	}))
	few, many := running("ads-1", "ads", "1", 0), running("news-1", "news", "4", 0)
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "8", "pods", "9")}
	snap := must(engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{node}, Pods: []*outrank.Pod{few, many}}))
	state := must(rules.Guard().Start([]*outrank.Pod{pending("search-1", "search", "3", 5)}, snap))
	state.Remove(many, node)
	assert.Empty(t, state.Check().Reasons, "3 of 8 are less than 4 and the 1 that stays")
	state.Remove(few, node)
	assert.Equal(t, []string{"queue search would have the larger share than team"}, state.Check().Reasons, "3 of 8 are more than 1")
}

// Pods of a job beyond those that may leave at once are farther away, beginning with the first
// of them (rule 24.6.3).
func TestClosestLeavesAJobAlone(t *testing.T) {
	for most, want := range map[int][]string{0: {"web-1", "web-2"}, 1: {"web-1", "db-1"}, 2: {"web-1", "web-2"}} {
		config := preemption.Config{
			Victims: tenancy.Closest(tenancy.Closeness{MaxParallel: func(p *outrank.Pod) (string, int) {
				return p.Name[:len(p.Name)-2], most
			}}),
		}
		snap := must(engine.NewSnapshot(&outrank.Cluster{
			Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "6", "pods", "9")}},
			Pods:  []*outrank.Pod{running("web-1", "", "2", 0), running("web-2", "", "2", 0), running("db-1", "", "1", 0)},
		}))
		plan, err := must(engine.New(config)).Preempt(context.Background(), snap, preemption.Request{Pod: pending("in", "", "4", 50), Now: now})
		require.NoError(t, err)
		var names []string
		for _, v := range plan.Victims {
			names = append(names, v.Pod.Name)
		}
		assert.ElementsMatch(t, want, names, "at most %d", most)
	}
}

// What YuniKorn asks of the queues (rule 24.5.4).
func TestYuniKorn(t *testing.T) {
	list := resource.MustList
	has := func(own string) resource.List {
		if own == "" {
			return nil
		}
		return list("cpu", own)
	}
	for _, tt := range []struct {
		name              string
		ads, team, search string // what is their own, empty for no quota
		size              string // of a victim; there are two, and the preemptor asks for 2
		memory            bool   // the victims use nothing but memory
		want              string
	}{
		{"the last one brings ads below", "3", "", "4", "2", false, "ads-1"},
		{"ads has no more than its own", "4", "", "4", "2", false, ""},
		{"ads has no quota, nor the cohort", "", "", "4", "2", false, "ads-1"},
		{"ads has no quota, and the cohort has more than its own", "", "3", "4", "2", false, "ads-1"},
		{"ads has no quota, and the cohort no more than its own", "", "4", "4", "2", false, ""},
		{"search would have more than its own", "3", "", "1", "2", false, ""},
		{"search takes more than it is short of", "3", "", "2", "3", false, ""},
		{"search takes what it is short of", "3", "", "3", "3", false, "ads-1"},
		{"victims have nothing that search asks for", "3", "", "4", "0", true, ""},
	} {
		tree := must(tenancy.NewTree(tenancy.Config{
			Cohorts: []tenancy.Cohort{{Name: "shop", Quota: tenancy.Quota{Nominal: list("cpu", "50", "memory", "1Gi")}}, {Name: "team", Parent: "shop", Quota: tenancy.Quota{Nominal: has(tt.team)}}},
			Queues:  []tenancy.Queue{{Name: "ads", Cohort: "team", Quota: tenancy.Quota{Nominal: has(tt.ads)}}, {Name: "search", Cohort: "shop", Quota: tenancy.Quota{Nominal: has(tt.search)}}},
		}))
		rules := must(tenancy.New(tenancy.Options{Tree: tree, QueueOf: queueOf, Style: tenancy.YuniKorn}))
		var config preemption.Config
		rules.Use(&config)
		cpu := tt.size
		if tt.memory {
			cpu = "2"
		}
		cluster := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n1", Allocatable: list("cpu", cpu, "memory", "8Gi", "pods", "9")}}}
		cluster.Nodes[0].Allocatable["cpu"] = resource.New(2 * must(resource.Parse(cpu)).Value())
		for i := range 2 {
			p := running(fmt.Sprint("ads-", i+1), "ads", tt.size, int32(i))
			if tt.memory {
				p.Containers[0].Requests = list("memory", "1Gi")
				cluster.Nodes[0].Allocatable["cpu"] = resource.New(1)
			}
			cluster.Pods = append(cluster.Pods, p)
		}
		plan, err := must(engine.New(config)).Preempt(context.Background(), must(engine.NewSnapshot(cluster)), preemption.Request{Pod: pending("search-1", "search", "2", 5), Now: now})
		require.NoError(t, err)
		got := ""
		if plan.Outcome == preemption.Preempts {
			got = plan.Victims[0].Pod.Name
		}
		assert.Equal(t, tt.want, got, "%s: %v", tt.name, plan.Unhelpful)
	}
}

// A preemptor of a queue that is not there is an error that names it.
func TestUnknownQueue(t *testing.T) {
	rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf}))
	var config preemption.Config
	rules.Use(&config)
	_, err := must(engine.New(config)).Preempt(context.Background(), lent(), preemption.Request{Pod: pending("lost", "none", "1", 5), Now: now})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, `pod default/lost: queue: there is no queue "none"`)
}

// Flavors of a resource add up in a share, and it takes one workload with enough of all of them
// (rules 24.4.1 and 24.5.5).
func TestSharesOfFlavorsWithOneBack(t *testing.T) {
	uses := map[string]resource.List{
		"x": resource.MustList("gpu@a", "3"), "y": resource.MustList("gpu@b", "3"), "both": resource.MustList("gpu@a", "3", "gpu@b", "3"),
		"search-1": resource.MustList("gpu@a", "4"),
	}
	rules := must(tenancy.New(tenancy.Options{
		QueueOf: queueOf, Fair: &tenancy.Fair{Strategies: []tenancy.Strategy{tenancy.LessThanInitialShare}},
		Uses: func(p *outrank.Pod) resource.List { return uses[p.Name] },
		Tree: must(tenancy.NewTree(tenancy.Config{
			Cohorts: []tenancy.Cohort{{Name: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("gpu@a", "10", "gpu@b", "10")}}},
			Queues: []tenancy.Queue{
				{Name: "search", Cohort: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("gpu@a", "0")}, Policy: tenancy.Policy{Reclaim: tenancy.Anybody}},
				{Name: "ads", Cohort: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("gpu@a", "0", "gpu@b", "0")}},
			},
		})),
	}))
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "8", "pods", "9")}
	batch := &outrank.PodGroup{Name: "batch", DisruptionMode: outrank.DisruptPodGroup, Priority: outrank.Priority(0)}
	for _, tt := range []struct {
		name, group string
		pods        []string
		refused     bool
	}{
		{"two workloads, a flavor each", "", []string{"x", "y"}, true},
		{"one workload with both", "", []string{"x", "both"}, false},
		{"two pods that leave together", "batch", []string{"x", "y"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &outrank.Cluster{Release: groupsOn, Nodes: []*outrank.Node{node}, Groups: []*outrank.PodGroup{batch}}
			for _, name := range tt.pods {
				p := running(name, "ads", "1", 0)
				p.Group = tt.group
				c.Pods = append(c.Pods, p)
			}
			state := must(rules.Guard().Start([]*outrank.Pod{pending("search-1", "search", "1", 5)}, must(engine.NewSnapshot(c))))
			for _, p := range c.Pods {
				state.Remove(p, node)
			}
			assert.Equal(t, tt.refused, len(state.Check().Reasons) > 0)
		})
	}
}

// taken is the rule by which a pod may be taken, empty for none.
func taken(rules *tenancy.Rules, preemptor, victim *outrank.Pod) string {
	rule, ok := rules.Take(preemptor, victim)
	if ok != (rule != "") {
		panic("a rule without a name, or the name of none")
	}
	return rule
}
