package kube

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/internal/manifest"
)

// believableGrace is the longest believed grace of a deletion, in seconds: about a century.
const believableGrace = 100 * 366 * 24 * 3600

// podTimes adds the times of a pod to Cluster.AsOf. A deletion time is when the
// pod has to be gone; it was asked to go earlier, by its grace.
func (cv *converter) podTimes(w *manifest.Pod, p *outrank.Pod) {
	cv.latest(p.StartTime)
	cv.creationTime(w.Metadata.CreationTimestamp)
	if grace := w.Metadata.DeletionGrace; !p.DeletionTimestamp.IsZero() {
		if grace < 0 || grace > believableGrace {
			grace = 0
		}
		cv.latest(p.DeletionTimestamp.Add(-time.Duration(grace) * time.Second))
	}
	for i := range w.Status.Conditions {
		c := &w.Status.Conditions[i]
		cv.conditionTime(c.Probe, i, "lastProbeTime")
		cv.conditionTime(c.Transition, i, "lastTransitionTime")
	}
}

// nodeTimes adds the times of a node.
func (cv *converter) nodeTimes(w *manifest.Node) {
	cv.creationTime(w.Metadata.CreationTimestamp)
	for i := range w.Status.Conditions {
		c := &w.Status.Conditions[i]
		cv.conditionTime(c.Heartbeat, i, "lastHeartbeatTime")
		cv.conditionTime(c.Transition, i, "lastTransitionTime")
	}
}

func (cv *converter) creationTime(m manifest.Moment) {
	if !cv.moment(m) {
		cv.notMoment(m, &fields.Path{Name: "metadata.creationTimestamp", Index: -1})
	}
}

func (cv *converter) conditionTime(m manifest.Moment, i int, field string) {
	if !cv.moment(m) {
		cv.notMoment(m, &fields.Path{Name: fmt.Sprintf("status.conditions[%d].%s", i, field), Index: -1})
	}
}

// moment adds a time that was parsed already, and reports whether it is valid.
// Paths are made only where it is not, because there are many times.
func (cv *converter) moment(m manifest.Moment) bool {
	if m.Bad != "" {
		return false
	}
	cv.latest(m.Time)
	return true
}

func (cv *converter) notMoment(m manifest.Moment, at *fields.Path) {
	cv.notTime(m.Bad, at)
}

// latest keeps the latest time of all.
func (cv *converter) latest(t time.Time) {
	if cv.asOf != nil && t.After(*cv.asOf) {
		*cv.asOf = t.UTC()
	}
}
