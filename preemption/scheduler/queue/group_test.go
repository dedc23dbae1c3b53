package queue

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// gangDesk is a queue under test in which groups are queued.
type gangDesk struct {
	*testing.T
	q   *Queue
	now time.Time
}

func newGangDesk(t *testing.T, gates ...Gate) *gangDesk {
	q, err := New(Config{Release: grouped(t, "GenericWorkload", "CompositePodGroup"), Gates: gates})
	require.NoError(t, err)
	return &gangDesk{T: t, q: q, now: noon}
}

// member is a pod of a group; the priority comes first in the name.
func member(group, name string) *outrank.Pod {
	p := waiting(name)
	p.Group = group
	return p
}

func (d *gangDesk) add(group string, names ...string) {
	for _, name := range names {
		require.NoError(d, d.q.Add(member(group, name), d.now))
	}
}

func (d *gangDesk) at(seconds float64) {
	d.now = noon.Add(time.Duration(seconds * float64(time.Second)))
}

func (d *gangDesk) pop(want string) Entry {
	e, ok := d.q.TryPop(d.now)
	require.True(d, ok, "nothing popped, want %s", want)
	require.Equal(d, want, namesOf(&e))
	return e
}

// namesOf gives "pod", or "group: pod pod".
func namesOf(e *Entry) string {
	if e.Group == nil {
		return e.Pod.Name
	}
	var names []string
	for _, m := range e.Group.Members {
		names = append(names, m.Pod.Name)
	}
	return strings.TrimPrefix(string(e.Group.Key()), "default/") + ": " + strings.Join(names, " ")
}

// fail ends an attempt with a group in which these members were not placed.
// GroupResult is how an attempt with a group ended.
type GroupResult string

const (
	GroupPlaced  GroupResult = "placed"
	GroupRefused GroupResult = "refused"
	GroupFailed  GroupResult = "failed"
)

// endGroup ends an attempt with a group as it came out.
func (q *Queue) endGroup(e Entry, result GroupResult, now time.Time) error {
	switch {
	case result == GroupPlaced, e.Group == nil:
		return q.AddAttemptedGroup(e, now)
	case result == GroupRefused:
		e.FailedFilters = []string{"GangScheduling"}
	}
	return q.AddUnschedulableIfNotPresent(e, now)
}

func (d *gangDesk) fail(e Entry, result GroupResult, names ...string) {
	for _, m := range e.Group.Members {
		if !slices.Contains(names, m.Pod.Name) {
			require.True(d, d.q.Done(m))
			continue
		}
		m.FailedFilters = []string{fit}
		require.NoError(d, d.q.AddUnschedulableIfNotPresent(m, d.now))
	}
	require.NoError(d, d.q.endGroup(e, result, d.now))
}

func (d *gangDesk) counts(want string) {
	d.Helper()
	require.Equal(d, want, d.q.Counts().String())
}

func setOf(priority *int32, name string) *outrank.PodGroup {
	return &outrank.PodGroup{Name: name, Priority: priority, Policy: outrank.GangPolicy, MinCount: 2}
}

func TestGroupsAreQueuedAsOne(t *testing.T) { // rules 5.8.1 to 5.8.3
	d := newGangDesk(t)
	d.q.PutGroup(setOf(outrank.Priority(5), "gang"))
	d.add("gang", "b", "a")
	d.add("", "p5", "p6")
	d.at(1)
	d.add("gang", "p1")
	d.counts("5 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight")
	alone, groups := d.q.Entities()
	require.Equal(t, Parts[int]{Active: 2}, alone)
	require.Equal(t, Parts[int]{Active: 1}, groups)
	d.pop("p6")
	e := d.pop("gang: p1 a b")
	require.Nil(t, e.Pod)
	require.EqualValues(t, 5, e.Group.Priority())
	d.pop("p5")
	d.counts("0 active, 0 in backoff, 0 unschedulable, 0 gated, 5 in flight")
	d.add("gang", "aa", "p0")
	d.at(2)
	d.fail(e, GroupRefused, "a", "b", "p1")
	d.at(9)
	d.pop("gang: p1 a b aa p0") // more attempts come first
}

