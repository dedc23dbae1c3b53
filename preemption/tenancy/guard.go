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

// Check asks about each other queue that is taken from, in the order of the tree.
func (s *guardState) Check() preemption.Status {
	var queues []int
	for i := range s.away {
		// Within its own queue MayTake says it all.
		if queue := s.away[i].at; queue != s.at && !slices.Contains(queues, queue) {
			queues = append(queues, queue)
		}
	}
	slices.Sort(queues)
	for _, queue := range queues {
		if reason := s.refuses(queue); reason != "" {
			return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{reason}}
		}
	}
	return preemption.Status{}
}

// refuses says why the pods that are away of another queue may not be; empty if they may.
func (s *guardState) refuses(queue int) string {
	meet, mine, theirs := s.now.meet(s.at, queue)
	if meet == none {
		return fmt.Sprintf("queue %s shares nothing with queue %s", s.name(queue), s.name(s.at))
	}
	if at := s.below(queue, meet); at != none {
		return fmt.Sprintf("%s would lose what is its own", s.name(at))
	}
	switch {
	case s.rules.Style == YuniKorn:
		if !s.withinOwn() {
			return fmt.Sprintf("queue %s would have more than its own", s.name(s.at))
		}
		if !s.isShortOf() {
			return fmt.Sprintf("queue %s would take more than it is short of", s.name(s.at))
		}
	case s.rules.Fair != nil:
		if !s.entitled() && !s.fairer(queue, mine, theirs) {
			return fmt.Sprintf("queue %s would have the larger share than %s", s.name(s.at), s.name(theirs))
		}
	case !s.claims(meet) && !s.lowEnough(queue):
		return fmt.Sprintf("queue %s would have more than its own", s.name(s.at))
	}
	return ""
}

func (s *guardState) name(at int) string { return s.now.nodes[at].name }

// below returns the first, from the queue up to where it meets the preemptor's, that
// would lose what is its own by the style (rules 24.5.2 to 24.5.4); none if none would.
func (s *guardState) below(queue, meet int) int {
	if s.rules.Style == YuniKorn {
		return s.belowAll(queue, meet)
	}
	for at := queue; at != meet; at = s.now.nodes[at].parent {
		keeps := s.keeps(at)
		if s.rules.Style == Kueue {
			keeps = s.overWithoutLast(at)
		}
		if !s.before.over(at, s.asked) || !keeps {
			return at
		}
	}
	return none
}

// belowAll returns the queue if neither it nor any cohort up to where it meets the
// preemptor's has more than its own without the last of the victims, and one of them has
// something (rule 24.5.4).
func (s *guardState) belowAll(queue, meet int) int {
	has := false
	for at := queue; at != meet; at = s.now.nodes[at].parent {
		for r, asked := range s.asked {
			has = has || asked && s.now.nodes[at].declared[r]
		}
		if s.overWithoutLast(at) {
			return none
		}
	}
	if !has {
		return none
	}
	return queue
}

// keeps reports whether a queue or a cohort ends with what is its own, or with as much as
// it had.
func (s *guardState) keeps(at int) bool {
	for r, own := range s.now.nodes[at].subtree {
		if had, has := s.before.used[at][r], s.now.used[at][r]; s.asked[r] && has < min(had, own) {
			return false
		}
	}
	return true
}

// overWithoutLast reports whether a queue or a cohort had more than its own before the last
// of the pods below it left, whichever was the last.
func (s *guardState) overWithoutLast(at int) bool {
	for i := range s.away {
		t := &s.away[i]
		if !s.now.above(at, t.at) {
			continue
		}
		s.now.add(t.at, t.uses, 1)
		over := s.now.over(at, s.ownedBy(at))
		s.now.add(t.at, t.uses, -1)
		if over {
			return true
		}
	}
	return false
}

