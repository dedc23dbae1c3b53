package outrank

import (
	"time"

	"github.com/outrank-go/outrank/internal/manifest"
)

// mostGrace is how many seconds of grace are believed: about a century.
const mostGrace = 100 * 366 * 24 * 3600

// podTimes takes in the times that a pod names, for Cluster.AsOf. A deletion time
// is when the pod has to be gone; it was asked to go earlier, by its grace.
func (cv *converter) podTimes(w *manifest.Pod, p *Pod) {
	cv.latest(p.StartTime)
	cv.creationTime(w.Metadata.CreationTimestamp)
	if grace := w.Metadata.DeletionGrace; !p.DeletionTime.IsZero() {
		if grace < 0 || grace > mostGrace {
			grace = 0
		}
		cv.latest(p.DeletionTime.Add(-time.Duration(grace) * time.Second))
	}
	for i := range w.Status.Conditions {
		c := &w.Status.Conditions[i]
		cv.conditionTime(c.Probe, i, "lastProbeTime")
		cv.conditionTime(c.Transition, i, "lastTransitionTime")
	}
}

// nodeTimes takes in the times that a node names.
func (cv *converter) nodeTimes(w *manifest.Node) {
	cv.creationTime(w.Metadata.CreationTimestamp)
	for i := range w.Status.Conditions {
		c := &w.Status.Conditions[i]
		cv.conditionTime(c.Heartbeat, i, "lastHeartbeatTime")
		cv.conditionTime(c.Transition, i, "lastTransitionTime")
	}
}

func (cv *converter) creationTime(text string) {
	meta := path{name: "metadata", index: -1}
	at := meta.field("creationTimestamp")
	cv.latest(cv.time(text, &at))
}

func (cv *converter) conditionTime(text string, i int, field string) {
	status := path{name: "status", index: -1}
	list := status.field("conditions")
	one := list.at(i)
	at := one.field(field)
	cv.latest(cv.time(text, &at))
}

// latest keeps the latest time of all.
func (cv *converter) latest(t time.Time) {
	if cv.asOf != nil && t.After(*cv.asOf) {
		*cv.asOf = t.UTC()
	}
}
