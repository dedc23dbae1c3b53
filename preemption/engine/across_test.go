package engine_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	_ "github.com/outrank-go/outrank/preemption/kube" // the JSON of the cluster
	"github.com/outrank-go/outrank/resource"
)

// acrossCluster draws a few nodes in zones, with pods that keep the preemptor away from
// whole zones, and a preemptor that keeps to itself and spreads.
func acrossCluster(t *rapid.T, most int) (*outrank.Cluster, *outrank.Pod) {
	c := &outrank.Cluster{}
	if rapid.IntRange(0, 3).Draw(t, "units") == 0 {
		c.Release = groupsOn
		c.Groups = []*outrank.PodGroup{{Name: "g", DisruptionMode: outrank.DisruptPodGroup}}
	} else if rapid.Bool().Draw(t, "v1.36") {
		c.Release = outrank.V1_36
	}
	for i := range rapid.IntRange(2, 4).Draw(t, "nodes") {
		n := node(fmt.Sprint("n", i), fmt.Sprint(rapid.IntRange(1, 6).Draw(t, "cpu")), rapid.SampledFrom([]string{"a", "a", "b"}).Draw(t, "zone"))
		n.Labels["host"] = n.Name
		if rapid.IntRange(0, 9).Draw(t, "no zone") == 0 {
			delete(n.Labels, "zone")
		}
		n.Unschedulable = i > 0 && rapid.IntRange(0, 2).Draw(t, "cordoned") > 0
		c.Nodes = append(c.Nodes, n)
	}
	for i := range rapid.IntRange(most/2, most).Draw(t, "pods") {
		p := pod(fmt.Sprint("p", i), rapid.SampledFrom([]int32{1, 1, 2, 3, 100}).Draw(t, "priority"), fmt.Sprint(rapid.IntRange(0, 1).Draw(t, "cpu")),
			on(rapid.SampledFrom(c.Nodes).Draw(t, "on").Name), app(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "app")))
		p.StartTime = gen.Now.Add(-time.Duration(rapid.IntRange(1, 3).Draw(t, "age")) * time.Hour)
		p.Labels["tier"] = rapid.SampledFrom([]string{"1", "2"}).Draw(t, "tier")
		if rapid.IntRange(0, 4).Draw(t, "keeps away") == 0 {
			p.Affinity.PodAntiAffinity = acrossTerms(t, "p")
		}
		if rapid.IntRange(0, 5).Draw(t, "leaves") == 0 {
			p.DeletionTimestamp = gen.Now
		}
		if rapid.IntRange(0, 4).Draw(t, "port") == 0 { // several pods of a node may hold it
			p.Containers[0].Ports = []outrank.Port{{HostPort: 80}}
		}
		if c.Groups != nil && rapid.IntRange(0, 4).Draw(t, "grouped") == 0 { // no victim then (rule 23.6)
			p.Group = "g"
		}
		c.Pods = append(c.Pods, p)
	}
	if rapid.IntRange(0, 3).Draw(t, "nominated") == 0 {
		p := pod("waits", 100, fmt.Sprint(rapid.IntRange(0, 1).Draw(t, "cpu")), app(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "app")))
		p.NominatedNodeName = rapid.SampledFrom(c.Nodes).Draw(t, "nominated to").Name
		c.Pods = append(c.Pods, p)
	}
	all := &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.Exists}}}
	tier := func(name string) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchLabels: map[string]string{"tier": name}}
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "budgets") { // up to three cover a pod
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{
			Name: fmt.Sprint("b", i), Selector: []*outrank.LabelSelector{selects("x"), selects("y"), all, tier("1"), tier("2")}[i], DisruptionsAllowed: rapid.Int32Range(0, 2).Draw(t, "allowed"),
		})
	}
	p := pod("preemptor", 9, fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "asks")), app("p"))
	if rapid.IntRange(0, 2).Draw(t, "apart") > 0 {
		p.Affinity.PodAntiAffinity = acrossTerms(t, "x")
	}
	for range rapid.IntRange(0, 2).Draw(t, "constraints") {
		p.TopologySpreadConstraints = append(p.TopologySpreadConstraints, outrank.TopologySpreadConstraint{
			TopologyKey: rapid.SampledFrom([]string{"zone", "host"}).Draw(t, "spread by"), MaxSkew: rapid.Int32Range(1, 2).Draw(t, "skew"),
			MinDomains: rapid.Int32Range(0, 3).Draw(t, "least domains"), WhenUnsatisfiable: outrank.DoNotSchedule,
			LabelSelector: rapid.SampledFrom([]*outrank.LabelSelector{selects("x"), selects("y"), all, {}}).Draw(t, "spread among"),
		})
	}
	if rapid.IntRange(0, 3).Draw(t, "wants the port") == 0 {
		p.Containers[0].Ports = []outrank.Port{{HostPort: 80}}
	}
	return c, p
}

