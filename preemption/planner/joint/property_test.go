package joint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	_ "github.com/outrank-go/outrank/preemption/kube" // the JSON of the cluster
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/resource"
)

// small are the sorts of clusters in which every plan can be tried.
var small = map[string]gen.Shape{
	"resources": {Nodes: 3, PodsPerNode: 3, Budgets: 3},
	"alike":     {Nodes: 3, PodsPerNode: 4, Alike: true, Budgets: 2},
	"nominated": {Nodes: 3, PodsPerNode: 3, Budgets: 2, Nominated: 3},
	"filters":   {Nodes: 3, PodsPerNode: 3, Taints: true, Selectors: true, Features: true},
	"affinity":  {Nodes: 3, PodsPerNode: 2, Affinity: true},
	"spread":    {Nodes: 3, PodsPerNode: 2, Spread: true},
}

// large are sorts of clusters in which a plan is only checked against its promises.
var large = map[string]gen.Shape{
	"full":  gen.Full(),
	"units": {Groups: 3, Units: true, Budgets: 4, Nominated: 4, Taints: true},
	"alike": {Nodes: 8, PodsPerNode: 12, Alike: true, Budgets: 2},
	"mixed": {Nodes: 10, PodsPerNode: 8, Budgets: 5, Affinity: true},
}

// drawn is a cluster with pods that wait.
type drawn struct {
	*rapid.T
	snap *engine.Snapshot
	eval *engine.Evaluator
	pods []*outrank.Pod
	// moves are what losses cost, nil where nothing is asked about replacements.
	moves *joint.LossCosts
}

// takesByName lets pods take from some of those of other priorities, higher ones among them.
func takesByName(preemptor, victim *outrank.Pod) (rule string, ok bool) {
	return "by name", preemptor.PriorityValue() != victim.PriorityValue() && victim.Name[len(victim.Name)-1]%4 > 0
}

// sparesByName lets pods take from some only.
func sparesByName(_, victim *outrank.Pod) (rule string, ok bool) {
	return "", victim.Name[len(victim.Name)-1]%3 > 0
}

// decide draws the rules: mostly those of kube-scheduler, and else ranks in any order, what
// victims cost, a caller that spares some pods, and rules in place of priority.
func (d *drawn) decide() {
	var config preemption.Config
	if rapid.Bool().Draw(d.T, "ranks of its own") {
		ranks := rapid.Permutation(append(preemption.DefaultRanks(), byCostOf)).Draw(d.T, "ranks")
		config.Ranks = ranks[:rapid.IntRange(1, len(ranks)).Draw(d.T, "number of ranks")]
	}
	spares := rapid.IntRange(0, 3).Draw(d.T, "spares") == 0
	if spares {
		config.Eligibility.Take = sparesByName
	}
	if rapid.IntRange(0, 3).Draw(d.T, "takes") == 0 {
		config.Eligibility.AnyPriority = true
		config.Eligibility.Take = func(preemptor, victim *outrank.Pod) (rule string, ok bool) {
			if _, ok = sparesByName(preemptor, victim); spares && !ok {
				return "", false
			}
			return takesByName(preemptor, victim)
		}
	}
	if rapid.IntRange(0, 3).Draw(d.T, "guards") == 0 {
		config.Guard = fewTogether(rapid.IntRange(1, 3).Draw(d.T, "together"), rapid.IntRange(1, 2).Draw(d.T, "of an app"))
	}
	var err error
	d.eval, err = engine.New(config)
	require.NoError(d, err)
}

// costOf differs by name and is often nothing.
func costOf(p *outrank.Pod) int64 { return max(0, int64(p.Name[len(p.Name)-1]%8)-4) }

var byCostOf = preemption.Rank{Name: "cost", Cost: costOf}

func draw(t *rapid.T, shape gen.Shape, most int) *drawn {
	return drawOf(t, shape, most, func(*outrank.Cluster) {})
}

// drawOf draws one that is changed before it is indexed.
func drawOf(t *rapid.T, shape gen.Shape, most int, change func(*outrank.Cluster)) *drawn {
	d := &drawn{T: t}
	var err error
	c := gen.Cluster(shape).Draw(t, "cluster")
	change(c)
	d.snap, err = engine.NewSnapshot(c)
	require.NoError(t, err)
	d.decide()
	for i := range rapid.IntRange(1, most).Draw(t, "pods") {
		p := *gen.Preemptor(shape).Draw(t, "preemptor")
		if i > 0 && rapid.Bool().Draw(t, "same") {
			p = *d.pods[i-1]
		}
		p.Name, p.Group, p.NodeName = fmt.Sprint("waiting-", i), "", ""
		d.pods = append(d.pods, &p)
	}
	return d
}