// Without the gate and before v1.37 each pod is queued by itself, whatever the queue is
// told of groups.
func TestGroupsOfOtherReleases(t *testing.T) { // rule 5.8.1
	for _, r := range outrank.Releases() {
		q, err := New(Config{Release: r})
		require.NoError(t, err)
		d := &gangDesk{T: t, q: q, now: noon}
		d.add("gang", "p1", "p2")
		q.PutGroup(setOf(outrank.Priority(5), "gang"))
		q.PutComposite(&outrank.CompositePodGroup{Name: "tree"})
		d.pop("p2")
		e := d.pop("p1")
		require.ErrorIs(t, q.AddAttemptedGroup(Entry{Group: &Group{PodGroup: setOf(nil, "gang")}}, noon), ErrNotInFlight)
		require.NoError(t, q.AddUnschedulableIfNotPresent(e, noon))
		q.RemoveGroup(setOf(nil, "gang"))
		q.RemoveComposite(&outrank.CompositePodGroup{Name: "tree"})
		d.counts("0 active, 1 in backoff, 0 unschedulable, 0 gated, 1 in flight")
	}
	q := NewFIFO()
	require.NoError(t, q.Add(member("gang", "p1"), noon))
	_, ok := q.TryPop(noon)
	require.True(t, ok)
}

func TestTreesAreQueuedAsOne(t *testing.T) { // rules 5.8.2 and 5.8.5
	d := newGangDesk(t)
	left, right := setOf(outrank.Priority(9), "left"), setOf(nil, "right")
	left.Parent, right.Parent = "tree", "tree"
	d.q.PutGroup(left)
	d.add("left", "a")
	d.add("right", "b")
	d.add("", "p3")
	d.counts("1 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight, 2 incomplete, 0 waiting for their group")
	d.q.PutComposite(&outrank.CompositePodGroup{Name: "tree", Priority: outrank.Priority(2)})
	d.counts("2 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight, 1 incomplete, 0 waiting for their group")
	d.q.PutGroup(right)
	d.pop("p3")
	e := d.pop("tree: a b")
	require.Nil(t, e.Group.PodGroup)
	d.fail(e, GroupRefused, "a", "b")

	// A tree of five levels is never complete, and neither is a circle.
	deep := []string{"tree", "t2", "t3", "t4"}
	for i, name := range deep[1:] {
		d.q.PutComposite(&outrank.CompositePodGroup{Name: deep[i], Parent: name})
		d.q.PutComposite(&outrank.CompositePodGroup{Name: name})
		c := d.q.Counts()
		require.Equal(t, map[bool]int{true: 2}[name == "t4"], c.Incomplete, name)
	}
	d.q.PutComposite(&outrank.CompositePodGroup{Name: "t2", Parent: "tree"})
	d.counts("0 active, 0 in backoff, 0 unschedulable, 0 gated, 1 in flight, 2 incomplete, 0 waiting for their group")
	d.q.PutGroup(&outrank.PodGroup{Name: "left"})
	d.pop("left: a")
	d.q.RemoveComposite(&outrank.CompositePodGroup{Name: "t2", UID: "another"})
	d.q.RemoveComposite(&outrank.CompositePodGroup{Name: "t2"})
	d.q.PutComposite(&outrank.CompositePodGroup{Name: "t2"})
	d.pop("t2: b")
}

func TestIncompletePods(t *testing.T) { // rule 5.8.5
	d := newGangDesk(t)
	d.add("gang", "b", "p2")
	d.add("other", "a")
	_, ok := d.q.TryPop(d.now)
	require.False(t, ok)
	_, ok = d.q.NextReady(d.now)
	require.False(t, ok)
	p := d.q.Pending()
	require.Equal(t, []string{"p2", "b", "a"}, []string{p.Incomplete[0].Pod.Name, p.Incomplete[1].Pod.Name, p.Incomplete[2].Pod.Name})
	require.Equal(t, "0 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight, 3 incomplete, 0 waiting for their group", p.String())
	d.at(3)
	gang := &outrank.PodGroup{Name: "gang", UID: "g1"}
	d.q.PutGroup(gang)
	require.True(t, d.q.Remove(member("other", "a")))
	p = d.q.Pending()
	require.Equal(t, noon, p.Active[0].Enqueued, "the group has the time of its first pod")
	d.q.RemoveGroup(&outrank.PodGroup{Name: "gang", UID: "g0"})
	d.counts("2 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight")
	e := d.pop("gang: p2 b")
	d.add("gang", "c")
	d.q.RemoveGroup(gang)
	d.counts("0 active, 0 in backoff, 0 unschedulable, 0 gated, 2 in flight, 1 incomplete, 0 waiting for their group")
	d.fail(e, GroupRefused, "b")
	d.counts("0 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight, 2 incomplete, 0 waiting for their group")
	d.q.PutGroup(gang)
	d.pop("gang: b c")
}

