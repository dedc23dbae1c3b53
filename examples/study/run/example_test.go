package run_test

import (
	"fmt"

	"github.com/outrank-go/outrank/examples/study/run"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// A policy without budgets' violations, under a name of its own; the name can be given once.
func ExampleRegister() {
	noViolations := func() engine.Config {
		return engine.Config{Policy: preemption.Policy{Strict: true}}
	}
	fmt.Println(run.Register("no-violations", noViolations))
	fmt.Println(run.Register("no-violations", noViolations))
	// Output:
	// <nil>
	// invalid input: policy no-violations: there is one of that name
}
