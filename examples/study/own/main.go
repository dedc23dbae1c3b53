// Command own is the command study with one more policy. Policy cheapest first compares nodes by budgets, and
// then takes the node whose victims request the fewest cores in total.
package main

import (
	"log"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/study/run"
	"github.com/outrank-go/outrank/preemption"
)

func main() {
	if err := run.Register("cheapest", cheapest); err != nil {
		log.Fatal(err)
	}
	run.Main()
}

// cheapest returns the configuration of the policy.
func cheapest() preemption.Config {
	return preemption.Config{
		Ranks: []preemption.Rank{preemption.ByViolations, {Name: "requested cores", Cost: func(victim *outrank.Pod) int64 {
			return victim.RunningRequests(outrank.DefaultRelease).Amount("cpu")
		}}},
	}
}
