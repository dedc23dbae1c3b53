package execution_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/resource"
)

// A world is a small cluster in numbers, for the two variants to be told anew below, in
// as plain words as they have, and to be compared with.
type world struct {
	nodes   []worldNode
	pods    []*worldPod // on nodes
	waiting []*worldPod // nominated to nodes, the preemptor apart
	budgets []worldBudget
	asks    *worldPod // the preemptor
	// failed are the failures that a scheduler found on the nodes, by name, nil where the
	// nodes are asked. A node may have no entry.
	failed map[string][]string
}

type worldNode struct {
	name     string
	cpu      int64
	most     int // pods
	cordoned bool
}

type worldPod struct {
	name, app string
	node      string // that it is on or nominated to
	priority  *int32
	cpu       int64
	port      int32
	start     int // in minutes
	leaves    bool
	never     bool
}

type worldBudget struct {
	app     string // "" for every pod, "-" for none
	allowed int
	counted []string
}

func (p *worldPod) rank() int32 {
	if p.priority == nil {
		return 0
	}
	return *p.priority
}

// drawWorld draws few pods of few sorts, so that much is equal.
func drawWorld(r *rand.Rand) *world {
	w := &world{}
	priority := func() *int32 {
		if r.IntN(6) == 0 {
			return nil
		}
		return outrank.Priority([]int32{-3, 0, 1, 1, 5, 5, 9}[r.IntN(7)])
	}
	sort := func(name string) *worldPod {
		p := &worldPod{name: name, app: []string{"", "a", "a", "b", "c"}[r.IntN(5)], priority: priority(), cpu: int64(1 + r.IntN(3)), start: r.IntN(4)}
		if r.IntN(8) == 0 {
			p.port = int32(80 + r.IntN(2))
		}
		p.leaves = r.IntN(8) == 0
		return p
	}
	for i := range 1 + r.IntN(4) {
		n := worldNode{name: fmt.Sprint("n", i), cpu: int64(3 + r.IntN(5)), most: 2 + r.IntN(6), cordoned: r.IntN(8) == 0}
		left, ports := n.cpu, map[int32]bool{}
		for j := range r.IntN(6) {
			p := sort(fmt.Sprint("p", i, j))
			if p.node = n.name; p.cpu > left || ports[p.port] && p.port > 0 {
				continue
			}
			left, ports[p.port] = left-p.cpu, true
			w.pods = append(w.pods, p)
		}
		for j := range r.IntN(8) / 5 * (1 + r.IntN(2)) {
			p := sort(fmt.Sprint("w", i, j))
			p.node, p.leaves = n.name, false
			w.waiting = append(w.waiting, p)
		}
		w.nodes = append(w.nodes, n)
	}
	for range r.IntN(4) {
		b := worldBudget{app: []string{"a", "a", "b", "", "-"}[r.IntN(5)], allowed: max(0, r.IntN(6)-3)}
		for _, p := range w.pods {
			if r.IntN(5) == 0 {
				b.counted = append(b.counted, p.name)
			}
		}
		w.budgets = append(w.budgets, b)
	}
	w.asks = sort("asks")
	w.asks.priority = outrank.Priority([]int32{10, 10, 6, 5, 1}[r.IntN(5)])
	w.asks.cpu, w.asks.leaves, w.asks.never = int64(2+r.IntN(2)), false, r.IntN(12) == 0
	if r.IntN(4) == 0 {
		w.asks.node = fmt.Sprint("n", r.IntN(6))
	}
	if r.IntN(3) == 0 {
		w.failed = map[string][]string{}
		for _, n := range w.nodes {
			switch r.IntN(5) {
			case 0: // none
			case 1:
				w.failed[n.name] = []string{"PodFitsResources", "PodToleratesNodeTaints"}
			default:
				w.failed[n.name] = []string{"PodFitsResources"}
			}
		}
	}
	return w
}

// on lists the pods that are on a node.
func (w *world) on(node string) (pods []*worldPod) {
	for _, p := range w.pods {
		if p.node == node {
			pods = append(pods, p)
		}
	}
	return pods
}

