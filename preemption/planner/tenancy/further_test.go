package tenancy_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

func number(n int32) *int32 { return &n }

// furtherTree has two queues that are full within their own, which no policy takes from, a third in
// a cohort below, and one apart. The rules are those of the first.
func furtherTree(rules ...tenancy.Selection) tenancy.Config {
	queue := func(name, cohort, team string) tenancy.Queue {
		return tenancy.Queue{Name: name, Cohort: cohort, Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "2")}, Labels: map[string]string{"team": team}}
	}
	c := tenancy.Config{
		Queues:  []tenancy.Queue{queue("hero", "top", "red"), queue("near", "top", "red"), queue("far", "below", "blue"), queue("apart", "", "blue")},
		Cohorts: []tenancy.Cohort{{Name: "below", Parent: "top"}},
	}
	c.Queues[0].Policy.Further = rules
	return c
}

// furtherAsks is what asks there: everybody has two of their own.
func furtherAsks() tenancy.Request {
	req := tenancy.Request{Now: now, Incoming: tenancy.Workload{
		Name: "in", Queue: "hero", Priority: 2, Boost: 1, Class: "prod", LocalQueue: "ns/a", Labels: map[string]string{"size": "2"}, Uses: resource.MustList("cpu", "1"),
	}}
	for _, w := range []struct {
		name, queue, local, class, size string
		priority, boost                 int32
	}{
		{"mine", "hero", "ns/a", "prod", "1", 2, 0}, {"mine-too", "hero", "ns/b", "prod", "3", 2, 0}, {"near-1", "near", "ns/a", "batch", "2", 1, 0},
		{"near-2", "near", "ns/a", "", "4294967297", 2, 2}, {"far-1", "far", "ns/a", "batch", "1", 3, -1}, {"far-2", "far", "ns/a", "prod", "", 3, 0},
		{"apart-1", "apart", "ns/a", "batch", "0", 0, 0}, // which frees nothing
	} {
		req.Admitted = append(req.Admitted, tenancy.Workload{
			Name: w.name, Queue: w.queue, LocalQueue: w.local, Class: w.class, Priority: w.priority, Boost: w.boost, Started: now,
			Labels: map[string]string{"size": w.size}, Uses: resource.MustList("cpu", "1"), Queued: now, Admitted: now,
		})
	}
	return req
}

