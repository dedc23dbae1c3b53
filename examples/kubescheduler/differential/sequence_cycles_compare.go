package differential

import (
	"fmt"
	"maps"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
)

// compareGroup records the result of an attempt about a group, and how the answers of the followers and the rival
// differ from the scheduler's.
func (s *sequenceRun) compareGroup() {
	c := s.cycle
	var keys []string
	for _, p := range c.members {
		keys = append(keys, podKey(p))
	}
	deleted, cleared := s.scheduler.did("")
	c.want.Evicted = deleted
	cleared = slices.DeleteFunc(cleared, func(key string) bool { return slices.Contains(keys, key) })
	s.countGroup(keys)
	if !c.asked {
		return
	}

	e := s.groupExemptions()
	if e.rule != "" {
		s.result.Counts["groups not compared: "+e.rule]++
		return
	}

	for name, err := range s.errors {
		s.differ("%s: group: %v", name, err)
	}
	// A group takes no nomination away from anybody (rule 12.9.12).
	if len(cleared) > 0 {
		s.differ("group: nominations cleared of %v", cleared)
	}

	parts := s.comparedPartsOfGroup(e)
	for _, name := range slices.Sorted(maps.Keys(c.answers)) {
		if name == "rival" && len(s.ghosts) > 0 {
			continue // it sees no ghosts
		}
		s.result.Counts["groups compared with "+name]++
		s.compareGroupWith(name, parts)
	}
}

// differ notes a difference.
func (s *sequenceRun) differ(format string, args ...any) {
	s.result.Differences = append(s.result.Differences, fmt.Sprintf(format, args...))
}

// groupExemptions returns the exemptions for an attempt about a group: a rule exempts the group if it exempts one
// of its members. The exception is a member whose claim is missing: the followers find no place for it, either.
func (s *sequenceRun) groupExemptions() exemptions {
	e := exemptions{mixed: s.mixedUnits(), byOrder: s.chargedByOrder()}
	for _, s.current = range s.cycle.members { // here asks about the current pod
		if rule, _ := s.here(); rule != "" && rule != "7.10.4" {
			e.rule = rule
		}
	}
	s.current = nil
	return e
}

// comparedParts says which parts of the answers about a group are compared.
type comparedParts struct {
	// apart says that other pods may leave in the reference, so that neither the victims nor the text is
	// compared.
	apart bool
	// evicts says that the victims are compared.
	evicts bool
	// undecided says that the scheduler has no answer. The others must have none either that makes a pod leave.
	undecided bool
}

// comparedPartsOfGroup returns which parts of the answers are compared, and counts why others are not.
func (s *sequenceRun) comparedPartsOfGroup(e exemptions) comparedParts {
	c := s.cycle
	_, refused, _ := s.scheduler.state("")
	helped, undecided := c.want.Code == fwk.Success.String(), c.want.Undecided()
	bare := c.bareCounts()
	apart := helped && (e.byOrder || c.want.Inexact) || bare

	switch {
	case bare:
		s.result.Counts["victims of groups not compared: 12.9.9"]++
	case helped && c.want.Inexact:
		s.result.Counts["victims of groups not compared: 12.9.9, spread"]++
	case apart:
		s.result.Counts["victims of groups not compared: 12.7.5"]++
	case undecided:
		s.result.Counts["what is said of groups not compared: 12.9.11"]++
	case c.want.preempts() && len(c.before) > 0:
		s.result.Counts["groups that preempt with nominations from before"]++
	}

	// While calls hang or fail the plan is carried out in part.
	evicts := s.held == nil && refused == 0 && !apart
	return comparedParts{apart: apart, evicts: evicts, undecided: undecided}
}

// compareGroupWith compares the answer of a follower or the rival with the scheduler's.
func (s *sequenceRun) compareGroupWith(name string, parts comparedParts) {
	got, want := s.cycle.answers[name], s.cycle.want

	// The rival carries its plan out by itself. It does not tell victims that were told before the attempt, by it
	// or by the scheduler, and may not have told all of them yet.
	if name == "rival" {
		news := s.scheduler.news(want.Evicted)
		want.Evicted = s.rival.clerk.news(news)
		s.until(func() bool {
			told, _ := s.rival.clerk.did("")
			got.Evicted = s.rival.clerk.news(told)
			return !parts.evicts || slices.Equal(got.Evicted, want.Evicted)
		})
	}

	if parts.undecided && !got.preempts() && got.Code != fwk.Error.String() {
		got.Code, got.Says = want.Code, want.Says
		got.Nominated = want.Nominated
	}
	if got.Code != want.Code || !parts.apart && got.Says != want.Says {
		s.differ("%s: group: kube-scheduler says %s %q, outrank %s %q", name, want.Code, want.Says, got.Code, got.Says)
	}
	if !maps.Equal(got.Nominated, want.Nominated) {
		s.differ("%s: group nominated: kube-scheduler has %v, outrank %v", name, want.Nominated, got.Nominated)
	}
	if parts.evicts && !slices.Equal(got.Evicted, want.Evicted) {
		s.differ("%s: group evicted: kube-scheduler has %v, outrank %v", name, want.Evicted, got.Evicted)
	}
}

// countGroup counts the attempt about a group by its result, and writes it into the log.
func (s *sequenceRun) countGroup(keys []string) {
	c := s.cycle
	what := "is not asked about"
	switch {
	case len(c.going()) > 0:
		what = "fits"
	case c.asked && c.want.Code == fwk.Success.String() && len(c.want.Evicted) > 0:
		what = "preempts"
	case c.asked && c.want.Code == fwk.Success.String():
		what = "waits"
	case c.asked:
		what = "is not helped"
	}

	s.result.Counts["attempts"]++
	s.result.Counts["attempts: group "+what]++
	if len(c.members) > 1 {
		s.result.Counts["attempts: group of several that "+what]++
	}
	s.result.Counts["victims"] += len(c.want.Evicted)
	s.result.Log = append(s.result.Log, fmt.Sprintf("attempt of group of %v: %s, nominated %v, evicted %v, late %v: %s",
		keys, what, c.want.Nominated, c.want.Evicted, s.late != nil, c.want.Says))
}
