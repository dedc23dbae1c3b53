package tenancy

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// ownedBy marks the resources that the preemptor asks for and that count at a queue or a
// cohort. In the style of YuniKorn these are those of which it has a quota.
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

// overWithoutLast reports whether a queue or a cohort had more than its own before the last
// of the workloads below it left, whichever was the last (rule 24.5.3).
func (s *guardState) overWithoutLast(at int) bool {
	owned := s.ownedBy(at)
	return slices.ContainsFunc(s.away.taken, func(q *awayOf) bool {
		return s.now.above(at, q.queue) && s.anyBack(q, func() bool { return s.now.over(at, owned) })
	})
}

// anyBack reports whether something is true with some one workload back that is away of a queue. What is asked has to
// be true of a workload that uses more if it is of one that uses less, and by one resource alone. Then it is true of
// some workload if it is of one that uses the most of each resource, and that is the only one to ask about.
func (s *guardState) anyBack(q *awayOf, true func() bool) bool {
	if q.workloads == 0 {
		return false
	}
	most := q.most(nil)
	s.now.add(q.queue, most, 1)
	yes := true()
	s.now.add(q.queue, most, -1)
	return yes
}

// someBack is anyBack where flavors add up. Then one workload needs enough of several resources at once, so all
// workloads are gone through. It is false wherever anyBack is.
func (s *guardState) someBack(q *awayOf, true func() bool) (yes bool) {
	back := func(uses []int64) {
		s.now.add(q.queue, uses, 1)
		yes = yes || true()
		s.now.add(q.queue, uses, -1)
	}
	for key, u := range s.away.units {
		if key.queue == q.queue {
			back(u.uses)
		}
	}
	for _, t := range s.away.pods {
		if t.away && !t.grouped && int(t.at) == q.queue {
			back(s.away.uses(t))
		}
	}
	return yes
}

// loserByYuniKorn returns the queue if neither it nor any cohort up to where it meets the
// preemptor's has more than its own without the last of the victims, and one of them has a quota of
// something that is asked for (rule 24.5.4).
func (s *guardState) loserByYuniKorn(queue, meet int) int {
	hasQuota := false
	for at := queue; at != meet; at = s.now.nodes[at].parent {
		for r, asked := range s.asked {
			hasQuota = hasQuota || asked && s.now.nodes[at].declared[r]
		}
		if s.overWithoutLast(at) {
			return none
		}
	}
	if !hasQuota {
		return none
	}
	return queue
}

// keeps reports whether a queue or a cohort ends with no less than its own, or than it had, of anything that the
// preemptor asks for.
func (s *guardState) keeps(at int) bool {
	for r, own := range s.now.nodes[at].subtree {
		if had, has := s.before.used[at][r], s.now.used[at][r]; s.asked[r] && has < min(had, own) {
			return false
		}
	}
	return true
}

