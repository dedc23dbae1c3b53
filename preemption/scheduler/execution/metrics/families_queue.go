package metrics

import (
	"slices"

	"github.com/outrank-go/outrank/internal/release"
)

// part has the counts of one part of the queue, such as active.
type part struct {
	name string
	// pods counts all pods, single counts the pods that are queued by themselves, groups counts the
	// groups.
	pods, single, groups int
}

// parts returns the parts of the queue that a release reports, sorted by name (rule 14.5.9).
func (c *Values) parts(rules *release.Rules) []part {
	p, s, g := c.Pending, &c.Alone, &c.Groups
	parts := []part{
		{"active", p.Active, s.Active, g.Active}, {"backoff", p.Backoff, s.Backoff, g.Backoff}, {"gated", p.Gated, s.Gated, g.Gated},
	}
	if rules.EntityMetrics {
		parts = append(parts, part{name: "incomplete", pods: p.Incomplete, single: p.Incomplete}, part{name: "pending", pods: p.Waiting, single: p.Waiting})
	}
	return append(parts, part{"unschedulable", p.Unschedulable, s.Unschedulable, g.Unschedulable})
}

// podEntity and groupEntity label what a queue holds: a single pod, or a group.
var (
	podEntity   = Label{"type", "pod"}
	groupEntity = Label{"type", "podgroup"}
)

// queueFamilies returns the families about the queue. A family that was never set is left out.
func (c *Values) queueFamilies(rules *release.Rules) []Family {
	var families []Family
	if c.Pending != nil {
		pods := Family{Name: "scheduler_pending_pods", Type: "gauge", Help: "Number of pending pods by queue."}
		entities := Family{Name: "scheduler_queued_entities", Type: "gauge", Help: "Number of pods and groups by queue."}
		for _, q := range c.parts(rules) {
			pods.add(float64(q.pods), Label{"queue", q.name})
			entities.add(float64(q.single), Label{"queue", q.name}, podEntity)
			if q.groups > 0 {
				entities.add(float64(q.groups), Label{"queue", q.name}, groupEntity)
			}
		}

		families = append(families, pods)
		if rules.EntityMetrics {
			families = append(families, entities)
		}
	}

	// There is no sample for single pods, or for groups, if none has entered.
	if len(c.Incoming) > 0 {
		pods := incomingFamily("scheduler_queue_incoming_pods_total", "pods")
		entities := incomingFamily("scheduler_queue_incoming_entities_total", "pods and groups")
		for _, in := range c.Incoming {
			labels := []Label{{"event", in.Event}, {"queue", in.Queue}}
			pods.add(float64(in.Pods), labels...)
			if single := in.Pods - in.Grouped; single > 0 {
				entities.add(float64(single), append(slices.Clone(labels), podEntity)...)
			}
			if in.Groups > 0 {
				entities.add(float64(in.Groups), append(slices.Clone(labels), groupEntity)...)
			}
		}
		families = append(families, pods)
		if rules.EntityMetrics {
			families = append(families, entities)
		}
	}
	return families
}
