package queue_test

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

func ExampleNew_refused() {
	_, err := queue.New(queue.Config{InitialBackoff: time.Minute, MaxBackoff: time.Second})
	fmt.Println(err)
	// Output:
	// queue config: MaxBackoff: 1s is less than InitialBackoff, 1m0s
}
