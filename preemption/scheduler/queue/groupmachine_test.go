package queue

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

// grouped is v1.37 with gates that are on.
func grouped(t require.TestingT, gates ...string) outrank.Release {
	set := map[string]bool{}
	for _, g := range gates {
		set[g] = true
	}
	r, err := outrank.V1_37.With(set)
	require.NoError(t, err)
	return r
}

// groupMachine drives a queue with groups and its model side by side.
type groupMachine struct {
	groupModel
	q     *Queue
	now   time.Time
	begun []Entry // attempts with groups and with pods
}

func (m *groupMachine) pod(t *rapid.T) *outrank.Pod {
	p := &outrank.Pod{
		Name:     rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "g"}).Draw(t, "name"),
		UID:      rapid.SampledFrom([]string{"1", "1", "1", "1", "2"}).Draw(t, "uid"),
		Group:    rapid.SampledFrom([]string{"g", "g", "g", "h", "h", ""}).Draw(t, "group"),
		Priority: outrank.Priority(rapid.Int32Range(0, 1).Draw(t, "priority")),
	}
	if rapid.IntRange(0, 9).Draw(t, "gates") == 0 {
		p.SchedulingGates = []string{"quota"}
	}
	return p
}

func (m *groupMachine) add(t *rapid.T) {
	pod := m.pod(t)
	require.NoError(t, m.q.Add(pod, m.now))
	p := m.find(pod)
	switch {
	case p == nil:
		m.enter(pod, m.now)
	case p.waits() && p.pod.Group == pod.Group && pod.Group != "":
		m.replace(p, pod)
	case p.place == "single" && p.single.place == "active" && pod.Group == "":
		if p.pod = pod; len(pod.SchedulingGates) > 0 {
			m.push(p.single, "active", []*gmPod{p})
		}
	case p.single != nil && pod.Group == "":
		p.pod, p.enq, p.place, p.single.enq = pod, m.now, "single", m.now
		m.push(p.single, "active", []*gmPod{p})
	default:
		m.quit(p)
		p.pod, p.enq = pod, m.now
		m.join(p)
	}
}

// waits reports whether the pod is a member that waits.
func (p *gmPod) waits() bool {
	return p.place == "with" || p.place == "apart" || p.place == "incomplete"
}

// replace sets another version of a member that waits.
func (m *groupMachine) replace(p *gmPod, pod *outrank.Pod) {
	p.pod = pod
	if p.place != "with" {
		return
	}
	if g := m.groups[p.root]; g.place == "gated" {
		m.revive(g, m.now)
	} else if p.gate = ""; len(pod.SchedulingGates) > 0 {
		m.push(g, g.place, []*gmPod{p})
	}
}

func (m *groupMachine) delete(t *rapid.T) {
	pod := m.pod(t)
	p := m.find(pod)
	require.Equal(t, p != nil, m.q.Remove(pod))
	if p != nil {
		m.drop(p)
	}
}

func (m *groupMachine) update(t *rapid.T) {
	pod := m.pod(t)
	p := m.find(pod)
	if p != nil && (p.pod.Group == "" || pod.Group == "") {
		return // single pods are those of the other model
	}
	require.NoError(t, m.q.Update(pod, m.now))
	switch {
	case p == nil:
		m.enter(pod, m.now)
	case p.place == "flight":
		p.pod, p.updated = pod, true
	case p.pod.Group == pod.Group:
		m.replace(p, pod)
	default:
		m.quit(p)
		p.pod = pod
		m.join(p)
	}
}

// regroup has the pods that do not belong where they wait go where they do.
func (m *groupMachine) regroup() {
	var moving []*gmPod
	for _, p := range m.pods {
		if p.waits() && p.root != m.rootOf(p.pod.Group) {
			moving = append(moving, p)
		}
	}
	slices.SortFunc(moving, func(a, b *gmPod) int {
		if o := a.enq.Compare(b.enq); o != 0 {
			return o
		}
		return compareMembers(&item{Entry: Entry{Pod: a.pod}}, &item{Entry: Entry{Pod: b.pod}})
	})
	for _, p := range moving {
		m.quit(p)
		m.join(p)
	}
}

func (m *groupMachine) setGroup(t *rapid.T) {
	g := &outrank.PodGroup{Name: rapid.SampledFrom([]string{"g", "h"}).Draw(t, "group")}
	g.Parent = rapid.SampledFrom([]string{"", "", "g", "x", "y"}).Draw(t, "parent")
	g.Priority = rapid.SampledFrom([]*int32{nil, outrank.Priority(1), outrank.Priority(2)}).Draw(t, "priority")
	before := m.known[g.Name]
	m.q.PutGroup(g)
	m.known[g.Name] = g
	if before == nil || before.Parent != g.Parent {
		m.regroup()
	}
}

