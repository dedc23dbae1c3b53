package tenancy

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// tenantGuard keeps queues from losing what is theirs.
type tenantGuard struct{ *Rules }

// Guard returns the guard Tenancy: it follows who is taken from which queue on a node,
// and refuses what the style, the policies and the shares do not allow of all of them
// together (group 24.5).
func (r *Rules) Guard() preemption.Guard { return tenantGuard{r} }

func (tenantGuard) Name() string { return "Tenancy" }

func (g tenantGuard) Start(pods []*outrank.Pod, snap *preemption.Snapshot) (preemption.GuardState, error) {
	s := &guardState{rules: g.Rules}
	for i, p := range pods {
		at, amounts, asked, err := g.asks(p)
		switch {
		case err != nil:
			return nil, err
		case i == 0 && at == none && len(pods) == 1:
			return nil, nil
		case i == 0:
			s.at, s.uses, s.asked, s.in = at, slices.Clone(amounts), slices.Clone(asked), g.ranked(p, latest)
			continue
		case at != s.at:
			return nil, &outrank.InputError{Problems: []outrank.Problem{{
				Object: "pod " + string(p.Key()), Field: "queue",
				Text: fmt.Sprintf("%q, and pod %s of the same group is in %q: a group asks one queue for all its pods", g.QueueOf(p), pods[0].Key(), g.QueueOf(pods[0])),
			}}}
		}
		for r := range amounts {
			s.uses[r], s.asked[r] = s.uses[r]+amounts[r], s.asked[r] || asked[r]
		}
		s.in = s.in.least(g.ranked(p, latest))
	}
	if s.at == none {
		return nil, nil
	}
	s.now = g.counted(snap).usage
	s.before = s.now.clone()
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
	away   []takenPod
}

// takenPod is a pod that is away.
type takenPod struct {
	pod  *outrank.Pod
	at   int
	uses []int64
}

func (s *guardState) Clone() preemption.GuardState {
	c := *s
	c.now, c.away = s.now.clone(), slices.Clone(s.away)
	return &c
}

func (s *guardState) Remove(p *outrank.Pod, _ *outrank.Node) {
	at, ok := s.rules.Tree.byName[s.rules.QueueOf(p)]
	if !ok {
		return
	}
	uses, _ := s.rules.uses(p)
	s.now.add(at, uses, -1)
	s.away = append(s.away, takenPod{p, at, uses})
}

func (s *guardState) Add(p *outrank.Pod, _ *outrank.Node) {
	i := slices.IndexFunc(s.away, func(t takenPod) bool { return t.pod == p })
	if i < 0 {
		return
	}
	s.now.add(s.away[i].at, s.away[i].uses, 1)
	s.away = slices.Delete(s.away, i, i+1)
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

// Use makes a configuration decide by the rules: it sets MayTake and Guard, and adds
// [Rules.Filter] behind the other filters. The filters that are there are not written. With
// a nil configuration it does nothing.
func (r *Rules) Use(c *preemption.Config) {
	if c == nil {
		return
	}
	c.MayTake, c.Guard = r.MayTake, r.Guard()
	c.Filters = append(slices.Clone(c.Filters), r.Filter())
}
