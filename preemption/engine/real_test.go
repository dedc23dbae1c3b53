package engine_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

var realSizes = flag.String("nodes", "1000", "BenchmarkReal runs on clusters of these numbers of nodes, separated by commas")

// BenchmarkReal is a decision on each of the clusters that nobody tuned for, asked in each of the ways. Its names are
// BenchmarkReal/ROW/WAY/NODES. Making a snapshot for the way first takes long and is not measured, so that -benchtime is
// best given as a number, such as 20x. Rows of the openb trace run where OPENB names its folder.
func BenchmarkReal(b *testing.B) {
	for _, row := range gen.RealRows() {
		cells := map[int]*realCell{}
		for _, way := range gen.RealWays() {
			for _, size := range strings.Split(*realSizes, ",") {
				nodes, err := strconv.Atoi(size)
				check(b, err)
				b.Run(fmt.Sprintf("%s/%s/%d", row, way, nodes), func(b *testing.B) {
					if cells[nodes] == nil {
						cells[nodes] = newRealCell(b, row, nodes)
					}
					cells[nodes].measure(b, way)
				})
			}
		}
	}
}

// realCell is a row of one size, its snapshot, and how often it has been asked.
type realCell struct {
	*gen.RealCase
	snap  *engine.Snapshot
	eval  *engine.Evaluator
	asked int
	// last is the last plan.
	last *preemption.Plan
}

func newRealCell(t fataler, row string, nodes int) *realCell {
	c := &realCell{RealCase: gen.Real(row, nodes), eval: newEvaluator(t, preemption.Config{})}
	c.snap = newSnapshot(t, c.Cluster)
	return c
}

// measure measures one way of asking.
func (c *realCell) measure(b *testing.B, way string) {
	// The shapes of the other ways fill the memory of a snapshot, so that a known one has another snapshot. It is known
	// from the first iteration on.
	if way == gen.RealKnown {
		c.snap = newSnapshot(b, c.Cluster)
	}
	for range 3 {
		check(b, errOf(c.ask(c.Asker(gen.RealKnown, 0))))
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		check(b, c.ready(b, way))
		asker := c.Asker(way, c.asked)
		b.StartTimer()

		if way == gen.RealChanged {
			check(b, errOf(c.snap.PutPod(c.Moving[c.asked%2])))
		}
		if plan, err := c.ask(asker); err != nil || plan.Outcome != preemption.Preempts {
			b.Fatal(plan, err)
		}
	}
}

// ready does what comes before the question that counts.
func (c *realCell) ready(t fataler, way string) error {
	c.asked++
	switch way {
	case gen.RealFirst:
		c.snap = newSnapshot(t, c.Cluster)
	case gen.RealSecond:
		return errOf(c.ask(c.Asker(way, c.asked)))
	}
	return nil
}

// ask makes a decision.
func (c *realCell) ask(p *outrank.Pod) (*preemption.Plan, error) {
	return c.eval.Preempt(context.Background(), c.snap, preemption.Request{Pod: p, Now: gen.Now})
}

// The book and the engine agree on every row, in whatever way it is asked.
func TestRealAgreesWithBook(t *testing.T) {
	for _, row := range gen.RealRows() {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			c := newRealCell(t, row, 20)
			for _, way := range gen.RealWays() {
				require.NoError(t, c.ready(t, way))
				if way == gen.RealChanged {
					c.put(t, c.Moving[0])
				}
				c.agrees(t, way)
			}

			// The answer to a known question changes with a victim that may no longer leave.
			important := *c.last.Victims[0].Pod
			important.Priority = outrank.Priority(60_000)
			c.put(t, &important)
			c.agrees(t, gen.RealKnown)
		})
	}
}

// put puts a pod in the place of one of the same name, in the cluster and in the snapshot.
func (c *realCell) put(t fataler, q *outrank.Pod) {
	at := slices.IndexFunc(c.Cluster.Pods, func(p *outrank.Pod) bool { return p.Key() == q.Key() })
	c.Cluster.Pods[at] = q
	require.NoError(t, errOf(c.snap.PutPod(q)))
}

// agrees asks book and engine in a way, fails if they differ, and returns the outcome.
func (c *realCell) agrees(t fataler, way string) preemption.Outcome {
	asker := c.Asker(way, c.asked)
	plan, err := c.ask(asker)
	require.NoError(t, err)
	sameAsBook(t, c.Cluster, preemption.Request{Pod: asker, Now: gen.Now}, preemption.Config{}, plan)
	c.last = plan
	return plan.Outcome
}

// They agree as well on such clusters with pods gone and priorities mixed, after any questions and changes.
func TestPropertyRealAgrees(t *testing.T) {
	t.Parallel()
	for _, row := range gen.RealRows() {
		t.Run(row, func(t *testing.T) {
			outcomes := map[preemption.Outcome]bool{}
			rapid.Check(t, func(t *rapid.T) {
				c := drawReal(t, row)
				for range rapid.IntRange(1, 6).Draw(t, "questions") {
					way := rapid.SampledFrom(gen.RealWays()).Draw(t, "way")
					require.NoError(t, c.ready(t, way))
					if way == gen.RealChanged {
						c.change(t)
					}
					outcomes[c.agrees(t, way)] = true
				}
			})
			assert.True(t, outcomes[preemption.Preempts], "nobody has ever to leave: %v", outcomes)
		})
	}
}

// drawReal returns a row of few nodes. Some of its pods are gone, or have another priority or label.
func drawReal(t *rapid.T, row string) *realCell {
	c := gen.Real(row, rapid.IntRange(2, 8).Draw(t, "nodes"))
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 51))
	gone := rapid.SampledFrom([]int{0, 1, 5}).Draw(t, "pods gone, of a hundred")
	c.Cluster.Pods = slices.DeleteFunc(c.Cluster.Pods, func(q *outrank.Pod) bool {
		if r.IntN(4) == 0 {
			q.Priority = outrank.Priority([]int32{-5, 0, 1, 49_500, 50_000}[r.IntN(5)])
		}
		return r.IntN(100) < gone
	})
	snap := newSnapshot(t, c.Cluster)
	return &realCell{RealCase: c, snap: snap, eval: newEvaluator(t, preemption.Config{})}
}

// change changes the start, the priority or the labels of a pod, or takes it away. Mostly it is one on which the last
// answer rests.
func (c *realCell) change(t *rapid.T) {
	i := rapid.IntRange(0, len(c.Cluster.Pods)-1).Draw(t, "changed")
	if c.last != nil && len(c.last.Victims) > 0 && rapid.IntRange(0, 3).Draw(t, "any pod") > 0 {
		victim := c.last.Victims[i%len(c.last.Victims)].Pod.Key()
		if at := slices.IndexFunc(c.Cluster.Pods, func(p *outrank.Pod) bool { return p.Key() == victim }); at >= 0 {
			i = at
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "goes") == 0 {
		require.NoError(t, c.snap.RemovePod(c.Cluster.Pods[i].Key()))
		c.Cluster.Pods = slices.Delete(c.Cluster.Pods, i, i+1)
		return
	}

	q := *c.Cluster.Pods[i]
	q.StartTime = q.StartTime.Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "later")) * time.Second)
	q.Priority = outrank.Priority(rapid.SampledFrom([]int32{0, 1, 60_000}).Draw(t, "now"))
	q.Labels = c.Cluster.Pods[rapid.IntRange(0, len(c.Cluster.Pods)-1).Draw(t, "labels of")].Labels
	c.put(t, &q)
}
