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
// of the pods below it left, whichever was the last.
func (s *guardState) overWithoutLast(at int) bool {
	for i := range s.away {
		t := &s.away[i]
		if !s.now.above(at, t.at) {
			continue // it counts for nothing here
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
