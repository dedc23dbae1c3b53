package metrics

import "github.com/outrank-go/outrank/preemption/scheduler/queue"

// SetCounts sets counts that no queue has.
func (m *Meter) SetCounts(pods, alone, groups queue.Parts[int], in []queue.Incoming) {
	m.setQueue(pods, alone, groups, in)
}
