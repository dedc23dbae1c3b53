package config_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
	"github.com/outrank-go/outrank/resource"
)

// A cluster keeps its usual pods off the nodes of the pool "batch", and its batch
// pods from preempting.
const configuration = `{
  "apiVersion": "kubescheduler.config.k8s.io/v1",
  "kind": "KubeSchedulerConfiguration",
  "profiles": [
    {"schedulerName": "default-scheduler", "pluginConfig": [{"name": "NodeAffinity", "args": {"addedAffinity":
      {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "pool", "operator": "NotIn", "values": ["batch"]}]}]}}}}]},
    {"schedulerName": "batch",
     "plugins": {"postFilter": {"disabled": [{"name": "DefaultPreemption"}]}, "filter": {"enabled": [{"name": "Quota"}]}}}
  ]
}`

func ExampleRead() {
	c, err := schedulerconfig.Read(outrank.DefaultRelease, strings.NewReader(configuration))
	if err != nil {
		panic(err)
	}
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{
			{Name: "n1", Labels: map[string]string{"pool": "batch"}, Allocatable: resource.MustList("cpu", "4", "pods", "10")},
			{Name: "n2", Allocatable: resource.MustList("cpu", "4", "pods", "10")},
		},
		Pods: []*outrank.Pod{
			{Name: "low", NodeName: "n1", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "3")}}},
			{Name: "middle", NodeName: "n2", Priority: outrank.Priority(5), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "3")}}},
		},
	})
	if err != nil {
		panic(err)
	}
	for _, p := range c.Profiles {
		e, err := engine.New(p.Config)
		if err != nil {
			panic(err)
		}
		pod := &outrank.Pod{
			Name: "high", Priority: outrank.Priority(10), SchedulerName: p.SchedulerName,
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", "2")}},
		}
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: time.Unix(0, 0)})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %s %q\n", p.SchedulerName, plan.Outcome, plan.Node)
		for _, problem := range p.Unsupported {
			fmt.Println("  not supported:", problem.Text)
		}
	}
	// Output:
	// default-scheduler: preempt "n2"
	// batch: not-eligible ""
	//   not supported: plugin Quota is not one of kube-scheduler's default profile: what it says is not known
}

func ExampleConfiguration_Profile() {
	c, err := schedulerconfig.Read(outrank.DefaultRelease, strings.NewReader(configuration))
	if err != nil {
		panic(err)
	}
	pod := &outrank.Pod{Name: "job-1", SchedulerName: "batch"}
	p, ok := c.Profile(pod.Scheduler())
	fmt.Println(ok, p.Config.Profile.Off)
	// Output: true [DefaultPreemption]
}

func ExampleSpreadSelector() {
	of := schedulerconfig.SpreadSelector([]schedulerconfig.Workload{
		{Kind: "Service", Name: "web", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
	})
	fmt.Println(of(&outrank.Pod{Name: "web-1", Labels: map[string]string{"app": "web", "version": "2"}}).MatchLabels)
	fmt.Println(of(&outrank.Pod{Name: "db-1", Labels: map[string]string{"app": "db"}}))
	// Output:
	// map[app:web]
	// <nil>
}