func acrossTerms(t *rapid.T, name string) []outrank.PodAffinityTerm {
	return []outrank.PodAffinityTerm{{LabelSelector: selects(name), TopologyKey: rapid.SampledFrom([]string{"zone", "host"}).Draw(t, "apart by")}}
}

// bestAcross asks every node with every set of pods of lower priority gone.
func bestAcross(t *rapid.T, e *engine.Evaluator, c *outrank.Cluster, pod *outrank.Pod) (node string, best preemption.Score) {
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	var nodes []string
	for _, n := range c.Nodes {
		if status, err := e.Check(snap, pod, n.Name); err == nil && status.Code == preemption.Unschedulable {
			nodes = append(nodes, n.Name)
		}
	}
	var lower []*outrank.Pod
	for _, p := range c.Pods {
		// What is leaving has ceased to count for a constraint (rule 23.6).
		ceased := !p.DeletionTimestamp.IsZero() && slices.ContainsFunc(pod.TopologySpreadConstraints, func(k outrank.TopologySpreadConstraint) bool { return k.LabelSelector.Matches(p.Labels) })
		if p.NodeName != "" && *p.Priority < *pod.Priority && mayTake(e, pod, p) && !ceased && p.Group == "" {
			lower = append(lower, p)
		}
	}
	slices.SortFunc(lower, func(p, q *outrank.Pod) int {
		return cmp.Or(cmp.Compare(*q.Priority, *p.Priority), p.StartTime.Compare(q.StartTime), cmp.Compare(p.Name, q.Name))
	})
	budgets := pdb.New(c.Budgets)
	found := -1
	gone := make([]bool, len(lower))
	for set := 1; set < 1<<len(lower); set++ {
		i := trailing(set) // a Gray code: one pod goes or comes back at a time
		if gone[i] = !gone[i]; gone[i] {
			require.NoError(t, snap.RemovePod(lower[i].Key()))
		} else {
			require.NoError(t, errOf(snap.PutPod(lower[i])))
		}
		var victims []*outrank.Pod
		for i, p := range lower {
			if gone[i] {
				victims = append(victims, p)
			}
		}
		violating, _ := budgets.Split(cmp.Or(c.Release, outrank.DefaultRelease), victims)
		if e.Config().Budgets == preemption.NeverViolate && len(violating) > 0 {
			continue
		}
		score := preemption.Score{Violations: len(violating), Victims: len(victims), TopPriority: *victims[0].Priority, Start: victims[0].StartTime}
		for _, p := range victims {
			score.PrioritySum += int64(*p.Priority) + 1<<31
		}
		if order, _ := score.Compare(best, nil); found >= 0 && order > 0 {
			continue
		}
		for at, name := range nodes {
			order, _ := score.Compare(best, nil)
			if found >= 0 && (order > 0 || order == 0 && at >= found) {
				continue
			}
			if status, err := e.Check(snap, pod, name); err == nil && status.Code == preemption.Success {
				found, best, node = at, score, name
			}
		}
	}
	return node, best
}

// mayTake reports whether the caller's rule lets a pod of lower priority be taken.
func mayTake(e *engine.Evaluator, pod, victim *outrank.Pod) bool {
	take := e.Config().Eligibility.Take
	if take == nil {
		return true
	}
	_, ok := take(pod, victim)
	return ok
}

func trailing(n int) (zeros int) {
	for ; n&1 == 0; n >>= 1 {
		zeros++
	}
	return zeros
}

