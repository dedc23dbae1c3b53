package queue

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// What happened to a pod in flight is not forgotten because its status is
// updated afterwards. Forgotten, the pod would wait out the five minutes of the
// unschedulable ones.
func TestStatusUpdateInFlight(t *testing.T) {
	type act func(t *testing.T, q *Queue)
	activate := func(t *testing.T, q *Queue) { require.Zero(t, q.Activate(seeker(asWas))) }
	status := func(t *testing.T, q *Queue) {
		require.NoError(t, q.Update(seeker(nominatedNow), noon))
	}
	spec := func(t *testing.T, q *Queue) {
		require.NoError(t, q.Update(seeker(urgentNow), noon))
	}
	// The status changes alone, after the change of the spec.
	statusToo := func(t *testing.T, q *Queue) {
		both := func(p *outrank.Pod) { urgentNow(p); nominatedNow(p) }
		require.NoError(t, q.Update(seeker(both), noon))
	}
	placed := func(app string) act {
		return func(t *testing.T, q *Queue) {
			require.Zero(t, q.AssignedPodAdded(&outrank.Pod{Name: "n", Labels: map[string]string{"app": app}}, noon))
		}
	}
	moved := func(t *testing.T, q *Queue) {
		require.Zero(t, q.MoveAll(ClusterEvent{Kind: EventNodeAdded}, noon))
	}
	const backoff, timeout = defaultInitialBackoff, defaultUnschedulableTimeout
	for _, c := range []struct {
		name string
		acts []act
		want time.Duration // until the pod can be tried again
	}{
		{"nothing", nil, timeout},
		{"status", []act{status}, timeout},
		{"status twice", []act{status, status}, timeout},
		{"activate", []act{activate}, backoff},
		{"activate, status", []act{activate, status}, backoff},
		{"activate, status twice", []act{activate, status, status}, backoff},
		{"status, activate", []act{status, activate}, backoff},
		{"spec, status", []act{spec, statusToo}, backoff},
		{"neighbour, status", []act{placed("x"), status}, backoff},
		{"neighbour, another pod", []act{placed("x"), placed("y")}, backoff},
		{"another pod, status", []act{placed("y"), status}, timeout},
		{"event, status", []act{moved, status}, backoff},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := New(Config{NoEarlyPop: true})
			require.NoError(t, err)
			require.NoError(t, q.Add(seeker(asWas), noon))
			e, ok := q.TryPop(noon)
			require.True(t, ok)
			for _, do := range c.acts {
				do(t, q)
			}
			e.FailedFilters = []string{"NodeResourcesFit"}
			require.NoError(t, q.AddUnschedulableIfNotPresent(e, noon))
			ready, ok := q.NextReady(noon)
			require.True(t, ok)
			assert.Equal(t, c.want, ready.Sub(noon))
		})
	}
}

// What an update of the pod itself helps against, by the field that is changed:
// the filters that look at it, "all" where it may help whatever failed, and nothing
// where it helps against no filter that is known. A filter that is not known may
// look at everything but status. The new value is one of no content, such as a container
// without ports; TestHintsOfEachFilter has others.
var helpfulFields = map[string]string{
	"Labels":                    "PodTopologySpread InterPodAffinity",
	"Owner":                     "",
	"NodeName":                  "NodeName",
	"Priority":                  "all",
	"PriorityClassName":         "",
	"PreemptionPolicy":          "all",
	"Containers":                "",
	"InitContainers":            "",
	"Resources":                 "",
	"Overhead":                  "",
	"NodeSelector":              "NodeAffinity PodTopologySpread",
	"Affinity.NodeAffinity":     "NodeAffinity PodTopologySpread",
	"Affinity.PodAffinity":      "InterPodAffinity",
	"Affinity.PodAntiAffinity":  "InterPodAffinity",
	"Preferences":               "",
	"Tolerations":               "TaintToleration PodTopologySpread",
	"TopologySpreadConstraints": "PodTopologySpread",
	"SchedulerName":             "",
	"SchedulingGates":           "",
	"OS":                        "",
	"StrictGroups":              "",
	"ResourceClaims":            "",
	"Grace":                     "",
	"HostNetwork":               "",
	"HostUsers":                 "",
	"Volumes":                   "VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone",
	"Group":                     "",
	"DeletionTimestamp":         "",
	"Static":                    "",
	"Mirror":                    "",
	"NominatedNodeName":         "status",
	"StartTime":                 "status",
	"DisruptionReason":          "status",
	"Ready":                     "status",
	"QOSClass":                  "status",
	"Phase":                     "status",
	"ResizeInfeasible":          "status",
	"ResizeDeferred":            "status",
	"Value":                     "status",
	"AllocatedResources":        "status",
	"Actual":                    "status",
	"Reported":                  "status",
}

// Every field of a pod is changed alone, while the pod is unschedulable because of
// each filter, and while it is in flight. Those that say which pod it is are left
// out.
func TestUpdateOfEachField(t *testing.T) {
	kind := reflect.TypeFor[outrank.Pod]()
	for i := range kind.NumField() {
		field := kind.Field(i)
		switch field.Name {
		case "Name", "Namespace", "UID":
		case "Affinity":
			for j := range field.Type.NumField() {
				testUpdateOf(t, "Affinity."+field.Type.Field(j).Name, i, j)
			}
		default:
			testUpdateOf(t, field.Name, i)
		}
	}
}

