package sim

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// refuse makes the next attempts that come to nothing, for pods that have been refused before, and reports
// whether there were any. Their results equal those of [scheduling.cycle], which makes one attempt at a
// time. With an observer all attempts are made so, since each is an event.
func (s *scheduling) refuse() bool {
	if !s.sharing.on || s.config.Observe != nil {
		return false
	}

	// Where a cycle takes time, the clock has to go on after each attempt. Where there are gates, the first
	// attempt is made by itself: it finds out whether a gate holds the pods that are due, and is made
	// whether there are other pods to be tried or not.
	attempts := 0
	if s.config.Cycle > 0 || s.gates {
		attempts = s.refuseSome(1)
	}
	if s.config.Cycle == 0 && (attempts > 0 || !s.gates) {
		attempts += s.refuseSome(0)
	}
	if attempts == 0 {
		return false
	}

	// The step that calls this counts one of them.
	s.clock.steps += attempts - 1
	s.busy = later(s.clock.at, s.config.Cycle)
	return true
}

// refuseSome makes such attempts until all pods that wait were tried, and returns how many there were. There
// are at most so many as the argument says, any number for zero.
func (s *scheduling) refuseSome(most int) int {
	fresh := s.line.inQueue - s.tries.tried - s.untriedGated()
	attempts, tried, last := s.line.refuse(queue.Refusing{Class: s.classOf, Since: s.tries.since, Most: most, MostFresh: fresh})
	if attempts > 0 {
		s.tries.latest = last
	}
	s.tries.tried += tried
	return attempts
}

// classOf returns the class of a pod in the queue, nil for a pod whose attempt is made by itself.
func (s *scheduling) classOf(obj *outrank.Pod) queue.Class {
	p := s.lives.pods[obj.Key()]
	if !p.lineage.refused {
		return nil // its first refusal is recorded in its lineage
	}

	// A nil *podClass would be a Class that is not nil.
	if a := s.sharing.classOf(p); a != nil {
		return a
	}
	return nil
}
