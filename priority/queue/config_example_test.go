package queue_test

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/priority/queue"
)

func ExampleConfig_Validate() {
	config := queue.Config{InitialBackoff: time.Minute, MaxBackoff: time.Second}
	fmt.Println(config.Validate())
	// Output:
	// queue config: MaxBackoff: 1s is less than InitialBackoff, 1m0s
}
