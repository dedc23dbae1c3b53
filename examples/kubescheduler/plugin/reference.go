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

// newer are metrics that v1.36 does not have. They are made when the scheduler registers its own.
func newer() []prometheus.Collector {
	return []prometheus.Collector{
		scheduler.WorkloadPreemptionAttempts, scheduler.WorkloadPreemptionVictims, scheduler.PreemptionWorkloadDisruptions,
		scheduler.PreemptionEvaluationDuration, scheduler.PreemptionExecutionDuration, scheduler.PreemptionPDBViolations,
	}
}

// podDeleted is the event that a pod on a node is deleted.
var podDeleted = fwk.ClusterEvent{Resource: fwk.AssignedPod, ActionType: fwk.Delete}
