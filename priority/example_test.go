package priority_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

func Example() {
	cluster := &outrank.Cluster{Classes: []*outrank.PriorityClass{
		{Name: "batch", Value: -10, PreemptionPolicy: outrank.PreemptNever},
		{Name: "web", Value: 1000, GlobalDefault: true},
	}}
	pod := &outrank.Pod{Name: "night-1", PriorityClassName: "batch"}

	table, err := priority.NewTable(cluster.Classes)
	if err != nil {
		panic(err)
	}
	resolved, err := table.Resolve(pod)
	if err != nil {
		panic(err)
	}
	admitted := resolved.Apply(*pod)
	fmt.Println(admitted.PriorityClassName, *admitted.Priority, admitted.PreemptionPolicy)
	// Output:
	// batch -10 Never
}

func ExampleNewTable() {
	_, err := priority.NewTable([]*outrank.PriorityClass{
		{Name: "Web", Value: 10},
		{Name: "huge", Value: 2_000_000_000},
		{Name: "system-web", Value: 10},
	})
	fmt.Println(err)
	// Output:
	// invalid priority class: priorityclass Web: metadata.name: "Web" is not a DNS subdomain
	// priorityclass huge: value: 2000000000 is above 1000000000, the highest there is for classes not built in
	// priorityclass system-web: metadata.name: names that begin with system- are reserved
}

func ExampleTable_Classes() {
	table, _ := priority.NewTable([]*outrank.PriorityClass{{Name: "web", Value: 1000}})
	for _, c := range table.Classes() {
		fmt.Println(c.Value, c.Name)
	}
	// Output:
	// 2000001000 system-node-critical
	// 2000000000 system-cluster-critical
	// 1000 web
}

func ExampleTable_Lookup() {
	table, _ := priority.NewTable(nil)
	class, ok := table.Lookup("system-cluster-critical")
	fmt.Println(class.Value, ok)
	// Output:
	// 2000000000 true
}

func ExampleTable_Default() {
	table, _ := priority.NewTable([]*outrank.PriorityClass{
		{Name: "low", Value: 1, GlobalDefault: true},
		{Name: "high", Value: 2, GlobalDefault: true},
	})
	class, ok := table.Default()
	fmt.Println(class.Name, ok)
	// Output:
	// low true
}

func ExampleTable_With() {
	table, _ := priority.NewTable([]*outrank.PriorityClass{{Name: "web", GlobalDefault: true}})
	_, err := table.With(&outrank.PriorityClass{Name: "batch", GlobalDefault: true})
	fmt.Println(err)
	table, err = table.With(&outrank.PriorityClass{Name: "batch", Value: -10})
	fmt.Println(len(table.Classes()), err)
	// Output:
	// invalid priority class: priorityclass batch: globalDefault: class web already is the global default
	// 4 <nil>
}

func ExampleTable_Without() {
	table, _ := priority.NewTable([]*outrank.PriorityClass{{Name: "web", Value: 1000}})
	old := &outrank.Pod{Name: "old", PriorityClassName: "web"}
	resolved, _ := table.Resolve(old)

	table, _ = table.Without("web")
	_, err := table.Resolve(&outrank.Pod{Name: "new", PriorityClassName: "web"})
	fmt.Println(err)
	fmt.Println("old keeps", resolved.Value)
	// Output:
	// unknown priority class: pod default/new: spec.priorityClassName: there is no class "web"
	// old keeps 1000
}

func ExampleTable_Resolve() {
	table, _ := priority.NewTable([]*outrank.PriorityClass{{Name: "web", Value: 1000}})
	_, err := table.Resolve(&outrank.Pod{Name: "web-1", PriorityClassName: "web", Priority: outrank.Priority(7)})
	fmt.Println(err)
	// Output:
	// conflict with the priority class: pod default/web-1: spec.priority: is 7, but class web gives 1000
}

func ExampleResolution_Apply() {
	pod := outrank.Pod{Name: "web-1"}
	admitted := priority.Resolution{Class: "web", Value: 1000, Policy: outrank.PreemptLowerPriority}.Apply(pod)
	fmt.Println(admitted.PriorityClassName, *admitted.Priority, pod.Priority == nil)
	// Output:
	// web 1000 true
}

func ExampleValidate() {
	fmt.Println(priority.Validate(&outrank.PriorityClass{Name: "web", Value: 1000}))
	fmt.Println(priority.Validate(&outrank.PriorityClass{Name: "system-node-critical", Value: 1}))
	// Output:
	// <nil>
	// invalid priority class: priorityclass system-node-critical: value: 1 is not 2000001000, the value of this built-in class
}

func ExampleCritical() {
	fmt.Println(priority.Critical(&outrank.Pod{Name: "dns", Priority: outrank.Priority(priority.ClusterCritical)}))
	fmt.Println(priority.Critical(&outrank.Pod{Name: "web"}))
	// Output:
	// true
	// false
}

func ExampleCompare() {
	now := time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	pods := []*outrank.Pod{
		{Name: "not-started", Priority: outrank.Priority(10)},
		{Name: "no-priority", StartTime: now.Add(-48 * time.Hour)},
		{Name: "old", Priority: outrank.Priority(10), StartTime: now.Add(-time.Hour)},
		{Name: "high", Priority: outrank.Priority(1000), StartTime: now},
	}
	slices.SortFunc(pods, func(a, b *outrank.Pod) int { return priority.Compare(a, b, now) })
	for _, p := range pods {
		fmt.Println(p.Name)
	}
	// Output:
	// high
	// old
	// not-started
	// no-priority
}
