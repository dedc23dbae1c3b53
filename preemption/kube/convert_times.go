package kube

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// created advances the cluster's AsOf to the creation time of the object, which is by the clock of the API server. Start
// times and conditions are not used, because they are by the clocks of nodes, which may be ahead (rule 26.2.4).
func (cv *converter) created() {
	m := cv.meta.CreationTimestamp
	if m.Bad != "" {
		cv.notTime(m.Bad, &apis.Path{Name: "metadata.creationTimestamp", Index: -1})
	}
	latest(cv.asOf, m.Time)
}

// latest sets *of to t if t is later.
func latest(of *time.Time, t time.Time) {
	if t.After(*of) {
		*of = t.UTC()
	}
}

// podTimes records a problem for each time in the conditions of a pod that cannot be read.
func (cv *converter) podTimes(w *manifest.Pod) {
	for i := range w.Status.Conditions {
		c := &w.Status.Conditions[i]
		cv.conditionTime(c.Probe, i, "lastProbeTime")
		cv.conditionTime(c.Transition, i, "lastTransitionTime")
	}
}

// nodeTimes records a problem for each time in the conditions of a node that cannot be read.
func (cv *converter) nodeTimes(w *manifest.Node) {
	for i := range w.Status.Conditions {
		c := &w.Status.Conditions[i]
		cv.conditionTime(c.Heartbeat, i, "lastHeartbeatTime")
		cv.conditionTime(c.Transition, i, "lastTransitionTime")
	}
}

// conditionTime records a problem if a time in condition i could not be read. There are many times, so the path is only
// built for a problem.
func (cv *converter) conditionTime(m manifest.Moment, i int, field string) {
	if m.Bad != "" {
		cv.notTime(m.Bad, &apis.Path{Name: fmt.Sprintf("status.conditions[%d].%s", i, field), Index: -1})
	}
}