// expected lists the pods nominated to a node that room has to be left for.
func (w *world) expected(node string) (pods []*worldPod) {
	for _, p := range w.waiting {
		if p.node == node && p.rank() >= w.asks.rank() {
			pods = append(pods, p)
		}
	}
	return pods
}

// room reports whether the node takes the preemptor beside these pods.
func (w *world) room(n *worldNode, pods []*worldPod) bool {
	cpu := n.cpu - w.asks.cpu
	for _, p := range pods {
		if cpu -= p.cpu; p.port > 0 && p.port == w.asks.port {
			return false
		}
	}
	return !n.cordoned && cpu >= 0 && len(pods) < n.most
}

// fits is room beside the nominated pods, and once more without them if twice is set.
func (w *world) fits(n *worldNode, pods []*worldPod, twice bool) bool {
	beside := w.expected(n.name)
	return w.room(n, slices.Concat(pods, beside)) && (!twice || len(beside) == 0 || w.room(n, pods))
}

// hopeless reports whether no pod that leaves helps on a node, and passed over whether the
// node has no entry. known is false where the nodes are asked, which all of them are.
func (w *world) hopeless(n *worldNode) (hopeless, passedOver bool) {
	if w.failed == nil {
		// Today's filter knows that a node is too small for good.
		return n.cordoned || w.asks.cpu > n.cpu, false
	}
	failed, ok := w.failed[n.name]
	return slices.Contains(failed, "PodToleratesNodeTaints"), !ok
}

// told is what a variant does: who is told to go, in order, and what becomes of
// nominations.
type told struct {
	waits, fits bool
	node        string
	victims     []string
	violations  int
	top         int32 // what the second rank reads
	cleared     []string
	// keeps: the preemptor's own nomination stays where it is.
	keeps bool
}

// found is a node with its victims, in the order in which they were found.
type found struct {
	node       *worldNode
	victims    []*worldPod
	violations int
}

func (f *found) priorities() (highest int32, sum int64) {
	highest = math.MinInt32
	for _, p := range f.victims {
		highest = max(highest, p.rank())
		sum += int64(p.rank()) + 1<<31
	}
	return highest, sum
}

func (w *world) below(node string) (names []string) {
	for _, p := range w.waiting {
		if p.node == node && p.rank() < w.asks.rank() {
			names = append(names, p.name)
		}
	}
	slices.Sort(names)
	return names
}

func (f *found) told(w *world) *told {
	t := &told{node: f.node.name, violations: f.violations, cleared: w.below(f.node.name)}
	for _, p := range f.victims {
		t.victims = append(t.victims, p.name)
	}
	return t
}

func without(pods []*worldPod, gone *worldPod) []*worldPod {
	return slices.DeleteFunc(slices.Clone(pods), func(p *worldPod) bool { return p == gone })
}

// oldWay is what the scheduler of v1.13 does.
func (w *world) oldWay() *told {
	var potential []*worldNode
	for i := range w.nodes {
		n := &w.nodes[i]
		if w.failed == nil && w.fits(n, w.on(n.name), true) {
			return &told{fits: true}
		}
		if hopeless, _ := w.hopeless(n); !hopeless {
			potential = append(potential, n)
		}
	}
	for _, p := range w.on(w.asks.node) {
		if p.leaves && p.rank() < w.asks.rank() {
			return &told{waits: true, keeps: true}
		}
	}
	if len(potential) == 0 {
		return &told{}
	}
	var all []*found
	for _, n := range potential {
		if f := w.oldVictims(n); f != nil {
			all = append(all, f)
		}
	}
	for _, f := range all {
		if len(f.victims) == 0 {
			return f.told(w)
		}
	}
	for _, rank := range []func(f *found) int64{
		func(f *found) int64 { return int64(f.violations) },
		func(f *found) int64 { return int64(f.victims[0].rank()) },
		func(f *found) int64 { _, sum := f.priorities(); return sum },
		func(f *found) int64 { return int64(len(f.victims)) },
	} {
		all = least(all, rank)
	}
	if len(all) == 0 {
		return &told{keeps: true}
	}
	t := all[0].told(w)
	t.top = all[0].victims[0].rank()
	return t
}