// The plan is the best over all sets of pods of lower priority in the cluster and all
// nodes, and what is found under a limit is sound and no better.
func TestPropertyAcrossIsTheBestOfAllSets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, pod := acrossCluster(t, rapid.SampledFrom([]int{6, 8, 8, 10, 12, 12}).Draw(t, "at most"))
		config := preemption.Config{}
		if rapid.IntRange(0, 3).Draw(t, "spares") == 0 {
			config.Eligibility.Take = func(_, victim *outrank.Pod) (string, bool) { return "", victim.Name != "p1" }
		}
		if rapid.IntRange(0, 3).Draw(t, "strict") == 0 {
			config.Budgets = preemption.NeverViolate
		}
		config.Victims = preemption.Across{Limit: 1 << 20}
		e, err := engine.New(config)
		require.NoError(t, err)
		config.Victims = preemption.Across{Limit: rapid.IntRange(1, 20).Draw(t, "steps")}
		limited, err := engine.New(config)
		require.NoError(t, err)
		snap, err := engine.NewSnapshot(c)
		require.NoError(t, err)
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: gen.Now})
		require.NoError(t, err)
		if plan.Outcome == preemption.Fits {
			require.Nil(t, plan.ClusterCertificate, "nothing was searched")
			return
		}
		require.True(t, plan.ClusterCertificate.Optimal)
		node, score := bestAcross(t, e, c, pod)
		require.Equal(t, node, plan.Node, "victims %v, score %+v, and %+v", plan.Victims, plan.Score, score)
		if node == "" {
			require.Equal(t, preemption.NothingHelps, plan.Outcome)
			require.NoError(t, e.Verify(context.Background(), snap, plan))
			return
		}
		require.Equal(t, score, plan.Score, "%v", plan.Victims)
		soundAcross(t, e, snap, plan)
		few, err := limited.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: gen.Now})
		require.NoError(t, err)
		if len(pod.TopologySpreadConstraints) == 0 && config.Budgets != preemption.NeverViolate {
			require.Equal(t, preemption.Preempts, few.Outcome, "each node is looked at once (rule 23.10)")
		}
		require.NoError(t, limited.Verify(context.Background(), snap, few), "decided again under the same limit")
		if few.Outcome == preemption.Preempts {
			soundAcross(t, e, snap, few)
			order, _ := score.Compare(few.Score, nil)
			require.LessOrEqual(t, order, 0)
			if few.ClusterCertificate.Optimal {
				require.Equal(t, plan.Victims, few.Victims)
			}
		}
	})
}

// soundAcross carries the plan out on a copy, and verifies it.
func soundAcross(t *rapid.T, e *engine.Evaluator, snap *engine.Snapshot, plan *preemption.Plan) {
	require.NoError(t, e.Verify(context.Background(), snap, plan))
	after := snap.Clone()
	for _, v := range plan.Victims {
		on := plan.Node
		if v.Node != "" {
			on = v.Node
		}
		require.Equal(t, on, after.NodeOf(v.Pod.Key()))
		require.NoError(t, after.RemovePod(v.Pod.Key()))
	}
	status, err := e.Check(after, plan.Pod, plan.Node)
	require.NoError(t, err)
	require.Equal(t, preemption.Success, status.Code, "%s: %v: %s", plan.Node, plan.Victims, status)
	applied := snap.Clone()
	require.NoError(t, applied.Apply(plan))
}

