package queue

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// deskOf is a queue by a release's rules whose gate "own" holds the pods of these
// names.
func deskOf(t *testing.T, r outrank.Release, held map[string]bool, events ...ClusterEventKind) *desk {
	q, err := New(Config{Release: r, Gates: []Gate{{Name: "own", Events: events, Holds: func(p *outrank.Pod) bool { return held[p.Name] }}}})
	require.NoError(t, err)
	return &desk{T: t, q: q}
}

// A pod that the flush could not move is asked about after another time-out, and not
// before (rule 5.2.7).
func TestFlushAsksGates(t *testing.T) {
	held := map[string]bool{}
	let := func(hold bool) func(*desk) { return func(*desk) { held["p1"] = hold } }
	gates := func(p *outrank.Pod) { p.SchedulingGates = []string{"quota"} }
	begin := []step{
		{0, let(true), ""}, {0, add("p1"), "0 0 0 0 gated 1"},
	}
	refused := []step{
		{0, let(false), ""}, {0, add("p1"), "1 0 0 0"}, {10, pop("p1"), "0 0 0 1"}, {10, fail("p1", fit), "0 0 1 0"}, {10, let(true), ""},
	}
	for _, c := range []struct {
		name    string
		release outrank.Release
		begin   []step
		steps   []step
	}{
		{"v1.36 never does", outrank.V1_36, begin, []step{
			{0, ready(-1), ""}, {1, let(false), ""}, {900, flush(0), "0 0 0 0 gated 1"},
		}},
		{"v1.37 when it has waited", outrank.V1_37, begin, []step{
			{0, ready(300), ""}, {1, let(false), ""}, {299, flush(0), "0 0 0 0 gated 1"}, {300, flush(1), "1 0 0 0"},
		}},
		{"v1.37 again after a time-out", outrank.V1_37, begin, []step{
			{310, flush(0), "0 0 0 0 gated 1"}, {310, ready(610), ""}, {320, let(false), ""},
			{340, flush(0), "0 0 0 0 gated 1"}, {609, flush(0), "0 0 0 0 gated 1"}, {610, flush(1), "1 0 0 0"},
		}},
		{"v1.37 by TryPop", outrank.V1_37, begin, []step{{1, let(false), ""}, {300, pop("p1"), "0 0 0 1"}}},
		{"v1.36 gated by the flush", outrank.V1_36, refused, []step{
			{310, flush(0), "0 0 0 0 gated 1"}, {320, let(false), ""}, {9999, flush(0), "0 0 0 0 gated 1"},
		}},
		{"v1.37 gated by the flush", outrank.V1_37, refused, []step{
			{310, flush(0), "0 0 0 0 gated 1"}, {320, let(false), ""}, {609, flush(0), "0 0 0 0 gated 1"}, {610, flush(1), "1 0 0 0"},
		}},
		{"v1.37 after an event let it in and it failed", outrank.V1_37, refused, []step{
			{20, moveAll(EventAssignedPodDeleted, 0), "0 0 0 0 gated 1"}, {20, ready(310), ""}, {30, let(false), ""},
			{310, pop("p1"), "0 0 0 1"}, {310, fail("p1", fit), "0 0 1 0"}, {310, ready(610), ""},
		}},
		{"v1.37 gates of its own are not for time", outrank.V1_37, nil, []step{
			{0, addPod(with("p1", gates)), "0 0 0 0 gated 1"}, {0, ready(-1), ""}, {900, flush(0), "0 0 0 0 gated 1"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			clear(held)
			deskOf(t, c.release, held).run(slices.Concat(c.begin, c.steps))
		})
	}
}

// An event of the empty kind has gates asked that name other events (rule 5.2.8).
func TestWildcardsAskGates(t *testing.T) {
	for r, want := range map[outrank.Release]int{outrank.V1_36: 0, outrank.V1_37: 1} {
		held := map[string]bool{"p1": true, "p2": true}
		d := deskOf(t, r, held, EventNodeAdded)
		d.run([]step{
			{0, add("p1"), ""}, {0, add("p2"), "0 0 0 0 gated 2"}, {0, func(*desk) { held["p1"] = false }, ""},
			{0, moveAll(EventAssignedPodDeleted, 0), "0 0 0 0 gated 2"},
			{0, moveAll("other", 0), "0 0 0 0 gated 2"},
			{0, assigned(waiting("x"), 0), "0 0 0 0 gated 2"},
			{0, moveAll("", want), ""},
			{0, moveAll(EventNodeAdded, 1-want), "1 0 0 0 gated 1"},
		})
	}
}

// What the end of a pod on a node, and a change of its labels, mean for a pod that
// InterPodAffinity kept off (rules 5.4.12 and 5.4.13).
func TestAntiAffinityHint(t *testing.T) {
	app := func(name string) outrank.PodAffinityTerm {
		return outrank.PodAffinityTerm{LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": name}}}
	}
	tier := outrank.PodAffinityTerm{LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"tier": "front"}}}
	type terms = []outrank.PodAffinityTerm
	type labels = map[string]string
	team := &outrank.LabelSelector{MatchLabels: labels{"team": "red"}}
	there := func(name string, selected *outrank.LabelSelector, listed ...string) outrank.PodAffinityTerm {
		t := app(name)
		t.NamespaceSelector, t.Namespaces = selected, listed
		return t
	}
	pod := func(l labels, anti ...outrank.PodAffinityTerm) *outrank.Pod {
		return &outrank.Pod{Name: "there", NodeName: "n1", Labels: l, Affinity: outrank.Affinity{PodAntiAffinity: anti}}
	}
	both, web, none := labels{"app": "web", "tier": "front"}, labels{"app": "web"}, labels{"app": "db"}
	bare := pod(web)
	bare.NodeName = ""
	for _, c := range []struct {
		name          string
		keepsOff      terms // the anti-affinity of the pod that waits, which is "self"
		seeks         terms
		before, after *outrank.Pod // no after: it is gone
		want36        bool
		want37        bool
	}{
		{"gone, all terms", terms{app("web"), tier}, nil, pod(both), nil, true, true},
		{"gone, one term of two", terms{app("web"), tier}, nil, pod(web), nil, false, true},
		{"gone, no term", terms{app("web"), tier}, nil, pod(none), nil, false, false},
		{"gone, no anti-affinity", nil, terms{app("web")}, pod(web), nil, false, false},
		{"gone, it kept off itself", nil, nil, pod(none, app("self")), nil, true, true},
		{"gone, one of its terms did", nil, nil, pod(none, app("self"), tier), nil, false, true},
		{"gone, it kept off others", nil, nil, pod(none, tier), nil, false, false},
		{"relabelled, matches none now", terms{app("web"), tier}, nil, pod(both), pod(none), true, true},
		{"relabelled, matched one", terms{app("web"), tier}, nil, pod(web), pod(none), false, true},
		{"relabelled, matches one still", terms{app("web"), tier}, nil, pod(both), pod(web), true, false},
		{"relabelled, as before", terms{app("web"), tier}, nil, pod(both), pod(both), false, false},
		{"relabelled, matches what a namespace's labels may select", terms{app("web"), there("db", team)}, nil, pod(web), pod(none), false, true},
		{"relabelled, matches in all namespaces", terms{app("web"), there("db", &outrank.LabelSelector{})}, nil, pod(web), pod(none), false, false},
		{"relabelled, matches in its own by name", terms{app("web"), there("db", team, "default")}, nil, pod(web), pod(none), false, false},
		{"relabelled, matched what a namespace's labels may select", terms{there("web", team)}, nil, pod(web), pod(none), false, false},
		{"relabelled, matches that still", terms{there("web", team)}, nil, pod(web), pod(both), false, false},
		{"relabelled, a neighbour now", nil, terms{app("web")}, pod(none), pod(web), true, true},
		{"relabelled, from what is not known", terms{app("web")}, nil, nil, pod(web), true, true},
		{"without a node", terms{app("web")}, nil, bare, nil, true, true},
	} {
		e := &Entry{FailedFilters: []string{"InterPodAffinity", "NodeName"}, Pod: &outrank.Pod{
			Name: "waits", Labels: labels{"app": "self"}, Affinity: outrank.Affinity{PodAffinity: c.seeks, PodAntiAffinity: c.keepsOff},
		}}
		event := ClusterEvent{Kind: EventAssignedPodUpdated, Pod: c.after, Before: c.before}
		if c.after == nil {
			event = ClusterEvent{Kind: EventAssignedPodDeleted, Pod: c.before}
		}
		assert.Equal(t, c.want36, Helps(outrank.V1_36, e, event), "v1.36: %s", c.name)
		assert.Equal(t, c.want37, Helps(outrank.V1_37, e, event), "v1.37: %s", c.name)
		assert.Equal(t, Helps(outrank.DefaultRelease, e, event), Helps(0, e, event))
		for r, want := range map[outrank.Release]bool{outrank.V1_36: c.want36, outrank.V1_37: c.want37} {
			q, err := New(Config{Release: r})
			require.NoError(t, err)
			require.NoError(t, q.Add(e.Pod, noon))
			popped, _ := q.TryPop(noon)
			popped.FailedFilters = e.FailedFilters
			require.NoError(t, q.AddUnschedulableIfNotPresent(popped, noon))
			assert.Equal(t, map[bool]int{true: 1}[want], q.MoveAll(event, noon.Add(time.Minute)), "%v: %s", r, c.name)
		}
		e.FailedFilters = append(e.FailedFilters, "mine")
		assert.True(t, Helps(outrank.V1_37, e, event), "another filter has its say")
	}
}

