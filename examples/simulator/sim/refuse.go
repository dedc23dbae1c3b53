package sim

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// refuse makes the next attempts that come to nothing, for pods that have been
// refused before, and reports whether there were any. They equal those of
// [scheduling.cycle], which are made one by one: where there is an observer, they
// are.
func (s *scheduling) refuse() bool {
	if !s.sharing.on || s.config.Observe != nil {
		return false
	}
	attempts := 0
	if s.config.Cycle > 0 || len(s.config.Queue.Gates) > 0 {
		// A gate may hold pods that are due, which the first attempt finds out.
		// That one is made whether there are other pods to be tried or not.
		attempts = s.refuseSome(1)
	}
	if s.config.Cycle == 0 && (attempts > 0 || len(s.config.Queue.Gates) == 0) {
		attempts += s.refuseSome(0)
	}
	if attempts == 0 {
		return false
	}
	s.clock.steps += attempts - 1
	s.busy = later(s.clock.at, s.config.Cycle)
	return true
}

// refuseSome makes so many such attempts at most, any number for zero, until all
// pods that wait were tried, and returns how many there were.
func (s *scheduling) refuseSome(most int) int {
	fresh := s.line.inQueue - s.cluster.tries.tried - s.untriedGated()
	attempts, tried, last := s.line.queue.Refuse(s.clock.time(), queue.Refusing{Class: s.classOf, Since: s.cluster.tries.since, Most: most, MostFresh: fresh})
	if attempts > 0 {
		s.cluster.tries.latest = last
	}
	s.cluster.tries.tried += tried
	return attempts
}

// classOf returns the class of a pod in the queue, nil for one whose attempt has
// to be made by itself.
func (s *scheduling) classOf(obj *outrank.Pod) queue.Class {
	p := s.lives.pods[obj.Key()]
	if !p.lineage.refused {
		return nil // it has to be recorded
	}
	if a := s.sharing.classOf(p); a != nil {
		return a
	}
	return nil
}
