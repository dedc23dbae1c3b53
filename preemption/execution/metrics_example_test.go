package execution_test

import (
	"fmt"

	"github.com/outrank-go/outrank/preemption/execution"
)

func ExampleHistogram() {
	var metrics execution.Metrics
	metrics.AddVictims(3)
	metrics.AddVictims(100)
	histogram := metrics.Values().PreemptionVictims
	for i, bound := range histogram.Bounds {
		fmt.Println("up to", bound, "victims:", histogram.Buckets[i])
	}
	fmt.Println("all:", histogram.Count(), "with", histogram.Sum, "victims")
	// Output:
	// up to 1 victims: 0
	// up to 2 victims: 0
	// up to 4 victims: 1
	// up to 8 victims: 0
	// up to 16 victims: 0
	// up to 32 victims: 0
	// up to 64 victims: 0
	// all: 2 with 103 victims
}