// Each selector makes candidates of those that it selects, told by who would leave if all others
// were none (group 24.9).
func TestSelectors(t *testing.T) {
	any := func(s tenancy.Selector) tenancy.Selector {
		s.Scope = "AnyClusterQueue"
		return s
	}
	red := &outrank.LabelSelector{MatchLabels: map[string]string{"team": "red"}}
	one := &outrank.LabelSelector{MatchLabels: map[string]string{"size": "1"}}
	for _, tt := range []struct {
		name string
		s    tenancy.Selector
		want string
	}{
		{"the local queue", tenancy.Selector{Scope: "WithinLocalQueue"}, "mine"},
		{"the queue", tenancy.Selector{Scope: "WithinClusterQueue"}, "mine mine-too"},
		{"the cohort", tenancy.Selector{Scope: "WithinParentCohort"}, "mine mine-too near-1 near-2"},
		{"the tree", tenancy.Selector{Scope: "WithinCohortTree"}, "mine mine-too near-1 near-2 far-1 far-2"},
		{"anywhere", any(tenancy.Selector{}), "mine mine-too near-1 near-2 far-1 far-2"},
		{"by labels of queues", any(tenancy.Selector{Queues: red}), "mine mine-too near-1 near-2"},
		{"by labels", any(tenancy.Selector{Labels: one}), "mine far-1"},
		{"base priorities below", any(tenancy.Selector{Priority: &tenancy.PriorityIs{Mode: "Base", Comparison: "LessThan"}}), "near-1"},
		{"base priorities up to it", any(tenancy.Selector{Priority: &tenancy.PriorityIs{Mode: "Base", Comparison: "LessThanOrEqual"}}), "mine mine-too near-1 near-2"},
		{"boosted priorities above", any(tenancy.Selector{Priority: &tenancy.PriorityIs{Mode: "Boosted", Comparison: "GreaterThan"}}), "near-2"},
		{"boosted priorities from it on", any(tenancy.Selector{Priority: &tenancy.PriorityIs{Mode: "Boosted", Comparison: "GreaterThanOrEqual"}}), "near-2 far-2"},
		{"one class", any(tenancy.Selector{Priority: &tenancy.PriorityIs{Classes: tenancy.Classes{Names: []string{"batch"}}}}), "near-1 far-1"},
		{"not one class", any(tenancy.Selector{Priority: &tenancy.PriorityIs{Classes: tenancy.Classes{NotNames: []string{"batch"}}}}), "mine mine-too near-2 far-2"},
		{"a number there is", any(tenancy.Selector{Numbers: []tenancy.NumberLabel{{Key: "size"}}}), "mine mine-too near-1 far-1"},
		{"a smaller number", any(tenancy.Selector{Numbers: []tenancy.NumberLabel{{Key: "size", Comparison: "LessThan"}}}), "mine far-1"},
		{"no number stands for 1", any(tenancy.Selector{Numbers: []tenancy.NumberLabel{{Key: "size", Comparison: "LessThan", Fallback: number(1)}}}), "mine near-2 far-1 far-2"},
		{"numbers from 1 to 2", any(tenancy.Selector{Numbers: []tenancy.NumberLabel{{Key: "size", Least: number(1), Most: number(2)}}}), "mine near-1 far-1"},
		{"all at once", any(tenancy.Selector{Labels: one, Queues: red}), "mine"},
	} {
		tree := must(tenancy.NewTree(furtherTree(tenancy.Selection{Name: "r", Trigger: "Always", Candidates: []tenancy.Selector{tt.s}})))
		got := ""
		for _, w := range furtherAsks().Admitted {
			// All others are the same, but use nothing that is wanted.
			req := furtherAsks()
			for i := range req.Admitted {
				if x := &req.Admitted[i]; x.Name != w.Name {
					x.Uses = nil
				} else {
					x.Uses = resource.MustList("cpu", "99")
				}
			}
			a, err := tree.Reclaim(req)
			require.NoError(t, err)
			if a.Outcome == preemption.Preempts {
				assert.Equal(t, "configured preemption by r", a.Victims[0].Rule)
				got += " " + w.Name
			}
		}
		assert.Equal(t, " "+tt.want, got, tt.name)
	}
}

// A queue of no cohort is within its own cohort and tree.
func TestScopesOfAQueueByItself(t *testing.T) {
	for scope, want := range map[string]bool{"WithinParentCohort": true, "WithinCohortTree": true, "WithinClusterQueue": true, "WithinLocalQueue": true, "AnyClusterQueue": true} {
		rule := tenancy.Selection{Name: "r", Trigger: "Always", Candidates: []tenancy.Selector{{Scope: scope}}}
		tree := must(tenancy.NewTree(tenancy.Config{Queues: []tenancy.Queue{
			{Name: "alone", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "1")}, Policy: tenancy.Policy{Further: []tenancy.Selection{rule}}}, {Name: "other", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "1")}},
		}}))
		w := tenancy.Workload{Name: "w", Queue: "alone", LocalQueue: "ns/a", Uses: resource.MustList("cpu", "1")}
		other := w
		w.Name, other.Name, other.Queue, other.Priority = "in", "x", "other", -1
		a := must(tree.Reclaim(tenancy.Request{Incoming: w, Admitted: []tenancy.Workload{other, {Name: "v", Queue: "alone", LocalQueue: "ns/a", Uses: resource.MustList("cpu", "1")}}, Now: now}))
		require.Equal(t, want, a.Outcome == preemption.Preempts, scope)
		assert.Equal(t, "v", a.Victims[0].Name, scope)
	}
}

