package sim

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// stays follows pods on their nodes, from the beginning of their work until they have left.
type stays struct {
	config     *Config
	clock      *clock
	agenda     *agenda
	schedulers *schedulers
	cluster    *cluster
	line       *line
	kubelets   *kubeletTable // nil for none
}

// begin lets a pod begin its work.
func (s *stays) begin(p *pod) {
	p.started, p.bound, p.lineage.placed = true, s.clock.at, true
	if p.ends = horizon; !p.work.Endless {
		p.ends = later(s.clock.at, p.work.Duration)
		s.agenda.add(moment{at: p.ends, kind: endMoment, pod: p})
	}
}

// countEviction counts that a pod is told to go, not from outside.
func (s *stays) countEviction(p *pod) {
	p.evicted = true
	p.lineage.evictions++
	s.cluster.meter.evict(p.obj.PriorityValue())
}

// tellToGo begins the grace period of a pod on a node. The reason is that of the
// condition DisruptionTarget, empty where it is deleted from outside.
func (s *stays) tellToGo(p *pod, grace *time.Duration, reason string) {
	d := p.obj.GracePeriod(s.config.grace())
	if p.work.Grace != nil {
		d = *p.work.Grace
	}
	if grace != nil {
		d = *grace
	}
	if p.phase == Admitting {
		d = 0 // there is nothing to stop
	}
	p.phase, p.until = Terminating, later(s.clock.at, d)
	p.revise(func(o *outrank.Pod) {
		o.DeletionTimestamp, o.DisruptionReason = s.clock.start.Add(p.until), reason
	})
	s.cluster.show(p)
	s.cluster.budgets.touch(p)
	s.agenda.add(moment{at: p.until, kind: goneMoment, pod: p})
}

// hasten lets a pod that is told again to go leave sooner, where it gets less
// time now than it has left.
func (s *stays) hasten(p *pod, grace *time.Duration) {
	if grace == nil || later(s.clock.at, *grace) >= p.until {
		return
	}
	p.until = later(s.clock.at, *grace)
	p.revise(func(o *outrank.Pod) { o.DeletionTimestamp = s.clock.start.Add(p.until) })
	s.cluster.show(p)
	s.agenda.add(moment{at: p.until, kind: goneMoment, pod: p})
}

// vacate removes a pod from its node for good.
func (s *stays) vacate(p *pod, phase Phase) {
	p.phase = phase
	s.cluster.show(p)
	s.cluster.take(p, -1)
	if s.kubelets != nil && p.started {
		s.kubelets.use(p, -1)
	}
	s.cluster.budgets.leave(p)
	s.schedulers.forget(p.obj)
	s.line.move(queue.EventAssignedPodDeleted, p.host.node, p.obj)
}