// least keeps those with the lowest figure, in their order.
func least(all []*found, figure func(*found) int64) []*found {
	lowest := int64(math.MaxInt64)
	for _, f := range all {
		lowest = min(lowest, figure(f))
	}
	return slices.DeleteFunc(slices.Clone(all), func(f *found) bool { return figure(f) > lowest })
}

// oldVictims takes all pods of lower priority away and puts back those that fit, the
// violating ones first; nil where the node is no candidate.
func (w *world) oldVictims(n *worldNode) *found {
	var stay, lower []*worldPod
	for _, p := range w.on(n.name) {
		if p.rank() < w.asks.rank() {
			lower = append(lower, p)
		} else {
			stay = append(stay, p)
		}
	}
	if !w.fits(n, stay, true) {
		return nil
	}
	slices.SortStableFunc(lower, func(p, q *worldPod) int {
		return cmp.Or(cmp.Compare(q.rank(), p.rank()), strings.Compare(p.name, q.name))
	})
	f := &found{node: n}
	for _, violating := range []bool{true, false} {
		for _, p := range lower {
			if w.exhausted(p) != violating {
				continue
			}
			if with := append(slices.Clone(stay), p); w.fits(n, with, true) {
				stay = with
				continue
			}
			if f.victims = append(f.victims, p); violating {
				f.violations++
			}
		}
	}
	return f
}

// exhausted reports whether a budget that covers the pod allows nothing as it stands.
func (w *world) exhausted(p *worldPod) bool {
	return slices.ContainsFunc(w.budgets, func(b worldBudget) bool { return p.app != "" && b.app == p.app && b.allowed <= 0 })
}

// simplifiedWay is the short form that tutorials tell.
func (w *world) simplifiedWay() *told {
	if w.failed == nil {
		for i := range w.nodes {
			if n := &w.nodes[i]; w.fits(n, w.on(n.name), false) {
				return &told{fits: true}
			}
		}
	}
	own := slices.IndexFunc(w.nodes, func(n worldNode) bool { return n.name == w.asks.node })
	if w.asks.node != "" {
		lost := false
		if own >= 0 {
			hopeless, passedOver := w.hopeless(&w.nodes[own])
			lost = hopeless || passedOver
		}
		if !lost {
			return &told{waits: true, keeps: true}
		}
	}
	if w.asks.never {
		return &told{waits: true, keeps: true}
	}
	var all []*found
	for i := range w.nodes {
		n := &w.nodes[i]
		if hopeless, passedOver := w.hopeless(n); hopeless || passedOver {
			continue
		}
		if f := w.simplifiedVictims(n); f != nil {
			all = append(all, f)
		}
	}
	for _, rank := range []func(f *found) int64{
		func(f *found) int64 { return int64(f.violations) },
		func(f *found) int64 { highest, _ := f.priorities(); return int64(highest) },
		func(f *found) int64 { return int64(len(f.victims)) },
		func(f *found) int64 { _, sum := f.priorities(); return sum },
	} {
		all = least(all, rank)
	}
	if len(all) == 0 {
		return &told{}
	}
	t := all[0].told(w)
	t.top, _ = all[0].priorities()
	return t
}

