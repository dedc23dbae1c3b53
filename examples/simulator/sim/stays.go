package sim

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// stays follows pods on their nodes, from the start of their work until they have left.
type stays struct {
	config     *Config
	clock      *clock
	agenda     *agenda
	schedulers *schedulers
	cluster    *cluster
	line       *line
	kubelets   *kubeletTable // nil without kubelets
}

// begin starts the work of a pod.
func (s *stays) begin(p *pod) {
	p.started, p.lineage.placed = true, true
	p.bound = s.clock.at
	p.ends = horizon
	if !p.work.Endless {
		p.ends = later(s.clock.at, p.work.Duration)
		s.agenda.add(moment{at: p.ends, kind: endMoment, pod: p})
	}
}

// countEviction counts that a pod is evicted. Deletion from outside is no eviction.
func (s *stays) countEviction(p *pod) {
	p.evicted = true
	p.lineage.evictions++
	s.cluster.countEviction(p)
}

// tellToGo starts the grace period of a pod on a node. The reason is the one of the condition
// DisruptionTarget. It is empty if the pod is deleted from outside.
func (s *stays) tellToGo(p *pod, grace *time.Duration, reason string) {
	d := s.graceOf(p, grace)
	p.phase = Terminating
	p.until = later(s.clock.at, d)
	p.revise(func(o *outrank.Pod) {
		o.DeletionTimestamp = s.clock.timeOf(p.until)
		o.DisruptionReason = reason
	})

	s.cluster.show(p)
	s.cluster.touchBudgets(p)
	s.agenda.add(moment{at: p.until, kind: goneMoment, pod: p})
}

// graceOf returns the grace period of a pod: the one that is named with the eviction, or else the one of its
// work, of the pod itself, or of the configuration.
func (s *stays) graceOf(p *pod, named *time.Duration) time.Duration {
	switch {
	case p.phase == Admitting:
		return 0 // it has not started, so there is nothing to stop
	case named != nil:
		return *named
	case p.work.Grace != nil:
		return *p.work.Grace
	}
	return p.obj.GracePeriod(s.config.grace())
}

// hasten shortens the grace period of a pod that is evicted again, if the new period ends before the old one.
func (s *stays) hasten(p *pod, grace *time.Duration) {
	if grace == nil || later(s.clock.at, *grace) >= p.until {
		return
	}

	// The later moment stays on the agenda, and finds that the pod has left.
	p.until = later(s.clock.at, *grace)
	p.revise(func(o *outrank.Pod) { o.DeletionTimestamp = s.clock.timeOf(p.until) })
	s.cluster.show(p)
	s.agenda.add(moment{at: p.until, kind: goneMoment, pod: p})
}

// vacate removes a pod from its node for good. The phase must be Finished or Gone.
func (s *stays) vacate(p *pod, phase Phase) {
	p.phase = phase
	s.cluster.show(p)
	s.cluster.take(p, -1)
	if s.kubelets != nil && p.started {
		s.kubelets.use(p, -1)
	}
	s.cluster.leaveBudgets(p)

	s.schedulers.forget(p.obj)
	s.line.move(queue.EventAssignedPodDeleted, p.host.node, p.obj)
}
