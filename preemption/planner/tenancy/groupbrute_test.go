package tenancy_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// drawForest draws a few queues in cohorts within cohorts, with all that a tree can say.
func drawForest(t *rapid.T) tenancy.Config {
	amount := func(label string, most int) resource.List {
		l := resource.MustList("cpu", fmt.Sprint(rapid.IntRange(0, most).Draw(t, label)))
		if rapid.IntRange(0, 2).Draw(t, label+" of memory") == 0 {
			l["memory"] = resource.MustParse(fmt.Sprintf("%dGi", rapid.IntRange(0, most).Draw(t, label)))
		}
		return l
	}
	limit := func(label string) resource.List {
		if rapid.IntRange(0, 3).Draw(t, label+" is limited") > 0 {
			return nil
		}
		return amount(label, 6)
	}
	weight := func() *float64 {
		if rapid.IntRange(0, 2).Draw(t, "weighs") > 0 {
			return nil
		}
		w := float64(rapid.IntRange(0, 3).Draw(t, "weight"))
		return &w
	}
	c := tenancy.Config{Cohorts: []tenancy.Cohort{{Name: "all", Quota: tenancy.Quota{Nominal: amount("shared", 12)}}}}
	for i, name := range []string{"north", "south"} {
		c.Cohorts = append(c.Cohorts, tenancy.Cohort{
			Name: name, Parent: rapid.SampledFrom([]string{"all", "all", "north"}[:2+i]).Draw(t, "parent"),
			Quota: tenancy.Quota{Nominal: amount("own of "+name, 3), BorrowLimit: limit("borrow of " + name), LendLimit: limit("lend of " + name), Weight: weight()},
		})
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		q := tenancy.Queue{
			Name: name, Cohort: rapid.SampledFrom([]string{"all", "north", "south", "south"}).Draw(t, "cohort"), Quota: tenancy.Quota{Nominal: amount("own", 8),
				BorrowLimit: limit("borrow"), LendLimit: limit("lend"), Weight: weight()},
			Policy: tenancy.Policy{
				Within:         rapid.SampledFrom([]tenancy.Take{tenancy.Lower, tenancy.LowerOrNewer, tenancy.Anybody, tenancy.Nobody}).Draw(t, "within"),
				Reclaim:        rapid.SampledFrom([]tenancy.Take{tenancy.Anybody, tenancy.Lower, tenancy.Anybody, tenancy.Lower, tenancy.Nobody}).Draw(t, "reclaim"),
				WhileBorrowing: rapid.Bool().Draw(t, "while borrowing"),
			},
		}
		if rapid.IntRange(0, 3).Draw(t, "up to") == 0 {
			up := int32(rapid.IntRange(0, 3).Draw(t, "priority"))
			q.Policy.BorrowUpTo = &up
		}
		c.Queues = append(c.Queues, q)
	}
	return c
}

