package queue

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

func TestHelps(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		filters      []string
		event        ClusterEventKind
		want         bool
	}{
		{"room", "a pod that goes frees room", []string{"NodeResourcesFit"}, EventAssignedPodDeleted, true},
		{"no room", "a pod that comes takes more", []string{"NodeResourcesFit"}, EventAssignedPodAdded, false},
		{"taint", "pods do not change taints", []string{"TaintToleration"}, EventAssignedPodDeleted, false},
		{"taint of a node", "a node may have lost it", []string{"TaintToleration"}, EventNodeUpdated, true},
		{"name", "a node's name never changes", []string{"NodeName"}, EventNodeUpdated, false},
		{"several", "one of them is enough", []string{"NodeName", "NodeResourcesFit", "TaintToleration"}, EventAssignedPodDeleted, true},
		{"neighbour", "the pod may be the one that is missing", []string{"InterPodAffinity"}, EventAssignedPodAdded, true},
		{"spread", "a domain less may raise the minimum", []string{"PodTopologySpread"}, EventNodeDeleted, true},
		{"volume", "a claim may be bound", []string{"VolumeBinding"}, EventStorageChanged, true},
		{"caller's filter", "what it looks at is not known", []string{"NodeName", "mine"}, EventStorageChanged, true},
		{"no filter", "what it waits for is not known", nil, EventNodeDeleted, true},
		{"unknown event", "it may be anything", []string{"NodeName"}, "mine", true},
		{"event without a kind", "it may be anything", []string{"NodeName"}, "", true},
	} {
		require.Equal(t, c.want, Helps(outrank.DefaultRelease, &Entry{FailedFilters: c.filters}, ClusterEvent{Kind: c.event}), "%s: %s", c.name, c.reason)
	}
	require.True(t, Helps(outrank.DefaultRelease, nil, ClusterEvent{Kind: EventNodeAdded}))
	for _, f := range filter.Entries() {
		require.Contains(t, f.Helped, filter.EventNodeAdded, "a new node may fit any pod")
	}
}

