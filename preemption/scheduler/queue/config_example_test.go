package queue_test

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// A loop of package attempt asks whether its queue goes with its evaluator.
func ExampleQueue_Follows() {
	q, err := queue.New(queue.Config{Variant: outrank.VariantV1_13})
	if err != nil {
		panic(err)
	}
	fmt.Println(q.Follows(outrank.VariantV1_13), q.Follows(outrank.VariantSimplified))
	// Output: true false
}

func ExampleNew_refused() {
	_, err := queue.New(queue.Config{InitialBackoff: time.Minute, MaxBackoff: time.Second})
	fmt.Println(err)
	// Output:
	// queue config: MaxBackoff: 1s is less than InitialBackoff, 1m0s
}