// A pod that comes during the attempt waits for it to end, and so do those that failed.
func TestPodsWaitForTheirGroup(t *testing.T) { // rules 5.8.6, 5.8.7 and 5.8.9
	d := newGangDesk(t)
	d.q.PutGroup(setOf(nil, "gang"))
	d.add("gang", "a", "b", "c")
	e := d.pop("gang: a b c")
	d.at(1)
	d.add("gang", "d")
	d.add("", "single")
	require.Zero(t, d.q.Activate(member("gang", "d"), member("gang", "a"))) // rule 5.8.10
	require.NoError(t, d.q.AddUnschedulableIfNotPresent(e.Group.Members[2], d.now))
	d.counts("1 active, 0 in backoff, 0 unschedulable, 0 gated, 2 in flight, 0 incomplete, 2 waiting for their group")
	require.Equal(t, "c", d.q.Pending().Waiting[0].Pod.Name)
	require.NoError(t, d.q.AddAttemptedGroup(e, d.now))
	require.ErrorIs(t, d.q.AddAttemptedGroup(e, d.now), ErrNotInFlight)
	e2 := d.pop("gang: c d") // with its old time, before the single pod
	require.Equal(t, noon, e2.Enqueued)
	require.Equal(t, 2, e2.Attempts)
	d.at(2)
	d.add("gang", "e")
	d.fail(e2, GroupPlaced)
	d.pop("single")
	e3 := d.pop("gang: e") // a new time, for nothing of the attempt is left
	require.Equal(t, d.now, e3.Enqueued)
	// The binding of a pod of the first attempt comes to nothing.
	require.NoError(t, d.q.AddUnschedulableIfNotPresent(e.Group.Members[0], d.now))
	require.True(t, d.q.Done(e.Group.Members[1]))
	d.fail(e3, GroupPlaced)
	e4 := d.pop("gang: a")
	d.fail(e4, GroupPlaced)
	d.counts("0 active, 0 in backoff, 0 unschedulable, 0 gated, 1 in flight")
	d.add("gang", "f")
	require.Equal(t, 1, d.pop("gang: f").Attempts, "it begins without a past")
}

// The ceiling of four pods is twice that of one, and nothing cuts the backoff short.
func TestGroupBackoff(t *testing.T) { // rule 5.8.8
	d := newGangDesk(t)
	d.q.PutGroup(setOf(nil, "gang"))
	d.add("gang", "a", "b", "c", "d")
	for _, seconds := range []int{1, 2, 4, 8, 16, 20, 20} {
		e := d.pop("gang: a b c d")
		d.fail(e, GroupRefused, "a", "b", "c", "d")
		require.Zero(t, d.q.MoveAll(ClusterEvent{Kind: EventNodeAdded}, d.now))
		ready, ok := d.q.NextReady(d.now)
		require.True(t, ok)
		require.Equal(t, time.Duration(seconds+1)*time.Second, ready.Sub(d.now))
		_, ok = d.q.TryPop(ready.Add(-1))
		require.False(t, ok)
		d.now = ready
	}
	d.fail(d.pop("gang: a b c d"), GroupPlaced, "a", "b", "c", "d")
	d.fail(d.pop("gang: a b c d"), GroupRefused, "a", "b", "c", "d")
	require.Equal(t, d.now.Add(time.Second), d.q.Pending().Backoff[0].BackoffEnd, "what was placed has no failures")
	d.now = d.now.Add(2 * time.Second)
	d.fail(d.pop("gang: a b c d"), GroupFailed, "a", "b", "c", "d")
	require.Equal(t, d.now.Add(time.Second), d.q.Pending().Backoff[0].BackoffEnd, "errors are counted apart")
	config := Config{MaxBackoff: 1 << 62}
	assert.Equal(t, time.Duration(1<<62), config.mostBackoffOf(0))
	assert.Equal(t, time.Duration(math.MaxInt64), config.mostBackoffOf(1<<30))
	// A pod that joins changes the next ceiling, not the present one.
	d.add("gang", "e")
	require.Equal(t, d.now.Add(time.Second), d.q.Pending().Backoff[0].BackoffEnd)
	require.Equal(t, 5, d.q.Activate(member("gang", "e")))
	require.Zero(t, d.q.Activate(member("gang", "a")))
	d.pop("gang: a b c d e")
}

