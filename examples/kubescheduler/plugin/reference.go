//go:build !kube136

package plugin

import (
	"github.com/prometheus/client_golang/prometheus"
	fwk "k8s.io/kube-scheduler/framework"
	scheduler "k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/outrank-go/outrank"
)

// Reference is the release of Kubernetes that the plugin is compiled with.
const Reference = outrank.V1_37

// newer returns the scheduler's metrics that v1.36 does not have. The scheduler makes them when it registers
// them.
func newer() []prometheus.Collector {
	return []prometheus.Collector{
		scheduler.WorkloadPreemptionAttempts, scheduler.WorkloadPreemptionVictims, scheduler.PreemptionWorkloadDisruptions,
		scheduler.PreemptionEvaluationDuration, scheduler.PreemptionExecutionDuration, scheduler.PreemptionPDBViolations,
	}
}

// podDeleted is the event of a pod on a node that is deleted.
var podDeleted = fwk.ClusterEvent{Resource: fwk.AssignedPod, ActionType: fwk.Delete}