// Who asks, and whether it is enough without, decides whether a rule adds candidates; and the
// order is that of all candidates, whatever is theirs (rules 24.9.1 and 24.9.2).
func TestTriggers(t *testing.T) {
	everywhere := []tenancy.Selector{{Scope: "WithinCohortTree"}}
	blue := &outrank.LabelSelector{MatchLabels: map[string]string{"size": "0"}}
	for _, tt := range []struct {
		name   string
		rules  []tenancy.Selection
		within tenancy.Take
		cpu    string
		want   string
	}{
		{"nobody without selectors", []tenancy.Selection{{Name: "r", Trigger: "Always"}}, tenancy.Nobody, "1", "[]"},
		{"the least important elsewhere goes first", []tenancy.Selection{{Name: "r", Trigger: "Always", Candidates: everywhere}}, tenancy.Nobody, "1", "[near-1 r]"},
		{"the preemptor has other labels", []tenancy.Selection{{Name: "r", Trigger: "Always", Preemptor: blue, Candidates: everywhere}}, tenancy.Nobody, "1", "[]"},
		{"the preemptor is of another class",
			[]tenancy.Selection{{Name: "r", Trigger: "Always", PreemptorClasses: &tenancy.Classes{Names: []string{"batch"}}, Candidates: everywhere}}, tenancy.Nobody, "1", "[]"},
		{"the queue's policy is enough", []tenancy.Selection{{Name: "r", Trigger: "Always", Candidates: everywhere}}, tenancy.Lower, "1", "[mine within the queue]"},
		{"it is not", []tenancy.Selection{{Name: "r", Trigger: "InsufficientQuota", Candidates: everywhere}}, tenancy.Lower, "3",
			"[mine within the queue mine-too within the queue near-1 r]"},
		{"one trigger after the other", []tenancy.Selection{
			{Name: "last", Trigger: "InsufficientQuota", Candidates: everywhere},
			{Name: "first", Trigger: "Always", Candidates: []tenancy.Selector{{Scope: "WithinClusterQueue"}}},
		}, tenancy.Nobody, "3", "[mine first mine-too first near-1 last]"},
		{"who uses nothing of it is no candidate", []tenancy.Selection{{Name: "r", Trigger: "Always", Candidates: everywhere}}, tenancy.Nobody, "3", "[near-1 r far-1 r far-2 r]"},
		{"the first rule names the victim", []tenancy.Selection{{Name: "a", Trigger: "Always", Candidates: everywhere}, {Name: "b", Trigger: "Always", Candidates: everywhere}}, tenancy.Nobody, "1", "[near-1 a]"},
	} {
		config := furtherTree(tt.rules...)
		config.Queues[0].Policy.Within = tt.within
		req := furtherAsks()
		req.Incoming.Uses = resource.MustList("cpu", tt.cpu)
		req.Admitted = append(req.Admitted, tenancy.Workload{Name: "idle", Queue: "near", Priority: -9})
		for _, fair := range []*tenancy.Fair{nil, {}} {
			req.Fair = fair
			a, err := must(tenancy.NewTree(config)).Reclaim(req)
			require.NoError(t, err)
			var got []string
			for _, v := range a.Victims {
				rule := v.Rule
				if len(rule) > 25 && rule[:25] == "configured preemption by " {
					rule = rule[25:]
				}
				got = append(got, v.Name+" "+rule)
			}
			assert.Equal(t, tt.want, fmt.Sprint(got), "%s, by shares: %v", tt.name, fair != nil)
		}
	}
}