func TestGatedGroups(t *testing.T) { // rules 5.8.4 and 5.8.11
	closed := map[string]bool{}
	d := newGangDesk(t, Gate{Name: "door", Holds: func(p *outrank.Pod) bool { return closed[p.Name] }})
	d.q.PutGroup(setOf(nil, "gang"))
	d.add("gang", "a")
	held := member("gang", "b")
	held.SchedulingGates = []string{"quota"}
	require.NoError(t, d.q.Add(held, d.now))
	d.add("gang", "c")
	d.counts("0 active, 0 in backoff, 0 unschedulable, 3 gated, 0 in flight")
	gate := func() string { return d.q.Pending().Gated[0].Gate }
	require.Equal(t, schedulingGates, gate())
	require.Zero(t, d.q.MoveAll(ClusterEvent{}, d.now))
	closed["a"], closed["c"] = true, true
	require.NoError(t, d.q.Update(member("gang", "b"), d.now))
	require.Equal(t, "door", gate())
	closed["a"] = false
	require.Zero(t, d.q.MoveAll(ClusterEvent{}, d.now))
	require.True(t, d.q.Remove(member("gang", "c")))
	d.pop("gang: a b")
	d.add("gang", "c")
	d.counts("0 active, 0 in backoff, 0 unschedulable, 0 gated, 2 in flight, 0 incomplete, 1 waiting for their group")
}

// Time has the gates asked, and what time did counts up to the next attempt.
func TestFlushAsksAboutGroups(t *testing.T) { // rules 5.2.7 and 5.8.7
	closed := true
	d := newGangDesk(t, Gate{Name: "door", Holds: func(*outrank.Pod) bool { return closed }})
	d.q.PutGroup(setOf(nil, "gang"))
	d.add("gang", "a", "b")
	d.at(299)
	closed = false
	require.Zero(t, d.q.Flush(d.now))
	d.at(300)
	e := d.pop("gang: a b")
	closed = true
	d.fail(e, GroupPlaced, "b")
	ready, ok := d.q.NextReady(d.now)
	require.True(t, ok)
	require.Equal(t, d.now, ready, "it has waited since noon")
	require.Zero(t, d.q.Flush(d.now))
	ready, _ = d.q.NextReady(d.now)
	require.Equal(t, d.now.Add(5*time.Minute), ready)
}

// A group that is made anew while it is in flight comes back with its new object.
func TestGroupMadeAnewInFlight(t *testing.T) {
	d := newGangDesk(t)
	gang := setOf(outrank.Priority(1), "gang")
	d.q.PutGroup(gang)
	d.add("gang", "a")
	d.add("", "p0")
	e := d.pop("gang: a")
	d.q.RemoveGroup(gang)
	d.q.PutGroup(setOf(nil, "gang"))
	d.q.PutGroup(setOf(outrank.Priority(-1), "gang"))
	d.q.RemoveGroup(gang)
	d.q.PutGroup(setOf(outrank.Priority(-2), "gang"))
	d.fail(e, GroupPlaced, "a")
	d.pop("p0")
	require.EqualValues(t, -2, d.pop("gang: a").Group.Priority())
}

