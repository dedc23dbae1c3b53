package pdb_test

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
)

// web covers the pods with the label app=web and lets one of them go.
func web() *outrank.PodDisruptionBudget {
	return &outrank.PodDisruptionBudget{
		Name:               "web",
		Selector:           &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		DisruptionsAllowed: 1,
	}
}

func webPod(name string) *outrank.Pod {
	return &outrank.Pod{Name: name, Labels: map[string]string{"app": "web"}, Ready: true}
}

func ExampleNew() {
	budgets := pdb.New([]*outrank.PodDisruptionBudget{
		{Name: "all", Selector: &outrank.LabelSelector{}}, // an empty selector covers nothing
		web(),
	})
	for _, i := range budgets.Covering(webPod("web-1")) {
		fmt.Println(i, "of", budgets.Len(), budgets.At(i).Key())
	}
	// Output:
	// 1 of 2 default/web
}

func ExampleBudgets_Covering() {
	budgets := pdb.New([]*outrank.PodDisruptionBudget{web()})
	fmt.Println(budgets.Covering(webPod("web-1")))
	fmt.Println(budgets.Covering(&outrank.Pod{Name: "web-1", Namespace: "elsewhere", Labels: map[string]string{"app": "web"}}))
	// Output:
	// [0]
	// []
}

func ExampleBudgets_AppendCovering() {
	budgets := pdb.New([]*outrank.PodDisruptionBudget{web()})
	ledger := budgets.Ledger()
	var covering []int32 // kept, so that the loop does not allocate
	for _, name := range []string{"web-1", "web-2"} {
		pod := webPod(name)
		covering = budgets.AppendCovering(covering[:0], pod)
		fmt.Println(name, "breaks", ledger.Charge(pod, covering))
	}
	// Output:
	// web-1 breaks []
	// web-2 breaks [0]
}

func ExampleBudgets_Finder() {
	finder := pdb.New([]*outrank.PodDisruptionBudget{web()}).Finder()
	for i := range 3 {
		pod := webPod(fmt.Sprint("web-", i))
		pod.Labels["statefulset.kubernetes.io/pod-name"] = pod.Name // no selector looks at it
		fmt.Println(pod.Name, finder.Covering(pod))
	}
	// Output:
	// web-0 [0]
	// web-1 [0]
	// web-2 [0]
}

func ExampleFinder_Covering() {
	finder := pdb.New([]*outrank.PodDisruptionBudget{web()}).Finder()
	fmt.Println(finder.Covering(webPod("web-0")), finder.Covering(&outrank.Pod{Name: "db-0", Labels: map[string]string{"app": "db"}}))
	// Output:
	// [0] []
}

func ExampleBudgets_Split() {
	budgets := pdb.New([]*outrank.PodDisruptionBudget{web()})
	violating, ok := budgets.Split(outrank.DefaultRelease, []*outrank.Pod{webPod("web-1"), webPod("web-2"), {Name: "other"}})
	for _, pod := range violating {
		fmt.Println("violating", pod.Name)
	}
	for _, pod := range ok {
		fmt.Println("ok", pod.Name)
	}
	// Output:
	// violating web-2
	// ok web-1
	// ok other
}

func ExampleBudgets_Ledger() {
	budgets := pdb.New([]*outrank.PodDisruptionBudget{web()})
	ledger := budgets.Ledger()
	ledger.Charge(webPod("web-1"), []int32{0})
	ledger.Charge(webPod("web-2"), []int32{0})
	fmt.Println(ledger.Left(0))
	ledger.Reset()
	fmt.Println(ledger.Left(0))
	// Output:
	// -1
	// 1
}

func ExampleLedger_Charge() {
	budget := web()
	budgets := pdb.New([]*outrank.PodDisruptionBudget{budget})
	ledger := budgets.Ledger()
	for _, name := range []string{"web-1", "web-2"} {
		for _, i := range ledger.Charge(webPod(name), []int32{0}) {
			fmt.Println(name, "breaks", budgets.At(int(i)).Key(), "which has", ledger.Left(int(i)))
		}
	}
	// Output:
	// web-2 breaks default/web which has -1
}

