package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// Nodes are judged a block at a time, from what is known of all of them together. The answer is
// that of the book, whatever nodes a block has, and after any changes.
func TestPropertyBlocksAgree(t *testing.T) {
	t.Parallel()
	outcomes := map[preemption.Outcome]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := drawBlocks(t)
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			for range rapid.SampledFrom([]int{0, 0, 1, 3, 40}).Draw(t, "changes") {
				w.change(t)
			}
			outcomes[w.ask(t)]++
		}
	})
	for _, outcome := range []preemption.Outcome{preemption.Preempts, preemption.Fits, preemption.NothingHelps} {
		assert.Positive(t, outcomes[outcome], "%v: %v", outcome, outcomes)
	}
}

// blocks is a cluster of a few blocks with a preemptor of the matrix.
type blocks struct {
	snap       *engine.Snapshot
	p          *outrank.Pod
	r          *rand.Rand
	priorities []int32 // that pods have
	uneven     int     // of a hundred nodes and pods, so many differ from the others
	starts     int     // so many different ones
	serial     int
}

func drawBlocks(t *rapid.T) *blocks {
	rows := []string{"plain", "sizes", "sizes", "sizes", "selector-all", "selector-tenth", "selector-host", "tainted", "toleration", "never-fits", "nobody-lower"}
	nodes := rapid.SampledFrom([]int{3, 31, 32, 64, 65, 100, 150}).Draw(t, "nodes")
	row, pods, budgets := rapid.SampledFrom(rows).Draw(t, "row"), rapid.SampledFrom([]int{1, 2, 3, 4, 8}).Draw(t, "pods"), rapid.SampledFrom([]int{0, 0, 6}).Draw(t, "budgets")
	c, p := gen.Matrix(row, nodes, pods, budgets)
	if row == "sizes" && rapid.Bool().Draw(t, "all differ") {
		c, p = gen.Benchmark(nodes, pods, budgets)
	}
	w := &blocks{
		starts: rapid.SampledFrom([]int{5, 10_000}).Draw(t, "starts"),
		p:      p, r: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)),
		priorities: rapid.SampledFrom([][]int32{{0}, {0, 10}, {-5, 0, 1, 10, 20_000}, {20_000}, {1, 2, 3, 4, 5, 6, 7}}).Draw(t, "priorities"),
		uneven:     rapid.SampledFrom([]int{0, 0, 1, 10, 60}).Draw(t, "uneven"),
	}
	for i, n := range c.Nodes {
		c.Nodes[i] = w.node(n)
	}
	kept := c.Pods[:0]
	for _, q := range c.Pods {
		if q = w.pod(q); q != nil {
			kept = append(kept, q)
		}
	}
	c.Pods = kept
	if rapid.IntRange(0, 4).Draw(t, "by name") == 0 {
		w.nameNodes(c)
	}
	w.snap = newSnapshot(t, c)
	return w
}

// odd reports whether something differs from the others.
func (w *blocks) odd() bool { return w.r.IntN(100) < w.uneven }

// node returns a node as it is, or another version of it.
func (w *blocks) node(n *outrank.Node) *outrank.Node {
	if !w.odd() {
		return n
	}
	other := *n
	switch w.r.IntN(4) {
	case 0:
		other.Unschedulable = !n.Unschedulable
	case 1:
		other.Labels = map[string]string{"pool": fmt.Sprint("pool-", w.r.IntN(4)), "all": "yes"}
	case 2:
		other.Taints = []outrank.Taint{{Key: "other", Effect: outrank.NoSchedule}}
	default:
		other.Allocatable = resource.List{
			resource.CPU: resource.NewMilli(500 * w.r.Int64N(8)), resource.Memory: resource.New(w.r.Int64N(5) << 30),
			resource.EphemeralStorage: resource.New(4 << 30), resource.Pods: resource.New(w.r.Int64N(6)),
		}
	}
	return &other
}

// pod returns a pod of a random priority, or nil for none.
func (w *blocks) pod(q *outrank.Pod) *outrank.Pod {
	other := *q
	other.Priority = outrank.Priority(w.priorities[w.r.IntN(len(w.priorities))])
	other.StartTime = gen.Now.Add(-time.Duration(w.r.IntN(w.starts)) * time.Hour)
	if !w.odd() {
		return &other
	}
	switch w.r.IntN(5) {
	case 0:
		return nil
	case 1:
		other.NominatedNodeName, other.NodeName, other.StartTime = q.NodeName, "", time.Time{}
	case 2:
		other.StartTime = time.Time{}
	case 3:
		other.NodeName = "unknown"
	default:
		other.Containers = []outrank.Container{{Name: "main", Requests: resource.List{resource.CPU: resource.NewMilli(250 * w.r.Int64N(5))}}}
	}
	return &other
}

// nameNodes has the preemptor ask for some nodes by their names, one of which is unknown.
func (w *blocks) nameNodes(c *outrank.Cluster) {
	names := []string{"nowhere"}
	for _, n := range c.Nodes {
		if w.r.IntN(10) == 0 {
			names = append(names, n.Name)
		}
	}
	at := &outrank.NodeSelector{}
	for _, name := range names {
		at.NodeSelectorTerms = append(at.NodeSelectorTerms, outrank.NodeSelectorTerm{
			MatchFields: []outrank.NodeRequirement{{Key: "metadata.name", Operator: outrank.In, Values: []string{name}}},
		})
	}
	w.p.Affinity.NodeAffinity = at
}

