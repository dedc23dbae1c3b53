package execution_test

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// The server is away for a moment while a pod is bound.
func ExampleExecutor_Bind() {
	for _, release := range []outrank.Release{outrank.V1_36, outrank.V1_37} {
		tries := 0
		executor := must(execution.NewExecutor(execution.Config{Actions: execution.Actions{
			Bind: func(context.Context, *outrank.Pod, string) error {
				if tries++; tries == 1 {
					return fmt.Errorf("connection refused: %w", execution.ErrRetriable)
				}
				return nil
			},
		}}))
		err := executor.Bind(context.Background(), release, &outrank.Pod{Name: "web"}, "n1")
		fmt.Println(release, tries, err)
	}
	// Output:
	// v1.36 1 connection refused: it may work when tried again
	// v1.37 2 <nil>
}