// drawCourt draws a small cluster that is full of pods of these queues, some of which leave
// together or wait for their nodes, and a gang.
func drawCourt(t *rapid.T) (*court, *outrank.Cluster) {
	c := &court{config: drawForest(t), style: rapid.SampledFrom([]tenancy.Style{"", tenancy.Kueue, tenancy.YuniKorn}).Draw(t, "style")}
	if c.style != tenancy.YuniKorn && rapid.IntRange(0, 2).Draw(t, "fair") == 0 {
		c.fair = &tenancy.Fair{Strategies: rapid.SampledFrom([][]tenancy.Strategy{
			nil, {tenancy.LessThanOrEqualToFinalShare}, {tenancy.LessThanInitialShare},
		}).Draw(t, "strategies"), SharesAlone: rapid.Bool().Draw(t, "shares alone")}
	}
	queues := []string{"a", "b", "c", "d"}
	pod := func(name, queue string, priority int32) *outrank.Pod {
		requests := resource.MustList("cpu", fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "cpu")))
		if rapid.IntRange(0, 2).Draw(t, "has memory") == 0 {
			requests["memory"] = resource.MustParse(fmt.Sprintf("%dGi", rapid.IntRange(0, 3).Draw(t, "memory")))
		}
		p := &outrank.Pod{Name: name, Labels: map[string]string{"queue": queue}, Priority: outrank.Priority(priority)}
		p.Containers = []outrank.Container{{Requests: requests}}
		return p
	}
	priority := func() int32 { return int32(rapid.IntRange(0, 3).Draw(t, "priority")) }
	cluster := &outrank.Cluster{Release: groupsOn}
	wholes := map[string]int32{"whole-1": priority(), "whole-2": priority()}
	whose := map[string]string{"whole-1": rapid.SampledFrom(queues).Draw(t, "whose"), "whole-2": rapid.SampledFrom(queues).Draw(t, "whose")}
	for _, name := range []string{"whole-1", "whole-2"} {
		own := wholes[name]
		cluster.Groups = append(cluster.Groups, &outrank.PodGroup{Name: name, DisruptionMode: outrank.DisruptPodGroup, Priority: &own})
	}
	for n := range rapid.IntRange(1, 3).Draw(t, "nodes") {
		node := &outrank.Node{Name: fmt.Sprint("n", n)}
		cpu := int64(0)
		for i := range rapid.IntRange(1, 4).Draw(t, "pods") {
			p := pod(fmt.Sprintf("p%d-%d", n, i), rapid.SampledFrom(queues).Draw(t, "queue"), priority())
			p.StartTime = gen.Now.Add(-time.Duration(rapid.IntRange(1, 4).Draw(t, "age")) * time.Hour)
			if group := rapid.SampledFrom([]string{"", "", "whole-1", "whole-2"}).Draw(t, "group"); group != "" {
				p.Group, p.Priority = group, outrank.Priority(wholes[group])
				if rapid.IntRange(0, 4).Draw(t, "of the group's queue") > 0 {
					p.Labels["queue"] = whose[group]
				}
			}
			p.NodeName = node.Name
			c.running = append(c.running, p)
			cpu += p.RunningRequests(outrank.DefaultRelease).Amount(resource.CPU)
		}
		if rapid.IntRange(0, 3).Draw(t, "promised") == 0 {
			p := pod("waits-"+node.Name, rapid.SampledFrom(queues).Draw(t, "queue"), priority())
			p.NominatedNodeName = node.Name
			c.waiting = append(c.waiting, p)
		}
		cpu += int64(rapid.IntRange(0, 2).Draw(t, "free")) * 1000
		node.Allocatable = resource.List{"cpu": resource.NewMilli(cpu), "memory": resource.MustParse("8Gi"), "pods": resource.New(5)}
		cluster.Nodes = append(cluster.Nodes, node)
	}
	own, queue := 1+priority(), rapid.SampledFrom(queues).Draw(t, "gang of")
	members := rapid.IntRange(1, 3).Draw(t, "members")
	for i := range members {
		p := pod(fmt.Sprint("rank-", i), queue, own)
		if p.Containers[0].Requests.Amount(resource.CPU) > 2000 {
			p.Containers[0].Requests["cpu"] = resource.New(1)
		}
		p.Group = "rank"
		c.gang = append(c.gang, p)
	}
	cluster.Groups = append(cluster.Groups, &outrank.PodGroup{Name: "rank", Policy: outrank.GangPolicy, MinCount: int32(members), Priority: &own})
	c.nodes, cluster.Pods = cluster.Nodes, slices.Concat(c.running, c.waiting)
	return c, cluster
}

// toldOf is what PreemptGroup says, as the court does.
func toldOf(plan *preemption.GroupPlan) verdict {
	v := verdict{Outcome: string(plan.Outcome)}
	if plan.Unhelpful != nil && plan.Unhelpful.Guard.Code != preemption.Success {
		v.Guard = plan.Unhelpful.Guard.Reasons[0]
	}
	if plan.Placement != nil {
		v.At = map[string]string{}
	}
	for _, a := range plan.Placement {
		v.At[a.Pod.Name] = a.Node
	}
	for unit := range plan.Units() {
		name := unit[0].Pod.Name
		if unit[0].Group != nil {
			name = unit[0].Group.Name
		}
		v.Victims = append(v.Victims, name+" by "+unit[0].Rule)
	}
	return v
}