// simplifiedVictims takes pods, the lowest first, until the preemptor fits; of equal ones
// the one that started last.
func (w *world) simplifiedVictims(n *worldNode) *found {
	var possible []*worldPod
	for _, p := range w.on(n.name) {
		if p.priority == nil || *p.priority < w.asks.rank() {
			possible = append(possible, p)
		}
	}
	slices.SortFunc(possible, func(p, q *worldPod) int {
		return cmp.Or(cmp.Compare(p.rank(), q.rank()), cmp.Compare(q.start, p.start), strings.Compare(q.name, p.name))
	})
	f, left := &found{node: n}, w.on(n.name)
	for _, p := range possible {
		left = without(left, p)
		f.victims = append(f.victims, p)
		if !w.fits(n, left, false) {
			continue
		}
		allowed := make([]int, len(w.budgets))
		for i, b := range w.budgets {
			allowed[i] = b.allowed
		}
		for _, v := range f.victims {
			for i, b := range w.budgets {
				if b.app != "" && b.app != v.app {
					continue
				}
				if allowed[i] <= 0 {
					f.violations++
				}
				allowed[i]--
			}
		}
		return f
	}
	return nil
}

// cluster is the world as the library takes it.
func (w *world) cluster() *outrank.Cluster {
	c := &outrank.Cluster{}
	for _, n := range w.nodes {
		c.Nodes = append(c.Nodes, &outrank.Node{
			Name: n.name, Unschedulable: n.cordoned, Allocatable: resource.MustList("cpu", fmt.Sprint(n.cpu), "pods", fmt.Sprint(n.most)),
		})
	}
	for _, p := range w.pods {
		q := p.pod()
		q.NodeName, q.StartTime = p.node, now.Add(time.Duration(p.start)*time.Minute-time.Hour)
		c.Pods = append(c.Pods, q)
	}
	for _, p := range w.waiting {
		q := p.pod()
		q.NominatedNodeName = p.node
		c.Pods = append(c.Pods, q)
	}
	for i, b := range w.budgets {
		budget := &outrank.PodDisruptionBudget{Name: fmt.Sprint("b", i), DisruptionsAllowed: int32(b.allowed), Selector: &outrank.LabelSelector{}}
		if b.app != "" {
			budget.Selector.MatchLabels = map[string]string{"app": b.app}
		}
		for _, name := range b.counted {
			if budget.DisruptedPods == nil {
				budget.DisruptedPods = map[string]time.Time{}
			}
			budget.DisruptedPods[name] = now
		}
		c.Budgets = append(c.Budgets, budget)
	}
	return c
}

func (p *worldPod) pod() *outrank.Pod {
	q := &outrank.Pod{Name: p.name, Priority: p.priority, Containers: []outrank.Container{{Requests: resource.MustList("cpu", fmt.Sprint(p.cpu))}}}
	if p.app != "" {
		q.Labels = map[string]string{"app": p.app}
	}
	if p.port > 0 {
		q.Containers[0].Ports = []outrank.Port{{HostPort: p.port}}
	}
	if p.leaves {
		q.DeletionTimestamp, q.DisruptionReason = now, outrank.PreemptionByScheduler
	}
	if p.never {
		q.PreemptionPolicy = outrank.PreemptNever
	}
	return q
}

// statusOf is the status of a node where these failed (rule 7.17.2).
func statusOf(failed []string) preemption.Status {
	s := preemption.Status{Code: preemption.Unschedulable, Reasons: failed}
	if slices.Contains(failed, "PodToleratesNodeTaints") {
		s.Code = preemption.UnschedulableAndUnresolvable
	}
	return s
}

