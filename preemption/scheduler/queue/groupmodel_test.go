package queue

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
)

// gmEntity is what the plain model pops as one: a single pod, or a group, which is named
// by its kind and its name.
type gmEntity struct {
	name        string
	place       string
	enq, end    time.Time
	flushed     time.Time
	due         time.Time
	gate        string
	fails, errs int
	attempts    int
	cycle       int64
}

// gmPod is a pod of the model. Its place is "single", "with" its group, "apart",
// "incomplete" or "flight".
type gmPod struct {
	pod         *outrank.Pod
	place, root string
	enq         time.Time
	gate        string
	attempts    int
	fails, errs int
	cycle       int64
	updated     bool
	single      *gmEntity
}

// groupModel says what a queue with groups has to do, by walking over its lists.
type groupModel struct {
	trees      bool
	held       map[string]bool // names of pods that the caller's gate holds
	pods       []*gmPod
	groups     map[string]*gmEntity
	known      map[string]*outrank.PodGroup
	composites map[string]*outrank.CompositePodGroup
	cycle      int64
}

func (m *groupModel) find(pod *outrank.Pod) *gmPod {
	for _, p := range m.pods {
		if p.pod.Name == pod.Name && p.pod.UID == pod.UID {
			return p
		}
	}
	return nil
}

// rootOf walks up from a group.
func (m *groupModel) rootOf(name string) string {
	g := m.known[name]
	switch {
	case g == nil:
		return ""
	case !m.trees || g.Parent == "":
		return "group " + name
	}
	at := g.Parent
	for level := 2; level <= 4; level++ {
		c := m.composites[at]
		switch {
		case c == nil:
			return ""
		case c.Parent == "":
			return "tree " + at
		}
		at = c.Parent
	}
	return ""
}

func (m *groupModel) priorityOf(root string) int32 {
	var p *int32
	kind, name, _ := strings.Cut(root, " ")
	if g := m.known[name]; kind == "group" && g != nil { // else it is in flight
		p = g.Priority
	} else if c := m.composites[name]; kind == "tree" && c != nil {
		p = c.Priority
	}
	if p == nil {
		return 0
	}
	return *p
}

func (m *groupModel) gateOf(p *outrank.Pod) string {
	switch {
	case len(p.SchedulingGates) > 0:
		return "SchedulingGates"
	case m.held[p.Name]:
		return "held"
	}
	return ""
}