// claims reports whether the preemptor has the better claim to the quota of those that it
// meets there: what it asks for is there below (rule 24.3.4).
func (s *guardState) claims(meet int) bool {
	d := decision{usage: s.now, in: holder{at: s.at, uses: s.uses, asked: s.asked}}
	rest := slices.Clone(s.uses)
	for at := s.at; at != meet; at = s.now.nodes[at].parent {
		if d.covers(at, rest) {
			return true
		}
	}
	return false
}

// lowEnough reports whether all that are away of a queue may be taken from by one that
// borrows (rule 24.3.5).
func (s *guardState) lowEnough(queue int) bool {
	p := &s.now.nodes[s.at].policy
	for i := range s.away {
		if t := &s.away[i]; t.at == queue && !p.whileBorrowing(s.in, s.rules.ranked(t.pod, latest)) {
			return false
		}
	}
	return true
}

// with calls f with what the preemptor asks for counted in its queue.
func (s *guardState) with(f func()) {
	s.now.add(s.at, s.uses, 1)
	f()
	s.now.add(s.at, s.uses, -1)
}

// entitled reports whether the preemptor's queue has no more than its own in the end.
func (s *guardState) entitled() (yes bool) {
	s.with(func() { yes = !s.rules.Fair.SharesAlone && !s.now.over(s.at, s.asked) })
	return yes
}

// ownedBy are the resources that the preemptor asks for and that count at a queue or a
// cohort: in the style of YuniKorn those of which it has a quota.
func (s *guardState) ownedBy(at int) []bool {
	if s.rules.Style != YuniKorn {
		return s.asked
	}
	owned := slices.Clone(s.asked)
	for r := range owned {
		owned[r] = owned[r] && s.now.nodes[at].declared[r]
	}
	return owned
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

// withinOwn reports whether the preemptor's queue ends within what is its own, of what
// the preemptor asks for.
func (s *guardState) withinOwn() bool {
	within := true
	s.with(func() {
		for r, asked := range s.asked {
			at := s.ownerOf(r)
			within = within && (!asked || at == none || s.now.used[at][r] <= s.now.nodes[at].subtree[r])
		}
	})
	return within
}

// isShortOf reports whether all that are away of other queues use no more than the
// preemptor's queue was short of its own.
func (s *guardState) isShortOf() bool {
	for r := range s.asked {
		at, taken := s.ownerOf(r), int64(0)
		for i := range s.away {
			if t := &s.away[i]; t.at != s.at {
				taken += t.uses[r]
			}
		}
		if at != none && taken > 0 && taken > s.now.nodes[at].subtree[r]-s.before.used[at][r] {
			return false
		}
	}
	return true
}

// fairer compares shares in the end, by the strategies in turn (rule 24.5.5).
func (s *guardState) fairer(queue, mine, theirs int) (yes bool) {
	strategies := s.rules.Fair.Strategies
	if strategies == nil {
		strategies = []Strategy{LessThanOrEqualToFinalShare, LessThanInitialShare}
	}
	s.with(func() {
		share := s.now.share(mine)
		for _, strategy := range strategies {
			if strategy == LessThanOrEqualToFinalShare {
				yes = yes || share.compare(s.now.share(theirs)) <= 0
				continue
			}
			for i := range s.away {
				if t := &s.away[i]; t.at == queue {
					s.now.add(t.at, t.uses, 1)
					yes = yes || share.compare(s.now.share(theirs)) < 0
					s.now.add(t.at, t.uses, -1)
				}
			}
		}
	})
	return yes
}

// Rule names the rule that allows a pod to be away.
func (s *guardState) Rule(p *outrank.Pod) string {
	at, ok := s.rules.Tree.byName[s.rules.QueueOf(p)]
	if !ok || at == s.at {
		return ""
	}
	meet, _, _ := s.now.meet(s.at, at)
	switch {
	case s.rules.Style == YuniKorn, s.rules.Fair != nil && s.entitled(), s.rules.Fair == nil && s.claims(meet):
		return string(Reclaimed)
	case s.rules.Fair != nil:
		return string(FairShare)
	}
	return string(ReclaimedWhileBorrowing)
}
