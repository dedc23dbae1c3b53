package differential

import (
	"fmt"
	"maps"
	"slices"
)

// compare records the result of the attempt, and the differences of the followers.
func (s *sequenceRun) compare() {
	s.r.mu.Lock()
	a := s.r.answer
	s.r.mu.Unlock()
	a.Evicted, a.Cleared = s.scheduler.did(s.r.preemptor)
	s.count(a)

	// The reference leaves some things to chance. The exemptions name the rules that say so.
	e := s.exemptions()
	if s.exempt != nil {
		e = *s.exempt
	}
	switch e.compared {
	case nothing:
		s.result.Counts["not compared: "+e.rule]++
		return
	case filtersAlone, otherNodes:
		s.result.Counts["compared in part: "+e.rule]++
	}

	differ := func(name string, lines ...string) {
		for _, line := range lines {
			s.result.Differences = append(s.result.Differences, name+": "+line)
		}
	}

	// With either of these exemptions only those parts of the answer are compared that do not rest on the choice.
	if e.mixed && a.Preempts {
		s.result.Counts["choice not compared: 12.8.6"]++
	}
	if e.byOrder && a.Preempts {
		s.result.Counts["victims and choice not compared: 12.7.5"]++
	}
	choice := a.Preempts && (e.mixed || e.byOrder)

	// A follower without an answer was not asked, because it is late, or has failed.
	for _, f := range append([]Follower{{Name: "fresh"}}, s.followers...) {
		if err := s.errors[f.Name]; err != nil {
			differ(f.Name, err.Error())
		}
		d := s.answers[f.Name]
		if d == nil {
			continue
		}
		s.result.Counts["compared with "+f.Name]++
		got, want := d.answer(a.Nominated), *a
		for _, one := range []*Answer{&want, got} {
			s.leaveOut(one, choice, e.byOrder)
		}
		if e.compared != whole {
			differ(f.Name, compareInPart(&want, got, &e)...)
			continue
		}
		differ(f.Name, append(Compare(&want, got), d.problems...)...)
	}

	// The rival sees no ghosts, and makes a plan of its own without them.
	if e.compared != whole || len(s.ghosts) > 0 {
		s.rival.forget()
		return
	}
	if told := s.rival.compare(a, s.answers["framework"]); !choice {
		differ("rival", told...)
	}
}

// leaveOut takes out of an answer what cannot be compared: calls that are not all made yet, and what rests on a
// choice among equals.
func (s *sequenceRun) leaveOut(a *Answer, choice, byOrder bool) {
	a.Reason, a.Message = "", "" // the event says the same

	// While calls hang or fail the plan is carried out in part.
	if s.held != nil && s.held.now || s.scheduler.refused > 0 {
		a.Evicted, a.Cleared = nil, nil
	}
	if isRunning(s.current) { // nothing is made known of a resize (rule 7.19.10)
		a.Nominated, a.Event = "", ""
	}

	if choice {
		a.Nominated, a.Event, a.Evicted, a.Cleared = "", "", nil, nil
	}
	if byOrder {
		a.Candidates = placesOf(a.Candidates)
	}
	a.Cleared = slices.DeleteFunc(s.toldOf(a.Cleared), s.isBareGhost)
}

// compareInPart returns the differences in what does not rest on the rule of the exemptions.
func compareInPart(want, got *Answer, e *exemptions) []string {
	rest := func(a *Answer) *Answer {
		return &Answer{
			Nodes: without(a.Nodes, e.apart), Unhelpful: without(a.Unhelpful, e.apart),
			Candidates: slices.DeleteFunc(slices.Clone(a.Candidates), func(c Candidate) bool { return e.apart[c.Node] }),
		}
	}
	var d differences
	w, g := rest(want), rest(got)
	if e.compared == filtersAlone {
		// What is said of nodes that are left out by name can name the filter that the nominated node fails (rule
		// 7.15.9), and the nomination may be what the two know differently.
		maps.DeleteFunc(w.Nodes, func(node string, status Status) bool { return status.Plugin == "" && g.Nodes[node].Plugin == "" })
	}
	d.compareNodes(w, g)
	if e.compared == filtersAlone || want.Fits || got.Fits || want.Waits || got.Waits {
		return d
	}
	d.compareTried(w, g)
	return d
}

// without returns the statuses of the nodes that are not apart.
func without(statuses map[string]Status, apart map[string]bool) map[string]Status {
	statuses = maps.Clone(statuses)
	maps.DeleteFunc(statuses, func(node string, _ Status) bool { return apart[node] })
	return statuses
}

// count counts the attempt by its result, and writes it into the log.
func (s *sequenceRun) count(a *Answer) {
	what := "cleared"
	switch {
	case a.Fits:
		what = "fits"
	case a.Preempts:
		what = "preempts"
	case a.Nominated == NominationKept:
		what = "kept"
	}

	s.result.Counts["attempts"]++
	s.result.Counts["attempts: "+what]++
	s.result.Counts["victims"] += len(a.Evicted)
	if s.current.Spec.SchedulerName == SecondProfile {
		s.result.Counts["attempts: of the second profile"]++
	}
	s.result.Log = append(s.result.Log, fmt.Sprintf("attempt of %s: %s, nominated %q, evicted %v, nominations cleared %v, late %v: %s",
		s.r.preemptor, what, a.Nominated, a.Evicted, a.Cleared, s.late != nil, a.Event))
}