// in lists the pods of a group that are in a place, in the order of their tries.
func (m *groupModel) in(root, place string) []*gmPod {
	var out []*gmPod
	for _, p := range m.pods {
		if p.root == root && p.place == place {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, triedFirst)
	return out
}

func triedFirst(a, b *gmPod) int {
	return cmp.Or(cmp.Compare(*b.pod.Priority, *a.pod.Priority), cmp.Compare(b.attempts, a.attempts), a.enq.Compare(b.enq),
		cmp.Compare(a.pod.Name, b.pod.Name), cmp.Compare(a.pod.UID, b.pod.UID))
}

// push puts an entity somewhere unless one of the pods is held.
func (m *groupModel) push(e *gmEntity, place string, asked []*gmPod) {
	e.place, e.gate = place, ""
	for _, p := range asked {
		if p.gate = m.gateOf(p.pod); p.gate != "" && e.gate == "" {
			e.gate = p.gate
		}
	}
	if e.gate == "" {
		return
	}
	e.place, e.due = "gated", time.Time{}
	if e.gate == "held" {
		e.due = e.enq.Add(5 * time.Minute)
		if e.flushed.After(e.enq) {
			e.due = e.flushed.Add(5 * time.Minute)
		}
	}
}

// join puts a pod that is nowhere to where it waits.
func (m *groupModel) join(p *gmPod) {
	p.single, p.root, p.gate = nil, "", ""
	if p.pod.Group == "" {
		p.place, p.single = "single", &gmEntity{name: p.pod.Name, enq: p.enq}
		m.push(p.single, "active", []*gmPod{p})
		return
	}
	p.root = m.rootOf(p.pod.Group)
	g := m.groups[p.root]
	switch {
	case p.root == "":
		p.place = "incomplete"
	case g == nil:
		p.place = "with"
		m.groups[p.root] = &gmEntity{name: p.root, enq: p.enq}
		m.push(m.groups[p.root], "active", []*gmPod{p})
	case g.place == "flight":
		p.place = "apart"
	default:
		if p.place = "with"; g.place != "gated" {
			m.push(g, g.place, []*gmPod{p})
		}
	}
}

// quit takes a pod out of where it is.
func (m *groupModel) quit(p *gmPod) {
	was := p.place
	p.place = "none"
	if g := m.groups[p.root]; was == "with" {
		if len(m.in(p.root, "with")) == 0 {
			delete(m.groups, p.root)
		} else if g.place == "gated" && p.gate != "" {
			g.due = time.Time{}.Add(1)
		}
	}
	p.root, p.single = "", nil
}

func (m *groupModel) drop(p *gmPod) {
	m.quit(p)
	m.pods = slices.DeleteFunc(m.pods, func(o *gmPod) bool { return o == p })
}

// enter adds a pod that is not inside, in place of another one of its name.
func (m *groupModel) enter(pod *outrank.Pod, now time.Time) {
	for _, p := range m.pods {
		if p.pod.Name == pod.Name {
			m.drop(p)
			break
		}
	}
	p := &gmPod{pod: pod, enq: now}
	m.pods = append(m.pods, p)
	m.join(p)
}

// revive puts a gated entity to active, or to backoff while that lasts.
func (m *groupModel) revive(e *gmEntity, now time.Time) {
	place := "active"
	if !e.end.IsZero() && now.Unix() <= e.end.Unix() {
		place = "backoff"
	}
	m.push(e, place, m.podsOf(e))
}

func (m *groupModel) podsOf(e *gmEntity) []*gmPod {
	for _, p := range m.pods {
		if p.single == e {
			return []*gmPod{p}
		}
	}
	return m.in(e.name, "with")
}

// entities are all that wait, in the order in which they would be popped.
func (m *groupModel) entities() []*gmEntity {
	var out []*gmEntity
	for _, g := range m.groups {
		out = append(out, g)
	}
	for _, p := range m.pods {
		if p.place == "single" {
			out = append(out, p.single)
		}
	}
	first := func(e *gmEntity) (int32, string) {
		if kind, name, ok := strings.Cut(e.name, " "); ok {
			return m.priorityOf(e.name), name + " " + kind // "g group" comes before "g tree", and "g" before both
		}
		return *m.podsOf(e)[0].pod.Priority, e.name
	}
	slices.SortFunc(out, func(a, b *gmEntity) int {
		priorityA, nameA := first(a)
		priorityB, nameB := first(b)
		return cmp.Or(cmp.Compare(priorityB, priorityA), a.enq.Compare(b.enq), cmp.Compare(nameA, nameB))
	})
	return out
}

// flush wakes what has waited long enough, and returns how many pods.
func (m *groupModel) flush(now time.Time) int {
	count := 0
	for _, e := range m.entities() {
		switch {
		case e.place == "backoff" && now.Unix() > e.end.Unix():
			e.place = "active"
		case e.place == "gated" && !e.due.IsZero() && !now.Before(e.due):
			e.flushed = now
			m.revive(e, now)
		default:
			continue
		}
		if e.place == "active" {
			count += len(m.podsOf(e))
		}
	}
	return count
}

func (m *groupModel) pop() *gmEntity {
	for _, e := range m.entities() {
		if e.place != "active" {
			continue
		}
		m.cycle++
		pods := m.podsOf(e)
		e.place, e.cycle, e.attempts = "flight", m.cycle, e.attempts+1
		for _, p := range pods {
			p.place, p.cycle, p.attempts, p.gate, p.updated = "flight", m.cycle, p.attempts+1, "", false
		}
		return e
	}
	return nil
}

// attempted ends the attempt of a group.
func (m *groupModel) attempted(g *gmEntity, result GroupResult, now time.Time) {
	waits := m.in(g.name, "apart")
	if len(waits) == 0 {
		delete(m.groups, g.name)
		return
	}
	again := false
	for _, p := range waits {
		p.place = "with"
		again = again || p.cycle == g.cycle
	}
	if g.flushed = (time.Time{}); result == GroupPlaced {
		if g.fails, g.errs, g.end = 0, 0, (time.Time{}); !again {
			g.enq = now
		}
		m.push(g, "active", waits)
		return
	}
	g.enq, g.end = now, now
	switch result {
	case GroupRefused:
		g.fails, g.errs = g.fails+1, 0
	case GroupFailed:
		g.errs++
	}
	failures := float64(g.fails)
	if g.errs > 0 {
		failures = float64(g.errs)
	}
	most := 10 * math.Sqrt(float64(len(waits)))
	seconds := math.Pow(2, failures-1)
	if seconds > most {
		seconds = most
	}
	g.end = time.Unix(now.Add(time.Duration(seconds*float64(time.Second))).Unix(), 0).UTC()
	m.push(g, "backoff", waits)
}

func (p *gmPod) String() string {
	return fmt.Sprintf("%s/%s prio %d of %s: tries %d, %d+%d, since %v, cycle %d, gate %q",
		p.pod.Name, p.pod.UID, *p.pod.Priority, p.pod.Group, p.attempts, p.fails, p.errs, p.enq.Sub(noon), p.cycle, p.gate)
}

func (m *groupModel) text(e *gmEntity) string {
	if p := m.podsOf(e)[0]; p.single == e {
		e.attempts, e.fails, e.errs, e.cycle = p.attempts, p.fails, p.errs, p.cycle
	}
	text := fmt.Sprintf("tries %d, %d+%d, since %v, cycle %d, gate %q", e.attempts, e.fails, e.errs, e.enq.Sub(noon), e.cycle, e.gate)
	if !e.end.IsZero() {
		text += fmt.Sprint(", until ", e.end.Sub(noon))
	}
	for _, p := range m.podsOf(e) {
		text += "; " + p.String()
	}
	return e.name + " " + text
}