// drawUneven draws a cluster whose pods are of uneven sizes and mostly of one priority, so
// that pods that wait can often share victims.
func drawUneven(t *rapid.T) *drawn { return drawUnevenOf(t, func(*outrank.Cluster) {}) }

// drawUnevenOf draws one that is changed before it is indexed.
func drawUnevenOf(t *rapid.T, change func(*outrank.Cluster)) *drawn {
	c := &outrank.Cluster{}
	amount := func(label string, most int) resource.List {
		return resource.MustList("cpu", fmt.Sprint(rapid.IntRange(1, most).Draw(t, label)), "memory", fmt.Sprint(rapid.IntRange(1, most).Draw(t, label)))
	}
	make := func(name, node string, priority int32, list resource.List) *outrank.Pod {
		return &outrank.Pod{Name: name, NodeName: node, Priority: outrank.Priority(priority), StartTime: gen.Now.Add(-time.Duration(rapid.IntRange(0, 3).Draw(t, "age")) * time.Hour),
			Labels: map[string]string{"app": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "app")}, Containers: []outrank.Container{{Name: "c", Requests: list}}}
	}
	nodes := rapid.IntRange(2, 4).Draw(t, "nodes")
	for n := range nodes {
		node := fmt.Sprint("n", n)
		c.Nodes = append(c.Nodes, &outrank.Node{Name: node, Allocatable: resource.MustList("cpu", "6", "memory", "6", "pods", "6")})
		for range rapid.IntRange(1, 5-max(nodes, 2)).Draw(t, "pods") {
			priority := rapid.SampledFrom([]int32{10, 10, 10, 20, 150}).Draw(t, "priority")
			c.Pods = append(c.Pods, make(fmt.Sprint("p", len(c.Pods)), node, priority, amount("takes", 5)))
		}
	}
	if rapid.Bool().Draw(t, "v1.36") {
		c.Release = outrank.V1_36
	}
	every := &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.Exists}}}
	for _, app := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "every"}), 0, 3, rapid.ID[string]).Draw(t, "budgets") {
		selector := every
		if app != "every" {
			selector = &outrank.LabelSelector{MatchLabels: map[string]string{"app": app}}
		}
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{Name: app, DisruptionsAllowed: int32(rapid.IntRange(0, 1).Draw(t, "allowed")), Selector: selector})
	}
	change(c)
	d := &drawn{T: t}
	var err error
	d.snap, err = engine.NewSnapshot(c)
	require.NoError(t, err)
	d.decide()
	for i := range rapid.IntRange(2, 7-nodes).Draw(t, "waiting") {
		d.pods = append(d.pods, make(fmt.Sprint("w", i), "", rapid.SampledFrom([]int32{15, 100, 100, 200}).Draw(t, "priority"), amount("asks", 4)))
	}
	return d
}

func (d *drawn) plan(limit int) *joint.Plan {
	plan, err := joint.Preempt(context.Background(), d.eval, d.snap, joint.Request{Pods: d.pods, Now: gen.Now, Limit: limit, Moves: d.moves})
	require.NoError(d, err)
	return plan
}

func over(t *testing.T, shapes map[string]gen.Shape, property func(t *rapid.T, shape gen.Shape)) {
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { property(t, shapes[name]) })
		})
	}
}

// The plan is the best that there is, by trying all plans.
func TestPropertyBestOfAll(t *testing.T) {
	over(t, small, func(t *rapid.T, shape gen.Shape) {
		bestOfAll(draw(t, shape, 3))
	})
	t.Run("uneven", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { bestOfAll(drawUneven(t)) })
	})
}

func bestOfAll(d *drawn) {
	plan := d.plan(500_000)
	promised(d, plan)
	b := bruteFor(d, plan)
	b.place(0, b.start, nil)
	best := plan.OneByOne
	if b.best != nil && compare(d.eval, *b.best, best) < 0 {
		best = *b.best
	}
	require.True(d, plan.Certificate.Optimal, "%v", plan)
	if compare(d.eval, plan.Total, best) < 0 { // with a place only by the victims of later pods
		fewer(d, plan)
		return
	}
	require.Zero(d, compare(d.eval, plan.Total, best), "%v, and %v is possible\n%v", plan.Total, best, plan)
}

