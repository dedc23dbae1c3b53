// Simulator plays a day of 3,000 arrivals once for each policy on the same cluster. It decides, applies,
// binds, and undoes everything in the end.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

func main() {
	cluster := &outrank.Cluster{}
	for i := range 200 {
		cluster.Nodes = append(cluster.Nodes, &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: resource.MustList("cpu", "16", "pods", "20")})
	}
	snap, err := engine.NewSnapshot(cluster)
	if err != nil {
		log.Fatal(err)
	}

	for _, policy := range []struct {
		name   string
		config preemption.Config
	}{
		{"kube-scheduler", preemption.Config{}},
		{"exact victims", preemption.Config{Victims: preemption.Exact{}}},
		{"fewest victims first", preemption.Config{Ranks: []preemption.Rank{preemption.ByVictims, preemption.ByTopPriority}}},
	} {
		eval, err := engine.New(policy.config)
		if err != nil {
			log.Fatal(err)
		}

		// Each policy begins with the empty cluster, so everything that a day has changed is undone behind
		// it.
		mark := snap.Mark()
		waiting, evicted, err := day(context.Background(), eval, snap)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d wait, %d evicted\n", policy.name, waiting, evicted)
		if err := snap.Undo(mark); err != nil {
			log.Fatal(err)
		}
	}

	// Undoing has removed all pods.
	for range snap.Pods() {
		log.Fatal("there is a pod left")
	}
}

// day lets pods arrive. It counts the pods that find no room and the pods that are evicted.
func day(ctx context.Context, eval *engine.Evaluator, snap *engine.Snapshot) (waiting, evicted int, err error) {
	chance := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		pod := &outrank.Pod{
			Name: fmt.Sprint("p", i), Priority: outrank.Priority(chance.Int32N(5) * 100),
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", fmt.Sprint(1+chance.IntN(6)))}},
		}

		plan, err := eval.Preempt(ctx, snap, preemption.Request{Pod: pod})
		if err != nil {
			return 0, 0, err
		}
		node := cmp.Or(plan.Node, plan.FirstFit) // without scores, the first feasible node is as good as any
		if node == "" {                          // the plan has the reasons
			waiting++
			continue
		}

		if err := snap.Apply(plan); err != nil { // evicts the victims, if any
			return 0, 0, err
		}
		if err := snap.Bind(pod.Key(), node); err != nil {
			return 0, 0, err
		}
		evicted += len(plan.Victims)
	}
	return waiting, evicted, nil
}
