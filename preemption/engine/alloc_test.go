//go:build !race

// The race detector has pools drop things at random, so that nothing can be
// counted under it.

package engine_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// A decision allocates the plan and nothing else: as many pieces as the plan
// has, however large the cluster is, with the cache and without. With several
// workers each round starts goroutines, which takes a few more allocations.
func TestAllocatesThePlanAlone(t *testing.T) {
	for _, nodes := range []int{10, 300} {
		for workers, budgets := range []int{0, 20, 20} {
			c, p := gen.Benchmark(nodes, 30, budgets)
			snap, err := engine.NewSnapshot(c)
			require.NoError(t, err)
			eval, err := engine.New(preemption.Config{})
			require.NoError(t, err)
			eval = eval.Parallel(workers)
			termsOf(eval).Chunk = 4 // so that several workers start
			pods := make([]*outrank.Pod, 500)
			for i := range pods {
				q := *p
				q.Priority = outrank.Priority(int32(10_000 + i))
				pods[i] = &q
			}
			plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			pieces := float64(piecesOf(reflect.ValueOf(plan)))
			count := 0
			afresh := testing.AllocsPerRun(len(pods)-1, func() {
				_, _ = eval.Preempt(context.Background(), snap, preemption.Request{Pod: pods[count], Now: gen.Now})
				count++
			})
			again := testing.AllocsPerRun(200, func() {
				_, _ = eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			})
			if workers > 1 {
				pieces += 4 * 8 // rounds
			}
			assert.LessOrEqual(t, afresh, pieces, "%d nodes, %d budgets, %d workers: of a new shape", nodes, budgets, workers)
			assert.LessOrEqual(t, again, pieces, "%d nodes, %d budgets, %d workers: of the same shape", nodes, budgets, workers)
		}
	}
}

// piecesOf counts the parts of a plan in memory, without the caller's own
// objects and shared texts.
func piecesOf(v reflect.Value) int {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type() != reflect.TypeFor[*preemption.Plan]() {
			return 0
		}
		return 1 + piecesOf(v.Elem())
	case reflect.Slice:
		if v.Len() == 0 || v.Type() == reflect.TypeFor[[]string]() {
			return 0
		}
		n := 1
		for i := range v.Len() {
			n += piecesOf(v.Index(i))
		}
		return n
	case reflect.Struct:
		n := 0
		for i := range v.NumField() {
			n += piecesOf(v.Field(i))
		}
		return n
	}
	return 0
}