// bruteFor prepares the search by brute force for the pods that one by one have a place.
func bruteFor(d *drawn, plan *joint.Plan) *brute {
	b := &brute{T: d.T, eval: d.eval, start: d.snap.Clone(), now: gen.Now, known: map[string]int64{}}
	if d.moves != nil {
		costs := d.costs()
		b.moves = &costs
	}
	queue := d.snap.Clone()
	for _, p := range d.pods {
		for _, s := range []*engine.Snapshot{b.start, queue} {
			require.NoError(d, errOf(s.PutPod(p)))
		}
	}
	for _, i := range plan.Order {
		at := plan.Placements[i]
		if further(&at) {
			continue
		}
		ask, err := d.eval.Preempt(context.Background(), queue, preemption.Request{Pod: at.Pod, Now: gen.Now})
		require.NoError(d, err)
		b.pods, b.may = append(b.pods, at.Pod), append(b.may, ask.Ineligible == "")
		if b.start.NominationOf(at.Pod.Key()) != "" {
			require.NoError(d, b.start.Nominate(at.Pod.Key(), ""))
		}
	}
	return b
}

// What a plan promises: every pod fits once all is done, none that one by one has a place
// goes without, the total is no worse, and the bound is one.
func TestPropertyPromises(t *testing.T) {
	shapes := maps.Clone(large)
	for name, shape := range small {
		shapes["small "+name] = shape
	}
	over(t, shapes, func(t *rapid.T, shape gen.Shape) {
		d := draw(t, shape, 6)
		before, err := json.Marshal(d.snap.Cluster())
		require.NoError(t, err)
		plan := d.plan(2_000)
		promised(d, plan)
		now, err := json.Marshal(d.snap.Cluster())
		require.NoError(t, err)
		require.Equal(t, string(before), string(now), "the caller's snapshot is left alone")
		text, err := json.Marshal(plan)
		require.NoError(t, err)
		again, err := json.Marshal(d.plan(2_000))
		require.NoError(t, err)
		require.Equal(t, string(text), string(again), "the same input has the same answer")
	})
}

func promised(d *drawn, plan *joint.Plan) {
	require.LessOrEqual(d, compareBy(ranksOf(d.eval, d.moves != nil), plan.Total, plan.OneByOne), 0, "%v", plan)
	require.Len(d, plan.Placements, len(d.pods))
	var victims []*outrank.Pod
	for i, at := range plan.Placements {
		require.Equal(d, queued(d.pods)[i], at.Pod)
		if at.OneByOne.Node != "" {
			require.NotEmpty(d, at.Node, "%v", plan)
		}
		require.Equal(d, at.Node == "", at.Refused != nil)
		if !further(&at) {
			victims = append(victims, at.Victims...)
		}
		for _, v := range at.Victims {
			require.NotContains(d, d.pods, v)
		}
		d.whole(&at)
	}
	require.Equal(d, len(victims), len(plan.Victims))
	total := totalOf(d.eval, d.snap, victims, gen.Now)
	if d.moves != nil {
		addMoves(&total, d.lost(plan))
	}
	require.Equal(d, total, plan.Total)
	take, guard := d.eval.Config().Eligibility.Take, d.eval.Config().Guard
	for _, v := range plan.Victims {
		rule := ""
		if take != nil {
			rule, _ = take(v.For, v.Pod)
		}
		if guard != nil && v.Pod.Labels["app"] == "web" {
			rule = "guarded"
		}
		require.Equal(d, rule, v.Rule)
	}
	d.needed(plan)
	c := plan.Certificate
	if c.Optimal {
		require.Equal(d, plan.Total, c.Bound)
	}
	for _, rank := range []int{c.Bound.Violations - plan.Total.Violations, c.Bound.Victims - plan.Total.Victims, int(c.Bound.Own["cost"] - plan.Total.Own["cost"]), int(c.Bound.Own["moves"] - plan.Total.Own["moves"])} {
		require.LessOrEqual(d, rank, 0, "%v", c)
	}
	require.LessOrEqual(d, c.Bound.TopPriority, plan.Total.TopPriority)
	require.LessOrEqual(d, c.Bound.PrioritySum, plan.Total.PrioritySum)
	if !plan.Kept {
		after(d, d.eval, d.snap, plan)
	}
}

// fewer checks that a plan is that of one by one with fewer victims, and that it holds.
func fewer(d *drawn, plan *joint.Plan) {
	first := map[*outrank.Pod]bool{}
	for _, at := range plan.Placements {
		for _, v := range at.OneByOne.Victims {
			first[v] = true
		}
	}
	for _, at := range plan.Placements {
		if further(&at) {
			continue
		}
		require.Equal(d, at.OneByOne.Node, at.Node, "%v", plan)
		for _, v := range at.Victims {
			require.Contains(d, first, v)
		}
	}
	after(d, d.eval, d.snap, plan)
}