func TestAssignedPod(t *testing.T) {
	web := &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	db := &outrank.LabelSelector{MatchLabels: map[string]string{"app": "db"}}
	broken := &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "app", Operator: "in"}}}
	type terms = []outrank.PodAffinityTerm
	for _, c := range []struct {
		name, reason string
		namespace    string // of the pod that waits
		near, far    terms
		assigned     *outrank.Pod
		want         bool
	}{
		{"no terms", "it waits for no other pod", "", nil, nil, waiting("web"), false},
		{"match", "the pod it waited for", "", terms{{LabelSelector: web}}, nil, waiting("web"), true},
		{"labels", "some other pod", "", terms{{LabelSelector: web}}, nil, waiting("db"), false},
		{"anti-affinity", "another pod cannot help that", "", nil, terms{{LabelSelector: web}}, waiting("web"), false},
		{"one of two", "the other may be there already", "", terms{{LabelSelector: db}, {LabelSelector: web}}, nil, waiting("web"), true},
		{"no selector", "it matches nothing", "", terms{{}}, nil, waiting("web"), false},
		{"invalid selector", "it matches nothing", "", terms{{LabelSelector: broken}}, nil, waiting("web"), false},
		{"other namespace", "a term is about the namespace of its pod", "a", terms{{LabelSelector: web}}, nil, waiting("web"), false},
		{"default namespace", "no namespace is the one called default", "default", terms{{LabelSelector: web}}, nil, waiting("web"), true},
		{"named namespace", "it is listed", "a", terms{{LabelSelector: web, Namespaces: []string{"b", "default"}}}, nil, waiting("web"), true},
		{"not its own", "other namespaces are listed", "", terms{{LabelSelector: web, Namespaces: []string{"b"}}}, nil, waiting("web"), false},
		{"namespaces by label", "their labels are not known here", "a", terms{{LabelSelector: web, NamespaceSelector: web}}, nil, waiting("web"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			pod := with("p1", func(p *outrank.Pod) {
				p.Namespace, p.Affinity = c.namespace, outrank.Affinity{PodAffinity: c.near, PodAntiAffinity: c.far}
			})
			moved, soon, late, flying := 0, "0 0 1 0", "0 0 1 0", "0 0 1 0"
			if c.want {
				moved, soon, late, flying = 1, "0 1 0 0", "1 0 0 0", "0 1 0 0"
			}
			for _, steps := range [][]step{
				{{0, assigned(c.assigned, moved), soon}},
				{{2, assigned(c.assigned, moved), late}},
				{{2, func(d *desk) { require.Equal(d, moved, d.q.AssignedPodUpdated(c.assigned, d.now)) }, late}},
			} {
				fresh(t).run(append([]step{
					{0, addPod(pod), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", "InterPodAffinity"), "0 0 1 0"},
				}, steps...))
			}
			fresh(t).run([]step{
				{0, addPod(pod), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"},
				{0, assigned(c.assigned, 0), "0 0 0 1"},
				{0, fail("p1", "InterPodAffinity"), flying},
			})
		})
	}
}

// A missing pod helps no waiting pod, whatever pool it is in.
func TestNoAssignedPod(t *testing.T) {
	q, err := New(Config{})
	require.NoError(t, err)
	require.NoError(t, q.Add(seeker(asWas), noon))
	e, _ := q.TryPop(noon)
	require.Zero(t, q.AssignedPodAdded(nil, noon))
	require.Zero(t, q.AssignedPodUpdated(nil, noon))
	e.FailedFilters = []string{"InterPodAffinity"}
	require.NoError(t, q.AddUnschedulableIfNotPresent(e, noon))
	require.Equal(t, Parts[int]{Unschedulable: 1}, q.Counts())
	require.Zero(t, q.AssignedPodAdded(nil, noon))
	require.Zero(t, q.AssignedPodUpdated(nil, noon))
	require.Equal(t, Parts[int]{Unschedulable: 1}, q.Counts())
}

// What may help against each filter, all of it: a cross stands where the event
// in that column does.
//
//	node added, updated, deleted; assigned pod added, updated, deleted; storage
var helpful = map[string]string{
	"NodeUnschedulable":    "xx.....",
	"NodeName":             "x......",
	"TaintToleration":      "xx.....",
	"NodeAffinity":         "xx.....",
	"NodeDeclaredFeatures": "xx.....",
	"NodePorts":            "x....x.",
	"NodeResourcesFit":     "xx..xx.",
	"VolumeRestrictions":   "x....xx",
	"NodeVolumeLimits":     "xx...xx",
	"VolumeBinding":        "xx....x",
	"VolumeZone":           "xx....x",
	"PodTopologySpread":    "xxxxxx.",
	"InterPodAffinity":     "xx.xxx.",
}

var columns = []ClusterEventKind{
	EventNodeAdded, EventNodeUpdated, EventNodeDeleted,
	EventAssignedPodAdded, EventAssignedPodUpdated, EventAssignedPodDeleted,
	EventStorageChanged,
}

func TestWhatHelpsAgainstEachFilter(t *testing.T) {
	for name, row := range helpful {
		for i, kind := range columns {
			e := &Entry{FailedFilters: []string{name}}
			assert.Equal(t, row[i] == 'x', Helps(outrank.DefaultRelease, e, ClusterEvent{Kind: kind}), "%s against %s", kind, name)
			// NodeName is helped by little; whatever helps the other helps both.
			e.FailedFilters = []string{"NodeName", name}
			want := row[i] == 'x' || kind == EventNodeAdded
			assert.Equal(t, want, Helps(outrank.DefaultRelease, e, ClusterEvent{Kind: kind}), "%s against NodeName and %s", kind, name)
		}
		e := &Entry{FailedFilters: []string{name}}
		assert.True(t, Helps(outrank.DefaultRelease, e, ClusterEvent{}), "any other event against %s", name)
		e.FailedFilters = append(e.FailedFilters, "Unknown")
		for _, kind := range columns {
			assert.True(t, Helps(outrank.DefaultRelease, e, ClusterEvent{Kind: kind}), "%s against %s and a filter that is not known", kind, name)
		}
	}
}