// What happens to pods without a node helps if it gives up room (rule 5.4.14).
func TestUnscheduledPods(t *testing.T) {
	nominated := &outrank.Pod{Name: "a", NominatedNodeName: "n1"}
	for _, c := range []struct {
		event  ClusterEvent
		filter string
		want   bool
	}{
		{ClusterEvent{Kind: EventUnscheduledPodAdded}, fit, false},
		{ClusterEvent{Kind: EventUnscheduledPodUpdated, Pod: nominated}, fit, false},
		{ClusterEvent{Kind: EventUnscheduledPodDeleted}, fit, true},
		{ClusterEvent{Kind: EventUnscheduledPodDeleted, Pod: nominated}, fit, true},
		{ClusterEvent{Kind: EventUnscheduledPodDeleted, Pod: &outrank.Pod{Name: "a"}}, fit, false},
		{ClusterEvent{Kind: EventUnscheduledPodDeleted, Pod: nominated}, "TaintToleration", false},
		{ClusterEvent{Kind: EventUnscheduledPodAdded}, "mine", true},
	} {
		e := &Entry{FailedFilters: []string{c.filter}}
		for _, r := range outrank.Releases() {
			assert.Equal(t, c.want, Helps(r, e, c.event), "%v against %s", c.event, c.filter)
		}
	}
}

