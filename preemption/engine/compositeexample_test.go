package engine_test

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// composed is an empty cluster with two composite groups.
func composed() *engine.Snapshot {
	return must(engine.NewSnapshot(&outrank.Cluster{Composites: []*outrank.CompositePodGroup{
		{Name: "simulation"}, {Name: "ensemble", Parent: "simulation"},
	}}))
}

func ExampleSnapshot_Composites() {
	for g := range composed().Composites() {
		fmt.Println(g.Key(), g.ParentKey() == "")
	}
	// Output:
	// default/ensemble false
	// default/simulation true
}

func ExampleSnapshot_PutComposite() {
	snap := composed()
	fmt.Println(snap.PutComposite(&outrank.CompositePodGroup{Name: "ensemble", DisruptionMode: outrank.DisruptPodGroup}))
	g, ok := snap.Composite("default/ensemble")
	fmt.Println(g.DisruptionMode == outrank.DisruptPodGroup, ok)
	// Output:
	// <nil>
	// true true
}

func ExampleSnapshot_RemoveComposite() {
	snap := composed()
	fmt.Println(snap.RemoveComposite("default/simulation"))
	fmt.Println(snap.RemoveComposite("default/simulation"))
	// Output:
	// <nil>
	// composite pod group default/simulation: not found
}
