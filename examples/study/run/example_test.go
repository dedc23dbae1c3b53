package run_test

import (
	"fmt"

	"github.com/outrank-go/outrank/examples/study/run"
	"github.com/outrank-go/outrank/preemption"
)

// A policy without budgets' violations, under a name of its own; the name can be given once.
func ExampleRegister() {
	noViolations := func() preemption.Config {
		return preemption.Config{Budgets: preemption.NeverViolate}
	}
	fmt.Println(run.Register("no-violations", noViolations))
	fmt.Println(run.Register("no-violations", noViolations))
	// Output:
	// <nil>
	// invalid input: policy no-violations: there is one of that name
}
