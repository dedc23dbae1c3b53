package queue

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
)

// drawnClass is a class in the machine: what its pods have in common.
type drawnClass struct {
	rules     *classRules
	priority  int32
	near      bool
	namespace string
	app       string
	kind      string
}

// classRules is what classes answer at the moment, and what they were told.
type classRules struct {
	refusing, known map[drawnClass][]string
	asked           []string
	told            map[drawnClass]int
	byName          bool // pods of other names are of other classes
}

func (r *classRules) of(p *outrank.Pod) Class {
	if p.Name == "c" {
		return nil
	}
	return r.classOf(p)
}

func (r *classRules) classOf(p *outrank.Pod) drawnClass {
	c := drawnClass{rules: r, priority: *p.Priority, near: strings.HasPrefix(p.Name, "near"), namespace: p.NamespaceName(), app: p.Labels["app"]}
	if r.byName {
		c.kind = p.Name
	}
	return c
}

func (c drawnClass) Known() ([]string, bool) {
	filters, ok := c.rules.known[c]
	return filters, ok
}

func (c drawnClass) Refuses(pod *outrank.Pod) ([]string, bool) {
	c.rules.asked = append(c.rules.asked, string(pod.Key()))
	filters, ok := c.rules.refusing[c]
	if ok {
		c.rules.known[c] = filters
	}
	return filters, ok
}

func (c drawnClass) Refused(attempts int) { c.rules.told[c] += attempts }

// drawAnswers draws what each class answers. Where pods are alike most classes answer
// the same, so that batches are of many classes, and some of them something else the
// next time.
func (m *machine) drawAnswers(t *rapid.T) {
	all := [][]string{{"NodeResourcesFit"}, {"NodeResourcesFit"}, {"NodeName", "InterPodAffinity"}, {"own"}, {}}
	usual := rapid.SampledFrom(all[:4]).Draw(t, "usual filters")
	rules := m.rules
	for _, p := range m.pods {
		c := rules.classOf(p.Pod)
		if _, drawn := rules.refusing[c]; drawn || rapid.IntRange(0, 4).Draw(t, "class fits") == 0 && !m.alike {
			continue
		}
		filters := usual
		if !m.alike || rapid.IntRange(0, 5).Draw(t, "unusual") == 0 {
			filters = rapid.SampledFrom(all).Draw(t, "filters")
		}
		rules.refusing[c] = filters
		if rapid.Bool().Draw(t, "known") {
			rules.known[c] = filters
		}
	}
}

// countTurned counts the batches of several classes that wait to be tried, and of which
// one class is known to be refused with other filters than the last time.
func (m *machine) countTurned() {
	for _, where := range []pool{active, backoff} {
		for _, it := range m.core.pools[where].items {
			if it.members == nil || len(it.members.list) == 1 {
				continue
			}
			if slices.ContainsFunc(it.members.list, func(p batchPart) bool {
				filters := m.rules.known[p.classBatches.class.(drawnClass)]
				return len(filters) > 0 && !slices.Equal(filters, it.FailedFilters)
			}) {
				m.turned++
			}
		}
	}
}

// refuse has both refuse what the classes refuse now.
func (m *machine) refuse(t *rapid.T) {
	r := &classRules{
		refusing: map[drawnClass][]string{}, known: map[drawnClass][]string{}, told: map[drawnClass]int{},
		byName: m.rules.byName,
	}
	rules := m.rules
	*rules = *r
	m.drawAnswers(t)
	m.countTurned()
	how := Refusing{Class: rules.of, MostFresh: math.MaxInt}
	switch rapid.IntRange(0, 5).Draw(t, "limit") {
	case 0:
		how.Most = rapid.IntRange(1, 3).Draw(t, "most")
	case 1:
		how.MostFresh = rapid.IntRange(0, 3).Draw(t, "most fresh")
		how.Since = rapid.Int64Range(0, m.cycle).Draw(t, "since")
	case 2:
		how.Since = rapid.Int64Range(0, m.cycle).Draw(t, "since")
	}
	if how.Since == 0 {
		how.Since = m.cycle
	}
	told := map[drawnClass]int{}
	want := m.refuseEach(how, told)
	require.Equal(t, want, m.q.refuse(m.now, how))
	require.Equal(t, told, rules.told)
}

// round has pods refused, and all of them again.
func (m *machine) round(t *rapid.T) {
	m.refuse(t)
	m.moveAllForAnything(t)
	m.check(t)
	m.refuse(t)
}

// roomAmongTheRefused has pods refused, of which one then gives up the room that it had.
func (m *machine) roomAmongTheRefused(t *rapid.T) {
	m.refuse(t)
	m.check(t)
	m.roomGivenUp(t)
}

// refuseEach is what a caller would do with the plain list.
func (m *machine) refuseEach(how Refusing, told map[drawnClass]int) (out refusals) {
	if !m.fifo {
		m.flush(m.now)
	}
	begun := m.cycle
	for (how.Most == 0 || out.attempts < how.Most) && out.fresh < how.MostFresh {
		waiting := m.in(active)
		if len(waiting) == 0 && m.early {
			waiting = m.in(backoff)
		}
		if len(waiting) == 0 || waiting[0].Cycle > begun || how.Class(waiting[0].Pod) == nil {
			break
		}
		class := how.Class(waiting[0].Pod).(drawnClass)
		filters := class.rules.refusing[class]
		if len(filters) == 0 {
			break
		}
		if waiting[0].Cycle <= how.Since {
			out.fresh++
		}
		p := m.pop(m.early)
		e := p.Entry
		e.FailedFilters = filters
		m.putBack(p, e, m.now)
		told[class]++
		out.attempts, out.last = out.attempts+1, p.Cycle
		for _, p := range m.pods {
			p.hurried = p.hurried && p.place == active
		}
	}
	return out
}

// So have pods of many classes that wait for the same.
func TestRefuseManyClassesAgainstModel(t *testing.T) {
	most, turned := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		release := rapid.SampledFrom(outrank.Releases()).Draw(t, "release")
		q, err := New(Config{Release: release})
		require.NoError(t, err)
		m := &machine{model: model{release: release, early: true}, q: q, core: &q.core, rules: &classRules{byName: true}, alike: true}
		m.run(t)
		most, turned = max(most, m.mostClasses), turned+m.turned
	})
	t.Logf("batches of up to %d classes; %d times one answered otherwise", most, turned)
	require.Greater(t, most, 2, "no batch was of many classes")
	require.Positive(t, turned, "classes of a batch went on answering the same")
}

// Pods that are refused many at a time have gone through what a plain list of
// them would have gone through one after another.
func TestRefuseAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		early := rapid.IntRange(0, 3).Draw(t, "early") > 0
		release := rapid.SampledFrom(outrank.Releases()).Draw(t, "release")
		q, err := New(Config{Release: release, NoEarlyPop: !early})
		require.NoError(t, err)
		m := &machine{model: model{release: release, early: early}, q: q, core: &q.core, rules: &classRules{}}
		m.run(t)
	})
}