// needed tries every victim on the cluster as it is when everything is done: put back with those that
// leave with it, it keeps exactly the pods away that it says. It could not stay, unless the ranks or a
// guard have it leave.
func (d *drawn) needed(plan *joint.Plan) {
	done := d.snap.Clone()
	for _, at := range plan.Placements {
		if _, known := done.Pod(at.Pod.Key()); !known {
			require.NoError(d, errOf(done.PutPod(at.Pod)))
		}
	}
	for _, at := range plan.Placements {
		for _, v := range at.Victims {
			require.NoError(d, done.RemovePod(v.Key()))
		}
		for _, p := range at.ClearedNominations {
			require.NoError(d, done.Nominate(p.Key(), ""))
		}
	}
	for _, i := range plan.Order {
		require.NoError(d, done.Bind(plan.Placements[i].Pod.Key(), plan.Placements[i].Node))
	}
	without := d.keptAway(done, plan)
	for _, v := range plan.Victims {
		var left, unit []*outrank.Pod
		for _, w := range plan.Victims {
			if w.Pod == v.Pod || w.For == v.For && w.Pod.Group != "" && v.Pod.Group != "" && leavesWith(d.snap, v.Pod, w.Pod) {
				unit = append(unit, w.Pod)
			} else {
				left = append(left, w.Pod)
			}
		}
		mark := done.Mark()
		for _, p := range unit {
			require.NoError(d, errOf(done.PutPod(p)))
		}
		with := d.keptAway(done, plan)
		require.NoError(d, done.Undo(mark))
		require.Equal(d, with, append([]*outrank.Pod{}, v.Needs...), "%s\n%v", v.Pod.Name, plan)
		if !slices.Contains(with, v.For) && len(unit) == 1 && d.ownRules() {
			for _, at := range plan.Placements {
				took := at.Node == v.Node && slices.Contains(with, at.Pod) && at.Pod.PriorityValue() > v.Pod.PriorityValue() && !further(&at)
				require.False(d, took, "%s leaves for %s, and %s needs it\n%v", v.Pod.Name, v.For.Name, at.Pod.Name, plan)
			}
		}

		idle := !slices.ContainsFunc(with, func(p *outrank.Pod) bool { return !slices.Contains(without, p) })
		if idle && d.moves == nil && d.eval.Config().Guard == nil && !d.late(plan, unit) {
			order := compare(d.eval, totalOf(d.eval, d.snap, left, gen.Now), plan.Total)
			require.Positive(d, order, "%s could stay\n%v", v.Pod.Name, plan)
		}
	}
}

// late reports whether some pod of the plan is not taken in its turn where victims stay: beside the pods
// before it, with all others gone.
func (d *drawn) late(plan *joint.Plan, stay []*outrank.Pod) bool {
	s := d.snap.Clone()
	for _, at := range plan.Placements {
		if _, known := s.Pod(at.Pod.Key()); !known {
			require.NoError(d, errOf(s.PutPod(at.Pod)))
		}
		if at.Node != "" && s.NominationOf(at.Pod.Key()) != "" {
			require.NoError(d, s.Nominate(at.Pod.Key(), ""))
		}
	}
	for _, at := range plan.Placements {
		for _, v := range at.Victims {
			if !slices.ContainsFunc(stay, func(p *outrank.Pod) bool { return p.Key() == v.Key() }) {
				require.NoError(d, s.RemovePod(v.Key()))
			}
		}
		for _, p := range at.ClearedNominations {
			require.NoError(d, s.Nominate(p.Key(), ""))
		}
	}
	for _, i := range plan.Order {
		at := plan.Placements[i]
		status, err := d.eval.Check(s, at.Pod, at.Node)
		require.NoError(d, err)
		if status.Code != preemption.Success {
			return true
		}
		require.NoError(d, s.Bind(at.Pod.Key(), at.Node))
	}
	return false
}

// ownRules reports whether priority alone says who may leave, and no nomination ends with a victim.
func (d *drawn) ownRules() bool {
	config := d.eval.Config()
	for p := range d.snap.Pods() {
		if d.snap.NominationOf(p.Key()) != "" {
			return false
		}
	}
	return config.Eligibility.Take == nil && config.Guard == nil
}

