package dryrun

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// concerns reports whether an extender has to do with the pod.
func (a *Attempt) concerns(x *preemption.Extender) bool {
	return x.Interested == nil || x.Interested(a.Pod)
}

// Extended reports whether any extender has to do with the pod.
func (a *Attempt) Extended() bool {
	for i := range a.Config.Extenders {
		if a.concerns(&a.Config.Extenders[i]) {
			return true
		}
	}
	return false
}

// extend lets the extenders change the candidates. Candidates that stay
// unchanged keep their reasons.
func (r *Result) extend(ctx context.Context, extenders []preemption.Extender) error {
	interested := slices.DeleteFunc(slices.Clone(extenders), func(x preemption.Extender) bool { return !r.Attempt.concerns(&x) })
	if len(interested) == 0 {
		return nil
	}

	left := r.found()
	for _, x := range interested {
		if len(left) == 0 {
			break
		}
		answer, err := x.Process(ctx, r.pod, copies(left))
		if err != nil {
			if x.Ignorable {
				continue
			}
			return fmt.Errorf("extender %s: pod %s: %w", x.Name, r.pod.Key(), err)
		}
		accepted, err := r.accept(x, left, answer)
		switch {
		case err == nil:
			left = accepted
		case !x.Ignorable:
			return err
		}
	}

	r.adopt(left)
	return nil
}

// found lists the candidates for the first extender, in the order of the nodes.
func (r *Result) found() []preemption.Candidate {
	var out []preemption.Candidate
	for i := range r.candidates {
		if !r.isCandidate(i) {
			continue
		}
		c := r.candidates[i]
		if r.terms.ReadsFirst() {
			c.Victims = violatingFirst(c.Victims)
		}
		r.Attempt.AddCosts(&c)
		out = append(out, c)
	}
	return out
}

// violatingFirst lists the victims, those that violate a budget before the others, each by
// importance.
func violatingFirst(victims []preemption.Victim) []preemption.Victim {
	var violating, others []preemption.Victim
	for _, v := range victims {
		if len(v.Violated) > 0 {
			violating = append(violating, v)
		} else {
			others = append(others, v)
		}
	}
	return append(violating, others...)
}

// copies returns the candidates for an extender, which may write into what it is given: what it has
// no say in stays as it is here.
func copies(left []preemption.Candidate) []preemption.Candidate {
	out := slices.Clone(left)
	for i := range out {
		c := &out[i]
		c.Victims, c.ClearedNominations, c.Score = slices.Clone(c.Victims), slices.Clone(c.ClearedNominations), own(c.Score)
	}
	return out
}

// accept checks an extender's answer and returns it in the order of the nodes. Of the answer only the
// nodes, the pods of the victims, in its order, and the number of violations count.
func (r *Result) accept(x preemption.Extender, given, answer []preemption.Candidate) ([]preemption.Candidate, error) {
	byNode := map[string]*preemption.Candidate{}
	for i := range answer {
		c := &answer[i]
		bad := func(format string, args ...any) error {
			return fmt.Errorf("extender %s: node %s: %w: %s", x.Name, c.Node, outrank.ErrInvalid, fmt.Sprintf(format, args...))
		}
		switch {
		case r.snap.NodeState(c.Node) == nil:
			return nil, bad("there is no such node")
		case byNode[c.Node] != nil:
			return nil, bad("it is named twice")
		case len(c.Victims) == 0 && r.terms.ByVariant().TakesFree:
		case len(c.Victims) == 0 && x.Ignorable:
			continue
		case len(c.Victims) == 0:
			return nil, bad("expected at least one victim pod")
		case c.Score.Violations < 0:
			return nil, bad("%d violations", c.Score.Violations)
		}
		if name := r.foreignVictim(c, given); name != "" {
			return nil, bad("victim %s does not run there, or is named twice", name)
		}
		if s := r.guardOf(c); s.Code != filters.Success {
			return nil, bad("the victims may not leave together: %s", r.Attempt.Public(s))
		}
		byNode[c.Node] = c
	}

	var out []preemption.Candidate
	for i := range r.Before {
		if c := byNode[r.NodeAt(i).Name]; c != nil {
			victims := r.statesOf(c.Victims)
			score := r.scoreOf(i, victims, c.Score.Violations)
			accepted := r.candidateOf(i, victims, &score)
			r.Attempt.AddCosts(&accepted)
			out = append(out, accepted)
		}
	}
	return out, nil
}

