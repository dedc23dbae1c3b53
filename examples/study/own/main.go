// Command own is the command study with a policy more: cheapest evicts the pods whose requested
// cores add up to the least, before it looks at anything else but budgets.
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

func cheapest() preemption.Config {
	return preemption.Config{
		Ranks: []preemption.Rank{preemption.ByViolations, {Name: "requested cores", Cost: func(victim *outrank.Pod) int64 {
			return victim.RunningRequests(outrank.DefaultRelease).Amount("cpu")
		}}},
	}
}