func (m *groupMachine) deleteGroup(t *rapid.T) {
	name := rapid.SampledFrom([]string{"g", "h"}).Draw(t, "group")
	m.q.RemoveGroup(&outrank.PodGroup{Name: name})
	if m.known[name] != nil {
		delete(m.known, name)
		m.regroup()
	}
}

func (m *groupMachine) setComposite(t *rapid.T) {
	c := &outrank.CompositePodGroup{Name: rapid.SampledFrom([]string{"g", "x", "y"}).Draw(t, "composite")}
	c.Parent = rapid.SampledFrom([]string{"", "", "x", "y"}).Draw(t, "parent")
	c.Priority = rapid.SampledFrom([]*int32{nil, outrank.Priority(1)}).Draw(t, "priority")
	m.q.PutComposite(c)
	if !m.trees {
		return
	}
	before := m.composites[c.Name]
	m.composites[c.Name] = c
	if before == nil || before.Parent != c.Parent {
		m.regroup()
	}
}

func (m *groupMachine) deleteComposite(t *rapid.T) {
	name := rapid.SampledFrom([]string{"g", "x", "y"}).Draw(t, "composite")
	m.q.RemoveComposite(&outrank.CompositePodGroup{Name: name})
	if m.composites[name] != nil {
		delete(m.composites, name)
		m.regroup()
	}
}

func (m *groupMachine) tryPop(t *rapid.T) {
	m.flush(m.now)
	want := m.pop()
	got, ok := m.q.TryPop(m.now)
	require.Equal(t, want != nil, ok)
	if !ok {
		return
	}
	require.Equal(t, want.cycle, got.Cycle)
	if got.Group == nil {
		require.Equal(t, want.name, got.Pod.Name)
		m.begun = append(m.begun, got)
		return
	}
	pods := m.in(want.name, "flight")
	pods = slices.DeleteFunc(pods, func(p *gmPod) bool { return p.cycle != want.cycle })
	require.Len(t, got.Group.Members, len(pods))
	for i, e := range got.Group.Members {
		require.Equal(t, pods[i].String(), podText(&e))
		m.begun = append(m.begun, e)
		pods[i].root = ""
	}
	m.begun = append(m.begun, got)
}

func (m *groupMachine) attempt(t *rapid.T) Entry {
	if len(m.begun) == 0 {
		return Entry{Pod: &outrank.Pod{Name: "stranger"}, Cycle: 1}
	}
	return m.begun[len(m.begun)-rapid.IntRange(1, min(len(m.begun), 8)).Draw(t, "attempt from the end")]
}

func (m *groupMachine) flight(e Entry) *gmPod {
	if e.Group != nil {
		return nil
	}
	if p := m.find(e.Pod); p != nil && p.place == "flight" && p.cycle == e.Cycle {
		return p
	}
	return nil
}

func (m *groupMachine) done(t *rapid.T) {
	e := m.attempt(t)
	p := m.flight(e)
	require.Equal(t, p != nil, m.q.Done(e))
	if p != nil {
		m.drop(p)
	}
}