// library is what the library does in the world: the plan, how it is carried out, and what
// becomes of the preemptor's nomination.
func (w *world) library(t *testing.T, variant outrank.Variant, workers int) (*told, []string) {
	eval := must(engine.New(preemption.Config{Variant: variant})).Parallel(workers)
	pod := w.asks.pod()
	pod.NominatedNodeName = w.asks.node
	req := preemption.Request{Pod: pod, Now: now}
	if w.failed != nil {
		req.Statuses = func(_ int, node *outrank.Node) (preemption.Status, bool) {
			failed, asked := w.failed[node.Name]
			return statusOf(failed), asked
		}
	}
	plan, err := eval.Preempt(context.Background(), must(engine.NewSnapshot(w.cluster())), req)
	require.NoError(t, err)
	got := &told{fits: plan.Outcome == preemption.Fits, waits: plan.Outcome == preemption.NotEligible, node: plan.Node, violations: plan.Score.Violations, top: plan.Score.TopPriority}
	for _, p := range plan.ClearedNominations {
		got.cleared = append(got.cleared, p.Name)
	}
	slices.Sort(got.cleared)
	if got.fits {
		return got, nil
	}
	r := &executiontest.Recorder{}
	f := execution.Failure{Entry: entryOf(pod), Plan: plan}
	var steps []string
	if plan.Outcome == preemption.Preempts {
		_, err := newExecutor(t, execution.Config{Actions: r.Actions()}).Execute(context.Background(), plan)
		require.NoError(t, err)
		for _, c := range r.Calls() {
			switch c.Op {
			case "evict":
				require.Zero(t, c.Eviction.Condition, "neither knows DisruptionTarget")
				require.Equal(t, variant == outrank.VariantSimplified, c.Eviction.Grace != nil && *c.Eviction.Grace == 0)
				got.victims = append(got.victims, c.Pod.Name)
				steps = append(steps, "delete")
			case "nominate", "clear nomination":
				steps = append(steps, c.Op)
			}
		}
	}
	v, err := f.Verdict()
	require.NoError(t, err)
	got.keeps = !v.Nomination.Override
	return got, steps
}

// Each variant decides, and carries out, what it is told to above, on thousands of worlds, tens
// of thousands where properties see many cases. Each thing that makes them differ from today's scheduler happens among them.
func TestVariantsAsTheyAre(t *testing.T) {
	worlds := max(4_000, 2*seeded.Checks())
	r, seen := rand.New(rand.NewPCG(113, 37)), map[string]int{}
	for i := range worlds {
		w := drawWorld(r)
		for variant, want := range map[outrank.Variant]*told{outrank.VariantV1_13: w.oldWay(), outrank.VariantSimplified: w.simplifiedWay()} {
			got, steps := w.library(t, variant, 1+i%2)
			require.Equal(t, want, got, "%v in world %d: %+v", variant, i, w)
			w.count(seen, variant, got)
			if got.node == "" {
				continue
			}
			deletes := slices.Repeat([]string{"delete"}, len(got.victims))
			clears := slices.Repeat([]string{"clear nomination"}, len(got.cleared))
			if nominate := []string{"nominate"}; variant == outrank.VariantV1_13 {
				require.Equal(t, slices.Concat(nominate, deletes, clears), steps)
			} else {
				require.Equal(t, slices.Concat(deletes, clears, nominate), steps)
			}
		}
	}
	for _, sort := range []string{
		"v1.13 preempts", "v1.13 reads a lower victim", "v1.13 deletes again", "v1.13 keeps its nomination", "v1.13 needs no victim", "v1.13 without an entry",
		"simplified preempts", "simplified deletes again", "simplified counts twice",
	} {
		require.Greater(t, seen[sort], worlds/500, "%s: %v", sort, seen)
	}
}

// count counts what sorts of answers there were.
func (w *world) count(seen map[string]int, variant outrank.Variant, got *told) {
	note := func(what string, is bool) {
		if is {
			seen[fmt.Sprint(variant, " ", what)]++
		}
	}
	note("keeps its nomination", got.keeps && !got.waits)
	if got.node == "" {
		return
	}
	highest := int32(math.MinInt32)
	counted := false
	var first *worldPod
	again := false
	for _, p := range w.pods {
		if slices.Contains(got.victims, p.name) {
			highest, again = max(highest, p.rank()), again || p.leaves
			for _, b := range w.budgets {
				counted = counted || slices.Contains(b.counted, p.name) && (b.app == "" || b.app == p.app)
			}
			if p.name == got.victims[0] {
				first = p
			}
		}
	}
	_, entry := w.failed[got.node]
	note("preempts", true)
	note("needs no victim", len(got.victims) == 0)
	note("without an entry", w.failed != nil && !entry)
	note("deletes again", again)
	note("counts twice", counted && got.violations > 0)
	note("reads a lower victim", first != nil && first.rank() < highest)
}
