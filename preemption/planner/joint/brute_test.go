package joint_test

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/priority"
)

// brute goes through every assignment of the pods to nodes and every set of victims of
// each, by changing snapshots and asking nodes, with nothing of the engine's search.
type brute struct {
	*rapid.T
	eval  *engine.Evaluator
	start *engine.Snapshot // no pod placed
	now   time.Time
	pods  []*outrank.Pod
	may   []bool // preempt
	best  *preemption.Score
	leafs int
	// moves are what losses cost, nil where nothing is asked about replacements.
	moves *joint.LossCosts
	known map[string]int64 // what replacements cost, by who runs where and who is gone
}

type assigned struct {
	node    string
	victims []*outrank.Pod
}

// totalOf adds up victims as the rules say it.
func totalOf(eval *engine.Evaluator, snap *engine.Snapshot, victims []*outrank.Pod, now time.Time) preemption.Score {
	s := preemption.Score{TopPriority: math.MinInt32, Victims: len(victims)}
	victims = slices.Clone(victims)
	slices.SortFunc(victims, func(a, b *outrank.Pod) int { return priority.Compare(a, b, now) })
	for _, r := range eval.Config().Ranks {
		if r.Cost != nil && r.Name != byMoves.Name {
			s.Own = map[string]int64{r.Name: 0}
			for _, v := range victims {
				s.Own[r.Name] += r.Cost(v)
			}
		}
	}
	for _, v := range victims {
		s.PrioritySum += int64(v.PriorityValue()) + 1<<31
		s.TopPriority = max(s.TopPriority, v.PriorityValue())
	}
	for i, v := range victims {
		start := v.StartTime
		if start.IsZero() {
			start = now
		}
		if v.PriorityValue() == s.TopPriority && (i == 0 || start.Before(s.Start)) {
			s.Start = start
		}
	}
	violating, _ := pdb.New(slices.Collect(snap.Budgets())).Split(snap.Release(), victims)
	s.Violations = len(violating)
	return s
}

func (b *brute) takes(snap *engine.Snapshot, pod *outrank.Pod, node string) preemption.Code {
	s, err := b.eval.Check(snap, pod, node)
	require.NoError(b, err)
	return s.Code
}

// without returns a copy of a snapshot without some pods, and without the nominations of
// less important pods to the node if there are any.
func (b *brute) without(snap *engine.Snapshot, at assigned, pod *outrank.Pod) *engine.Snapshot {
	s := snap.Clone()
	for _, v := range at.victims {
		require.NoError(b, s.RemovePod(v.Key()))
	}
	if len(at.victims) > 0 {
		for _, p := range s.NominatedTo(at.node) {
			if p.PriorityValue() < pod.PriorityValue() {
				require.NoError(b, s.Nominate(p.Key(), ""))
			}
		}
	}
	return s
}

func (b *brute) place(i int, snap *engine.Snapshot, done []assigned) {
	if i == len(b.pods) {
		b.leaf(done)
		return
	}
	pod := b.pods[i]
	for node := range snap.Nodes() {
		code := b.takes(snap, pod, node.Name)
		for _, victims := range b.sets(i, snap, node.Name, code) {
			at := assigned{node.Name, victims}
			next := b.without(snap, at, pod)
			require.NoError(b, next.Bind(pod.Key(), node.Name))
			b.place(i+1, next, append(slices.Clone(done), at))
		}
	}
}

// sets lists who can leave for a pod: nobody if it fits, else every set without which it
// fits, and no member of which could stay.
func (b *brute) sets(i int, snap *engine.Snapshot, node string, code preemption.Code) [][]*outrank.Pod {
	pod := b.pods[i]
	if code == preemption.Success {
		return [][]*outrank.Pod{nil}
	}
	if code != preemption.Unschedulable || !b.may[i] {
		return nil
	}
	var possible []*outrank.Pod
	by := b.eval.Config().Eligibility
	for _, p := range snap.PodsOn(node) {
		ok := by.AnyPriority || p.PriorityValue() < pod.PriorityValue()
		if ok && by.Take != nil {
			_, ok = by.Take(pod, p)
		}
		if ok && !slices.Contains(b.pods, p) {
			possible = append(possible, p)
		}
	}
	if b.eval.Config().Guard != nil {
		possible = b.letGo(snap, pod, possible)
	}
	fits := func(set []*outrank.Pod) bool {
		return b.takes(b.without(snap, assigned{node, set}, pod), pod, node) == preemption.Success && b.together(snap, pod, set)
	}
	var out [][]*outrank.Pod
	for mask := 1; mask < 1<<len(possible); mask++ {
		var set []*outrank.Pod
		for k, p := range possible {
			if mask>>k&1 == 1 {
				set = append(set, p)
			}
		}
		ok := fits(set)
		for k := 0; ok && k < len(set); k++ {
			ok = !fits(slices.Delete(slices.Clone(set), k, k+1))
		}
		if ok {
			out = append(out, set)
		}
	}
	return out
}

// leaf counts a plan if it can be carried out at once.
func (b *brute) leaf(done []assigned) {
	b.leafs++
	snap := b.start
	var victims []*outrank.Pod
	for i, at := range done {
		snap = b.without(snap, at, b.pods[i])
		victims = append(victims, at.victims...)
	}
	for i, at := range done {
		if b.takes(snap, b.pods[i], at.node) != preemption.Success {
			return
		}
		snap = snap.Clone()
		require.NoError(b, snap.Bind(b.pods[i].Key(), at.node))
	}
	total := totalOf(b.eval, b.start, victims, b.now)
	if b.moves != nil {
		addMoves(&total, b.movesOf(done, snap, victims))
	}
	if b.best == nil || b.compare(total, *b.best) < 0 {
		b.best = &total
	}
}

