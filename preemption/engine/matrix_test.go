package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// BenchmarkMatrix is a decision for each kind of preemptor on full clusters of pods of one
// size. It is asked about pods of a new shape each time, about the same one again, and about
// the same one after a pod on another node has changed. The groups are asked about as new ones.
func BenchmarkMatrix(b *testing.B) {
	for _, row := range gen.MatrixRows() {
		for _, nodes := range []int{100, 1000, 5000, 15000} {
			for _, budgets := range []int{0, 20} {
				var m *matrixCell
				for _, asked := range []string{"new", "known", "changed"} {
					b.Run(fmt.Sprintf("preemptor=%s/nodes=%d/budgets=%d/asked=%s", row, nodes, budgets, asked), func(b *testing.B) {
						if m == nil {
							m = newMatrixCell(b, row, nodes, budgets)
						}
						b.ReportAllocs()
						for i := 0; b.Loop(); i++ {
							m.ask(b, asked, i)
						}
					})
				}
			}
		}
	}
	for _, pods := range []int{8, 64} {
		for _, nodes := range []int{100, 1000, 5000} {
			b.Run(fmt.Sprintf("preemptor=group-%d/nodes=%d/budgets=20/asked=new", pods, nodes), func(b *testing.B) {
				c, like := gen.Matrix("plain", nodes, 30, 20)
				c.Release = groupsOn
				decideForGroup(b, newSnapshot(b, c), replicas(like, pods))
			})
		}
	}
}

// matrixCell is the cluster of a row, and those who ask.
type matrixCell struct {
	snap   *engine.Snapshot
	eval   *engine.Evaluator
	askers []*outrank.Pod
	moving [2]*outrank.Pod // a pod's two states in turn
}

func newMatrixCell(b *testing.B, row string, nodes, budgets int) *matrixCell {
	c, p := gen.Matrix(row, nodes, 30, budgets)
	m := &matrixCell{snap: newSnapshot(b, c), eval: newEvaluator(b, preemption.Config{})}
	m.askers, m.moving = gen.MatrixAskers(p), gen.MatrixMoving(c)
	return m
}

func (m *matrixCell) ask(b *testing.B, asked string, i int) {
	asker := m.askers[0]
	switch asked {
	case "new":
		asker = m.askers[i%len(m.askers)]
	case "changed":
		check(b, errOf(m.snap.PutPod(m.moving[i%2])))
	}
	if _, err := m.eval.Preempt(context.Background(), m.snap, preemption.Request{Pod: asker, Now: gen.Now}); err != nil {
		b.Fatal(err)
	}
}

// Whatever the row, every way to an answer agrees with the book, also after changes.
func TestPropertyMatrixAgrees(t *testing.T) {
	seeded.AtLeast(t, 16) // with fewer, nobody has to leave in some rows
	for _, row := range gen.MatrixRows() {
		t.Run(row, func(t *testing.T) {
			outcomes := map[preemption.Outcome]bool{}
			rapid.Check(t, func(t *rapid.T) {
				c, p := gen.Matrix(row, rapid.IntRange(1, 12).Draw(t, "nodes"), rapid.IntRange(1, 6).Draw(t, "pods"), rapid.IntRange(0, 6).Draw(t, "budgets"))
				c.Pods = slices.DeleteFunc(c.Pods, func(q *outrank.Pod) bool {
					q.Priority = outrank.Priority(rapid.SampledFrom([]int32{0, 1, 10, 20_000}).Draw(t, "priority"))
					q.Labels["app"] = rapid.SampledFrom([]string{"app-0", "app-1", "app-3"}).Draw(t, "app")
					return rapid.IntRange(0, 9).Draw(t, "gone") == 0
				})
				if row == "plain" && rapid.Bool().Draw(t, "small") {
					p.Containers[0].Requests = resource.MustList("cpu", "400m")
				}
				snap := newSnapshot(t, c)
				e := newEvaluator(t, preemption.Config{})
				for range 3 {
					agreesWith(t, preemption.Config{}, snap, c, p)
					plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
					require.NoError(t, err)
					outcomes[plan.Outcome] = true
					if len(c.Pods) > 0 {
						i := rapid.IntRange(0, len(c.Pods)-1).Draw(t, "changed")
						q := *c.Pods[i]
						q.StartTime = q.StartTime.Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "later")) * time.Second)
						q.Priority = outrank.Priority(rapid.SampledFrom([]int32{0, 1, 30_000}).Draw(t, "now"))
						q.Labels = map[string]string{"app": rapid.SampledFrom([]string{"app-0", "app-3"}).Draw(t, "app now")}
						c.Pods = slices.Clone(c.Pods)
						c.Pods[i] = &q
						require.NoError(t, errOf(snap.PutPod(&q)))
					}
				}
			})
			assert.NotEmpty(t, outcomes)
			if row != "never-fits" && row != "nobody-lower" {
				assert.True(t, outcomes[preemption.Preempts], "nobody has ever to leave: %v", outcomes)
			}
		})
	}
}