// usedOrPromised is used with what is kept for nominated pods.
func usedOrPromised(snap *engine.Snapshot) map[string]resource.List {
	out := used(snap)
	for p := range snap.Nominated() {
		out[queueOf(p)] = out[queueOf(p)].Plus(p.RunningRequests(outrank.DefaultRelease))
	}
	return out
}

// Over trees with all that they can say, each style and shares, a gang gets what the court says,
// and no queue falls below its quota where the style keeps it.
func TestPropertyGangsAgreeWithTheCourt(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		c, cluster := drawCourt(t)
		rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(c.config)), QueueOf: queueOf, Style: c.style, Fair: c.fair}))
		var config preemption.Config
		rules.Use(&config)
		eval, snap := must(engine.New(config)), must(engine.NewSnapshot(cluster))
		want := c.decide()
		for _, counted := range []string{"now", "before"} {
			plan, err := eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: c.gang, Now: gen.Now})
			require.NoError(t, err)
			require.Empty(t, testdiff.Diff(want, toldOf(plan)), "counted %s (-court +engine)", counted)
			if plan.Outcome != preemption.Preempts {
				continue
			}
			require.NoError(t, eval.Verify(context.Background(), snap, plan))
			if c.style == "" {
				gone := snap.Clone()
				for _, v := range plan.Victims {
					require.NoError(t, gone.RemovePod(v.Pod.Key()))
				}
				whole := *c.gang[0]
				whole.Containers = nil
				for _, p := range c.gang {
					whole.Containers = append(whole.Containers, p.Containers...)
				}
				keepTheirOwn(t, c.config, &whole, usedOrPromised(snap), usedOrPromised(gone))
			}
		}
		seen[want.Outcome]++
		if want.Guard != "" {
			seen["kept by the guard"]++
		}
		for _, v := range want.Victims {
			_, rule, _ := strings.Cut(v, " by ")
			seen[rule]++
		}
		for _, v := range want.Victims {
			if strings.HasPrefix(v, "whole") {
				seen["units"]++
			}
		}
	})
	kinds := []string{"fits", "preempt", "nothing-helps", "kept by the guard", "units", "within the queue", "reclaimed within the cohort"}
	if seeded.Checks() >= 1000 {
		kinds = append(kinds, "reclaimed within the cohort while borrowing", "fair share within the cohort")
	}
	for _, what := range kinds {
		require.Positive(t, seen[what], "%s: %v", what, seen)
	}
}

// However pods come and go, a guard says of those that are away what the court says of them, as if
// it had seen nothing before.
func TestPropertyGuardAgreesWithTheCourt(t *testing.T) {
	refused, allowed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c, cluster := drawCourt(t)
		rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(c.config)), QueueOf: queueOf, Style: c.style, Fair: c.fair}))
		snap := must(engine.NewSnapshot(cluster))
		state := must(rules.Guard().Start(slices.Clone(c.gang), snap)).Clone()
		gone := map[*outrank.Pod]bool{}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			p := rapid.SampledFrom(c.running).Draw(t, "pod")
			node, _ := snap.Node(p.NodeName)
			if gone[p] = !gone[p]; gone[p] {
				state.Remove(p, node)
			} else {
				state.Add(p, node)
			}
			if rapid.IntRange(0, 3).Draw(t, "unasked") == 0 {
				continue
			}
			var away []family
			for _, p := range c.running {
				at := slices.IndexFunc(away, func(f family) bool { return p.Group != "" && f.name == p.Group })
				switch {
				case !gone[p]:
				case at >= 0:
					away[at].pods = append(away[at].pods, p)
				case p.Group != "":
					away = append(away, family{p.Group, true, []*outrank.Pod{p}})
				default:
					away = append(away, family{p.Name, false, []*outrank.Pod{p}})
				}
			}
			want := c.guards(away)
			require.Equal(t, want, strings.Join(state.Check().Reasons, ""))
			require.Equal(t, want, strings.Join(state.Clone().Check().Reasons, ""))
			if want == "" {
				allowed++
			} else {
				refused++
			}
		}
	})
	require.Positive(t, refused)
	require.Positive(t, allowed)
}
