package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// Where all nodes of a large cluster are too small for the pod even when empty, v1.13 tries each of them, and today's
// scheduler none (rules 7.7.5 and 13.2.15). The engine proves that from summaries, and counts as the book does.
func TestNodesThatAreTooSmallWhenEmpty(t *testing.T) {
	c := &outrank.Cluster{}
	for i := range 300 {
		name := fmt.Sprint("n", i)
		c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "4", "memory", "8Gi", "pods", "110")})
		c.Pods = append(c.Pods, &outrank.Pod{
			Name: "p" + name, NodeName: name, Priority: outrank.Priority(1),
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", fmt.Sprint(1+i%3))}},
		})
	}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)

	req := preemption.Request{Pod: &outrank.Pod{Name: "large", Priority: outrank.Priority(9), Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "5")}}}, Now: time.Unix(1, 0)}
	for variant, tried := range map[outrank.Variant]int{0: 0, outrank.VariantV1_13: 300, outrank.VariantSimplified: 0} {
		for _, sample := range []*preemption.Sample{nil, {}} {
			config := preemption.Config{Variant: variant, Sample: sample}
			eval, err := engine.New(config)
			require.NoError(t, err)
			fast, err := eval.Preempt(context.Background(), snap, req)
			require.NoError(t, err)
			book, err := preemption.Preempt(c, req, config)
			require.NoError(t, err)

			assert.Equal(t, book, fast, variant)
			count := 0
			for _, u := range fast.Unhelpful {
				count += u.Nodes
			}
			assert.Equal(t, tried, count, variant)
		}
	}
}