func TestEntitiesEnter(t *testing.T) { // rule 5.8.12
	d := newGangDesk(t)
	d.q.PutGroup(setOf(nil, "gang"))
	d.add("gang", "a", "b")
	d.add("", "p1")
	alone := d.pop("p1")
	d.fail(d.pop("gang: a b"), GroupRefused, "a", "b")
	want := []Incoming{
		{Queue: "active", Event: "UnscheduledPodAdd", Pods: 3, Grouped: 2, Groups: 1},
		{Queue: "backoff", Event: "ScheduleAttemptFailure", Pods: 2, Grouped: 2, Groups: 1},
	}
	require.Equal(t, want, d.q.Incoming())
	d.q.MoveAll(ClusterEvent{Kind: EventNodeAdded}, d.now)
	alone.FailedFilters = []string{fit}
	require.NoError(t, d.q.AddUnschedulableIfNotPresent(alone, d.now))
	want[1].Pods++ // in a pool of its own, and the same part
	require.Equal(t, want, d.q.Incoming())
}

// Bad entries are errors, and nothing panics.
func TestEntriesOfGroups(t *testing.T) {
	d := newGangDesk(t)
	d.q.PutGroup(nil)
	d.q.RemoveGroup(nil)
	d.q.PutComposite(nil)
	d.q.RemoveComposite(nil)
	d.q.PutGroup(setOf(nil, "gang"))
	d.add("gang", "a")
	e := d.pop("gang: a")
	require.False(t, d.q.Done(e))
	require.ErrorIs(t, d.q.AddAttemptedGroup(e.Group.Members[0], d.now), outrank.ErrInvalid)
	for _, result := range []GroupResult{GroupPlaced, GroupRefused, GroupFailed} {
		require.ErrorIs(t, d.q.endGroup(Entry{Group: &Group{}}, result, d.now), ErrNotInFlight)
	}
	require.Zero(t, (&Group{}).Priority())
	require.NoError(t, d.q.AddAttemptedGroup(e, d.now))
	pod, group, tree := Entry{Pod: member("", "x")}, Entry{Group: &Group{PodGroup: setOf(nil, "x")}}, Entry{Group: &Group{Composite: &outrank.CompositePodGroup{Name: "x"}}}
	for i, list := range [][]*Entry{{&pod, &group}, {&group, &tree}, {&pod, &tree}, {&tree, {}}, {&tree, nil}, {&group, {Group: &Group{}}}} {
		sign := map[bool]int{true: -1, false: 1}[i < 5]
		require.Equal(t, sign, CompareEntries(list[0], list[1]), i)
		require.Equal(t, -sign, CompareEntries(list[1], list[0]), i)
	}
}

// What is handed out stays as it was.
func TestHandedOutGroupsAreTheCallers(t *testing.T) {
	d := newGangDesk(t)
	d.q.PutGroup(setOf(nil, "gang"))
	d.add("gang", "a", "b")
	listed := d.q.Pending()
	e := d.pop("gang: a b")
	d.q.PutGroup(setOf(outrank.Priority(7), "gang"))
	e.Group.Members[0].FailedFilters = []string{fit}
	d.fail(e, GroupRefused, "a", "b")
	require.Equal(t, "gang: a b", namesOf(&listed.Active[0]))
	require.Zero(t, e.Group.Priority())
	require.Zero(t, listed.Active[0].Attempts)
	d.at(5)
	require.EqualValues(t, 7, d.pop("gang: a b").Group.Priority())
}

// Attempts that are made in numbers stop at a group.
func TestRefuseStopsAtGroups(t *testing.T) {
	for _, most := range []int{0, 9} {
		d := newGangDesk(t)
		d.q.PutGroup(setOf(outrank.Priority(5), "gang"))
		d.add("gang", "a", "b")
		d.add("", "p7", "p6", "p4")
		how := Refusing{Class: func(*outrank.Pod) Class { return always{} }, Most: most, MostFresh: 9}
		require.Equal(t, 2, d.q.refuse(d.now, how).attempts)
		d.counts("3 active, 0 in backoff, 2 unschedulable, 0 gated, 0 in flight")
		d.pop("gang: a b")
	}
}

// always refuses all pods.
type always struct{}

func (always) Known() ([]string, bool)               { return []string{fit}, true }
func (always) Refuses(*outrank.Pod) ([]string, bool) { return []string{fit}, true }
func (always) Refused(int)                           {}
