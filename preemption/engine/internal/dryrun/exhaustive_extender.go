package dryrun

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// concerns reports whether an extender is asked about the pod.
func (a *Attempt) concerns(x *preemption.Extender) bool {
	return x.Interested == nil || x.Interested(a.Pod)
}

// Extended reports whether any extender is asked about the pod.
func (a *Attempt) Extended() bool {
	for i := range a.Config.Extenders {
		if a.concerns(&a.Config.Extenders[i]) {
			return true
		}
	}
	return false
}

// extend lets the interested extenders change the candidates, one after another (group 10.2). Victims that
// stay keep the reasons that the search found.
func (r *Result) extend(ctx context.Context, extenders []preemption.Extender) error {
	interested := slices.DeleteFunc(slices.Clone(extenders), func(x preemption.Extender) bool { return !r.Attempt.concerns(&x) })
	if len(interested) == 0 {
		return nil
	}

	left := r.found()
	for _, x := range interested {
		if len(left) == 0 {
			break // the remaining extenders are not asked (rule 10.2.5)
		}

		// An ignorable extender that fails or gives an invalid answer is skipped (rules 10.2.2 and 10.2.3).
		// With any other the error ends the attempt.
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

// found lists the candidates to pass to the first extender, in the order of the nodes.
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

// violatingFirst moves the victims that violate a budget before the others, and otherwise keeps the order.
// That is the order of v1.13 (rule 13.2.3).
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

// copies returns copies of the candidates for an extender, which may write into them.
func copies(left []preemption.Candidate) []preemption.Candidate {
	out := slices.Clone(left)
	for i := range out {
		c := &out[i]
		c.Victims, c.ClearedNominations = slices.Clone(c.Victims), slices.Clone(c.ClearedNominations)
		c.Score = own(c.Score)
	}
	return out
}

// accept checks an extender's answer, and returns its candidates in the order of the nodes. Of the answer
// only the nodes, the victims' pods in the extender's order, and the number of violations count (rule
// 10.2.1). given has the candidates that the extender was asked about.
func (r *Result) accept(x preemption.Extender, given, answer []preemption.Candidate) ([]preemption.Candidate, error) {
	byNode := map[string]*preemption.Candidate{}
	for i := range answer {
		c := &answer[i]
		fault := r.faultOf(c, given, byNode[c.Node] != nil)
		if x.Ignorable && errors.Is(fault, errNoVictims) {
			continue // the node is dropped (rule 10.2.4)
		}
		if fault != nil {
			return nil, fmt.Errorf("extender %s: node %s: %w: %s", x.Name, c.Node, outrank.ErrInvalid, fault.Error())
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

// errNoVictims is the fault of a candidate without victims.
var errNoVictims = errors.New("expected at least one victim pod")

// faultOf returns what is wrong with a candidate in an extender's answer, nil if nothing is (rules 10.2.3 and
// 10.2.4). named is set if the answer has already named its node.
func (r *Result) faultOf(c *preemption.Candidate, given []preemption.Candidate, named bool) error {
	switch {
	case r.snap.NodeState(c.Node) == nil:
		return errors.New("there is no such node")
	case named:
		return errors.New("it is named twice")
	case len(c.Victims) == 0 && r.terms.ByVariant().TakesFree:
		// A node without victims is a candidate by this variant (rule 13.2.11).
	case len(c.Victims) == 0:
		return errNoVictims
	case c.Score.Violations < 0:
		return fmt.Errorf("%d violations", c.Score.Violations)
	}

	if name := r.foreignVictim(c, given); name != "" {
		return fmt.Errorf("victim %s does not run there, or is named twice", name)
	}
	if s := r.guardOf(c); s.Code != filters.Success {
		return fmt.Errorf("the victims may not leave together: %s", r.Attempt.Public(s))
	}
	return nil
}

// foreignVictim returns the key of a victim that does not belong to the node or is named twice, empty if
// there is none. A victim belongs to the node if it runs there, or if it was among the node's victims when
// the extender was asked: pods of a unit may run elsewhere.
func (r *Result) foreignVictim(c *preemption.Candidate, given []preemption.Candidate) outrank.Key {
	seen := map[outrank.Key]bool{}
	for i := range c.Victims {
		v := c.Victims[i].Pod
		if v == nil {
			return "(nil)"
		}

		same := func(w preemption.Victim) bool { return state.SameName(v, w.Pod) }
		leftThere := func(g preemption.Candidate) bool { return g.Node == c.Node && slices.ContainsFunc(g.Victims, same) }
		key := v.Key()
		state, known := r.snap.Known(v)
		if !known || seen[key] || state.Node() != c.Node && !slices.ContainsFunc(given, leftThere) {
			return key
		}
		seen[key] = true
	}
	return ""
}

// statesOf returns the snapshot's states of victims. An extender may have other objects for the pods.
func (r *Result) statesOf(victims []preemption.Victim) []*state.PodState {
	snap, states := r.snap, make([]*state.PodState, len(victims))
	for i := range victims {
		states[i], _ = snap.PodStates.Of(victims[i].Pod)
	}
	return states
}

// guardOf asks the caller's guard whether the victims of a candidate may leave together.
func (r *Result) guardOf(c *preemption.Candidate) filters.Status {
	w := r.Runners[0]
	w.N = r.snap.NodeState(c.Node)
	return w.GuardAllows(r.statesOf(c.Victims))
}

// adopt replaces the candidates of the search by those that the extenders have left. Some may be on nodes
// that had none before (rule 10.2.3). The victims of each are sorted by importance (rule 10.2.5).
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

		// The score depends on the extender's order, which v1.13 reads, so that it is computed before
		// sorting.
		r.Tried[i], r.After[i] = true, filters.Status{}
		victims := r.statesOf(c.Victims)
		r.scores[i] = r.scoreOf(i, victims, c.Score.Violations)
		r.Attempt.SortVictims(r.NodeAt(i), victims)
		r.candidates[i] = r.candidateOf(i, victims, &r.scores[i])
	}
}

// scoreOf returns the score of the victims that an extender has left on the node at a position.
func (r *Result) scoreOf(i int, victims []*state.PodState, violations int) Score {
	sorted := slices.Clone(victims)
	r.Attempt.SortVictims(r.NodeAt(i), sorted)
	score := r.Attempt.ScoreOf(sorted, violations)
	if r.terms.ReadsFirst() && len(victims) > 0 {
		score.Top = victims[0].Priority() // the first victim in the extender's order decides (rule 13.2.3)
	}
	return score
}

// candidateOf builds the candidate of the node at a position with these victims. Victims that the search
// found there keep their reasons.
func (r *Result) candidateOf(i int, victims []*state.PodState, score *Score) preemption.Candidate {
	n, snap := r.NodeAt(i), r.snap
	found := r.candidates[i].Victims
	out := preemption.Candidate{Node: n.Name, Score: r.Attempt.Tell(score)}
	for _, s := range victims {
		v := preemption.Victim{Pod: s.Located(), Priority: snap.Units.Of(s).Priority}
		for _, was := range found {
			if state.SameName(was.Pod, s.Pod) {
				v = was
			}
		}
		out.Victims = append(out.Victims, v)
	}

	// By which rule a victim leaves depends on the other victims, so that all rules are named anew.
	w := r.Runners[0]
	w.N = n
	w.NameRules(victims, out.Victims)
	out.ClearedNominations = r.Attempt.ClearedNominations(n, out.Victims)
	return out
}