// compare orders totals by the ranks of the policy and, with moves, the cost (rule 25.6.3).
func (b *brute) compare(x, y preemption.Score) int {
	return compareBy(ranksOf(b.eval, b.moves != nil), x, y)
}

// compare orders totals by the ranks of the policy (rules 25.2.1 and 25.2.3).
func compare(eval *engine.Evaluator, a, b preemption.Score) int {
	return compareBy(ranksOf(eval, false), a, b)
}

func compareBy(ranks []preemption.Rank, a, b preemption.Score) int {
	for _, rank := range ranks {
		order := 0
		switch rank.Name {
		case preemption.ByViolations.Name:
			order = cmp.Compare(a.Violations, b.Violations)
		case preemption.ByTopPriority.Name:
			order = cmp.Compare(a.TopPriority, b.TopPriority)
		case preemption.ByPrioritySum.Name:
			order = cmp.Compare(a.PrioritySum, b.PrioritySum)
		case preemption.ByVictims.Name:
			order = cmp.Compare(a.Victims, b.Victims)
		case byCostOf.Name, byMoves.Name:
			order = cmp.Compare(a.Own[rank.Name], b.Own[rank.Name])
		case preemption.ByStart.Name:
			switch { // nobody who leaves is best
			case a.Victims == 0 || b.Victims == 0:
				order = cmp.Compare(min(a.Victims, 1), min(b.Victims, 1))
			default:
				order = b.Start.Compare(a.Start)
			}
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// queued sorts as the queue does.
func queued(pods []*outrank.Pod) []*outrank.Pod {
	pods = slices.Clone(pods)
	slices.SortStableFunc(pods, func(a, b *outrank.Pod) int { return cmp.Compare(b.PriorityValue(), a.PriorityValue()) })
	return pods
}

// after returns the cluster once a plan is carried out: the pods of the request that have a
// place one by one, all others, and the victims. It fails where a pod does not fit.
func after(t require.TestingT, eval *engine.Evaluator, snap *engine.Snapshot, plan *joint.Plan) *engine.Snapshot {
	s := snap.Clone()
	for _, at := range plan.Placements {
		if _, ok := s.Pod(at.Pod.Key()); !ok {
			require.NoError(t, errOf(s.PutPod(at.Pod)))
		}
		if at.Node != "" && s.NominationOf(at.Pod.Key()) != "" {
			require.NoError(t, s.Nominate(at.Pod.Key(), ""))
		}
	}
	for _, at := range plan.Placements {
		for _, v := range at.Victims {
			require.NoError(t, s.RemovePod(v.Key()), "named once")
		}
		for _, p := range at.ClearedNominations {
			require.NoError(t, s.Nominate(p.Key(), ""))
		}
	}
	for _, i := range plan.Order {
		at := plan.Placements[i]
		status, err := eval.Check(s, at.Pod, at.Node)
		require.NoError(t, err)
		require.Equal(t, preemption.Success, status.Code, "%s on %s: %v\n%v", at.Pod.Key(), at.Node, status, plan)
		require.NoError(t, s.Bind(at.Pod.Key(), at.Node))
	}
	return s
}

// together asks the guard whether pods may leave together for a pod.
func (b *brute) together(snap *engine.Snapshot, pod *outrank.Pod, set []*outrank.Pod) bool {
	guard := b.eval.Config().Guard
	if guard == nil {
		return true
	}
	state, err := guard.Start([]*outrank.Pod{pod}, snap)
	require.NoError(b, err)
	for _, v := range set {
		state.Remove(v, nil)
	}
	return state.Check().Code == preemption.Success
}

// letGo takes pods away one after the other, the least important first, and returns those that the guard lets go
// at that point.
func (b *brute) letGo(snap *engine.Snapshot, pod *outrank.Pod, possible []*outrank.Pod) []*outrank.Pod {
	slices.SortFunc(possible, func(v, w *outrank.Pod) int { return priority.Compare(w, v, b.now) })
	var out []*outrank.Pod
	for _, v := range possible {
		if with := append(slices.Clone(out), v); b.together(snap, pod, with) {
			out = with
		}
	}
	return out
}

// fewTogether returns a guard that limits how many pods leave together, in all and of one app.
func fewTogether(pods, ofApp int) *preemption.Guard {
	return &preemption.Guard{Name: "FewTogether", Start: func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
		return &fewAway{pods: pods, ofApp: ofApp, apps: map[string]int{}}, nil
	}}
}

type fewAway struct {
	pods, ofApp int
	apps        map[string]int
	away        int
}

func (s *fewAway) Remove(v *outrank.Pod, _ *outrank.Node) {
	s.apps[v.Labels["app"]]++
	s.away++
}

func (s *fewAway) Add(v *outrank.Pod, _ *outrank.Node) {
	s.apps[v.Labels["app"]]--
	s.away--
}

func (s *fewAway) Check() preemption.Status {
	for _, n := range s.apps {
		if n > s.ofApp || s.away > s.pods {
			return preemption.Unschedulable.Because("too many at once")
		}
	}
	return preemption.Status{}
}

func (s *fewAway) Rule(v *outrank.Pod) string {
	if v.Labels["app"] == "web" {
		return "guarded"
	}
	return ""
}

func (s *fewAway) Clone() preemption.GuardState {
	c := *s
	c.apps = maps.Clone(s.apps)
	return &c
}
