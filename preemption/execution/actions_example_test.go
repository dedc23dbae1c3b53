package execution_test

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/execution"
)

// A victim's own grace period counts where the policy gives none.
func ExampleEviction_Period() {
	own := 5 * time.Second
	e := execution.Eviction{Victim: &outrank.Pod{Name: "batch", Grace: &own}}
	fmt.Println(e.Period())
	e.Grace = new(time.Duration)
	fmt.Println(e.Period())
	// Output:
	// 5s
	// 0s
}
