package kube

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// created reads when the object was created. The API server's clock says so; those of the
// nodes, which write starts and conditions, may be ahead of it (rule 26.2.4).
func (cv *converter) created() {
	m := cv.meta.CreationTimestamp
	if m.Bad != "" {
		cv.notTime(m.Bad, &apis.Path{Name: "metadata.creationTimestamp", Index: -1})
	}
	latest(cv.asOf, m.Time)
}

// latest keeps the latest time of all.
func latest(of *time.Time, t time.Time) {
	if t.After(*of) {
		*of = t.UTC()
	}
}

// podTimes refuses times of conditions that are none.
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

// conditionTime makes the path only where the time is none, because there are many times.
func (cv *converter) conditionTime(m manifest.Moment, i int, field string) {
	if m.Bad != "" {
		cv.notTime(m.Bad, &apis.Path{Name: fmt.Sprintf("status.conditions[%d].%s", i, field), Index: -1})
	}
}