// Further rules go on where the queue does not borrow in the end, and where it does (rule 24.9.2).
func TestFurtherWithoutBorrowing(t *testing.T) {
	tree := must(tenancy.NewTree(tenancy.Config{Queues: []tenancy.Queue{
		{Name: "hero", Cohort: "c", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "4")}, Policy: tenancy.Policy{
			Within: tenancy.Lower, Reclaim: tenancy.Lower, Further: []tenancy.Selection{{Name: "r", Trigger: "Always", Candidates: []tenancy.Selector{{Scope: "WithinCohortTree"}}}},
		}},
		{Name: "b", Cohort: "c", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "0")}},
	}}))
	a := must(tree.Reclaim(tenancy.Request{
		Incoming: tenancy.Workload{Name: "in", Queue: "hero", Priority: 5, Uses: resource.MustList("cpu", "4")}, Now: now,
		Admitted: []tenancy.Workload{
			{Name: "mine", Queue: "hero", Uses: resource.MustList("cpu", "1")}, {Name: "low", Queue: "b", Uses: resource.MustList("cpu", "1")},
			{Name: "high", Queue: "b", Priority: 9, Uses: resource.MustList("cpu", "2")},
		},
	}))
	var got []string
	for _, v := range a.Victims {
		got = append(got, v.Name+" by "+v.Rule)
	}
	assert.Equal(t, []string{"low by reclaimed within the cohort", "mine by within the queue", "high by configured preemption by r"}, got)
}

// Everything that is wrong with further rules is told at once, and topologies are named.
func TestFurtherIsChecked(t *testing.T) {
	bad := &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "x", Operator: "Near"}}}
	_, err := tenancy.NewTree(furtherTree(
		tenancy.Selection{Trigger: "Sometimes", Preemptor: bad},
		tenancy.Selection{Name: "defrag", Trigger: "QuotaFeasibleAndInsufficientTopology"},
		tenancy.Selection{Name: "defrag", Trigger: "Always", Candidates: []tenancy.Selector{{
			Scope: "Here", Numbers: []tenancy.NumberLabel{{Comparison: "Less", Least: number(2), Most: number(1)}},
			Priority: &tenancy.PriorityIs{Mode: "Raised"},
		}}},
	))
	assert.EqualError(t, err, `queue hero: Policy.Further[0].Name: missing
queue hero: Policy.Further[0].Trigger: there is no trigger "Sometimes"
queue hero: Policy.Further[0].Preemptor: invalid label selector: matchExpressions[0].operator: "Near" is none of In, NotIn, Exists, DoesNotExist
queue hero: Policy.Further[1].Trigger: rule defrag asks about topologies, which are not known here
queue hero: Policy.Further[2].Name: there is another rule defrag
queue hero: Policy.Further[2].Candidates[0].Scope: there is no scope "Here"
queue hero: Policy.Further[2].Candidates[0].Numbers[0].Key: missing
queue hero: Policy.Further[2].Candidates[0].Numbers[0].Comparison: there is no comparison "Less"
queue hero: Policy.Further[2].Candidates[0].Numbers[0].Least: it is above Most
queue hero: Policy.Further[2].Candidates[0].Priority.Mode: there is no mode "Raised"
queue hero: Policy.Further[2].Candidates[0].Priority: Mode and Comparison go together`)
	tree := must(tenancy.NewTree(furtherTree(tenancy.Selection{Name: "r", Trigger: "Always"})))
	_, err = tenancy.New(tenancy.Options{Tree: tree, QueueOf: queueOf, Protection: tenancy.Protection{Reclaim: -1}})
	assert.EqualError(t, err, "tenancy options: Protection.Reclaim: -1ns is negative\n"+
		"tenancy options: Tree: queue hero has the rule r, and pods on nodes know no further rules")
	_, err = tree.Reclaim(tenancy.Request{Incoming: tenancy.Workload{Queue: "hero"}, Protection: tenancy.Protection{Within: -1, FairShare: -2}})
	assert.EqualError(t, err, "request: Protection.Within: -1ns is negative\nrequest: Protection.FairShare: -2ns is negative")
}

