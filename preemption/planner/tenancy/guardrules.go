package tenancy

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

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

// overWithoutLast reports whether a queue or a cohort had more than its own before the last
// of the workloads below it left, whichever was the last.
func (s *guardState) overWithoutLast(at int) bool {
	owned := s.ownedBy(at)
	return slices.ContainsFunc(s.away.taken, func(q *awayOf) bool {
		return s.now.above(at, q.queue) && s.anyBack(q, func() bool { return s.now.over(at, owned) })
	})
}

// anyBack reports whether something is true with any one of the workloads back that are away
// of a queue. It is true of one that uses more if it is true of one that uses less, and where
// it is true, one resource is enough for it: so it is asked about one that uses the most of
// each.
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

// someBack is anyBack where flavors add up, so that it takes one workload that has enough of
// several: they are gone through. What anyBack denies is true of none of them.
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

// fairer compares shares in the end, by the strategies in turn (rule 24.5.5).
func (s *guardState) fairer(q *awayOf) (yes bool) {
	strategies := s.rules.Fair.Strategies
	if strategies == nil {
		strategies = []Strategy{LessThanOrEqualToFinalShare, LessThanInitialShare}
	}
	s.with(func() {
		share := s.now.share(q.mine)
		for _, strategy := range strategies {
			if strategy == LessThanOrEqualToFinalShare {
				yes = yes || share.compare(s.now.share(q.theirs)) <= 0
				continue
			}
			less := func() bool { return share.compare(s.now.share(q.theirs)) < 0 }
			yes = yes || s.anyBack(q, less) && (s.now.kinds == len(s.now.names) || s.someBack(q, less))
		}
	})
	return yes
}

// isShortOf reports whether all that are away of other queues use no more than the
// preemptor's queue was short of its own.
func (s *guardState) isShortOf() bool {
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

// refuses says why the pods that are away of another queue may not be; empty if they may.
func (s *guardState) refuses(q *awayOf) string {
	switch {
	case q.workloads == 0:
		return ""
	case q.meet == none:
		return fmt.Sprintf("queue %s shares nothing with queue %s", s.name(q.queue), s.name(s.at))
	}
	if at := s.below(q.queue, q.meet); at != none {
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

// Check asks about each other queue that is taken from, in the order of the tree. Within its own
// queue Take says it all.
func (s *guardState) Check() preemption.Status {
	for _, q := range s.away.taken {
		if !q.known {
			q.reason, q.known = s.refuses(q), true
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
	meet, _, _ := s.now.meet(s.at, at)
	switch {
	case s.rules.Style == YuniKorn, s.rules.Fair != nil && s.entitled(), s.rules.Fair == nil && s.claims(meet):
		return string(ruleReclaimed)
	case s.rules.Fair != nil:
		return string(ruleFairShare)
	}
	return string(ruleBorrowing)
}
