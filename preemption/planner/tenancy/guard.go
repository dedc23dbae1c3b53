package tenancy

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Guard returns the guard Tenancy: it follows who is taken from which queue on a node,
// and refuses what the style, the policies and the shares do not allow of all of them
// together (group 24.5).
func (r *Rules) Guard() *preemption.Guard {
	return &preemption.Guard{Name: "Tenancy", Start: r.startGuard}
}

func (r *Rules) startGuard(pods []*outrank.Pod, view preemption.View) (preemption.GuardState, error) {
	s := &guardState{rules: r}
	for i, p := range pods {
		at, amounts, asked, err := r.asks(p, view.Release())
		switch {
		case err != nil:
			return nil, err
		case i == 0 && at == none && len(pods) == 1:
			return nil, nil
		case i == 0:
			s.at, s.uses, s.asked, s.in = at, slices.Clone(amounts), slices.Clone(asked), r.ranked(p, latest)
			continue
		case at != s.at:
			return nil, &outrank.InputError{Problems: []outrank.Problem{{
				Object: "pod " + string(p.Key()), Field: "queue",
				Text: fmt.Sprintf("%q, and pod %s of the same group is in %q: a group asks one queue for all its pods", r.QueueOf(p), pods[0].Key(), r.QueueOf(pods[0])),
			}}}
		}
		for i := range amounts {
			s.uses[i], s.asked[i] = s.uses[i]+amounts[i], s.asked[i] || asked[i]
		}
		s.in = s.in.least(r.ranked(p, latest))
	}
	if s.at == none {
		return nil, nil
	}
	use, _ := r.counted(view, pods)
	s.now = use.usage
	s.before = s.now.clone()
	s.view, s.away = view, newAway(len(s.now.nodes), len(s.uses))
	return s, nil
}

// guardState is a guard for one preemptor, or for all pods of a group together.
type guardState struct {
	rules  *Rules
	at     int // its queue
	uses   []int64
	asked  []bool
	in     ranked
	before *usage // as the cluster is; shared by all clones
	now    *usage // without those who are away
	away   away
	view   preemption.View
}

func (s *guardState) Clone() preemption.GuardState {
	c := *s
	c.now, c.away = s.now.clone(), s.away.clone()
	return &c
}

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

func (s *guardState) Add(p *outrank.Pod, _ *outrank.Node) {
	t := s.away.pods[p]
	if !t.away {
		return
	}
	t.away = false
	s.away.pods[p] = t
	s.follow(p, t, 1)
}

// know looks a pod up that leaves for the first time.
func (s *guardState) know(p *outrank.Pod) takenPod {
	at, ok := s.rules.Tree.byName[s.rules.QueueOf(p)]
	if !ok {
		return takenPod{at: none}
	}
	t := takenPod{at: int32(at), slot: int32(len(s.away.memory))}
	t.high = !s.now.nodes[s.at].policy.whileBorrowing(s.in, s.rules.ranked(p, latest))
	if s.rules.Fair != nil {
		t.kept, t.settled = !s.rules.until(ruleReclaimed, p).IsZero(), !s.rules.until(ruleFairShare, p).IsZero()
	}
	s.away.memory = s.rules.amounts(s.away.memory, p, s.view.Release())
	if p.Group != "" {
		group, composite := s.view.LeavesWith(p)
		t.grouped = group != nil || composite != nil
	}
	return t
}

// follow takes a pod out of what its queue uses (by is -1), or puts it back (1).
func (s *guardState) follow(p *outrank.Pod, t takenPod, by int64) {
	uses := s.away.uses(t)
	s.now.add(int(t.at), uses, by)
	if int(t.at) == s.at {
		s.away.doubtAll()
		return
	}
	q := s.away.of(int(t.at), s)
	for _, x := range []struct {
		is    bool
		count *int
	}{{t.high, &q.high}, {t.kept, &q.kept}, {t.settled, &q.settled}} {
		if x.is {
			*x.count -= int(by)
		}
	}
	key := unitOf{queue: int(t.at)}
	if t.grouped {
		key.group, key.composite = s.view.LeavesWith(p)
	}
	s.away.follow(q, key, uses, by)
	s.away.doubt(q, s.rules.Style == YuniKorn)
}

// ownerOf returns the preemptor's queue, or the first above it that has a quota of a
// resource; none if none has.
func (s *guardState) ownerOf(r int) int {
	at := s.at
	for at != none && !s.now.nodes[at].declared[r] {
		at = s.now.nodes[at].parent
	}
	return at
}

// Use makes a configuration decide by the rules: it sets Eligibility.Take
// for pods of any priority and Guard, and adds [Rules.Filter] behind the other filters. The filters that are there are not written. With a nil configuration it
// does nothing.
func (r *Rules) Use(c *preemption.Config) {
	if c == nil {
		return
	}
	c.Eligibility.Take, c.Eligibility.AnyPriority, c.Guard = r.Take, true, r.Guard()
	c.Filters = append(slices.Clone(c.Filters), r.Filter())
}
