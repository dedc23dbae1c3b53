package joint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/priority"
)

// byMoves is compared by what becomes of victims.
var byMoves = preemption.Rank{Name: "moves", Cost: func(*outrank.Pod) int64 { return 0 }}

// ranksOf are the ranks by which totals are compared: with moves, what becomes of victims is one of them.
func ranksOf(eval *engine.Evaluator, moves bool) []preemption.Rank {
	ranks := eval.Config().Ranks
	if ranks == nil {
		ranks = preemption.DefaultRanks()
	}
	if !moves || slices.ContainsFunc(ranks, func(r preemption.Rank) bool { return r.Name == byMoves.Name }) {
		return ranks
	}
	if ranks[0].Name == preemption.ByViolations.Name {
		return append([]preemption.Rank{preemption.ByViolations, byMoves}, ranks[1:]...)
	}
	return append([]preemption.Rank{byMoves}, ranks...)
}

// costs returns the costs of losses, also those that the zero value stands for.
func (d *drawn) costs() joint.LossCosts {
	if *d.moves == (joint.LossCosts{}) {
		return joint.LossCosts{Moved: 1, Waits: 20, Lost: 100}
	}
	return *d.moves
}

// made returns a pod as its controller makes it again.
func made(p *outrank.Pod) *outrank.Pod {
	again := *p
	again.Name, again.UID, again.NodeName, again.NominatedNodeName, again.Phase, again.DisruptionReason = "made-again-"+p.Name, "", "", "", "", ""
	again.Ready, again.StartTime, again.DeletionTimestamp = false, time.Time{}, time.Time{}
	again.AllocatedResources, again.Actual, again.Reported, again.ResizeDeferred, again.ResizeInfeasible = nil, nil, false, false, false
	again.Containers, again.InitContainers = slices.Clone(p.Containers), slices.Clone(p.InitContainers)
	for _, list := range [][]outrank.Container{again.Containers, again.InitContainers} {
		for i := range list {
			list[i].AllocatedResources, list[i].Actual, list[i].Reported = nil, nil, false
		}
	}
	return &again
}

// elsewhere asks every node but its own about the replacement of a victim: which take it, and what
// becomes of the victim if none does.
func elsewhere(t require.TestingT, eval *engine.Evaluator, snap *engine.Snapshot, victim *outrank.Pod) (takers []string, stranded joint.Loss) {
	switch {
	case victim.Owner == (outrank.Owner{}), victim.Owner.Kind == "DaemonSet":
		return nil, joint.Lost
	case victim.Group != "":
		return nil, joint.Waits
	}
	stranded = joint.Lost
	for n := range snap.Nodes() {
		if n.Name == victim.NodeName {
			continue
		}
		s, err := eval.Check(snap, made(victim), n.Name)
		require.NoError(t, err)
		switch s.Code {
		case preemption.Success:
			takers = append(takers, n.Name)
		case preemption.Unschedulable:
			stranded = joint.Waits
		}
	}
	return takers, stranded
}

// seat returns a copy of a snapshot in which the replacement of a victim runs.
func seat(t require.TestingT, snap *engine.Snapshot, victim *outrank.Pod, node string) *engine.Snapshot {
	s := snap.Clone()
	again := made(victim)
	again.NodeName = node
	require.NoError(t, errOf(s.PutPod(again)))
	return s
}

// movesOf returns the least cost of the losses, by trying all places for the replacements. Plans that end with the
// same pods on the same nodes are tried once.
func (b *brute) movesOf(done []assigned, snap *engine.Snapshot, victims []*outrank.Pod) int64 {
	var key strings.Builder
	for _, at := range done {
		key.WriteString(at.node + "/")
	}
	victims = slices.Clone(victims)
	slices.SortFunc(victims, func(v, w *outrank.Pod) int { return priority.Compare(v, w, b.now) })
	for _, v := range victims {
		key.WriteString(" " + string(v.Key()))
	}
	cost, known := b.known[key.String()]
	if !known {
		cost = b.cheapest(snap, victims)
		b.known[key.String()] = cost
	}
	return cost
}

