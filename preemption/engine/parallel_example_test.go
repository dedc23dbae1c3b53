package engine_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// A decision about a large cluster is shared among four goroutines. Its answer is that of one.
func ExampleEvaluator_Parallel() {
	cluster, pod, err := clustergen.Benchmark(500, 30, 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	snap, alone := must(engine.NewSnapshot(cluster)), must(engine.New(preemption.Config{}))
	req := preemption.Request{Pod: pod, Now: clustergen.Now()}
	one := must(alone.Preempt(context.Background(), snap, req))
	four := must(alone.Parallel(4).Preempt(context.Background(), snap, req))
	fmt.Println(one.Outcome, one.Node == four.Node, reflect.DeepEqual(one.Score, four.Score))
	// Output: preempt true true
}

// perApp counts the running pods of each app, for filters and guards that ask for it.
var perApp = &preemption.Tracker{New: func() preemption.ClusterState { return appCount{} }}

type appCount map[string]int

func (c appCount) Add(p *outrank.Pod, _ *outrank.Node)    { c[p.Labels["app"]]++ }
func (c appCount) Remove(p *outrank.Pod, _ *outrank.Node) { c[p.Labels["app"]]-- }

func (c appCount) Clone() preemption.ClusterState {
	return maps.Clone(c)
}

// What a tracker counts is asked for within the time that the caller has.
func ExampleSnapshot_Within() {
	snap := must(engine.NewSnapshot(sample()))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	fmt.Println(snap.Within(ctx).Tracked(perApp))
	// Output: map[batch:1 cache:1 db:1 web:1]
}
