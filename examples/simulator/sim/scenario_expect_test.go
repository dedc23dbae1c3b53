package sim_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/simulator/sim"
)

// What can be expected, at a time when all is done that is due by then:
//
//	POD PHASE [on NODE] [in POOL] [until 40s]   where it is; see sim.Phase and sim.Place
//	POD nominated to NODE, POD not nominated
//	queue [POOL] POD ...                        who waits, or waits there, the next one first; "nobody"
//	budget NAME allows 1
//	event KIND [POD] [on NODE] [by POD] [saying "TEXT"]      something that happened at this very time
//	no event ...                                the same has not happened so far
//	order KIND POD ...                          the first event of this kind of each pod: so far, in this order
//	COUNTED 1                                   one of preemptions, evictions, cascades, cycles, rounds, repeats
//	cycle POD ..., cascade POD ...              one that was found, and the longest that was found, by the pods'
//	                                            original names; a cycle begins with the least
//
// POOL is active, backoff, unschedulable or gated, KIND a sim.EventKind.

// expectation is an expected state.
type expectation struct {
	what, because string
	// found describes a different state; empty if it is as expected.
	found func(*scene) string
}

// expectWords begin expectations, so that they cannot be names of pods.
var expectWords = []string{
	"queue", "budget", "event", "no", "order", "cycle", "cascade", "nobody",
	"preemptions", "evictions", "cascades", "cycles", "rounds", "repeats",
}

func (sc *scenario) readExpectation(s *statement) *expectation {
	what, because := s.words, []string(nil)
	if i := slices.Index(s.words, "because"); i >= 0 {
		what, because = s.words[:i:i], s.words[i+1:]
	}
	if len(because) == 0 {
		s.fail("no reason is given")
	}
	x := &expectation{what: strings.Join(what, " "), because: strings.Join(because, " ")}
	s.words = what
	read := map[string]func(*statement) func(*scene) string{
		"queue": sc.readQueue, "budget": sc.readAllows,
		"event": sc.readEvent, "no": sc.readNoEvent, "order": sc.readOrder,
		"cycle": sc.readCycle, "cascade": sc.readCascade,
	}
	switch {
	case len(what) == 0:
		s.fail("nothing is expected")
	case read[what[0]] != nil:
		x.found = read[s.next("")](s)
	case slices.Contains(expectWords, what[0]):
		x.found = readCount(s)
	default:
		x.found = sc.readPodState(s)
	}
	return x
}

// readPodState reads the expected state of a pod.
func (sc *scenario) readPodState(s *statement) func(*scene) string {
	name := sc.mention(s, "pod")
	switch {
	case s.accept("nominated"):
		if !s.accept("to") {
			s.fail("to is missing")
		}
		return foundNominated(name, sc.mention(s, "node"))
	case s.accept("not"):
		if !s.accept("nominated") {
			s.fail("nominated is missing")
		}
		return foundNominated(name, "")
	}
	return sc.readPhase(s, name)
}

func foundNominated(name, node string) func(*scene) string {
	return func(at *scene) string {
		if w := at.run.Where(podKey(name)); w.Nominated != node {
			return at.whereabouts(name)
		}
		return ""
	}
}

var phases = []sim.Phase{sim.Unknown, sim.Coming, sim.Queued, sim.Admitting, sim.Running, sim.Terminating, sim.Finished, sim.Gone}

func (sc *scenario) readPhase(s *statement, name string) func(*scene) string {
	word := s.next("phase")
	i := slices.IndexFunc(phases, func(p sim.Phase) bool { return p.String() == word })
	if i < 0 {
		s.fail("unknown word %q", word)
		return nil
	}
	want := sim.Place{Phase: phases[i]}
	for s.err == nil && len(s.words) > 0 {
		switch detail := s.next("detail"); {
		case detail == "on" && want.Node == "":
			want.Node = sc.mention(s, "node")
		case detail == "in" && want.Pool == "" && want.Phase == sim.Queued:
			want.Pool = readPool(s)
		case detail == "until" && want.Until == 0 && want.Phase == sim.Terminating:
			want.Until = s.duration("time")
		default:
			s.fail("unknown word %q", detail)
		}
	}
	return func(at *scene) string {
		w := at.run.Where(podKey(name))
		if w.Phase == want.Phase && either(want.Node, w.Node) && either(want.Pool, w.Pool) && either(want.Until, w.Until) {
			return ""
		}
		return at.whereabouts(name)
	}
}

// either reports whether a value is as wanted, or nothing is wanted.
func either[T comparable](want, is T) bool {
	var none T
	return want == none || want == is
}

var pools = []string{"active", "backoff", "unschedulable", "gated"}

func readPool(s *statement) string {
	pool := s.next("pool")
	if !slices.Contains(pools, pool) {
		s.fail("unknown word %q", pool)
	}
	return pool
}

func (sc *scenario) readQueue(s *statement) func(*scene) string {
	pool := ""
	if len(s.words) > 0 && slices.Contains(pools, s.words[0]) {
		pool = s.next("pool")
	}
	var want []string
	if !s.accept("nobody") {
		want = sc.mentionAll(s)
	}
	return func(at *scene) string {
		if is := at.queue(pool); !slices.Equal(is, want) {
			return fmt.Sprint("queue ", is)
		}
		return ""
	}
}

func (sc *scenario) readAllows(s *statement) func(*scene) string {
	name := sc.mention(s, "budget")
	if !s.accept("allows") {
		s.fail("allows is missing")
	}
	want := s.number("number")
	return func(at *scene) string {
		for _, b := range at.run.Budgets() {
			if b.Name == name && b.DisruptionsAllowed != int32(want) {
				return fmt.Sprintf("budget %s allows %d", name, b.DisruptionsAllowed)
			} else if b.Name == name {
				return ""
			}
		}
		return "no budget " + name
	}
}

// mentionAll takes the names of pods, all words that are left.
func (sc *scenario) mentionAll(s *statement) []string {
	names := s.rest("name of a pod")
	for _, name := range names {
		sc.mentioned = append(sc.mentioned, mention{s, "pod", name})
	}
	return names
}