// Further rules are copied: what the caller does with them afterwards changes nothing.
func TestFurtherIsCopied(t *testing.T) {
	rule := tenancy.Selection{
		Name: "r", Trigger: "Always", Preemptor: &outrank.LabelSelector{MatchLabels: map[string]string{"size": "2"}}, PreemptorClasses: &tenancy.Classes{Names: []string{"prod"}},
		Candidates: []tenancy.Selector{{
			Scope: "AnyClusterQueue", Queues: &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "team", Operator: "In", Values: []string{"red"}}}},
			Numbers:  []tenancy.NumberLabel{{Key: "size", Fallback: number(1), Least: number(0), Most: number(3)}},
			Priority: &tenancy.PriorityIs{Mode: "Base", Comparison: "LessThan", Classes: tenancy.Classes{NotNames: []string{"prod"}}},
		}},
	}
	config := furtherTree(rule)
	tree := must(tenancy.NewTree(config))
	want := must(tree.Reclaim(furtherAsks()))
	require.Equal(t, preemption.Preempts, want.Outcome)
	s := &rule.Candidates[0]
	rule.Preemptor.MatchLabels["size"], rule.PreemptorClasses.Names[0], s.Queues.MatchExpressions[0].Values[0] = "9", "none", "none"
	s.Numbers[0].Key, *s.Numbers[0].Fallback, *s.Numbers[0].Least, *s.Numbers[0].Most = "none", 9, 9, 9
	s.Priority.Mode, s.Priority.NotNames[0] = "Boosted", "batch"
	config.Queues[0].Policy.Further[0].Candidates[0] = tenancy.Selector{}
	config.Queues[1].Labels["team"] = "none"
	assert.Equal(t, want, must(tree.Reclaim(furtherAsks())))
}

// Windows begin with the start and are over at their last moment, for each rule by itself; who
// is leaving, or has not started, is not spared (rules 24.8.1 and 24.8.2).
func TestWindows(t *testing.T) {
	policy := tenancy.Policy{Within: tenancy.Lower, Reclaim: tenancy.Anybody}
	tree := must(tenancy.NewTree(tenancy.Config{Queues: []tenancy.Queue{
		{Name: "owner", Cohort: "c", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "6")}, Policy: policy}, {Name: "borrower", Cohort: "c", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "0")}},
		{Name: "taker", Cohort: "c", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "0")}, Policy: tenancy.Policy{Reclaim: tenancy.Lower, WhileBorrowing: true}},
	}}))
	all := tenancy.Protection{Within: time.Minute, Reclaim: 10 * time.Minute, FairShare: time.Hour}
	for _, tt := range []struct {
		name, queue, of string
		started         time.Duration
		leaving         bool
		fair            *tenancy.Fair
		protection      tenancy.Protection
		retry           time.Duration // 0: it helps now
	}{
		{"reclaimed too early", "owner", "borrower", time.Minute, false, nil, all, 9 * time.Minute},
		{"at the end", "owner", "borrower", 10 * time.Minute, false, nil, all, 0},
		{"before the end", "owner", "borrower", 10*time.Minute - 1, false, nil, all, 1},
		{"leaving", "owner", "borrower", time.Minute, true, nil, all, 0},
		{"not started", "owner", "borrower", -1, false, nil, all, 0},
		{"while borrowing", "taker", "borrower", time.Minute, false, nil, all, 9 * time.Minute},
		{"another window", "owner", "borrower", time.Minute, false, nil, tenancy.Protection{FairShare: time.Hour, Within: time.Hour}, 0},
		{"within the queue", "owner", "owner", 30 * time.Second, false, nil, all, 30 * time.Second},
		{"within the queue, over", "owner", "owner", time.Minute, false, nil, all, 0},
		{"by shares, what is its own", "owner", "borrower", time.Minute, false, &tenancy.Fair{}, all, 9 * time.Minute},
		{"by shares alone", "owner", "borrower", time.Minute, false, &tenancy.Fair{SharesAlone: true}, all, 59 * time.Minute},
		{"by the second strategy", "taker", "borrower", 30 * time.Minute, false, &tenancy.Fair{Strategies: []tenancy.Strategy{tenancy.LessThanInitialShare}}, all, 30 * time.Minute},
	} {
		req := tenancy.Request{
			Incoming: tenancy.Workload{Name: "in", Queue: tt.queue, Priority: 5, Uses: resource.MustList("cpu", "2")}, Now: now, Fair: tt.fair, Protection: tt.protection,
			Admitted: []tenancy.Workload{{Name: "w", Queue: tt.of, Uses: resource.MustList("cpu", "6"), Leaving: tt.leaving}},
		}
		if tt.started >= 0 {
			req.Admitted[0].Started = now.Add(-tt.started)
		}
		a, err := tree.Reclaim(req)
		require.NoError(t, err)
		want := time.Time{}
		if tt.retry > 0 {
			want = now.Add(tt.retry)
		}
		assert.Equal(t, tt.retry == 0, a.Outcome == preemption.Preempts, tt.name)
		assert.Equal(t, want, a.RetryAt, tt.name)
		if tt.retry > 0 {
			req.Now = a.RetryAt
			assert.Equal(t, preemption.Preempts, must(tree.Reclaim(req)).Outcome, "%s: at the retry", tt.name)
		}
	}
}