// With everything that there is in a cluster, a plan makes room, leaves the snapshot alone,
// is twice the same, and is there wherever Preempt has one.
func TestPropertyAcrossIsSound(t *testing.T) {
	t.Parallel()
	for name, shape := range map[string]gen.Shape{
		"affinity": {Nodes: 5, PodsPerNode: 4, Affinity: true, Spread: true, Budgets: 3, Nominated: 3},
		"all":      {Nodes: 4, PodsPerNode: 4, Affinity: true, Spread: true, Volumes: true, Taints: true, Selectors: true, Nominated: 2},
		"groups":   {Nodes: 4, PodsPerNode: 4, Affinity: true, Spread: true, Groups: 2, Units: true},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c, pod := gen.Cluster(shape).Draw(t, "cluster"), gen.Preemptor(shape).Draw(t, "preemptor")
				pod.Group = ""
				e, err := engine.New(preemption.Config{Victims: preemption.Across{Limit: 200}})
				require.NoError(t, err)
				snap, err := engine.NewSnapshot(c)
				require.NoError(t, err)
				before, err := json.Marshal(snap.Cluster())
				require.NoError(t, err)
				plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: gen.Now})
				require.NoError(t, err)
				after, err := json.Marshal(snap.Cluster())
				require.NoError(t, err)
				require.Equal(t, string(before), string(after))
				again, err := e.Preempt(context.Background(), snap.Clone(), preemption.Request{Pod: pod, Now: gen.Now})
				require.NoError(t, err)
				require.Equal(t, plan, again)
				near, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: gen.Now})
				require.NoError(t, err)
				require.Equal(t, near.TurnedDown, plan.TurnedDown)
				if near.Outcome != preemption.Preempts && near.Outcome != preemption.NothingHelps {
					require.Equal(t, near.Outcome, plan.Outcome)
				}
				if plan.Outcome == preemption.Preempts {
					soundAcross(t, e, snap, plan)
				}
				for _, v := range plan.Victims {
					require.False(t, leavesInUnits(c) && v.Pod.Group != "", "%s leaves without its group", v.Pod.Key())
				}
			})
		})
	}
}

// A pod that keeps to itself in a zone in which one node has room and another one the pod
// that is in the way.
func TestAcrossAntiAffinity(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "4", "a")},
		Pods:  []*outrank.Pod{pod("near", 100, "3", on("n1")), pod("far", 1, "1", on("n2"), app("x")), pod("other", 1, "1", on("n2"), app("y"))},
	}
	c.Nodes[1].Unschedulable = true
	p := pod("preemptor", 9, "1", apart("x"))
	e, snap := newEvaluator(t, preemption.Config{Victims: preemption.Across{}}), newSnapshot(t, c)
	plan, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, preemption.NothingHelps, plan.Outcome)
	across, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, preemption.Preempts, across.Outcome)
	assert.Equal(t, "n1", across.Node)
	assert.Equal(t, "[default/far on n2]", fmt.Sprint(across.Victims))
	assert.Equal(t, preemption.InterPodAffinity, across.Victims[0].Blocks.Filter)
	assert.True(t, across.ClusterCertificate.Optimal)
	assert.Nil(t, across.Certificate, "it is not about one node")
	require.NoError(t, e.Verify(context.Background(), snap, across))

	// One of higher priority, or one that must not go, and nothing helps.
	spare := newEvaluator(t, preemption.Config{Victims: preemption.Across{}, Eligibility: preemption.Eligibility{Take: func(_, v *outrank.Pod) (string, bool) { return "", v.Name != "far" }}})
	across, err = spare.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, preemption.NothingHelps, across.Outcome)
	assert.Equal(t, preemption.InterPodAffinity, across.Unhelpful[0].Filter)
}

