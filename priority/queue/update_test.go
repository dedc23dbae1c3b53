package queue

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// What happened to a pod in flight is not forgotten because its status is
// updated afterwards. Forgotten, the pod would wait out the five minutes of the
// unschedulable ones.
func TestStatusUpdateInFlight(t *testing.T) {
	type act func(t *testing.T, q SchedulingQueue)
	activate := func(t *testing.T, q SchedulingQueue) { require.Zero(t, q.Activate(seeker(asWas))) }
	status := func(t *testing.T, q SchedulingQueue) {
		require.NoError(t, q.Update(seeker(nominatedNow), noon))
	}
	spec := func(t *testing.T, q SchedulingQueue) {
		require.NoError(t, q.Update(seeker(urgentNow), noon))
	}
	// The status changes alone, after the change of the spec.
	statusToo := func(t *testing.T, q SchedulingQueue) {
		both := func(p *outrank.Pod) { urgentNow(p); nominatedNow(p) }
		require.NoError(t, q.Update(seeker(both), noon))
	}
	placed := func(app string) act {
		return func(t *testing.T, q SchedulingQueue) {
			require.Zero(t, q.AssignedPodAdded(&outrank.Pod{Name: "n", Labels: map[string]string{"app": app}}, noon))
		}
	}
	moved := func(t *testing.T, q SchedulingQueue) {
		require.Zero(t, q.MoveAll(ClusterEvent{Kind: EventNodeAdded}, noon))
	}
	const backoff, timeout = DefaultInitialBackoff, DefaultUnschedulableTimeout
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
			q, err := New(Config{})
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

// The fields of a pod that are status, so that a change of them alone does not
// make a pending pod schedulable. Any other field may.
var statusFields = []string{"NominatedNode", "StartTime", "DisruptionReason", "Ready", "QOSClass", "Phase", "ResizeInfeasible", "Value"}

// Every field of a pod is changed alone, while the pod is unschedulable. Those
// that say which pod it is are left out.
func TestUpdateOfEachField(t *testing.T) {
	kind := reflect.TypeFor[outrank.Pod]()
	for i := range kind.NumField() {
		field := kind.Field(i).Name
		if slices.Contains([]string{"Name", "Namespace", "UID"}, field) {
			continue
		}
		t.Run(field, func(t *testing.T) {
			q, err := New(Config{})
			require.NoError(t, err)
			require.NoError(t, q.Add(&outrank.Pod{Name: "p"}, noon))
			e, _ := q.TryPop(noon)
			e.FailedFilters = []string{"NodeResourcesFit"}
			require.NoError(t, q.AddUnschedulableIfNotPresent(e, noon))

			changed := &outrank.Pod{Name: "p"}
			fill(t, reflect.ValueOf(changed).Elem().Field(i))
			require.NoError(t, q.Update(changed, noon))
			want := Counts{Backoff: 1}
			if slices.Contains(statusFields, field) {
				want = Counts{Unschedulable: 1}
			}
			assert.Equal(t, want, q.Counts())
		})
	}
}