// The second strategy looks at the next one of a queue where a window spares the first (rule 24.8.3).
func TestNextOfTheQueue(t *testing.T) {
	tree := must(tenancy.NewTree(tenancy.Config{Queues: []tenancy.Queue{
		{Name: "a", Cohort: "c", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "0")}, Policy: tenancy.Policy{Reclaim: tenancy.Anybody}},
		{Name: "b", Cohort: "c", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "0")}}, {Name: "rest", Cohort: "c", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "4")}},
	}}))
	for _, strategies := range [][]tenancy.Strategy{nil, {tenancy.LessThanInitialShare}, {tenancy.LessThanOrEqualToFinalShare}} {
		a := must(tree.Reclaim(tenancy.Request{
			Incoming: tenancy.Workload{Name: "in", Queue: "a", Uses: resource.MustList("cpu", "2")}, Now: now, Fair: &tenancy.Fair{Strategies: strategies},
			Protection: tenancy.Protection{FairShare: time.Hour},
			Admitted: []tenancy.Workload{
				{Name: "young", Queue: "b", Started: now, Uses: resource.MustList("cpu", "2")},
				{Name: "old", Queue: "b", Priority: 1, Started: now.Add(-time.Hour), Uses: resource.MustList("cpu", "2")},
			},
		}))
		require.Equal(t, preemption.Preempts, a.Outcome, "%v", strategies)
		assert.Equal(t, "old", a.Victims[0].Name)
		assert.Zero(t, a.RetryAt)
	}
	// Neither passes the first strategy, and both do the second.
	roomy := must(tenancy.NewTree(tenancy.Config{Queues: []tenancy.Queue{
		{Name: "a", Cohort: "c", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "0")}, Policy: tenancy.Policy{Reclaim: tenancy.Anybody}},
		{Name: "b", Cohort: "c", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "0")}}, {Name: "rest", Cohort: "c", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "7")}},
	}}))
	a := must(roomy.Reclaim(tenancy.Request{
		Incoming: tenancy.Workload{Name: "in", Queue: "a", Uses: resource.MustList("cpu", "5")}, Now: now, Fair: &tenancy.Fair{}, Protection: tenancy.Protection{FairShare: time.Hour},
		Admitted: []tenancy.Workload{
			{Name: "young", Queue: "b", Started: now, Uses: resource.MustList("cpu", "2")},
			{Name: "old", Queue: "b", Priority: 1, Started: now.Add(-time.Hour), Uses: resource.MustList("cpu", "4")},
		},
	}))
	require.Equal(t, preemption.Preempts, a.Outcome)
	assert.Equal(t, "old", a.Victims[0].Name)
}