func (b *brute) cheapest(snap *engine.Snapshot, victims []*outrank.Pod) int64 {
	if len(victims) == 0 {
		return 0
	}
	takers, stranded := elsewhere(b, b.eval, snap, victims[0])
	if len(takers) == 0 {
		return b.moves.Of(stranded) + b.cheapest(snap, victims[1:])
	}
	best := int64(-1)
	for _, node := range takers {
		if cost := b.moves.Moved + b.cheapest(seat(b, snap, victims[0], node), victims[1:]); best < 0 || cost < best {
			best = cost
		}
	}
	return best
}

// lost checks what a plan says of the replacements of its victims, and returns what the losses cost.
func (d *drawn) lost(plan *joint.Plan) (cost int64) {
	if d.moves == nil {
		for _, v := range plan.Victims {
			require.Nil(d, v.Fate)
		}
		return 0
	}
	costs := d.costs()
	snap := d.carriedOut(plan)
	for _, v := range plan.Victims {
		require.NotNil(d, v.Fate)
		cost += costs.Of(v.Fate.Loss)
		snap = d.follows(snap, v.Pod, v.Fate)
	}
	d.moreAfter(plan, snap)
	return cost
}

// moreAfter checks that the pods without a place one by one fit beside the replacements of the others'
// victims, and push none of these out (rule 25.6.6).
func (d *drawn) moreAfter(plan *joint.Plan, snap *engine.Snapshot) {
	for _, at := range plan.Placements {
		if !further(&at) {
			continue
		}
		for _, v := range at.Victims {
			require.NoError(d, snap.RemovePod(v.Key()))
			require.NotContains(d, v.Name, "again")
		}
		for _, p := range at.ClearedNominations {
			require.NoError(d, snap.Nominate(p.Key(), ""))
		}
	}
	for _, i := range plan.Order {
		at := plan.Placements[i]
		if !further(&at) {
			continue
		}
		s, err := d.eval.Check(snap, at.Pod, at.Node)
		require.NoError(d, err)
		require.Equal(d, preemption.Success, s.Code, "%v\n%v", s, plan)
		require.NoError(d, snap.Bind(at.Pod.Key(), at.Node))
	}
}

// follows checks what is said of one replacement, and has it run where it is said to.
func (d *drawn) follows(snap *engine.Snapshot, victim *outrank.Pod, fate *joint.Fate) *engine.Snapshot {
	takers, stranded := elsewhere(d, d.eval, snap, victim)
	if len(takers) == 0 {
		require.Equal(d, stranded, fate.Loss, "%s: %v", victim.Name, fate)
		require.Empty(d, fate.Node)
		require.NotEmpty(d, fate.Why)
		return snap
	}
	require.Equal(d, joint.Moved, fate.Loss, "%s: %v, taken by %v", victim.Name, fate, takers)
	require.Contains(d, takers, fate.Node)
	require.Empty(d, fate.Why)
	return seat(d, snap, victim, fate.Node)
}

// byImportance lists victims, the most important first.
func byImportance(victims []preemption.Victim) []*outrank.Pod {
	var out []*outrank.Pod
	for _, v := range victims {
		out = append(out, v.Pod)
	}
	slices.SortFunc(out, func(v, w *outrank.Pod) int { return priority.Compare(v, w, gen.Now) })
	return out
}