// putBack ends the attempt of a pod, or of a group. Single ones fail with an error here, so that they
// go to backoff whatever has happened.
func (m *groupMachine) putBack(t *rapid.T) {
	e := m.attempt(t)
	if e.Group != nil { // without a failed filter
		m.groupBack(t, e, GroupFailed, m.q.AddUnschedulableIfNotPresent(e, m.now))
		return
	}
	p := m.flight(e)
	if e.Pod != nil && e.Pod.Group != "" && rapid.Bool().Draw(t, "refused") {
		e.FailedFilters = []string{"NodeResourcesFit"}
	}
	err := m.q.AddUnschedulableIfNotPresent(e, m.now)
	if p == nil {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	if !p.updated {
		p.pod = e.Pod
	}
	if p.enq = m.now; len(e.FailedFilters) > 0 {
		p.fails, p.errs = p.fails+1, 0
	} else {
		p.errs++
	}
	if p.pod.Group != "" {
		m.join(p)
		return
	}
	s := p.single
	p.place = "single"
	s.enq = m.now
	seconds := []time.Duration{1, 2, 4, 8, 10}[min(p.errs, 5)-1]
	s.end = time.Unix(m.now.Add(seconds*time.Second).Unix(), 0).UTC()
	m.push(s, "backoff", []*gmPod{p})
}

func (m *groupMachine) endGroup(t *rapid.T) {
	e := m.attempt(t)
	result := rapid.SampledFrom([]GroupResult{GroupPlaced, GroupRefused, GroupRefused, GroupFailed}).Draw(t, "result")
	err := m.q.endGroup(e, result, m.now)
	if e.Group == nil {
		require.ErrorIs(t, err, outrank.ErrInvalid)
		return
	}
	m.groupBack(t, e, result, err)
}

// groupBack follows the end of an attempt with a group, of which the queue has said err.
func (m *groupMachine) groupBack(t *rapid.T, e Entry, result GroupResult, err error) {
	kind := "group "
	if e.Group.Composite != nil {
		kind = "tree "
	}
	g := m.groups[kind+strings.TrimPrefix(string(e.Group.Key()), "default/")]
	if g == nil || g.place != "flight" || g.cycle != e.Cycle {
		require.ErrorIs(t, err, ErrNotInFlight)
		return
	}
	require.NoError(t, err)
	m.attempted(g, result, m.now)
}

func (m *groupMachine) activate(t *rapid.T) {
	pods := []*outrank.Pod{m.pod(t), m.pod(t)}
	want := 0
	for _, pod := range pods {
		p := m.find(pod)
		if p == nil || p.place != "single" && p.place != "with" {
			continue
		}
		e := p.single
		if e == nil {
			e = m.groups[p.root]
		}
		if e.place != "active" {
			if e.place == "backoff" {
				e.place = "active"
			} else {
				m.push(e, "active", m.podsOf(e))
			}
			if e.place == "active" {
				want += len(m.podsOf(e))
			}
		}
	}
	require.Equal(t, want, m.q.Activate(pods...))
}

func (m *groupMachine) moveAll(t *rapid.T) {
	want := 0
	for _, e := range m.entities() {
		if e.place == "gated" && (e.gate != "SchedulingGates") && !m.specHeld(e) {
			if m.revive(e, m.now); e.place != "gated" {
				want += len(m.podsOf(e))
			}
		}
	}
	require.Equal(t, want, m.q.MoveAll(ClusterEvent{Kind: EventNodeAdded}, m.now))
}

// specHeld reports whether scheduling gates hold a single pod.
func (m *groupMachine) specHeld(e *gmEntity) bool {
	pods := m.podsOf(e)
	return pods[0].single != nil && len(pods[0].pod.SchedulingGates) > 0
}

func (m *groupMachine) turnGate(t *rapid.T) {
	name := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "held")
	m.held[name] = !m.held[name]
}

func (m *groupMachine) flushBoth(t *rapid.T) {
	want := m.flush(m.now)
	require.Equal(t, want, m.q.Flush(m.now))
}

func (m *groupMachine) wait(t *rapid.T) {
	m.now = m.now.Add(rapid.SampledFrom([]time.Duration{1, time.Second / 2, time.Second, 2 * time.Second, 30 * time.Second, 5 * time.Minute}).Draw(t, "wait"))
}

func podText(e *Entry) string {
	return fmt.Sprintf("%s/%s prio %d of %s: tries %d, %d+%d, since %v, cycle %d, gate %q",
		e.Pod.Name, e.Pod.UID, *e.Pod.Priority, e.Pod.Group, e.Attempts, e.Refusals, e.Errors, e.Enqueued.Sub(noon), e.Cycle, e.Gate)
}

func entityText(e *Entry) string {
	name := ""
	switch {
	case e.Group == nil:
		name = e.Pod.Name
	case e.Group.Composite != nil:
		name = "tree " + e.Group.Composite.Name
	default:
		name = "group " + e.Group.PodGroup.Name
	}
	text := fmt.Sprintf("%s tries %d, %d+%d, since %v, cycle %d, gate %q", name, e.Attempts, e.Refusals, e.Errors, e.Enqueued.Sub(noon), e.Cycle, e.Gate)
	if !e.BackoffEnd.IsZero() {
		text += fmt.Sprint(", until ", e.BackoffEnd.Sub(noon))
	}
	if e.Group == nil {
		return text + "; " + podText(e)
	}
	for i := range e.Group.Members {
		text += "; " + podText(&e.Group.Members[i])
	}
	return text
}

// check holds the queue to the model after every step.
func (m *groupMachine) check(t *rapid.T) {
	want, got := map[string][]string{}, map[string][]string{}
	counts := map[string]int{}
	for _, e := range m.entities() {
		if e.place != "flight" {
			want[e.place] = append(want[e.place], m.text(e))
			counts[e.place] += len(m.podsOf(e))
		}
	}
	for _, p := range m.pods {
		if p.place == "flight" || p.place == "apart" || p.place == "incomplete" {
			want[p.place] = append(want[p.place], p.String())
			counts[p.place]++
		}
	}
	pending := m.q.Pending()
	for place, list := range map[string][]Entry{"active": pending.Active, "backoff": pending.Backoff, "gated": pending.Gated} {
		for i := range list {
			got[place] = append(got[place], entityText(&list[i]))
		}
	}
	for place, list := range map[string][]Entry{"flight": pending.InFlight, "apart": pending.Waiting, "incomplete": pending.Incomplete} {
		for i := range list {
			got[place] = append(got[place], podText(&list[i]))
		}
		slices.Sort(got[place])
		slices.Sort(want[place])
	}
	slices.Sort(got["backoff"]) // listed by its end
	slices.Sort(want["backoff"])
	for place, list := range got {
		if len(list) == 0 {
			delete(got, place)
		}
	}
	for place, list := range want {
		if len(list) == 0 {
			delete(want, place)
		}
	}
	require.Empty(t, testdiff.Diff(want, got))
	require.Equal(t, Parts[int]{
		Active: counts["active"], Backoff: counts["backoff"], Gated: counts["gated"], InFlight: counts["flight"],
		Incomplete: counts["incomplete"], Waiting: counts["apart"],
	}, m.q.Counts())
	require.Equal(t, m.q.Counts().String(), pending.String())
	m.checkEntities(t, counts)
	m.checkNext(t)
	m.checkInside(t)
}