// The names of what moves pods (rule 5.7.3).
func TestIncoming(t *testing.T) {
	steps := []step{
		{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
		{0, update(with("p1", urgentNow)), "0 1 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
		{9, moveAll(EventUnscheduledPodDeleted, 1), "1 0 0 0"}, {9, pop("p1"), "0 0 0 1"}, {9, fail("p1"), "0 1 0 0"},
		{99, flush(1), "1 0 0 0"}, {99, moveAll(EventNodeAdded, 0), "1 0 0 0"}, {99, pop("p1"), "0 0 0 1"}, {99, fail("p1", fit), "0 0 1 0"},
		{99, activate(1, "p1"), "1 0 0 0"}, {99, pop("p1"), "0 0 0 1"}, {99, fail("p1", fit), "0 0 1 0"},
		{999, flush(1), "1 0 0 0"},
	}
	in36 := []Incoming{
		{"active", "BackoffComplete", 1, 0, 0}, {"active", "ForceActivate", 1, 0, 0}, {"active", "PopFromBackoffQ", 1, 0, 0},
		{"active", "UnschedulablePodAdd", 1, 0, 0}, {"active", "UnschedulablePodDelete", 1, 0, 0}, {"active", "UnschedulableTimeout", 1, 0, 0},
		{"backoff", "ScheduleAttemptFailure", 1, 0, 0}, {"backoff", "UnschedulablePodUpdate", 1, 0, 0}, {"unschedulable", "ScheduleAttemptFailure", 4, 0, 0},
	}
	in37 := []Incoming{
		{"active", "BackoffComplete", 1, 0, 0}, {"active", "ForceActivate", 1, 0, 0}, {"active", "PopFromBackoffQ", 1, 0, 0},
		{"active", "UnschedulableTimeout", 1, 0, 0}, {"active", "UnscheduledPodAdd", 1, 0, 0}, {"active", "UnscheduledPodDelete", 1, 0, 0},
		{"backoff", "ScheduleAttemptFailure", 1, 0, 0}, {"backoff", "TargetPodUpdate", 1, 0, 0}, {"unschedulable", "ScheduleAttemptFailure", 4, 0, 0},
	}
	for r, want := range map[outrank.Release][]Incoming{outrank.V1_36: in36, outrank.V1_37: in37} {
		q, err := New(Config{Release: r})
		require.NoError(t, err)
		(&desk{T: t, q: q}).run(steps)
		assert.Equal(t, want, q.Incoming(), "%v", r)
	}
	for kind := range causeOf {
		assert.Contains(t, append(slices.Clone(eventKinds), "", EventPodUpdated), kind)
	}
	assert.Len(t, causeOf, len(eventKinds)+2, "every kind has a name")
	for _, name := range causeNames {
		assert.NotEmpty(t, name)
	}
}

func TestUnknownRelease(t *testing.T) {
	_, err := New(Config{Release: 3})
	require.EqualError(t, err, "queue config: Release: release 0x3 is not known")
	assert.True(t, Helps(3, nil, ClusterEvent{}))
}

// likeAll is the class of all pods with a label. It refuses with one filter.
type likeAll struct{ of string }

func (likeAll) Known() ([]string, bool)               { return []string{"InterPodAffinity"}, true }
func (likeAll) Refuses(*outrank.Pod) ([]string, bool) { return nil, false }
func (likeAll) Refused(int)                           {}

// Pods that were refused together part where a pod that is gone kept off some of them.
func TestCrowdParts(t *testing.T) {
	for _, r := range outrank.Releases() {
		q, err := New(Config{Release: r})
		require.NoError(t, err)
		for _, name := range []string{"a", "b", "c", "d"} {
			require.NoError(t, q.Add(&outrank.Pod{Name: name, Labels: map[string]string{"of": name[:1]}}, noon))
		}
		all := Refusing{Class: func(p *outrank.Pod) Class { return likeAll{p.Labels["of"]} }, MostFresh: 9}
		require.Equal(t, 4, q.refuse(noon, all).attempts)
		require.Len(t, q.pools[unschedulable].items, 1, "they are a batch")
		off := func(values ...string) outrank.Affinity {
			in := outrank.Requirement{Key: "of", Operator: "In", Values: values}
			return outrank.Affinity{PodAntiAffinity: []outrank.PodAffinityTerm{{LabelSelector: &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{in}}}}}
		}
		gone := ClusterEvent{Kind: EventAssignedPodDeleted, Pod: &outrank.Pod{Name: "gone", NodeName: "n1", Affinity: off("e")}}
		require.Zero(t, q.MoveAll(gone, noon))
		require.Len(t, q.pools[unschedulable].items, 1, "they agree")
		gone.Pod = &outrank.Pod{Name: "gone", NodeName: "n1", Affinity: off("b", "d")}
		require.Equal(t, 2, q.MoveAll(gone, noon))
		require.Equal(t, Parts[int]{Backoff: 2, Unschedulable: 2}, q.Counts())
		all.Since = q.cycle
		require.Equal(t, 2, q.refuse(noon, all).attempts)
		require.Equal(t, []Incoming{
			{"active", "PopFromBackoffQ", 2, 0, 0}, {"active", causeName(r), 4, 0, 0}, {"backoff", "AssignedPodDelete", 2, 0, 0}, {"unschedulable", "ScheduleAttemptFailure", 6, 0, 0},
		}, q.Incoming())
	}
}

func causeName(r outrank.Release) string {
	if r == outrank.V1_36 {
		return "UnschedulablePodAdd"
	}
	return "UnscheduledPodAdd"
}