// foreignVictim finds a victim that does not belong to the node: it neither runs there
// nor leaves with one that does.
func (r *Result) foreignVictim(c *preemption.Candidate, given []preemption.Candidate) outrank.Key {
	seen := map[outrank.Key]bool{}
	for i := range c.Victims {
		v := c.Victims[i].Pod
		if v == nil {
			return "(nil)"
		}
		same := func(w preemption.Victim) bool { return state.SameName(v, w.Pod) }
		with := func(g preemption.Candidate) bool { return g.Node == c.Node && slices.ContainsFunc(g.Victims, same) }
		key := v.Key()
		state, known := r.snap.Known(v)
		if !known || seen[key] || state.Node() != c.Node && !slices.ContainsFunc(given, with) {
			return key
		}
		seen[key] = true
	}
	return ""
}

// statesOf returns victims as the snapshot has them, however an extender has named them.
func (r *Result) statesOf(victims []preemption.Victim) []*state.PodState {
	states := make([]*state.PodState, len(victims))
	for i := range victims {
		states[i], _ = r.snap.PodStates.Of(victims[i].Pod)
	}
	return states
}

// guardOf asks the caller's guard about the victims of a candidate.
func (r *Result) guardOf(c *preemption.Candidate) filters.Status {
	w := r.Runners[0]
	w.N = r.snap.NodeState(c.Node)
	return w.GuardAllows(r.statesOf(c.Victims))
}

// adopt makes what the extenders have left the candidates, those about other nodes than the
// candidates were on, too. The victims of each are put in order of importance.
func (r *Result) adopt(left []preemption.Candidate) {
	byNode := map[string]*preemption.Candidate{}
	for i := range left {
		byNode[left[i].Node] = &left[i]
	}
	for i := range r.candidates {
		c := byNode[r.NodeAt(i).Name]
		if c == nil {
			if r.isCandidate(i) {
				r.After[i] = filters.Status{Code: filters.Unschedulable, By: filters.ByNone, Text: filters.DroppedText}
			}
			continue
		}

		r.Tried[i], r.After[i] = true, filters.Status{}
		victims := r.statesOf(c.Victims)
		r.scores[i] = r.scoreOf(i, victims, c.Score.Violations)
		r.Attempt.SortVictims(r.NodeAt(i), victims)
		r.candidates[i] = r.candidateOf(i, victims, &r.scores[i])
	}
}

// scoreOf returns the score of victims that an extender has left on the node at a position.
func (r *Result) scoreOf(i int, victims []*state.PodState, violations int) Score {
	sorted := slices.Clone(victims)
	r.Attempt.SortVictims(r.NodeAt(i), sorted)
	score := r.Attempt.ScoreOf(sorted, violations)
	if r.terms.ReadsFirst() && len(victims) > 0 {
		score.Top = victims[0].Priority() // of the first, as the extender has them
	}
	return score
}

// candidateOf returns the candidate that the node at a position is with these victims. Those that were
// found there keep their reasons.
func (r *Result) candidateOf(i int, victims []*state.PodState, score *Score) preemption.Candidate {
	n := r.NodeAt(i)
	out := preemption.Candidate{Node: n.Name, Score: r.Attempt.Tell(score)}
	for _, s := range victims {
		v := preemption.Victim{Pod: s.Located(), Priority: r.Attempt.Asked.Snap.Units.Of(s).Priority}
		for _, was := range r.candidates[i].Victims {
			if state.SameName(was.Pod, s.Pod) {
				v = was
			}
		}
		out.Victims = append(out.Victims, v)
	}
	r.Runners[0].N = n
	r.Runners[0].NameRules(victims, out.Victims)
	out.ClearedNominations = r.Attempt.ClearedNominations(n, out.Victims)
	return out
}