func (m *groupMachine) checkEntities(t *rapid.T, counts map[string]int) {
	want := struct{ Pods, Groups Parts[int] }{Pods: Parts[int]{InFlight: counts["flight"], Incomplete: counts["incomplete"], Waiting: counts["apart"]}}
	for _, e := range m.entities() {
		c := &want.Pods
		if slices.Contains([]string{"group", "tree "}, e.name[:min(len(e.name), 5)]) {
			c = &want.Groups
		}
		switch e.place {
		case "active":
			c.Active++
		case "backoff":
			c.Backoff++
		case "gated":
			c.Gated++
		case "flight":
			c.InFlight += map[bool]int{true: 1}[c == &want.Groups]
		}
	}
	alone, groups := m.q.Entities()
	require.Equal(t, want.Pods, alone)
	require.Equal(t, want.Groups, groups)
}

func (m *groupMachine) checkNext(t *rapid.T) {
	var want time.Time
	for _, e := range m.entities() {
		at := map[string]time.Time{"active": m.now, "backoff": e.end.Add(time.Second), "gated": e.due}[e.place]
		if !at.IsZero() && at.Before(m.now) {
			at = m.now
		}
		if !at.IsZero() && (want.IsZero() || at.Before(want)) {
			want = at
		}
	}
	got, ok := m.q.NextReady(m.now)
	require.Equal(t, !want.IsZero(), ok)
	require.True(t, want.Equal(got), "next ready at %v, want %v", got, want)
}

// checkInside: every item knows where it is, and nothing is kept that is not inside.
func (m *groupMachine) checkInside(t *rapid.T) {
	c := &m.q.core
	for p := range poolCount {
		pods, groups := 0, 0
		for i, it := range c.pools[p].items {
			require.Equal(t, p, it.pool)
			require.Equal(t, i, it.index)
			pods += it.size()
			groups += map[bool]int{true: 1}[it.group != nil]
			if it.group != nil {
				require.Same(t, it, c.groups.inside[it.group.id])
			}
		}
		require.Equal(t, pods, c.pools[p].count)
		require.Equal(t, groups, c.pools[p].groups)
	}
	listed := 0
	for key, l := range c.groups.leaves {
		require.True(t, l.group != nil || len(l.members) > 0)
		for it := range l.members {
			require.Equal(t, key, it.leaf)
			require.Same(t, it, c.items[it.key])
			listed++
		}
	}
	for _, it := range c.items {
		listed -= map[bool]int{true: 1}[it.leaf != ""]
	}
	require.Zero(t, listed)
}

// A queue with groups does what plain lists do that are walked over each time.
func TestQueueWithGroupsAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &groupMachine{now: noon}
		m.held, m.groups = map[string]bool{}, map[string]*gmEntity{}
		m.known, m.composites = map[string]*outrank.PodGroup{}, map[string]*outrank.CompositePodGroup{}
		gates := []string{"GenericWorkload"}
		if m.trees = rapid.Bool().Draw(t, "trees"); m.trees {
			gates = append(gates, "CompositePodGroup")
		}
		var err error
		m.q, err = New(Config{Release: grouped(t, gates...), Gates: []Gate{{Name: "held", Holds: func(p *outrank.Pod) bool { return m.held[p.Name] }}}})
		require.NoError(t, err)
		t.Repeat(map[string]func(*rapid.T){
			"": m.check, "add": m.add, "add again": m.add, "add once more": m.add, "update": m.update, "delete": m.delete,
			"set group": m.setGroup, "set group again": m.setGroup, "delete group": m.deleteGroup,
			"set composite": m.setComposite, "delete composite": m.deleteComposite,
			"pop": m.tryPop, "pop again": m.tryPop, "put back": m.putBack, "put back again": m.putBack, "done": m.done,
			"end group": m.endGroup, "end group again": m.endGroup, "activate": m.activate, "move all": m.moveAll,
			"turn gate": m.turnGate, "flush": m.flushBoth, "wait": m.wait, "wait again": m.wait,
		})
	})
}
