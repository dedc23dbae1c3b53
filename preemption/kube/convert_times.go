package kube

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// created moves the cluster's AsOf on to the time at which the object was created. That time is by the clock of
// the API server. Starts and conditions are by the clocks of nodes, which may be ahead of it (rule 26.2.4).
func (cv *converter) created() {
	m := cv.meta.CreationTimestamp
	if m.Bad != "" {
		cv.notTime(m.Bad, &apis.Path{Name: "metadata.creationTimestamp", Index: -1})
	}
	latest(cv.asOf, m.Time)
}

// latest moves of on to t if t is later.
func latest(of *time.Time, t time.Time) {
	if t.After(*of) {
		*of = t.UTC()
	}
}

// podTimes refuses texts in the conditions of a pod that are no times.
func (cv *converter) podTimes(w *manifest.Pod) {
	for i := range w.Status.Conditions {
		c := &w.Status.Conditions[i]
		cv.conditionTime(c.Probe, i, "lastProbeTime")
		cv.conditionTime(c.Transition, i, "lastTransitionTime")
	}
}

// nodeTimes is podTimes for a node.
func (cv *converter) nodeTimes(w *manifest.Node) {
	for i := range w.Status.Conditions {
		c := &w.Status.Conditions[i]
		cv.conditionTime(c.Heartbeat, i, "lastHeartbeatTime")
		cv.conditionTime(c.Transition, i, "lastTransitionTime")
	}
}

// conditionTime refuses a text in condition i that is no time. The path is made only for a problem: there are
// many times.
func (cv *converter) conditionTime(m manifest.Moment, i int, field string) {
	if m.Bad != "" {
		cv.notTime(m.Bad, &apis.Path{Name: fmt.Sprintf("status.conditions[%d].%s", i, field), Index: -1})
	}
}
