package differential

import (
	corev1 "k8s.io/api/core/v1"
)

// LoopFollower makes the attempts of the scheduler with an attempt loop.
type LoopFollower interface {
	// Observe receives what the informers deliver. Before is nil for a new object, after is nil for one that
	// goes.
	Observe(before, after any)
	// Attempt makes the attempt that the scheduler has made with this result, and returns the differences. An end
	// that is not empty says why the loop cannot follow any longer.
	Attempt(pod *corev1.Pod, done Attempted) (differences []string, end string)
}

// Attempted is the result of an attempt of the scheduler, with the node that it bound the pod to.
type Attempted struct {
	*Answer
	Bound string
}

// followWithLoop makes the loop, which hears of every object from the beginning.
func (s *sequenceRun) followWithLoop() {
	if s.Loop == nil {
		return
	}
	s.loop = s.Loop()
	for _, i := range []*still{s.told.pods, s.told.nodes, s.told.namespaces, s.told.budgets} {
		i.heard = s.loop.Observe
	}
}

// compareLoop lets the loop make the attempt that the scheduler has made.
func (s *sequenceRun) compareLoop() {
	if s.loop == nil || len(s.result.Differences) > 0 {
		return
	}

	// If the scheduler's answer depends on chance, so does everything that follows.
	e := s.exemptions()
	if len(s.ghosts) > 0 {
		e.rule = "7.16.6" // the loop sees none
	}
	if e.rule != "" || e.mixed || e.byOrder {
		s.loopEnded = true
		s.result.Counts["loop ended: "+e.rule]++
		return
	}

	s.r.mu.Lock()
	done := Attempted{Answer: s.r.answer}
	s.r.mu.Unlock()
	s.scheduler.mu.Lock()
	for _, one := range s.scheduler.ever {
		if one.pod == podKey(s.current) && one.bind != "" {
			done.Bound = one.bind
		}
	}
	s.scheduler.mu.Unlock()

	differences, end := s.loop.Attempt(s.current, done)
	for _, line := range differences {
		s.result.Differences = append(s.result.Differences, "loop: "+line)
	}
	if end != "" {
		s.loopEnded = true
		s.result.Counts["loop ended: "+end]++
		return
	}
	s.result.Counts["attempts of the loop"]++
}