// Of four pods in the zone as many leave as it takes, the least important ones, and what
// is on the node already counts.
func TestAcrossSpread(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "9", "a"), node("n3", "1", "b")}}
	for i := range 4 {
		c.Pods = append(c.Pods, pod(fmt.Sprint("x", i), int32(i+1), "1", on("n2"), app("x")))
	}
	c.Pods = append(c.Pods, pod("lone", 50, "1", on("n3"), app("x")))
	c.Nodes[1].Unschedulable = true
	p := pod("preemptor", 9, "1", app("x"), spread(outrank.TopologySpreadConstraint{WhenUnsatisfiable: outrank.DoNotSchedule, LabelSelector: selects("x")}))
	e, snap := newEvaluator(t, preemption.Config{Victims: preemption.Across{}}), newSnapshot(t, c)
	plan, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, preemption.NothingHelps, plan.Outcome)
	across, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "n1", across.Node)
	// One in zone b: the zone may have two with the preemptor, so that three of four go.
	assert.Equal(t, "[default/x2 on n2 default/x1 on n2 default/x0 on n2]", fmt.Sprint(across.Victims))
	text, err := json.Marshal(across)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"across":true`)
	assert.Contains(t, string(text), `"clusterCertificate":{"optimal":true,"bound":{`)

	// Pods of the zone on a node that the preemptor does not ask for are not counted, and
	// cost nothing.
	c.Nodes = append(c.Nodes, node("n4", "9", "a"))
	for i := range c.Nodes[:3] {
		c.Nodes[i].Labels["wanted"] = "yes"
	}
	for i := range 6 {
		c.Pods = append(c.Pods, pod(fmt.Sprint("uncounted", i), 1, "1", on("n4"), app("x")))
	}
	p.NodeSelector = map[string]string{"wanted": "yes"}
	beside, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, across.Victims, beside.Victims)
	assert.Equal(t, across.ClusterCertificate.Steps, beside.ClusterCertificate.Steps)
	// Its text says how far the search went.
	assert.Contains(t, across.String(), fmt.Sprintf("\n  certificate: optimal, %d steps\n", across.ClusterCertificate.Steps))
}

// The configuration limits the steps, and a plan that was found under a limit is verified under it.
func TestAcrossTakesItsLimit(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "8", "a"), node("n2", "8", "b")}}
	for i := range 16 {
		c.Pods = append(c.Pods, pod(fmt.Sprint("p", i), int32(1+i%3), "1", on([]string{"n1", "n2"}[i%2]), app("x")))
	}
	p := pod("preemptor", 9, "4", app("x"))
	p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{
		TopologyKey: "zone", MaxSkew: 1, WhenUnsatisfiable: outrank.DoNotSchedule, LabelSelector: selects("x"),
	}}
	snap := newSnapshot(t, c)
	var steps []int
	for _, limit := range []int{0, 10} {
		e := newEvaluator(t, preemption.Config{Victims: preemption.Across{Limit: limit}})
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, limit == 0, plan.ClusterCertificate.Optimal, "%d steps", plan.ClusterCertificate.Steps)
		require.NoError(t, e.Verify(context.Background(), snap, plan))
		steps = append(steps, plan.ClusterCertificate.Steps)
	}
	require.Less(t, steps[1], steps[0])
}

// A plan across nodes is refused once it no longer holds.
func TestVerifyAcross(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "4", "a")},
		Pods:  []*outrank.Pod{pod("far", 1, "1", on("n2"), app("x")), pod("more", 1, "1", on("n2"), app("x")), pod("y", 1, "1", on("n2"), app("y"))},
	}
	c.Nodes[1].Allocatable["cpu"] = resource.MustParse("0")
	e, snap := newEvaluator(t, preemption.Config{Victims: preemption.Across{}}), newSnapshot(t, c)
	p := pod("preemptor", 9, "1", apart("x"))
	plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	require.Len(t, plan.Victims, 2)
	require.NoError(t, e.Verify(context.Background(), snap, plan))
	fewer := *plan
	fewer.Victims = fewer.Victims[:1]
	assert.ErrorIs(t, e.Verify(context.Background(), snap, &fewer), engine.ErrUnsound)
	require.NoError(t, snap.RemovePod("default/far"))
	assert.ErrorIs(t, e.Verify(context.Background(), snap, plan), engine.ErrStale)
}

// A victim on another node that makes no room is one too many, however much it takes there.
func TestVerifyAcrossFindsSpareVictims(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "4", "a")},
		Pods:  []*outrank.Pod{pod("near", 1, "1", on("n1")), pod("far", 1, "4", on("n2"))},
	}
	e, snap := newEvaluator(t, preemption.Config{Victims: preemption.Across{}}), newSnapshot(t, c)
	plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, "n1 [default/near]", choice(plan.Candidate))
	require.NoError(t, e.Verify(context.Background(), snap, plan))
	more := *plan
	more.Victims = append(slices.Clone(more.Victims), preemption.Victim{Pod: c.Pods[1], Node: "n2"})
	more.Score.Victims, more.Score.PrioritySum = 2, 2*more.Score.PrioritySum
	err = e.Verify(context.Background(), snap, &more)
	require.ErrorIs(t, err, engine.ErrUnsound)
	assert.ErrorContains(t, err, "victim default/far need not leave")
}

// Bad input is an error, and an ended context ends the call.
func TestBadAcross(t *testing.T) {
	e := newEvaluator(t, preemption.Config{Victims: preemption.Across{}})
	_, err := e.Preempt(context.Background(), nil, preemption.Request{Pod: nil, Now: gen.Now})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = e.Preempt(ctx, newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "0", "a")}}), preemption.Request{Pod: pod("p", 1, "1"), Now: gen.Now})
	require.ErrorIs(t, err, context.Canceled)
	_, err = e.Preempt(context.Background(), newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "0", "a")}}), preemption.Request{
		Pod: pod("p", 1, "1"), Now: gen.Now, Statuses: plantest.InOrder([]preemption.Status{{Code: preemption.Unschedulable}}),
	})
	require.ErrorIs(t, err, outrank.ErrInvalid, "the nodes were asked by somebody else")
}

// Where the caller's order is not that of priorities, the best set by the ranks may have a
// pod more than makes room, and a later start than some of its pods.
func TestAcrossByImportance(t *testing.T) {
	from := func(age time.Duration) with {
		return func(p *outrank.Pod) { p.StartTime = gen.Now.Add(-age) }
	}
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "4", "a")},
		Pods: []*outrank.Pod{
			pod("a", 1, "1", on("n1"), from(3*time.Hour)), pod("b", 5, "1", on("n1"), from(time.Hour)), pod("c", 5, "2", on("n1"), from(2*time.Hour)),
		},
	}
	byName := func(p, q *outrank.Pod) int { return cmp.Compare(p.Name, q.Name) }
	for _, tt := range []struct {
		ranks []preemption.Rank
		want  string
	}{
		{nil, "n1 [default/a, default/b]"},
		{[]preemption.Rank{preemption.ByStart}, "n1 [default/a, default/b]"},
		{[]preemption.Rank{preemption.ByVictims}, "n1 [default/c]"},
	} {
		e := newEvaluator(t, preemption.Config{Victims: preemption.Across{}, Importance: byName, Ranks: tt.ranks})
		snap, p, ctx := newSnapshot(t, c), pod("p", 9, "2"), context.Background()
		plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.True(t, plan.ClusterCertificate.Optimal)
		assert.Equal(t, tt.want, choice(plan.Candidate))
		require.NoError(t, e.Verify(ctx, snap, plan))
	}
	c.Nodes[0], c.Pods = node("n1", "3", "a"), []*outrank.Pod{pod("a", 1, "1", on("n1")), pod("b", 5, "2", on("n1"))}
	e, snap, ctx := newEvaluator(t, preemption.Config{Victims: preemption.Across{}, Importance: byName}), newSnapshot(t, c), context.Background()
	plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: pod("p", 9, "2"), Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, "n1 [default/a, default/b]", choice(plan.Candidate), "whose top priority is that of the first one (rule 11.3)")
	require.NoError(t, e.Verify(ctx, snap, plan))
}

// Another victim can leave fewer violations: pod 2, which has to leave, takes from three
// budgets unless pod 1 has used up the first of them (rule 6.3.8). So what has to leave
// violates more by itself than with pod 1, and the node is not passed over for it.
func TestAcrossFewerViolationsByAnother(t *testing.T) {
	covered := func(names ...string) with {
		return func(p *outrank.Pod) {
			for _, name := range names {
				p.Labels[name] = "yes"
			}
		}
	}
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "4", "b")},
		Pods: []*outrank.Pod{
			pod("dear", 5, "1", on("n1"), app("good"), covered("none")), pod("1", 1, "1", on("n2"), app("good"), covered("first")),
			pod("2", 1, "1", on("n2"), app("bad"), covered("first", "second", "third")),
			pod("3", 1, "1", on("n2"), app("bad"), covered("second")), pod("4", 1, "1", on("n2"), app("bad"), covered("third")),
		},
	}
	for name, allowed := range map[string]int32{"none": 0, "first": 1, "second": 1, "third": 1} {
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{
			Name: name, DisruptionsAllowed: allowed, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{name: "yes"}},
		})
	}
	slices.SortFunc(c.Budgets, func(a, b *outrank.PodDisruptionBudget) int { return cmp.Compare(a.Name, b.Name) })
	plan, err := newEvaluator(t, preemption.Config{Victims: preemption.Across{}}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1", apart("bad")), Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "n2 [default/1, default/2, default/3, default/4]", choice(plan.Candidate))
	assert.Equal(t, 1, plan.Score.Violations)
}