func ExampleStatusOf() {
	budget := web()
	budget.MinAvailable = &outrank.IntOrPercent{Value: 50, Percent: true}
	pods := []*outrank.Pod{webPod("web-1"), webPod("web-2"), webPod("web-3")}
	status, err := pdb.StatusOf(pdb.StatusInput{Budget: budget, Pods: pods})
	fmt.Printf("%+v %v\n", status, err)

	budget.MaxUnavailable = &outrank.IntOrPercent{Value: -1}
	_, err = pdb.StatusOf(pdb.StatusInput{Budget: budget, Pods: pods})
	fmt.Println(err)
	// Output:
	// {Healthy:3 Desired:2 Expected:3 Allowed:1} <nil>
	// invalid disruption budget: poddisruptionbudget default/web: spec: minAvailable and maxUnavailable are both set
	// poddisruptionbudget default/web: spec.maxUnavailable: -1 is negative
}

func ExampleBudgets_With() {
	web := &outrank.PodDisruptionBudget{Name: "web", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}
	before := pdb.New([]*outrank.PodDisruptionBudget{web})
	db := &outrank.PodDisruptionBudget{Name: "db", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "db"}}}
	after := before.With(1, db).With(0, nil)
	pods := []*outrank.Pod{{Labels: map[string]string{"app": "web"}}, {Labels: map[string]string{"app": "db"}}}
	for _, pod := range pods {
		fmt.Println(before.Covering(pod), after.Covering(pod))
	}
	// Output:
	// [0] []
	// [] [1]
}

func ExampleSameCoverage() {
	before := &outrank.PodDisruptionBudget{Name: "web", DisruptionsAllowed: 1}
	after := *before
	after.DisruptionsAllowed = 0
	fmt.Println(pdb.SameCoverage(before, &after))
	after.Selector = &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	fmt.Println(pdb.SameCoverage(before, &after))
	// Output:
	// true
	// false
}

// Two budgets cover both pods. v1.36 charges each of them for each pod; v1.37 stops at
// the first that is violated, so that the second budget still allows the second pod.
func ExampleBudgets_Split_release() {
	all := &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	narrow := &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web", "tier": "a"}}
	budgets := pdb.New([]*outrank.PodDisruptionBudget{
		{Name: "narrow", Selector: narrow, DisruptionsAllowed: 0}, {Name: "all", Selector: all, DisruptionsAllowed: 1},
	})
	pods := []*outrank.Pod{
		{Name: "first", Labels: map[string]string{"app": "web", "tier": "a"}}, {Name: "second", Labels: map[string]string{"app": "web"}},
	}
	for _, r := range outrank.Releases() {
		violating, ok := budgets.Split(r, pods)
		fmt.Println(r, len(violating), "violating,", len(ok), "not")
	}
	ledger := budgets.Ledger()
	fmt.Println(ledger.ChargeToFirst(pods[0], []int32{0, 1}), ledger.Left(1))
	// Output:
	// v1.36 2 violating, 0 not
	// v1.37 1 violating, 1 not
	// [0] 1
}

// A cluster that is written by hand has budgets with a spec alone, and a warning about each of them.
func ExampleFill() {
	cluster := &outrank.Cluster{
		Pods: []*outrank.Pod{webPod("web-1"), webPod("web-2"), webPod("web-3")},
		Budgets: []*outrank.PodDisruptionBudget{{
			Name: "web", MinAvailable: &outrank.IntOrPercent{Value: 2},
			Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}},
	}
	fmt.Println(cluster.Warnings()[0])

	var err error
	cluster.Budgets, err = pdb.Fill(pdb.FillInput{Cluster: cluster})
	b := cluster.Budgets[0]
	fmt.Println(b.CurrentHealthy, "ready,", b.DesiredHealthy, "have to be,", b.DisruptionsAllowed, "may go;", len(cluster.Warnings()), "warnings,", err)
	// Output:
	// poddisruptionbudget default/web: status: missing; the budget allows 0 evictions (pdb.Fill computes it from the spec)
	// 3 ready, 2 have to be, 1 may go; 0 warnings, <nil>
}