// carriedOut is the cluster once the victims of a plan are gone and the pods run that one by one have a
// place.
func (d *drawn) carriedOut(plan *joint.Plan) *engine.Snapshot {
	s := d.snap.Clone()
	for _, at := range plan.Placements {
		require.NoError(d, errOf(s.PutPod(at.Pod)))
		if at.OneByOne.Node != "" && s.NominationOf(at.Pod.Key()) != "" {
			require.NoError(d, s.Nominate(at.Pod.Key(), ""))
		}
	}
	for _, at := range plan.Placements {
		if further(&at) {
			continue
		}
		for _, v := range at.Victims {
			require.NoError(d, s.RemovePod(v.Key()))
		}
		for _, p := range at.ClearedNominations {
			require.NoError(d, s.Nominate(p.Key(), ""))
		}
	}
	for _, i := range plan.Order {
		if at := plan.Placements[i]; !further(&at) {
			require.NoError(d, s.Bind(at.Pod.Key(), at.Node))
		}
	}
	return s
}

// owned has controllers make most pods of a cluster again.
func owned(t *rapid.T) func(*outrank.Cluster) {
	return func(c *outrank.Cluster) {
		for i, p := range c.Pods {
			p.Owner = outrank.Owner{}
			if kind := rapid.SampledFrom([]string{"ReplicaSet", "ReplicaSet", "ReplicaSet", "StatefulSet", "DaemonSet", ""}).Draw(t, "owner"); kind != "" {
				p.Owner = outrank.Owner{Kind: kind, Name: fmt.Sprint(kind, i%3)}
			}
		}
	}
}

// moving draws what losses cost.
func (d *drawn) moving() *drawn {
	d.moves = &joint.LossCosts{}
	if rapid.Bool().Draw(d.T, "costs of its own") {
		d.moves.Moved = int64(rapid.IntRange(0, 3).Draw(d.T, "moved"))
		d.moves.Waits = int64(rapid.IntRange(0, 8).Draw(d.T, "waits"))
		d.moves.Lost = int64(rapid.IntRange(0, 12).Draw(d.T, "lost"))
	}
	return d
}

// overMoving draws small clusters whose pods are made again.
func overMoving(t *testing.T, property func(d *drawn)) {
	over(t, small, func(t *rapid.T, shape gen.Shape) { property(drawOf(t, shape, 3, owned(t)).moving()) })
	t.Run("uneven", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { property(drawUnevenOf(t, owned(t)).moving()) })
	})
}

// With moves, too, the plan is the best that there is, by trying all plans and all places for all
// replacements; and whatever ends the search before, the plan is no better than that, it is called
// optimal only if it is as good, and no plan beats its bound.
func TestPropertyMoves(t *testing.T) { overMoving(t, bestWithMoves) }

func bestWithMoves(d *drawn) {
	plan := d.plan(500_000)
	promised(d, plan)
	b := bruteFor(d, plan)
	b.place(0, b.start, nil)
	best := d.oneByOne(plan, b)
	if b.best != nil && b.compare(*b.best, best) < 0 {
		best = *b.best
	}
	require.True(d, plan.Certificate.Optimal, "%v", plan)
	if !d.leaner(plan, b, best) {
		require.Zero(d, b.compare(plan.Total, best), "%v, and %v is possible\n%v", plan.Total, best, plan)
	}
	d.trueWhenever(d.plan(rapid.IntRange(1, 400).Draw(d.T, "limit")), b, best)
	ctx := &counting{context.Background(), rapid.IntRange(0, 400).Draw(d.T, "questions")}
	plan, err := joint.Preempt(ctx, d.eval, d.snap, joint.Request{Pods: d.pods, Now: gen.Now, Moves: d.moves})
	if err != nil {
		require.ErrorIs(d, err, context.Canceled)
		return
	}
	d.trueWhenever(plan, b, best)
	for _, known := range []preemption.Score{best, plan.OneByOne} {
		bound, err := joint.BoundOf(d.eval, d.snap, joint.Request{Pods: d.pods, Now: gen.Now, Moves: d.moves}, func(preemption.Score) preemption.Score { return known })
		require.NoError(d, err)
		require.GreaterOrEqual(d, b.compareBound(best, bound), 0, "%v, best %v", bound, best)
	}
}