// loser returns the first node, from the queue up to where it meets the preemptor's, that
// would lose what is its own by the style (rules 24.5.2 to 24.5.4); none if none would.
func (s *guardState) loser(queue, meet int) int {
	if s.rules.Style == YuniKorn {
		return s.loserByYuniKorn(queue, meet)
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

// claims reports whether the preemptor has the better claim to what is used above, at the node where it meets
// another queue: some part below that covers what it asks for (rule 24.3.4).
func (s *guardState) claims(meet int) bool {
	d := decision{usage: s.now, incoming: holder{at: s.at, uses: s.uses, asked: s.asked}}
	rest := slices.Clone(s.uses)
	for at := s.at; at != meet; at = s.now.nodes[at].parent {
		if d.covers(at, rest) {
			return true
		}
	}
	return false
}

// withPreemptor calls f while what the preemptor asks for counts as used by its queue.
func (s *guardState) withPreemptor(f func()) {
	s.now.add(s.at, s.uses, 1)
	f()
	s.now.add(s.at, s.uses, -1)
}

// entitled reports whether the preemptor's queue has no more than its own in the end.
func (s *guardState) entitled() (yes bool) {
	s.withPreemptor(func() { yes = !s.rules.Fair.SharesAlone && !s.now.over(s.at, s.asked) })
	return yes
}

// fairer compares shares in the end, and reports whether one of the strategies passes (rule 24.5.5).
func (s *guardState) fairer(q *awayOf) (yes bool) {
	fair, now := s.rules.Fair, s.now
	strategies := fair.Strategies
	if strategies == nil {
		strategies = []Strategy{LessThanOrEqualToFinalShare, LessThanInitialShare}
	}

	s.withPreemptor(func() {
		share := now.share(q.mine)
		for _, strategy := range strategies {
			if strategy == LessThanOrEqualToFinalShare {
				yes = yes || share.compare(now.share(q.theirs)) <= 0
				continue
			}
			// Without flavors one resource decides a share, and anyBack says it all.
			less := func() bool { return share.compare(now.share(q.theirs)) < 0 }
			yes = yes || s.anyBack(q, less) && (now.kinds == len(now.names) || s.someBack(q, less))
		}
	})
	return yes
}

// takesOnlyShortage reports whether all pods that are away of other queues use no more than the
// preemptor's queue was short of its own (rule 24.5.4).
func (s *guardState) takesOnlyShortage() bool {
	for r := range s.asked {
		at, taken := s.ownerOf(r), s.away.total[r]
		if at != none && taken > 0 && taken > s.now.nodes[at].subtree[r]-s.before.used[at][r] {
			return false
		}
	}
	return true
}

func (s *guardState) name(at int) string { return s.now.nodes[at].name }

// withinOwn reports whether the preemptor's queue ends within what is its own, of what
// the preemptor asks for (rule 24.5.4).
func (s *guardState) withinOwn() bool {
	within := true
	s.withPreemptor(func() {
		for r, asked := range s.asked {
			at := s.ownerOf(r)
			within = within && (!asked || at == none || s.now.used[at][r] <= s.now.nodes[at].subtree[r])
		}
	})
	return within
}

// refuses says why the pods that are away of another queue may not be; empty if they may.
func (s *guardState) refuses(q *awayOf) string {
	switch {
	case q.workloads == 0:
		return ""
	case q.meet == none:
		return fmt.Sprintf("queue %s shares nothing with queue %s", s.name(q.queue), s.name(s.at))
	}
	if at := s.loser(q.queue, q.meet); at != none {
		return fmt.Sprintf("%s would lose what is its own", s.name(at))
	}

	// What the preemptor's queue may have in the end (rules 24.5.4 and 24.5.5).
	switch {
	case s.rules.Style == YuniKorn:
		if !s.withinOwn() {
			return fmt.Sprintf("queue %s would have more than its own", s.name(s.at))
		}
		if !s.takesOnlyShortage() {
			return fmt.Sprintf("queue %s would take more than it is short of", s.name(s.at))
		}
	case s.rules.Fair != nil:
		entitled := s.entitled()
		switch {
		case !entitled && !s.fairer(q):
			return fmt.Sprintf("queue %s would have the larger share than %s", s.name(s.at), s.name(q.theirs))
		case entitled && q.kept > 0 || !entitled && q.settled > 0: // rule 24.8.5
			return fmt.Sprintf("queue %s would lose what started a short while ago", s.name(q.queue))
		}
	case !s.claims(q.meet) && q.high > 0: // rule 24.3.5
		return fmt.Sprintf("queue %s would have more than its own", s.name(s.at))
	}
	return ""
}

// Check asks about each other queue that is taken from, in the order of the tree. Within the preemptor's own
// queue Take alone decides.
func (s *guardState) Check() preemption.Status {
	for _, q := range s.away.taken {
		if !q.known {
			q.reason = s.refuses(q)
			q.known = true
		}
		if q.reason != "" {
			return preemption.Unschedulable.Because(q.reason)
		}
	}
	return preemption.Status{}
}

// Rule names the rule that allows a pod to be away.
func (s *guardState) Rule(p *outrank.Pod) string {
	at, ok := s.rules.Tree.byName[s.rules.QueueOf(p)]
	if !ok || at == s.at {
		return ""
	}

	// The rule that holds for all victims together holds for this one, too.
	meet, _, _ := s.now.meet(s.at, at)
	switch {
	case s.rules.Style == YuniKorn, s.rules.Fair != nil && s.entitled(), s.rules.Fair == nil && s.claims(meet):
		return string(ruleReclaimed)
	case s.rules.Fair != nil:
		return string(ruleFairShare)
	}
	return string(ruleBorrowing)
}
