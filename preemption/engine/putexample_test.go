package engine_test

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
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
		err := snap.PutPod(version)
		_, known := snap.Pod("default/new")
		fmt.Printf("%v %v %q\n", err, known, snap.NodeOf("default/new"))
	}
	// Output:
	// <nil> true ""
	// <nil> true "n1"
	// <nil> true "n1"
	// <nil> false ""
}

func ExampleSnapshot_PutNode() {
	snap := must(engine.NewSnapshot(sample()))
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "4", "pods", "110")}
	fmt.Println(snap.PutNode(node), snap.PutNode(&outrank.Node{Name: "n3"}), snap.NumNodes(), len(snap.PodsOn("n1")))
	// Output: <nil> <nil> 3 2
}

func ExampleSnapshot_Unbind() {
	snap := must(engine.NewSnapshot(sample()))
	fmt.Println(snap.PutPod(urgent()), snap.Bind("default/urgent", "n1"), snap.NodeOf("default/urgent"))
	fmt.Printf("%v %q\n", snap.Unbind("default/urgent"), snap.NodeOf("default/urgent"))
	// Output:
	// <nil> <nil> n1
	// <nil> ""
}

// A change of the status costs microseconds, however many pods there are.
func ExampleSnapshot_PutBudget() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.NewEvaluator(engine.Config{}))
	budget := outrank.PodDisruptionBudget{
		Name: "batch", DisruptionsAllowed: 1, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "batch"}},
	}
	exhausted := budget
	exhausted.DisruptionsAllowed = 0
	for _, version := range []*outrank.PodDisruptionBudget{&budget, &exhausted} {
		if err := snap.PutBudget(version); err != nil {
			fmt.Println(err)
		}
		plan := must(eval.Preempt(context.Background(), snap, urgent(), now))
		fmt.Println(len(snap.Budgets()), plan.Node, plan.Victims[0])
	}
	// Output:
	// 1 n1 default/batch
	// 1 n2 default/cache
}

func ExampleSnapshot_RemoveBudget() {
	c := sample()
	c.Budgets = []*outrank.PodDisruptionBudget{{Name: "batch"}}
	snap := must(engine.NewSnapshot(c))
	fmt.Println(snap.RemoveBudget("default/batch"), len(snap.Budgets()))
	fmt.Println(snap.RemoveBudget("default/batch"))
	// Output:
	// <nil> 0
	// poddisruptionbudget default/batch: not in the snapshot
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
	// namespace shop: not in the snapshot
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
	// pod group default/shop: not in the snapshot
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
	if err := snap.PutPod(urgent()); err != nil {
		fmt.Println(err)
	}
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
	fmt.Println(snap.PutPod(pod), snap.Nominate("default/urgent", "n2"))
	c := snap.Cluster()
	fmt.Println(len(c.Nodes), len(c.Pods), c.Pod("", "urgent").NominatedNodeName, pod.NominatedNodeName == "")
	// Output:
	// <nil> <nil>
	// 2 5 n2 true
}

// A plan that was made some time ago is verified before it is carried out.
func ExampleEvaluator_Verify() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.NewEvaluator(engine.Config{}))
	ctx := context.Background()
	plan := must(eval.Preempt(ctx, snap, urgent(), now))
	fmt.Println(eval.Verify(ctx, snap, plan, now))
	if err := snap.RemovePod(plan.Victims[0].Pod.Key()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(eval.Verify(ctx, snap, plan, now))
	// Output:
	// <nil>
	// plan for pod default/urgent on node n1: plan is stale: the node takes the pod as things are
}

func ExampleEvaluator_VerifyGroup() {
	snap, eval := must(engine.NewSnapshot(grouped())), must(engine.NewEvaluator(engine.Config{}))
	ctx := context.Background()
	plan := must(eval.PreemptGroup(ctx, snap, engine.GroupRequest{Pods: training(), Now: now}))
	fmt.Println(eval.VerifyGroup(ctx, snap, plan, now))
	if err := snap.RemoveNode("n1"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(eval.VerifyGroup(ctx, snap, plan, now))
	// Output:
	// <nil>
	// plan for a group: plan is stale: there is no node n1
}

// The second best candidate, as a plan of its own.
func ExampleExplanation_PlanFor() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.NewEvaluator(engine.Config{}))
	ex := must(eval.Explain(context.Background(), snap, urgent(), now))
	plan := must(ex.PlanFor(ex.Candidates[1].Node))
	fmt.Println(ex.Node, ex.Victims[0], plan.Node, plan.Victims[0])
	fmt.Println(snap.Apply(plan), snap.NominationOf("default/urgent"))
	// Output:
	// n1 default/batch n2 default/cache
	// <nil> n2
}