// What plans with moves promise holds in larger clusters, too, also with groups, and the same input has the
// same answer.
func TestPropertyPromisesOfMoves(t *testing.T) {
	over(t, large, func(t *rapid.T, shape gen.Shape) {
		d := drawOf(t, shape, 6, owned(t)).moving()
		plan := d.plan(500)
		promised(d, plan)
		text, err := json.Marshal(plan)
		require.NoError(t, err)
		again, err := json.Marshal(d.plan(500))
		require.NoError(t, err)
		require.Equal(t, string(text), string(again))
	})
}

// oneByOne returns the total of preempting one by one, with the best places for the replacements.
func (d *drawn) oneByOne(plan *joint.Plan, b *brute) preemption.Score {
	if !plan.Kept {
		total := plan.OneByOne
		require.GreaterOrEqual(d, b.compare(total, plan.Total), 0)
		return total
	}
	var victims []*outrank.Pod
	for _, v := range plan.Victims {
		victims = append(victims, v.Pod)
	}
	total := totalOf(d.eval, d.snap, victims, gen.Now)
	addMoves(&total, b.cheapest(d.carriedOut(plan), victims))
	return total
}

// addMoves adds what becomes of victims to a total.
func addMoves(total *preemption.Score, costs int64) {
	if total.Own == nil {
		total.Own = map[string]int64{}
	}
	total.Own[byMoves.Name] += costs
}

// leaner reports whether a plan is better than all by trying, which have room for each pod at its turn: it
// holds at once, and lacks a victim that some pod needed at its turn and nobody needs in the end (rule 25.1.7).
func (d *drawn) leaner(plan *joint.Plan, b *brute, best preemption.Score) bool {
	if b.compare(plan.Total, best) >= 0 {
		return false
	}
	after(d, d.eval, d.snap, plan)
	require.True(d, d.waitsForLater(plan), "%v is possible\n%v", best, plan)
	return true
}

// waitsForLater reports whether some pod finds no room at its turn, when the victims of later ones are there.
func (d *drawn) waitsForLater(plan *joint.Plan) bool {
	s := d.snap.Clone()
	for _, at := range plan.Placements {
		if _, known := s.Pod(at.Pod.Key()); !known {
			require.NoError(d, errOf(s.PutPod(at.Pod)))
		}
		if at.Node != "" && s.NominationOf(at.Pod.Key()) != "" {
			require.NoError(d, s.Nominate(at.Pod.Key(), ""))
		}
	}
	for _, i := range plan.Order {
		at := plan.Placements[i]
		for _, v := range at.Victims {
			require.NoError(d, s.RemovePod(v.Key()))
		}
		for _, p := range at.ClearedNominations {
			require.NoError(d, s.Nominate(p.Key(), ""))
		}
		status, err := d.eval.Check(s, at.Pod, at.Node)
		require.NoError(d, err)
		if status.Code != preemption.Success {
			return true
		}
		require.NoError(d, s.Bind(at.Pod.Key(), at.Node))
	}
	return false
}

// trueWhenever checks that a plan which was ended somehow says the truth about itself.
func (d *drawn) trueWhenever(plan *joint.Plan, b *brute, best preemption.Score) {
	promised(d, plan)
	if plan.Certificate.Optimal && !d.leaner(plan, b, best) {
		require.Zero(d, b.compare(plan.Total, best), "%v is called optimal, and %v is possible", plan, best)
	}
	require.GreaterOrEqual(d, b.compareBound(best, plan.Certificate.Bound), 0, "%v, best %v", plan, best)
}

// compareBound compares a total with a bound up to the start. A bound says nothing of the start and of the ranks
// behind it.
func (b *brute) compareBound(total, bound preemption.Score) int {
	ranks := ranksOf(b.eval, true)
	if at := slices.IndexFunc(ranks, func(r preemption.Rank) bool { return r.Name == preemption.ByStart.Name }); at >= 0 {
		ranks = ranks[:at]
	}
	return compareBy(ranks, total, bound)
}
