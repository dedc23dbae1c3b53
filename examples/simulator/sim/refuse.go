package sim

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// refuse makes attempts that are known to fail, for pods that have failed before, and reports whether there
// were any. The results equal those of [scheduling.cycle], which makes one attempt at a time. With an
// observer refuse makes none, because each attempt is an event.
func (s *scheduling) refuse() bool {
	if !s.sharing.on || s.config.Observe != nil {
		return false
	}

	// If a cycle takes time, the clock must advance after each attempt. If there are gates, the first attempt
	// is made alone: it finds out whether a gate holds back the pods that are due, and it is made even if no
	// other pod is to be tried.
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

	// The calling step counts one of the attempts itself.
	s.clock.steps += attempts - 1
	s.busy = later(s.clock.at, s.config.Cycle)
	return true
}

// refuseSome makes such attempts until every waiting pod was tried in this state, and returns their number.
// It makes at most the given number; zero means any.
func (s *scheduling) refuseSome(most int) int {
	fresh := s.line.inQueue - s.tries.tried - s.untriedGated()
	attempts, tried, last := s.line.refuse(queue.Refusing{Class: s.classOf, Since: s.tries.since, Most: most, MostFresh: fresh})
	if attempts > 0 {
		s.tries.latest = last
	}
	s.tries.tried += tried
	return attempts
}

// classOf returns the class of a pod in the queue, or nil if the pod needs an attempt of its own.
func (s *scheduling) classOf(obj *outrank.Pod) queue.Class {
	p := s.lives.pods[obj.Key()]
	if !p.lineage.refused {
		return nil // the first refusal is an attempt of its own, which records it
	}

	// A nil *podClass must not become a Class that is not nil.
	if a := s.sharing.classOf(p); a != nil {
		return a
	}
	return nil
}
