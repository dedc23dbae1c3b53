package engine_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// drawTaking draws, mostly, neither: who may be taken in place of lower priority, and a guard.
func drawTaking(t *rapid.T) (who preemption.Eligibility, guard *preemption.Guard) {
	switch rapid.IntRange(0, 11).Draw(t, "any priority") {
	case 0:
		who.AnyPriority, who.Take = true, func(preemptor, victim *outrank.Pod) (string, bool) {
			return "not above", victim.PriorityValue() <= preemptor.PriorityValue()
		}
	case 1:
		who.AnyPriority, who.Take = true, func(_, victim *outrank.Pod) (string, bool) {
			rule := []string{"", "even", "more"}[nameHash(victim)%3]
			return rule, rule != ""
		}
	case 2:
		who.AnyPriority = true
	}
	if rapid.IntRange(0, 3).Draw(t, "guard") == 0 {
		drawn := drawnGuard{
			most: rapid.IntRange(0, 4).Draw(t, "most"), sorts: rapid.SampledFrom([]uint32{1, 2, 5}).Draw(t, "sorts"),
			odd: rapid.IntRange(0, 3).Draw(t, "odd") == 0,
		}
		guard = &preemption.Guard{Name: "Drawn guard", Start: drawn.start}
	}
	return who, guard
}

// drawAnyTaking draws who may be taken in place of lower priority, or a guard, or both.
func drawAnyTaking(t *rapid.T) (who preemption.Eligibility, guard *preemption.Guard) {
	for !who.AnyPriority && guard == nil {
		who, guard = drawTaking(t)
	}
	return who, guard
}

// drawnGuard lets a number of pods of each sort go. An odd one also minds which of them
// are away, so that it may refuse some where it allows more.
type drawnGuard struct {
	most  int
	sorts uint32
	odd   bool
}

func (g *drawnGuard) start([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
	return &drawnState{drawnGuard: g, away: map[uint32]int{}}, nil
}

type drawnState struct {
	*drawnGuard
	away map[uint32]int
	sum  uint32
	pods int
}

func (s *drawnState) change(p *outrank.Pod, by int) {
	h := nameHash(p)
	s.away[h%s.sorts] += by
	s.sum += h * uint32(by)
	s.pods += by
}

func (s *drawnState) Remove(p *outrank.Pod, _ *outrank.Node) { s.change(p, 1) }
func (s *drawnState) Add(p *outrank.Pod, _ *outrank.Node)    { s.change(p, -1) }

func (s *drawnState) Check() preemption.Status {
	if s.pods == 0 {
		return preemption.Status{}
	}
	for i := range s.sorts {
		if s.away[i] > s.most {
			return preemption.Unschedulable.Because(fmt.Sprintf("sort %d keeps its pods", i))
		}
	}
	if s.odd && s.sum%3 == 0 {
		return preemption.Unschedulable.Because("odd")
	}
	return preemption.Status{}
}

func (s *drawnState) Rule(p *outrank.Pod) string {
	if nameHash(p)%2 == 0 {
		return ""
	}
	return fmt.Sprintf("%d away", s.pods)
}

func (s *drawnState) Clone() preemption.GuardState {
	c := *s
	c.away = map[uint32]int{}
	for i, n := range s.away {
		c.away[i] = n
	}
	return &c
}

// guardSays returns what a guard says of pods that are away together, by a state of its own.
func guardSays(g *preemption.Guard, gone []*outrank.Pod) preemption.Status {
	state, err := g.Start([]*outrank.Pod{{}}, nil)
	if err != nil || state == nil {
		return preemption.Status{}
	}
	for _, p := range gone {
		state.Remove(p, nil)
	}
	s := state.Check()
	if s.Code != preemption.Success {
		s.Code, s.Filter = preemption.Unschedulable, g.Name
	}
	return s
}
