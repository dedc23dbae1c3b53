package execution

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/priority/queue"
)

// part is how many pods are in a part of the queue.
type part struct {
	name string
	pods int
}

// parts lists the parts of the queue that a release has, by name (rule 14.5.9).
func (p *PendingPods) parts(rules *release.Rules) []part {
	parts := []part{{"active", p.Active}, {"backoff", p.Backoff}, {"gated", p.Gated}}
	if rules.EntityMetrics {
		parts = append(parts, part{"incomplete", p.Incomplete}, part{"pending", p.Waiting})
	}
	return append(parts, part{"unschedulable", p.Unschedulable})
}

// podEntity is the type of what is queued: all are pods, as long as no groups are.
var podEntity = MetricLabel{"type", "pod"}

// queueFamilies are those about the queue, as far as they were set.
func (c *MetricValues) queueFamilies(rules *release.Rules) []MetricFamily {
	var families []MetricFamily
	if c.Pending != nil {
		pods := MetricFamily{Name: "scheduler_pending_pods", Type: "gauge", Help: "Number of pending pods by queue."}
		entities := MetricFamily{Name: "scheduler_queued_entities", Type: "gauge", Help: "Number of pods and groups by queue."}
		for _, q := range c.Pending.parts(rules) {
			pods.add(float64(q.pods), MetricLabel{"queue", q.name})
			entities.add(float64(q.pods), MetricLabel{"queue", q.name}, podEntity)
		}
		if families = append(families, pods); rules.EntityMetrics {
			families = append(families, entities)
		}
	}
	if len(c.Incoming) > 0 {
		families = append(families, incomingFamily("scheduler_queue_incoming_pods_total", "pods", c.Incoming))
		if rules.EntityMetrics {
			families = append(families, incomingFamily("scheduler_queue_incoming_entities_total", "pods and groups", c.Incoming, podEntity))
		}
	}
	return families
}

func incomingFamily(name, what string, list []queue.Incoming, more ...MetricLabel) MetricFamily {
	f := MetricFamily{Name: name, Type: "counter", Help: "Number of " + what + " that entered a queue, by event."}
	for _, in := range list {
		f.add(float64(in.Pods), slices.Concat([]MetricLabel{{"event", in.Event}, {"queue", in.Queue}}, more)...)
	}
	return f
}

// executionFamily counts the plans that were carried out beside the next attempts.
func (c *MetricValues) executionFamily() MetricFamily {
	f := MetricFamily{
		Name: "scheduler_preemption_goroutines_execution_total", Type: "counter",
		Help: "Number of preemptions that were carried out beside the next attempts.",
	}
	for _, result := range slices.Sorted(maps.Keys(c.Executions)) {
		f.add(float64(c.Executions[result]), MetricLabel{"result", string(result)})
	}
	return f
}

// add adds a sample under the family's own name.
func (f *MetricFamily) add(value float64, labels ...MetricLabel) {
	f.Samples = append(f.Samples, MetricSample{Name: f.Name, Labels: labels, Value: value})
}
