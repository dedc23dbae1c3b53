package tenancy

import (
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

func (g tenantGuard) Start(p *outrank.Pod, snap *preemption.Snapshot) (preemption.GuardState, error) {
	at, amounts, asked, err := g.asks(p)
	if err != nil || at == none {
		return nil, err
	}
	s := &guardState{rules: g.Rules, at: at, uses: amounts, asked: asked, in: g.ranked(p, latest), now: g.counted(snap).usage}
	s.before = s.now.clone()
	return s, nil
}

// guardState is a guard for one preemptor.
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
