package metrics_test

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

func ExampleHistogram() {
	var meter metrics.Meter
	for _, victims := range []int{3, 100} {
		meter.AddExecution(&execution.Report{Plan: &preemption.Plan{}, Victims: make([]execution.PodReport, victims)}, nil)
	}
	histogram := meter.Values().PreemptionVictims
	for i, bound := range histogram.Bounds {
		fmt.Println("up to", bound, "victims:", histogram.Buckets[i])
	}
	fmt.Println("all:", histogram.Count(), "with", histogram.Sum, "victims")
	// Output:
	// up to 1 victims: 0
	// up to 2 victims: 0
	// up to 4 victims: 1
	// up to 8 victims: 0
	// up to 16 victims: 0
	// up to 32 victims: 0
	// up to 64 victims: 0
	// all: 2 with 103 victims
}

// The text format of Prometheus.
func ExampleValues_Families() {
	var meter metrics.Meter
	meter.AddPreemption()
	meter.AddExecution(&execution.Report{Plan: &preemption.Plan{}, Victims: make([]execution.PodReport, 3)}, nil)
	meter.AddFailure("default-scheduler", &execution.Verdict{}, nil)
	waiting, err := queue.New(queue.Config{})
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"web-1", "web-2"} {
		if err := waiting.Add(&outrank.Pod{Name: name}, time.Unix(0, 0)); err != nil {
			panic(err)
		}
	}
	meter.SetQueue(waiting)
	for _, f := range meter.Values().Families(0) {
		fmt.Printf("# HELP %s %s\n# TYPE %s %s\n", f.Name, f.Help, f.Name, f.Type)
		for _, s := range f.Samples {
			fmt.Println(s)
		}
	}
	// Output:
	// # HELP scheduler_pending_pods Number of pending pods by queue.
	// # TYPE scheduler_pending_pods gauge
	// scheduler_pending_pods{queue="active"} 2
	// scheduler_pending_pods{queue="backoff"} 0
	// scheduler_pending_pods{queue="gated"} 0
	// scheduler_pending_pods{queue="incomplete"} 0
	// scheduler_pending_pods{queue="pending"} 0
	// scheduler_pending_pods{queue="unschedulable"} 0
	// # HELP scheduler_preemption_attempts_total How often preemption was tried.
	// # TYPE scheduler_preemption_attempts_total counter
	// scheduler_preemption_attempts_total 1
	// # HELP scheduler_preemption_victims Number of victims of a preemption.
	// # TYPE scheduler_preemption_victims histogram
	// scheduler_preemption_victims_bucket{le="1"} 0
	// scheduler_preemption_victims_bucket{le="2"} 0
	// scheduler_preemption_victims_bucket{le="4"} 1
	// scheduler_preemption_victims_bucket{le="8"} 1
	// scheduler_preemption_victims_bucket{le="16"} 1
	// scheduler_preemption_victims_bucket{le="32"} 1
	// scheduler_preemption_victims_bucket{le="64"} 1
	// scheduler_preemption_victims_bucket{le="+Inf"} 1
	// scheduler_preemption_victims_sum 3
	// scheduler_preemption_victims_count 1
	// # HELP scheduler_queue_incoming_entities_total Number of pods and groups that entered a queue, by event.
	// # TYPE scheduler_queue_incoming_entities_total counter
	// scheduler_queue_incoming_entities_total{event="UnscheduledPodAdd",queue="active",type="pod"} 2
	// # HELP scheduler_queue_incoming_pods_total Number of pods that entered a queue, by event.
	// # TYPE scheduler_queue_incoming_pods_total counter
	// scheduler_queue_incoming_pods_total{event="UnscheduledPodAdd",queue="active"} 2
	// # HELP scheduler_queued_entities Number of pods and groups by queue.
	// # TYPE scheduler_queued_entities gauge
	// scheduler_queued_entities{queue="active",type="pod"} 2
	// scheduler_queued_entities{queue="backoff",type="pod"} 0
	// scheduler_queued_entities{queue="gated",type="pod"} 0
	// scheduler_queued_entities{queue="incomplete",type="pod"} 0
	// scheduler_queued_entities{queue="pending",type="pod"} 0
	// scheduler_queued_entities{queue="unschedulable",type="pod"} 0
	// # HELP scheduler_schedule_attempts_total Number of attempts to schedule pods, by how they ended.
	// # TYPE scheduler_schedule_attempts_total counter
	// scheduler_schedule_attempts_total{profile="default-scheduler",result="unschedulable"} 1
}

// What a queue of groups holds, and a plan for one of them.
func ExampleMeter_AddGroupPreemption() {
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	if err != nil {
		panic(err)
	}
	waiting, err := queue.New(queue.Config{Release: release})
	if err != nil {
		panic(err)
	}
	now := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	waiting.PutGroup(&outrank.PodGroup{Name: "training"})
	for _, name := range []string{"worker-1", "worker-2"} {
		if err := waiting.Add(&outrank.Pod{Name: name, Group: "training"}, now); err != nil {
			panic(err)
		}
	}

	meter := metrics.Meter{}
	meter.SetQueue(waiting)
	meter.AddGroupPreemption(&preemption.GroupPlan{Outcome: preemption.NothingHelps, Status: preemption.Unschedulable.Because("no room")})
	for _, family := range meter.Values().Families(release) {
		for _, sample := range family.Samples {
			if sample.Value > 0 {
				fmt.Println(sample)
			}
		}
	}
	// Output:
	// scheduler_pending_pods{queue="active"} 2
	// scheduler_queue_incoming_entities_total{event="UnscheduledPodAdd",queue="active",type="podgroup"} 1
	// scheduler_queue_incoming_pods_total{event="UnscheduledPodAdd",queue="active"} 2
	// scheduler_queued_entities{queue="active",type="podgroup"} 1
	// scheduler_workload_preemption_attempts_total{result="Unschedulable"} 1
}