// keptAway lists the pods with a place, in the order of the queue, that their nodes would not take beside all
// others.
func (d *drawn) keptAway(done *engine.Snapshot, plan *joint.Plan) []*outrank.Pod {
	away := []*outrank.Pod{}
	for _, at := range plan.Placements {
		if at.Node == "" {
			continue
		}
		mark := done.Mark()
		require.NoError(d, done.Bind(at.Pod.Key(), ""))
		status, err := d.eval.Check(done, at.Pod, at.Node)
		require.NoError(d, err)
		if status.Code != preemption.Success {
			away = append(away, at.Pod)
		}
		require.NoError(d, done.Undo(mark))
	}
	return away
}

// leavesWith reports whether two running pods of one cluster are the same, or in one group that leaves whole.
func leavesWith(snap *engine.Snapshot, a, b *outrank.Pod) bool {
	group, composite := snap.LeavesWith(a)
	otherGroup, otherComposite := snap.LeavesWith(b)
	return a.Key() == b.Key() || (group != nil || composite != nil) && group == otherGroup && composite == otherComposite
}

// whole checks that pods which leave together are victims together.
func (d *drawn) whole(at *joint.Placement) {
	for _, v := range at.Victims {
		for _, p := range d.snap.PodsOn(at.Node) {
			if p.Group == v.Group && p.Group != "" && leavesWith(d.snap, v, p) {
				require.Contains(d, at.Victims, p, "%s leaves with %s", p.Name, v.Name)
			}
		}
	}
}

// The bound holds for the best plan, which only the search without a limit finds, whether that plan
// or the one of one by one is known.
func TestPropertyBound(t *testing.T) {
	bounded := func(d *drawn) {
		best := d.plan(500_000)
		if !best.Certificate.Optimal || best.Total.Victims == 0 {
			return
		}
		for _, known := range []preemption.Score{best.Total, best.OneByOne} {
			bound, err := joint.BoundOf(d.eval, d.snap, joint.Request{Pods: d.pods, Now: gen.Now}, func(preemption.Score) preemption.Score { return known })
			require.NoError(d, err)
			require.LessOrEqual(d, bound.Victims, best.Total.Victims)
			require.LessOrEqual(d, bound.TopPriority, best.Total.TopPriority)
			require.LessOrEqual(d, bound.PrioritySum, best.Total.PrioritySum)
			require.LessOrEqual(d, bound.Violations, best.Total.Violations)
			require.LessOrEqual(d, bound.Own["cost"], best.Total.Own["cost"])
			require.LessOrEqual(d, bound.Own["moves"], best.Total.Own["moves"])
		}
	}
	over(t, small, func(t *rapid.T, shape gen.Shape) { bounded(draw(t, shape, 3)) })
	t.Run("uneven", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { bounded(drawUneven(t)) })
	})
}

// Preempting one by one has the same result as the decisions of package preemption made plainly by rules 25.3.1
// and 25.3.2, where every pod has its place in the first round.
func TestPropertyOneByOne(t *testing.T) {
	over(t, large, func(t *rapid.T, shape gen.Shape) {
		d := draw(t, shape, 5)
		plan := d.plan(1)
		snap := d.snap.Clone()
		pods := queued(d.pods)
		eval := d.eval
		if config := eval.Config(); config.Eligibility.AnyPriority { // then nobody takes from a pod of the request
			take := config.Eligibility.Take
			config.Eligibility.Take = func(p, v *outrank.Pod) (rule string, ok bool) {
				if slices.Contains(d.pods, v) {
					return "", false
				}
				return take(p, v)
			}
			var err error
			eval, err = engine.New(config)
			require.NoError(t, err)
		}
		for _, p := range pods {
			require.NoError(t, errOf(snap.PutPod(p)))
		}
		wants := make([]joint.Choice, len(pods))
		for i, p := range pods {
			want := &wants[i]
			ask, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			switch ask.Outcome {
			case preemption.Fits:
				nodes, err := eval.Feasible(context.Background(), snap, p)
				require.NoError(t, err)
				want.Node = nodes[0].Name
				require.NoError(t, snap.Bind(p.Key(), want.Node))
			case preemption.Preempts:
				want.Node = ask.Node
				for _, v := range ask.Victims {
					want.Victims = append(want.Victims, v.Pod)
				}
				require.NoError(t, snap.Apply(ask))
			default:
				return // it has another turn once all others had theirs
			}
		}
		for i, p := range pods {
			if len(wants[i].Victims) == 0 {
				continue
			}
			status, err := eval.Check(snap, p, wants[i].Node)
			require.NoError(t, err)
			if status.Code != preemption.Success {
				return // it has another turn
			}
			require.NoError(t, snap.Bind(p.Key(), wants[i].Node))
		}
		for i, want := range wants {
			require.Equal(t, want, plan.Placements[i].OneByOne)
		}
	})
}