// Boosts are added before priorities are compared, and the sum of the two is no 32-bit number.
func TestBoosts(t *testing.T) {
	tree := must(tenancy.NewTree(tenancy.Config{Queues: []tenancy.Queue{
		{Name: "q", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "2")}, Policy: tenancy.Policy{Within: tenancy.Lower}},
	}}))
	const most = 1<<31 - 1
	for _, tt := range []struct {
		priority, boost, mine, its int32
		want                       bool
	}{{1, 0, 0, 0, false}, {1, 1, 0, 1, true}, {2, -2, 0, 0, false}, {most, most, 0, most, true}, {-most, -most, 0, -most, false}, {0, 0, -1, 1, false}, {0, 0, 1, -2, true}} {
		in := tenancy.Workload{Name: "in", Queue: "q", Priority: tt.priority, Boost: tt.boost, Uses: resource.MustList("cpu", "2")}
		w := tenancy.Workload{Name: "w", Queue: "q", Priority: tt.mine, Boost: tt.its, Uses: resource.MustList("cpu", "2")}
		if tt.priority == 1 && tt.boost == 0 {
			w.Boost = 1
		}
		assert.Equal(t, tt.want, must(tree.Reclaim(tenancy.Request{Incoming: in, Admitted: []tenancy.Workload{w}, Now: now})).Outcome == preemption.Preempts, "%+v", tt)
	}
}

// On nodes windows spare the pods that they spare by quotas alone, boosts count, and until the time
// of the retry nothing helps (rule 24.8.5).
func TestWindowsOnNodes(t *testing.T) {
	start := func(p *outrank.Pod, ago time.Duration) *outrank.Pod {
		p.StartTime = now.Add(-ago)
		return p
	}
	cluster := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "8", "pods", "10")}},
		Pods: []*outrank.Pod{
			start(running("ads-1", "ads", "3", 5), 4*time.Minute), start(running("ads-2", "ads", "3", 7), 2*time.Minute), start(running("search-1", "search", "2", 9), time.Hour),
		},
	}
	for _, tt := range []struct {
		name    string
		options tenancy.Options
		retry   time.Duration // 0: it helps now
		victim  string
	}{
		{"no windows", tenancy.Options{}, 0, "ads-1"},
		{"both spared", tenancy.Options{Protection: tenancy.Protection{Reclaim: 10 * time.Minute}}, 6 * time.Minute, ""},
		{"one spared", tenancy.Options{Protection: tenancy.Protection{Reclaim: 3 * time.Minute}}, 0, "ads-1"},
		{"another rule's window", tenancy.Options{Protection: tenancy.Protection{Within: time.Hour, FairShare: time.Hour}}, 0, "ads-1"},
		{"what is its own, by shares", tenancy.Options{Fair: &tenancy.Fair{}, Protection: tenancy.Protection{Reclaim: 10 * time.Minute}}, 6 * time.Minute, ""},
		{"by shares alone", tenancy.Options{Fair: &tenancy.Fair{SharesAlone: true}, Protection: tenancy.Protection{FairShare: 10 * time.Minute}}, 6 * time.Minute, ""},
		{"when it started is told", tenancy.Options{Protection: tenancy.Protection{Reclaim: time.Minute}, StartedAt: func(*outrank.Pod) time.Time { return now }}, time.Minute, ""},
	} {
		tt.options.Tree, tt.options.QueueOf, tt.options.Style = must(tenancy.NewTree(shop())), queueOf, tenancy.Kueue
		rules := must(tenancy.New(tt.options))
		snap := must(engine.NewSnapshot(cluster))
		asker := pending("search-2", "search", "2", 0)
		at := func(when time.Time) *preemption.Plan {
			var config preemption.Config
			rules.At(when).Use(&config)
			return must(must(engine.New(config)).Preempt(context.Background(), snap, preemption.Request{Pod: asker, Now: when}))
		}
		plan := at(now)
		if tt.retry == 0 {
			require.Equal(t, preemption.Preempts, plan.Outcome, "%s: %v", tt.name, plan)
			assert.Equal(t, tt.victim, plan.Victims[0].Pod.Name, tt.name)
			assert.Zero(t, rules.At(now.Add(24*time.Hour)).RetryAt(asker, cluster.Pods), tt.name)
			continue
		}
		assert.NotEqual(t, preemption.Preempts, plan.Outcome, "%s: %v", tt.name, plan)
		retry := rules.At(now).RetryAt(asker, cluster.Pods)
		assert.Equal(t, now.Add(tt.retry), retry, tt.name)
		assert.NotEqual(t, preemption.Preempts, at(retry.Add(-1)).Outcome, tt.name)
		assert.Equal(t, preemption.Preempts, at(retry).Outcome, tt.name)
	}
	boosted := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf, Boost: func(p *outrank.Pod) int32 {
		return map[string]int32{"ads-1": 3}[p.Name]
	}}))
	assert.Equal(t, "within the queue", taken(boosted, pending("ads-3", "ads", "1", 8), cluster.Pods[1]))
	assert.Empty(t, taken(boosted, pending("ads-3", "ads", "1", 8), cluster.Pods[0]))
}

