package tenancy

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Guard returns the guard named Tenancy. It follows the victims of a decision, and refuses victims that the style, the
// policies or the shares do not allow to leave together (group 24.5).
func (r *Rules) Guard() *preemption.Guard {
	return &preemption.Guard{Name: "Tenancy", Start: r.startGuard}
}

// startGuard returns the guard's state for a pod, or for all pods of a group, which ask as one workload (rule 24.5.8).
// The state is nil for pods without a queue.
func (r *Rules) startGuard(pods []*outrank.Pod, view preemption.View) (preemption.GuardState, error) {
	s := &guardState{rules: r}
	for i, p := range pods {
		at, amounts, asked, err := r.asks(p, view.Release())

		// The first pod decides the queue, and the others have to be in the same one.
		switch {
		case err != nil:
			return nil, err
		case i == 0 && at == none && len(pods) == 1:
			return nil, nil
		case i == 0:
			s.at = at
			s.uses = slices.Clone(amounts)
			s.asked = slices.Clone(asked)
			s.preemptor = r.ranked(p, latest)
			continue
		case at != s.at:
			return nil, r.twoQueues(p, pods[0])
		}

		// The sum does not overflow, because each amount is at most mostOfPod.
		for i := range amounts {
			s.uses[i] += amounts[i]
			s.asked[i] = s.asked[i] || asked[i]
		}
		s.preemptor = s.preemptor.least(r.ranked(p, latest))
	}
	if s.at == none {
		return nil, nil
	}

	// The pods that ask use no quota yet, even if they are nominated (rule 24.5.9).
	use, _ := r.counted(view, pods)
	s.now = use.usage
	s.before = s.now.clone()
	s.view = view
	s.away = newAway(len(s.now.nodes), len(s.uses))
	return s, nil
}

// twoQueues returns the error about a pod whose queue differs from the queue of the first pod of its group.
func (r *Rules) twoQueues(p, first *outrank.Pod) error {
	return &outrank.InputError{Problems: []outrank.Problem{{
		Object: "pod " + string(p.Key()), Field: "queue",
		Text: fmt.Sprintf("%q, and pod %s of the same group is in %q: a group asks one queue for all its pods", r.QueueOf(p), first.Key(), r.QueueOf(first)),
	}}}
}

// guardState is the guard for one preemptor, or for all pods of a group together.
type guardState struct {
	rules     *Rules
	at        int     // the preemptor's queue
	uses      []int64 // by resource, the amounts that the preemptor asks for
	asked     []bool  // by resource, whether it asks for any
	preemptor ranked
	before    *usage // usage without victims; shared by all clones
	now       *usage // usage without the pods that are away
	away      away
	view      preemption.View
}

// Clone returns a copy that is independent, except for before, which never changes.
func (s *guardState) Clone() preemption.GuardState {
	c := *s
	c.now, c.away = s.now.clone(), s.away.clone()
	return &c
}

// Remove counts a pod as away, unless it has no queue or is away already.
func (s *guardState) Remove(p *outrank.Pod, _ *outrank.Node) {
	t, known := s.away.pods[p]
	if !known {
		t = s.know(p)
	}
	if t.at == none || t.away {
		return
	}
	t.away = true
	s.away.pods[p] = t
	s.follow(p, t, -1)
}

// Add no longer counts a pod as away.
func (s *guardState) Add(p *outrank.Pod, _ *outrank.Node) {
	t := s.away.pods[p]
	if !t.away {
		return
	}
	t.away = false
	s.away.pods[p] = t
	s.follow(p, t, 1)
}

// know describes a pod that leaves for the first time. Its queue is none if the pod has no queue in the tree.
func (s *guardState) know(p *outrank.Pod) takenPod {
	at, ok := s.rules.Tree.byName[s.rules.QueueOf(p)]
	if !ok {
		return takenPod{at: none}
	}

	t := takenPod{at: int32(at), slot: int32(len(s.away.memory))}
	t.high = !s.now.nodes[s.at].policy.whileBorrowing(s.preemptor, s.rules.ranked(p, latest))
	if s.rules.Fair != nil {
		t.kept = !s.rules.until(ruleReclaimed, p).IsZero()
		t.settled = !s.rules.until(ruleFairShare, p).IsZero()
	}
	s.away.memory = s.rules.amounts(s.away.memory, p, s.view.Release())
	if p.Group != "" {
		group, composite := s.view.LeavesWith(p)
		t.grouped = group != nil || composite != nil
	}
	return t
}

// follow subtracts a pod's amounts from the usage of its queue (by is -1), or adds them again (by is 1). Pods of other
// queues are counted as away. A pod of the preemptor's own queue is not, but its usage affects all verdicts.
func (s *guardState) follow(p *outrank.Pod, t takenPod, by int64) {
	uses := s.away.uses(t)
	s.now.add(int(t.at), uses, by)
	if int(t.at) == s.at {
		s.away.forgetAll()
		return
	}

	q := s.away.entryOf(int(t.at), s)
	for _, x := range []struct {
		is    bool
		count *int
	}{{t.high, &q.high}, {t.kept, &q.kept}, {t.settled, &q.settled}} {
		if x.is {
			*x.count -= int(by)
		}
	}

	// Pods that leave together form a unit, as far as they are in one queue.
	key := unitOf{queue: int(t.at)}
	if t.grouped {
		key.group, key.composite = s.view.LeavesWith(p)
	}
	s.away.follow(q, key, uses, by)

	// In the style of YuniKorn every verdict depends on the victims of all queues (rule 24.5.4).
	s.away.forget(q, s.rules.Style == YuniKorn)
}

// ownerOf returns the preemptor's queue if it has a quota of a resource, or else the lowest cohort above it with a
// quota, or none.
func (s *guardState) ownerOf(r int) int {
	at := s.at
	for at != none && !s.now.nodes[at].declared[r] {
		at = s.now.nodes[at].parent
	}
	return at
}

// Use makes a configuration decide by the rules. It sets Eligibility.Take and Eligibility.AnyPriority, sets Guard, and
// appends [Rules.Filter] to a copy of Filters. With a nil configuration it does nothing.
func (r *Rules) Use(c *preemption.Config) {
	if c == nil {
		return
	}
	c.Eligibility.Take = r.Take
	c.Eligibility.AnyPriority = true
	c.Guard = r.Guard()
	c.Filters = append(slices.Clone(c.Filters), r.Filter())
}
