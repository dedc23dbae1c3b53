package sim_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/preemption/planner/history"
)

// Expectations about the past: single events, and the findings of the history
// in all of them.

var eventKinds = []sim.EventKind{
	sim.Arrived, sim.Refused, sim.Evicted, sim.Nominated, sim.NominationLost, sim.Bound,
	sim.Ended, sim.Left, sim.Deleted, sim.Changed, sim.Started, sim.Rejected, sim.GivenUp,
}

// eventPattern matches events; an empty field fits all.
type eventPattern struct {
	kind                    sim.EventKind
	pod, node, by, contains string
}

func (p *eventPattern) fits(e sim.Event) bool {
	return e.Kind == p.kind && either(p.pod, nameOf(e.Pod)) && either(p.node, e.Node) &&
		either(p.by, nameOf(e.Related)) && strings.Contains(e.Text, p.contains)
}

func readKind(s *statement) sim.EventKind {
	kind := sim.EventKind(s.next("kind of event"))
	if !slices.Contains(eventKinds, kind) {
		s.fail("unknown word %q", string(kind))
	}
	return kind
}

func (sc *scenario) readPattern(s *statement) *eventPattern {
	p := &eventPattern{kind: readKind(s)}
	details := []string{"on", "by", "saying"}
	if len(s.words) > 0 && !slices.Contains(details, s.words[0]) {
		p.pod = sc.mention(s, "pod")
	}
	for s.err == nil && len(s.words) > 0 {
		switch detail := s.next("detail"); {
		case detail == "on" && p.node == "":
			p.node = sc.mention(s, "node")
		case detail == "by" && p.by == "":
			p.by = sc.mention(s, "pod")
		case detail == "saying" && p.contains == "":
			p.contains = s.next("text")
		default:
			s.fail("unknown word %q", detail)
		}
	}
	return p
}

func (sc *scenario) readEvent(s *statement) func(*scene) string {
	p := sc.readPattern(s)
	return func(at *scene) string {
		for _, e := range at.events {
			if e.Time == at.run.Now() && p.fits(e) {
				return ""
			}
		}
		return "no such event at this time"
	}
}

func (sc *scenario) readNoEvent(s *statement) func(*scene) string {
	if !s.accept("event") {
		s.fail("event is missing")
	}
	p := sc.readPattern(s)
	return func(at *scene) string {
		for _, e := range at.events {
			if p.fits(e) {
				return fmt.Sprintf("%s %s at %v", e.Kind, nameOf(e.Pod), e.Time)
			}
		}
		return ""
	}
}

func (sc *scenario) readOrder(s *statement) func(*scene) string {
	kind := readKind(s)
	want := sc.mentionAll(s)
	return func(at *scene) string {
		var is []string
		for _, e := range at.events {
			if name := nameOf(e.Pod); e.Kind == kind && slices.Contains(want, name) && !slices.Contains(is, name) {
				is = append(is, name)
			}
		}
		if !slices.Equal(is, want) {
			return fmt.Sprint("order ", kind, " ", is)
		}
		return ""
	}
}

func readCount(s *statement) func(*scene) string {
	word := s.next("what is counted")
	count := map[string]func(*history.Summary) int{
		"preemptions": func(r *history.Summary) int { return r.Preemptions },
		"evictions":   func(r *history.Summary) int { return r.Evictions },
		"cascades": func(r *history.Summary) int {
			n := 0
			for _, cascades := range r.Cascades {
				n += cascades
			}
			return n
		},
		"cycles": func(r *history.Summary) int { return len(r.Cycles) },
		"rounds": func(r *history.Summary) int {
			n := r.OtherRounds
			for _, c := range r.Cycles {
				n += c.Times
			}
			return n
		},
		"repeats": func(r *history.Summary) int { return len(r.Repeats) },
	}[word]
	if count == nil {
		s.fail("unknown word %q", word)
		return nil
	}
	want := s.number("number")
	return func(at *scene) string {
		if is := count(at.history()); is != want {
			return fmt.Sprint(word, " ", is)
		}
		return ""
	}
}

func (sc *scenario) readCycle(s *statement) func(*scene) string {
	want := sc.mentionAll(s)
	return func(at *scene) string {
		var is []string
		for _, c := range at.history().Cycles {
			if slices.Equal(namesOf(c.Lineages), want) {
				return ""
			}
			is = append(is, strings.Join(c.Lineages, " → ")+" → "+c.Lineages[0])
		}
		return fmt.Sprintf("%d cycles %v", len(is), is)
	}
}

func (sc *scenario) readCascade(s *statement) func(*scene) string {
	want := sc.mentionAll(s)
	return func(at *scene) string {
		var is []string
		for i, link := range at.history().LongestCascade {
			if i == 0 {
				is = append(is, link.Preemptor)
			}
			is = append(is, link.Victims[0])
		}
		if is = namesOf(is); !slices.Equal(is, want) {
			return fmt.Sprint("cascade ", is)
		}
		return ""
	}
}

// namesOf takes the namespace off the names of lineages.
func namesOf(lineages []string) []string {
	names := make([]string, len(lineages))
	for i, l := range lineages {
		names[i] = strings.TrimPrefix(l, string(podKey("")))
	}
	return names
}