func (w *blocks) change(t *rapid.T) {
	c := w.snap.Cluster()
	w.serial++
	switch change := w.r.IntN(12); {
	case change < 4 && len(c.Pods) > 0:
		q := c.Pods[w.r.IntN(len(c.Pods))]
		require.NoError(t, w.snap.RemovePod(q.Key()))
		other := *q
		other.Name = fmt.Sprint("again-", w.serial)
		if next := w.pod(&other); next != nil && change < 3 {
			require.NoError(t, errOf(w.snap.PutPod(next)))
		}
	case change < 6 && len(c.Nodes) > 0:
		was := w.uneven
		w.uneven = 100
		require.NoError(t, w.snap.PutNode(w.node(c.Nodes[w.r.IntN(len(c.Nodes))])))
		w.uneven = was
	case change == 6 && len(c.Nodes) > 1:
		require.NoError(t, w.snap.RemoveNode(c.Nodes[w.r.IntN(len(c.Nodes))].Name))
	case change == 7 && len(c.Nodes) > 0:
		n := *c.Nodes[w.r.IntN(len(c.Nodes))]
		n.Name = fmt.Sprint("new-", w.serial)
		require.NoError(t, w.snap.PutNode(&n))
	case change == 8:
		mark := w.snap.Mark()
		w.ask(t)
		if len(c.Nodes) > 1 {
			require.NoError(t, w.snap.RemoveNode(c.Nodes[0].Name))
			w.ask(t)
		}
		require.NoError(t, w.snap.Undo(mark))
	case change == 9:
		w.ask(t)
		was := w.snap
		clone := was.Clone()
		if w.r.IntN(2) == 0 {
			was, clone = clone, was
		}
		switch {
		case len(c.Pods) > 0 && w.r.IntN(2) == 0:
			require.NoError(t, clone.RemovePod(c.Pods[w.r.IntN(len(c.Pods))].Key()))
		case len(c.Nodes) > 1:
			require.NoError(t, clone.RemoveNode(c.Nodes[w.r.IntN(len(c.Nodes))].Name))
		}
		w.snap = clone
		w.ask(t)
		w.snap = was
		w.ask(t)
	case change == 10 && len(c.Budgets) > 0:
		b := *c.Budgets[w.r.IntN(len(c.Budgets))]
		b.DisruptionsAllowed = int32(w.r.IntN(3))
		require.NoError(t, w.snap.PutBudget(&b))
	case change == 11:
		w.apply(t)
	}
}

// apply carries a plan out, and asks before it is taken back, or leaves it.
func (w *blocks) apply(t *rapid.T) {
	p := *w.p
	p.Name = fmt.Sprint("applied-", w.serial)
	plan, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), w.snap, preemption.Request{Pod: &p, Now: gen.Now})
	require.NoError(t, err)
	if plan.Outcome != preemption.Preempts {
		return
	}
	mark := w.snap.Mark()
	require.NoError(t, w.snap.Apply(plan))
	w.ask(t)
	if w.r.IntN(2) == 0 {
		require.NoError(t, w.snap.Undo(mark))
	} else {
		require.NoError(t, w.snap.Keep(mark))
	}
}

// ask asks for a pod of some size and priority, and compares.
func (w *blocks) ask(t *rapid.T) preemption.Outcome {
	p := *w.p
	if p.PriorityValue() > 0 {
		p.Priority = outrank.Priority([]int32{5, 10_000, 30_000}[w.r.IntN(3)])
	}
	if parts := w.r.IntN(6); parts > 0 {
		p.Containers = []outrank.Container{{Name: "main", Requests: resource.List{
			resource.CPU: resource.NewMilli(int64(parts) * 500), resource.Memory: resource.New(int64(parts) << 30),
		}}}
	}
	c, req := w.snap.Cluster(), preemption.Request{Pod: &p, Now: gen.Now}
	var outcome preemption.Outcome
	for i, workers := range []int{1, 3} {
		e := newEvaluator(t, preemption.Config{}).Parallel(workers)
		if i > 0 {
			setChunk(e, 1+w.r.IntN(2))
		}
		got, err := e.Preempt(context.Background(), w.snap, req)
		require.NoError(t, err)
		sameAsBook(t, c, req, preemption.Config{}, got)
		outcome = got.Outcome
	}
	return outcome
}

// A node of which no range says anything is looked at, though all others refuse for one reason.
func TestNodeApartFromAllOthers(t *testing.T) {
	t.Parallel()
	size := resource.MustList("cpu", "1", "pods", "10")
	pod := func(name string, priority int32) *outrank.Pod {
		return &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
	}
	waits, runs := pod("waits", 0), pod("runs", 10)
	waits.NominatedNodeName, runs.NodeName = "apart", "full"
	snap := newSnapshot(t, &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "full", Allocatable: size}, {Name: "apart", Allocatable: size}},
		Pods:  []*outrank.Pod{waits, runs},
	})
	plan, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), snap, preemption.Request{Pod: pod("new", 5), Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, preemption.Fits, plan.Outcome)
}
