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
	proposals := r.proposals()
	for _, x := range interested {
		if len(proposals) == 0 {
			break
		}
		answer, err := x.Process(ctx, r.pod, clone(proposals))
		if err != nil {
			if x.Ignorable {
				continue
			}
			return fmt.Errorf("extender %s: pod %s: %w", x.Name, r.pod.Key(), err)
		}
		left, err := r.accept(x, proposals, answer)
		switch {
		case err == nil:
			proposals = left
		case !x.Ignorable:
			return err
		}
	}
	return r.adopt(proposals)
}

func (r *Result) proposals() []preemption.Proposal {
	var out []preemption.Proposal
	for i := range r.candidates {
		if !r.isCandidate(i) {
			continue
		}
		c := &r.candidates[i]
		p := preemption.Proposal{Node: c.Node, Violations: c.Score.Violations}
		for _, v := range c.Victims {
			p.Victims = append(p.Victims, v.Pod)
		}
		if r.terms.ReadsFirst() {
			p.Victims = violatingFirst(c)
		}
		out = append(out, p)
	}
	return out
}

// violatingFirst lists the victims, those that violate a budget before the others, each by
// importance.
func violatingFirst(c *preemption.Candidate) []*outrank.Pod {
	var violating, others []*outrank.Pod
	for i := range c.Victims {
		if v := &c.Victims[i]; len(v.Violated) > 0 {
			violating = append(violating, v.Pod)
		} else {
			others = append(others, v.Pod)
		}
	}
	return append(violating, others...)
}

func clone(ps []preemption.Proposal) []preemption.Proposal {
	out := slices.Clone(ps)
	for i := range out {
		out[i].Victims = slices.Clone(out[i].Victims)
	}
	return out
}

// accept checks an extender's answer and returns it in the order of the nodes.
func (r *Result) accept(x preemption.Extender, given, answer []preemption.Proposal) ([]preemption.Proposal, error) {
	byNode := map[string]*preemption.Proposal{}
	for i := range answer {
		p := &answer[i]
		bad := func(format string, args ...any) error {
			return fmt.Errorf("extender %s: node %s: %w: %s", x.Name, p.Node, outrank.ErrInvalid, fmt.Sprintf(format, args...))
		}
		switch {
		case r.snap.NodeState(p.Node) == nil:
			return nil, bad("there is no such node")
		case byNode[p.Node] != nil:
			return nil, bad("it is named twice")
		case len(p.Victims) == 0 && r.terms.ByVariant().TakesFree:
		case len(p.Victims) == 0 && x.Ignorable:
			continue
		case len(p.Victims) == 0:
			return nil, bad("expected at least one victim pod")
		case p.Violations < 0:
			return nil, bad("%d violations", p.Violations)
		}
		if name := r.foreignVictim(p, given); name != "" {
			return nil, bad("victim %s does not run there, or is named twice", name)
		}
		if s := r.guardOf(p); s.Code != filters.Success {
			return nil, bad("the victims may not leave together: %s", r.Attempt.Public(s))
		}
		p.Victims = r.ofSnapshot(p.Victims)
		byNode[p.Node] = p
	}
	var out []preemption.Proposal
	for i := range r.Before {
		if p := byNode[r.NodeAt(i).Name]; p != nil {
			out = append(out, *p)
		}
	}
	return out, nil
}

// foreignVictim finds a victim that does not belong to the node: it neither runs there
// nor leaves with one that does.
func (r *Result) foreignVictim(p *preemption.Proposal, given []preemption.Proposal) outrank.Key {
	seen := map[outrank.Key]bool{}
	for _, v := range p.Victims {
		if v == nil {
			return "(nil)"
		}
		same := func(w *outrank.Pod) bool { return state.SameName(v, w) }
		with := func(g preemption.Proposal) bool { return g.Node == p.Node && slices.ContainsFunc(g.Victims, same) }
		key := v.Key()
		state, known := r.snap.Known(v)
		if !known || seen[key] || state.Node() != p.Node && !slices.ContainsFunc(given, with) {
			return key
		}
		seen[key] = true
	}
	return ""
}

// ofSnapshot returns pods that an extender has named as the snapshot has them, for the extenders
// that follow.
func (r *Result) ofSnapshot(pods []*outrank.Pod) []*outrank.Pod {
	out := make([]*outrank.Pod, len(pods))
	for i, p := range pods {
		state, _ := r.snap.PodStates.Of(p)
		out[i] = state.Located()
	}
	return out
}

// statesOf returns the victims of a proposal as the snapshot has them.
func (r *Result) statesOf(p *preemption.Proposal) []*state.PodState {
	states := make([]*state.PodState, len(p.Victims))
	for i, v := range p.Victims {
		states[i], _ = r.snap.PodStates.Of(v)
	}
	return states
}

// guardOf asks the caller's guard about the victims of a proposal.
func (r *Result) guardOf(p *preemption.Proposal) filters.Status {
	w := r.Runners[0]
	w.N = r.snap.NodeState(p.Node)
	return w.GuardAllows(r.statesOf(p))
}

// adopt makes the proposals the candidates, those about other nodes than the candidates
// were on, too.
func (r *Result) adopt(proposals []preemption.Proposal) error {
	left := map[string]*preemption.Proposal{}
	for i := range proposals {
		left[proposals[i].Node] = &proposals[i]
	}
	for i := range r.candidates {
		p := left[r.NodeAt(i).Name]
		if p == nil {
			if r.isCandidate(i) {
				r.After[i] = filters.Status{Code: filters.Unschedulable, By: filters.ByNone, Text: filters.DroppedText}
			}
			continue
		}
		r.Tried[i], r.After[i] = true, filters.Status{}
		r.candidates[i], r.scores[i] = r.changed(&r.candidates[i], p)
	}
	return nil
}

// changed returns a candidate with the victims of a proposal, sorted by
// importance.
func (r *Result) changed(c *preemption.Candidate, p *preemption.Proposal) (preemption.Candidate, Score) {
	states := r.statesOf(p)
	top := int32(0)
	if len(states) > 0 {
		top = states[0].Priority()
	}
	r.Attempt.SortVictims(r.snap.NodeState(p.Node), states)
	score := r.Attempt.ScoreOf(states, p.Violations)
	if r.terms.ReadsFirst() {
		score.Top = top // of the first, as the extender has them
	}
	out := preemption.Candidate{Node: p.Node, Score: r.Attempt.Tell(&score)}
	for _, s := range states {
		v := preemption.Victim{Pod: s.Located(), Priority: r.Attempt.Asked.Snap.Units.Of(s).Priority}
		for _, was := range c.Victims {
			if state.SameName(was.Pod, s.Pod) {
				v = was
			}
		}
		out.Victims = append(out.Victims, v)
	}
	r.Runners[0].N = r.snap.NodeState(p.Node)
	r.Runners[0].NameRules(states, out.Victims)
	out.ClearedNominations = r.Attempt.ClearedNominations(r.snap.NodeState(p.Node), out.Victims)
	return out, score
}