func testUpdateOf(t *testing.T, field string, index ...int) {
	listed, known := helpfulFields[field]
	require.True(t, known, "what does %s help against?", field)
	for _, name := range append(filter.Names(), "mine") {
		helps := listed == "all" || slices.Contains(strings.Fields(listed), name) || name == "mine" && listed != "status"
		want := Parts[int]{Unschedulable: 1}
		if helps {
			want = Parts[int]{Backoff: 1}
		}
		if helps && field == "SchedulingGates" {
			want = Parts[int]{Gated: 1}
		}
		for _, during := range []bool{false, true} {
			q, err := New(Config{})
			require.NoError(t, err)
			require.NoError(t, q.Add(&outrank.Pod{Name: "p"}, noon))
			e, _ := q.TryPop(noon)
			e.FailedFilters = []string{name}
			if !during {
				require.NoError(t, q.AddUnschedulableIfNotPresent(e, noon))
			}
			changed := &outrank.Pod{Name: "p"}
			fill(t, reflect.ValueOf(changed).Elem().FieldByIndex(index))
			require.NoError(t, q.Update(changed, noon))
			if during {
				require.NoError(t, q.AddUnschedulableIfNotPresent(e, noon))
			}
			assert.Equal(t, want, q.Counts(), "%s against %s, in flight: %v", field, name, during)
		}
	}
}

// A caller's hint is asked about updates, too, and sees both versions; it is not
// asked about status.
func TestHintAboutUpdate(t *testing.T) {
	var asked []ClusterEvent
	q, err := New(Config{Helps: func(e *Entry, event ClusterEvent) bool {
		require.Equal(t, []string{fit}, e.FailedFilters)
		asked = append(asked, event)
		return false
	}})
	require.NoError(t, err)
	first, second, third := seeker(asWas), seeker(urgentNow), seeker(nominatedNow)
	require.NoError(t, q.Add(first, noon))
	e, _ := q.TryPop(noon)
	require.NoError(t, q.Update(second, noon))
	require.Empty(t, asked, "what it fails with is not known yet")
	e.FailedFilters = []string{fit}
	require.NoError(t, q.AddUnschedulableIfNotPresent(e, noon))
	require.NoError(t, q.Update(third, noon))
	require.NoError(t, q.Update(first, noon)) // its nomination alone
	require.NoError(t, q.Update(first, noon))
	want := []ClusterEvent{
		{Kind: EventPodUpdated, Before: first, Pod: second},
		{Kind: EventPodUpdated, Before: second, Pod: third},
		{Kind: EventPodUpdated, Pod: first},
	}
	require.Equal(t, want, asked)
	require.Equal(t, Parts[int]{Unschedulable: 1}, q.Counts())
}

// An event is kept as long as the oldest attempt that it came in during, however many began
// since.
func TestEventsAreKeptForTheOldestAttempt(t *testing.T) {
	q, err := New(Config{})
	require.NoError(t, err)
	require.NoError(t, q.Add(waiting("oldest"), noon))
	oldest, _ := q.TryPop(noon)
	q.MoveAll(ClusterEvent{Kind: EventNodeAdded}, noon)
	for i := range 20 {
		require.NoError(t, q.Add(waiting(fmt.Sprint("p", i)), noon))
		q.TryPop(noon)
		q.MoveAll(ClusterEvent{Kind: EventNodeDeleted}, noon) // which helps nobody here
	}
	oldest.FailedFilters = []string{"NodeResourcesFit"}
	require.NoError(t, q.AddUnschedulableIfNotPresent(oldest, noon))
	require.Equal(t, Parts[int]{Backoff: 1, InFlight: 20}, q.Counts())
}

// Events are forgotten when no attempt is under way that began before them.
func TestEventsAreForgotten(t *testing.T) {
	q, err := New(Config{})
	require.NoError(t, err)
	most := 0
	for range 1000 {
		require.NoError(t, q.Add(waiting("p1"), noon))
		e, _ := q.TryPop(noon)
		q.MoveAll(ClusterEvent{Kind: EventNodeAdded}, noon)
		require.True(t, q.Done(e))
		q.MoveAll(ClusterEvent{Kind: EventNodeAdded}, noon)
		most = max(most, len(q.log.events))
	}
	require.Empty(t, q.log.events)
	require.Equal(t, 0, most)

	// One attempt follows another without a gap.
	require.NoError(t, q.Add(waiting("p0"), noon))
	before, _ := q.TryPop(noon)
	for i := range 1000 {
		require.NoError(t, q.Add(waiting(fmt.Sprint("p", i+1)), noon))
		e, _ := q.TryPop(noon)
		q.MoveAll(ClusterEvent{Kind: EventNodeAdded}, noon)
		require.True(t, q.Done(before))
		before = e
		most = max(most, len(q.log.events))
	}
	require.LessOrEqual(t, most, 4)
}
