package score_test

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// small is a cluster of two nodes, of which a is half full.
func small() (*engine.Snapshot, *engine.Evaluator, *outrank.Pod) {
	room := resource.MustList("cpu", "4", "memory", "8Gi", "pods", "110")
	half := outrank.Container{Name: "c", Requests: resource.MustList("cpu", "2", "memory", "4Gi")}
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "a", Allocatable: room}, {Name: "b", Allocatable: room}},
		Pods:  []*outrank.Pod{{Name: "old", NodeName: "a", Containers: []outrank.Container{half}}},
	})
	if err != nil {
		panic(err)
	}
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		panic(err)
	}
	return snap, eval, &outrank.Pod{Name: "new", Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "1", "memory", "2Gi")}}}
}

func Example() {
	snap, eval, pod := small()
	scorer, err := score.New(score.Config{})
	if err != nil {
		panic(err)
	}
	ranked, err := scorer.Rank(context.Background(), eval, snap, pod)
	if err != nil {
		panic(err)
	}
	for i, n := range ranked.Nodes {
		fmt.Println(n.Name, ranked.Totals[i])
		for _, c := range ranked.Plugins {
			fmt.Println(" ", c.Plugin, c.Raw[i], c.Normalized[i], "times", c.Weight)
		}
	}
	fmt.Println("goes to", ranked.Choose(nil).Name)
	// Output:
	// a 400
	//   TaintToleration 0 100 times 3
	//   NodeResourcesFit 25 25 times 1
	//   NodeResourcesBalancedAllocation 75 75 times 1
	//   ImageLocality 0 0 times 1
	// b 450
	//   TaintToleration 0 100 times 3
	//   NodeResourcesFit 75 75 times 1
	//   NodeResourcesBalancedAllocation 75 75 times 1
	//   ImageLocality 0 0 times 1
	// goes to b
}

func ExampleNew() {
	_, err := score.New(score.Config{Weights: map[string]int64{"NodeName": 1}})
	fmt.Println(err)
	// Output: score configuration: Weights: invalid input: there is no plugin "NodeName" that gives scores
}

func ExampleDefaultWeights() {
	weights := score.DefaultWeights()
	delete(weights, score.ImageLocality)
	_, err := score.New(score.Config{Weights: weights})
	fmt.Println(len(weights), err)
	// Output: 6 <nil>
}

func ExampleScorer_Rank() {
	snap, eval, pod := small()
	packed, err := score.New(score.Config{Fit: score.Strategy{Type: score.MostAllocated}})
	if err != nil {
		panic(err)
	}
	ranked, err := packed.Rank(context.Background(), eval, snap, pod)
	if err != nil {
		panic(err)
	}
	fmt.Println(ranked.Totals, ranked.Choose(nil).Name)
	// Output: [450 400] a
}

func ExampleScorer_Score() {
	snap, _, pod := small()
	a, _ := snap.Node("a")
	ranked, err := new(score.Scorer).Score(context.Background(), snap, pod, []*outrank.Node{a})
	fmt.Println(ranked.Totals, err)
	// Output: [400] <nil>
}

// The counts that scores go by follow the snapshot.
func ExampleScorer_Rank_changes() {
	snap, eval, pod := small()
	scorer := new(score.Scorer)
	for i := range 4 {
		p := *pod
		p.Name = fmt.Sprint("new-", i)
		ranked, err := scorer.Rank(context.Background(), eval, snap, &p)
		if err != nil {
			panic(err)
		}
		p.NodeName = ranked.Choose(nil).Name
		if _, err := snap.PutPod(&p); err != nil {
			panic(err)
		}
		fmt.Print(p.NodeName, " ")
	}
	// Output: b b a b
}

func ExampleRanking_Choose() {
	r := score.Ranking{Nodes: []*outrank.Node{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Totals: []int64{3, 5, 5}}
	fmt.Println(r.Choose(nil).Name, r.Choose(func(n int) int { return n - 1 }).Name)
	// Output: b c
}

func ExampleRanking_Best() {
	r := score.Ranking{Nodes: []*outrank.Node{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Totals: []int64{3, 5, 5}}
	for _, n := range r.Best() {
		fmt.Println(n.Name)
	}
	// Output:
	// b
	// c
}
