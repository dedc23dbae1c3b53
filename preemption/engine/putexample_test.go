package engine_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// What an informer says is put as it comes: new, changed, or over.
func ExampleSnapshot_PutPod() {
	snap := must(engine.NewSnapshot(sample()))
	pod := outrank.Pod{Name: "new", UID: "1"}
	bound, over := pod, pod
	bound.NodeName = "n1"
	over.NodeName, over.Phase = "n1", outrank.PhaseSucceeded
	for _, version := range []*outrank.Pod{&pod, &bound, &pod, &over} {
		replaced, err := snap.PutPod(version)
		_, known := snap.Pod("default/new")
		fmt.Printf("%v %v %v %q\n", err, replaced != nil, known, snap.NodeOf("default/new"))
	}
	// Output:
	// <nil> false true ""
	// <nil> true true "n1"
	// <nil> false true "n1"
	// <nil> true false ""
}

func ExampleSnapshot_PutNode() {
	snap := must(engine.NewSnapshot(sample()))
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "4", "pods", "110")}
	fmt.Println(snap.PutNode(node), snap.PutNode(&outrank.Node{Name: "n3"}), snap.NumNodes(), len(snap.PodsOn("n1")))
	// Output: <nil> <nil> 3 2
}

// A change of the status costs microseconds, however many pods there are.
func ExampleSnapshot_PutBudget() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	budget := outrank.PodDisruptionBudget{
		Name: "batch", DisruptionsAllowed: 1, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "batch"}},
	}
	exhausted := budget
	exhausted.DisruptionsAllowed = 0
	for _, version := range []*outrank.PodDisruptionBudget{&budget, &exhausted} {
		if err := snap.PutBudget(version); err != nil {
			fmt.Println(err)
		}
		plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
		fmt.Println(len(slices.Collect(snap.Budgets())), plan.Node, plan.Victims[0])
	}
	// Output:
	// 1 n1 default/batch
	// 1 n2 default/cache
}

func ExampleSnapshot_RemoveBudget() {
	c := sample()
	c.Budgets = []*outrank.PodDisruptionBudget{{Name: "batch"}}
	snap := must(engine.NewSnapshot(c))
	fmt.Println(snap.RemoveBudget("default/batch"), len(slices.Collect(snap.Budgets())))
	fmt.Println(snap.RemoveBudget("default/batch"))
	// Output:
	// <nil> 0
	// poddisruptionbudget default/batch: not found
}

func ExampleSnapshot_PutNamespace() {
	snap := must(engine.NewSnapshot(sample()))
	fmt.Println(snap.PutNamespace(&outrank.Namespace{Name: "shop"}), snap.PutNamespace(&outrank.Namespace{Name: "bank"}))
	for ns := range snap.Namespaces() {
		fmt.Println(ns.Name)
	}
	// Output:
	// <nil> <nil>
	// bank
	// shop
}

func ExampleSnapshot_RemoveNamespace() {
	c := sample()
	c.Namespaces = []*outrank.Namespace{{Name: "shop"}}
	snap := must(engine.NewSnapshot(c))
	fmt.Println(snap.RemoveNamespace("shop"))
	fmt.Println(snap.RemoveNamespace("shop"))
	// Output:
	// <nil>
	// namespace shop: not found
}

func ExampleSnapshot_Namespaces() {
	c := sample()
	c.Namespaces = []*outrank.Namespace{{Name: "shop"}, {Name: "bank"}}
	for ns := range must(engine.NewSnapshot(c)).Namespaces() {
		fmt.Println(ns.Name)
	}
	// Output:
	// bank
	// shop
}

func ExampleSnapshot_PutGroup() {
	snap := must(engine.NewSnapshot(grouped()))
	fmt.Println(snap.PutGroup(&outrank.PodGroup{Name: "shop"}), snap.PutGroup(&outrank.PodGroup{Name: "bank"}))
	for g := range snap.Groups() {
		fmt.Println(g.Key(), g.DisruptionMode == outrank.DisruptPodGroup)
	}
	// Output:
	// <nil> <nil>
	// default/bank false
	// default/shop false
	// default/train false
}

func ExampleSnapshot_RemoveGroup() {
	snap := must(engine.NewSnapshot(grouped()))
	fmt.Println(snap.RemoveGroup("default/shop"))
	fmt.Println(snap.Group("default/shop"))
	fmt.Println(snap.RemoveGroup("default/shop"))
	// Output:
	// <nil>
	// <nil> false
	// pod group default/shop: not found
}

func ExampleSnapshot_Groups() {
	for g := range must(engine.NewSnapshot(grouped())).Groups() {
		fmt.Println(g.Key())
	}
	// Output:
	// default/shop
	// default/train
}

func ExampleSnapshot_Pods() {
	snap := must(engine.NewSnapshot(sample()))
	must(snap.PutPod(urgent()))
	for p := range snap.Pods() {
		fmt.Println(p.Key(), p.NodeName)
	}
	// Output:
	// default/web n1
	// default/batch n1
	// default/db n2
	// default/cache n2
	// default/urgent
}

// Where pods are goes into copies of them.
func ExampleSnapshot_Cluster() {
	snap, pod := must(engine.NewSnapshot(sample())), urgent()
	must(snap.PutPod(pod))
	fmt.Println(snap.Nominate("default/urgent", "n2"))
	c := snap.Cluster()
	fmt.Println(len(c.Nodes), len(c.Pods), c.Pod("", "urgent").NominatedNodeName, pod.NominatedNodeName == "")
	// Output:
	// <nil>
	// 2 5 n2 true
}

// A plan that was made some time ago is verified before it is carried out.
func ExampleEvaluator_Verify() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	ctx := context.Background()
	plan := must(eval.Preempt(ctx, snap, preemption.Request{Pod: urgent(), Now: now}))
	fmt.Println(eval.Verify(ctx, snap, plan))
	if err := snap.RemovePod(plan.Victims[0].Pod.Key()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(eval.Verify(ctx, snap, plan))
	// Output:
	// <nil>
	// plan for pod default/urgent on node n1: plan is stale: the node takes the pod as things are
}

func ExampleEvaluator_Verify_group() {
	snap, eval := must(engine.NewSnapshot(grouped())), must(engine.New(preemption.Config{}))
	ctx := context.Background()
	plan := must(eval.PreemptGroup(ctx, snap, preemption.GroupRequest{Pods: training(), Now: now}))
	fmt.Println(eval.Verify(ctx, snap, plan))
	if err := snap.RemoveNode("n1"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(eval.Verify(ctx, snap, plan))
	// Output:
	// <nil>
	// plan for a group: plan is stale: there is no node n1
}

// The second best candidate, as a plan of its own.
func ExamplePlan_For() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	ex := must(eval.Explain(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	plan := must(ex.For(ex.Candidates[1].Node))
	fmt.Println(ex.Node, ex.Victims[0], plan.Node, plan.Victims[0])
	fmt.Println(snap.Apply(plan), snap.NominationOf("default/urgent"))
	// Output:
	// n1 default/batch n2 default/cache
	// <nil> n2
}
