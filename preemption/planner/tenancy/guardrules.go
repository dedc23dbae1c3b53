package tenancy

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// ownedBy marks the resources that the preemptor asks for and in which the quota of a node is compared. In the style
// of YuniKorn a resource without a quota at the node is not compared.
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

// overWithoutLast reports whether a node would use more than its quota with one of the victims below it back. Any
// victim may be that one, because the order in which they left does not matter (rule 24.5.3).
func (s *guardState) overWithoutLast(at int) bool {
	owned := s.ownedBy(at)
	return slices.ContainsFunc(s.away.taken, func(q *awayOf) bool {
		return s.now.above(at, q.queue) && s.anyBack(q, func() bool { return s.now.over(at, owned) })
	})
}

// anyBack reports whether a condition holds with some one victim of a queue back. It calls the condition only once,
// with a workload back that uses, in each resource, as much as the largest victim.
//
// That is enough if the condition is monotonic in the usage and a single resource is enough to fulfil it: if the
// large workload fulfils it by one resource, so does the victim that uses most of that resource.
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

// someBack is like anyBack for conditions that add up the flavors of a resource. A single victim may then have to use
// enough of several flavors at once, so the condition is tried with each victim. If anyBack is false, so is someBack.
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

// loserByYuniKorn returns the queue if its victims take too much in the style of YuniKorn (rule 24.5.4), and none
// otherwise. They may leave if the queue, or a cohort below the meeting point, would exceed its quota with one victim
// back, or if none of these nodes has a quota of anything that is asked for.
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

// keeps reports whether a node still uses its whole quota, or all that it used before, of everything that the preemptor
// asks for.
func (s *guardState) keeps(at int) bool {
	for r, own := range s.now.nodes[at].subtree {
		if had, has := s.before.used[at][r], s.now.used[at][r]; s.asked[r] && has < min(had, own) {
			return false
		}
	}
	return true
}

// loser returns the first node, from the queue up to below the meeting point with the preemptor's queue, that would
// lose more than the style allows (rules 24.5.2 to 24.5.4), or none.
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

// claims reports whether the preemptor has the better claim to quota that is used elsewhere below the node meet: on
// the way up from its queue some node below meet has quota for what it asks for (rule 24.3.4).
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

// withPreemptor calls f while the preemptor's amounts count as used by its queue.
func (s *guardState) withPreemptor(f func()) {
	s.now.add(s.at, s.uses, 1)
	f()
	s.now.add(s.at, s.uses, -1)
}

// entitled reports whether the preemptor's queue, with the preemptor, is within its quota, so that no shares need be
// compared. With SharesAlone it never is.
func (s *guardState) entitled() (yes bool) {
	s.withPreemptor(func() { yes = !s.rules.Fair.SharesAlone && !s.now.over(s.at, s.asked) })
	return yes
}

// fairer compares shares with all victims gone and the preemptor counted, and reports whether one of the strategies
// passes (rule 24.5.5).
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
			// Without flavors a single resource decides a share, and anyBack is exact. With flavors someBack has to
			// confirm it.
			less := func() bool { return share.compare(now.share(q.theirs)) < 0 }
			yes = yes || s.anyBack(q, less) && (now.kinds == len(now.names) || s.someBack(q, less))
		}
	})
	return yes
}

// takesOnlyShortage reports whether all victims in other queues together use no more than the unused quota of the
// preemptor's queue, in each resource that has a quota (rule 24.5.4).
func (s *guardState) takesOnlyShortage() bool {
	for r := range s.asked {
		at, taken := s.ownerOf(r), s.away.total[r]
		if at != none && taken > 0 && taken > s.now.nodes[at].subtree[r]-s.before.used[at][r] {
			return false
		}
	}
	return true
}

// name returns the name of a queue or a cohort.
func (s *guardState) name(at int) string { return s.now.nodes[at].name }

// withinOwn reports whether the preemptor's queue, with the preemptor, is within its quota of everything that the
// preemptor asks for (rule 24.5.4).
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

// refuses returns the reason why the victims of another queue may not leave together, or the empty string.
func (s *guardState) refuses(q *awayOf) string {
	switch {
	case q.workloads == 0:
		return ""
	case q.meet == none:
		return fmt.Sprintf("queue %s shares nothing with queue %s", s.name(q.queue), s.name(s.at))
	}

	// The victims' side: what the queue and the cohorts above it keep (rules 24.5.2 to 24.5.4).
	if at := s.loser(q.queue, q.meet); at != none {
		return fmt.Sprintf("%s would lose what is its own", s.name(at))
	}

	// The preemptor's side: how much its queue may use after the preemption (rules 24.5.4 and 24.5.5).
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
		case entitled && q.kept > 0 || !entitled && q.settled > 0: // a window spares some victims (rule 24.8.5)
			return fmt.Sprintf("queue %s would lose what started a short while ago", s.name(q.queue))
		}
	case !s.claims(q.meet) && q.high > 0: // some victims forbid borrowing (rule 24.3.5)
		return fmt.Sprintf("queue %s would have more than its own", s.name(s.at))
	}
	return ""
}

// Check refuses the victims if those of one queue may not leave together. Queues are checked in the order of the
// tree. In the preemptor's own queue Take alone decides.
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

// Rule returns the name of the rule by which a victim may leave together with all other victims. It is empty for
// victims in the preemptor's queue, where Take names the rule.
func (s *guardState) Rule(p *outrank.Pod) string {
	at, ok := s.rules.Tree.byName[s.rules.QueueOf(p)]
	if !ok || at == s.at {
		return ""
	}

	// The victims are judged together, so the rule that allows all of them is the rule for this one.
	meet, _, _ := s.now.meet(s.at, at)
	switch {
	case s.rules.Style == YuniKorn, s.rules.Fair != nil && s.entitled(), s.rules.Fair == nil && s.claims(meet):
		return string(ruleReclaimed)
	case s.rules.Fair != nil:
		return string(ruleFairShare)
	}
	return string(ruleBorrowing)
}