// On nodes a gang's victims are never spared by the window of the rule that takes them, before the
// retry the plan is the same, and windows that are over change nothing.
func TestPropertyWindowsOfGangs(t *testing.T) {
	spared := 0
	rapid.Check(t, func(t *rapid.T) {
		c, cluster := drawCourt(t)
		hours := func(label string) time.Duration {
			return time.Duration(rapid.IntRange(0, 4).Draw(t, label)) * time.Hour
		}
		o := tenancy.Options{Tree: must(tenancy.NewTree(c.config)), QueueOf: queueOf, Style: c.style, Fair: c.fair}
		plan := func(o tenancy.Options, at time.Time) *preemption.GroupPlan {
			var config preemption.Config
			must(tenancy.New(o)).At(at).Use(&config)
			return must(must(engine.New(config)).PreemptGroup(context.Background(), must(engine.NewSnapshot(cluster)), preemption.GroupRequest{Pods: c.gang, Now: gen.Now}))
		}
		free := toldOf(plan(o, gen.Now))
		o.Protection = tenancy.Protection{Within: hours("within"), Reclaim: hours("reclaim"), FairShare: hours("fair share")}
		require.Equal(t, free, toldOf(plan(o, gen.Now.Add(5*time.Hour))), "all windows are over")
		got := plan(o, gen.Now)
		windows := map[string]time.Duration{"within the queue": o.Protection.Within, "reclaimed within the cohort": o.Protection.Reclaim,
			"reclaimed within the cohort while borrowing": o.Protection.Reclaim, "fair share within the cohort": o.Protection.FairShare}
		for unit := range got.Units() {
			for _, v := range unit {
				window, ok := windows[v.Rule]
				require.True(t, ok, v.Rule)
				if len(unit) == 1 {
					require.GreaterOrEqual(t, gen.Now.Sub(v.Pod.StartTime), window, "%s by %s", v.Pod.Key(), v.Rule)
				}
			}
		}
		retry := must(tenancy.New(o)).At(gen.Now).RetryAt(c.gang[0], c.running)
		if !retry.IsZero() {
			require.Equal(t, toldOf(got), toldOf(plan(o, retry.Add(-1))), "before the retry")
		}
		if free.Outcome != toldOf(got).Outcome {
			spared++
			require.NotZero(t, retry)
		}
	})
	t.Log("windows decide in", spared)
}
