package metrics_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/metrics"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/resource"
)

// asking makes a pod of a tenant.
func asking(tenant, name string, priority int32, cpu string) *outrank.Pod {
	return &outrank.Pod{Namespace: tenant, Name: name, Priority: outrank.Priority(priority), Containers: []outrank.Container{
		{Name: "main", Requests: resource.MustList("cpu", cpu)},
	}}
}

// offering makes a node.
func offering(name, cpu string) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", cpu, "memory", "8Gi", "pods", "110")}
}

func Example() {
	cluster := &outrank.Cluster{Nodes: []*outrank.Node{offering("n1", "4")}}
	work := []sim.Work{
		{Pod: asking("red", "batch", 0, "3"), Duration: 4 * time.Minute},
		{Pod: asking("blue", "web", 100, "2"), Arrival: time.Minute, Duration: 3 * time.Minute},
	}
	collector, err := metrics.New(cluster, metrics.Config{Resources: []resource.Name{resource.CPU}})
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := sim.New(cluster, work, sim.Config{Follow: collector.Event, Recreate: sim.Recreate{Rule: sim.RecreateWhenGone}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := run.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	if err := collector.Report(run.Now()).WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Jobs
	//                 arrived  finished  completion  median     p95  slowdown  median   p95
	//   all                 2         2      6m 00s  3m 30s  8m 30s      1.65    1.17  2.12
	//   priority 100        1         1      3m 30s  3m 30s  3m 30s      1.17    1.17  1.17
	//   priority 0          1         1      8m 30s  8m 30s  8m 30s      2.12    2.12  2.12
	//   tenant blue         1         1      3m 30s  3m 30s  3m 30s      1.17    1.17  1.17
	//   tenant red          1         1      8m 30s  8m 30s  8m 30s      2.12    2.12  2.12
	//
	// Resources, as shares of the capacity over time
	//                      utilisation  goodput  efficiency  lost hours
	//   all           cpu        66.2%    52.9%       80.0%        0.07
	//   priority 100  cpu        17.6%    17.6%      100.0%        0.00
	//   priority 0    cpu        48.5%    35.3%       72.7%        0.07
	//   tenant blue   cpu        17.6%    17.6%      100.0%        0.00
	//   tenant red    cpu        48.5%    35.3%       72.7%        0.07
	//
	// Evictions by cause
	//                 all  preempted
	//   all             1          1
	//   priority 100    0          0
	//   priority 0      1          1
	//   tenant blue     0          0
	//   tenant red      1          1
	//
	// Fairness, by Jain's index: 1 for equals
	//               dominant shares  slowdowns
	//   priorities             0.82       0.92
	//   tenants                0.82       0.92
	//
	// Over time
	//   from  waiting  running  finished  slowdown  evicted    cpu   good  fair: priorities  fair: tenants
	//   0.0s     0.00     1.00         0         -        0  75.0%   0.0%              1.00           1.00
	//  44.0s     0.64     1.00         0         -        1  75.0%   0.0%              0.68           0.68
	// 1m 28s     0.98     1.00         0         -        0  51.1%  47.7%              0.51           0.51
	// 2m 12s     1.00     1.00         0         -        0  50.0%  50.0%              0.50           0.50
	// 2m 56s     1.00     1.00         0         -        0  50.0%  50.0%              0.50           0.50
	// 3m 40s     1.00     1.00         0         -        0  50.0%  50.0%              0.50           0.50
	// 4m 24s     0.14     1.00         1      1.17        0  71.6%  71.6%              0.93           0.93
	// 5m 08s     0.00     1.00         0         -        0  75.0%  75.0%              1.00           1.00
	// 5m 52s     0.00     1.00         0         -        0  75.0%  75.0%              1.00           1.00
	// 6m 36s     0.00     1.00         0         -        0  75.0%  75.0%              1.00           1.00
	// 7m 20s     0.00     1.00         0         -        0  75.0%  75.0%              1.00           1.00
	// 8m 04s     0.00     1.00         1      2.12        0  75.0%  75.0%              1.00           1.00
}
