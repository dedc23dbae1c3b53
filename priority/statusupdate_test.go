package priority_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

// seeker is a pending pod that waits for a neighbour called x.
func seeker(change func(p *outrank.Pod)) *outrank.Pod {
	p := &outrank.Pod{Name: "seeker", UID: "1"}
	p.Affinity.Pods = []outrank.PodAffinityTerm{{Selector: &outrank.LabelSelector{Labels: map[string]string{"app": "x"}}}}
	change(p)
	return p
}

func asWas(*outrank.Pod)          {}
func nominatedNow(p *outrank.Pod) { p.NominatedNode = "n1" }
func urgentNow(p *outrank.Pod)    { p.Priority = outrank.Priority(7) }

// What happened to a pod in flight is not forgotten because its status is
// updated afterwards. Forgotten, the pod would wait out the five minutes of the
// unschedulable ones.
func TestStatusUpdateInFlight(t *testing.T) {
	type act func(t *testing.T, q priority.SchedulingQueue)
	activate := func(t *testing.T, q priority.SchedulingQueue) { require.Zero(t, q.Activate(seeker(asWas))) }
	status := func(t *testing.T, q priority.SchedulingQueue) {
		require.NoError(t, q.Update(seeker(nominatedNow), midnight))
	}
	spec := func(t *testing.T, q priority.SchedulingQueue) {
		require.NoError(t, q.Update(seeker(urgentNow), midnight))
	}
	// The status changes alone, after the change of the spec.
	statusToo := func(t *testing.T, q priority.SchedulingQueue) {
		both := func(p *outrank.Pod) { urgentNow(p); nominatedNow(p) }
		require.NoError(t, q.Update(seeker(both), midnight))
	}
	placed := func(app string) act {
		return func(t *testing.T, q priority.SchedulingQueue) {
			require.Zero(t, q.AssignedPodAdded(&outrank.Pod{Name: "n", Labels: map[string]string{"app": app}}, midnight))
		}
	}
	moved := func(t *testing.T, q priority.SchedulingQueue) {
		require.Zero(t, q.MoveAll(priority.Event{Kind: priority.EventNodeAdded}, midnight))
	}
	const backoff, timeout = priority.DefaultInitialBackoff, priority.DefaultUnschedulableTimeout
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
			q, err := priority.NewQueue(priority.QueueConfig{})
			require.NoError(t, err)
			require.NoError(t, q.Add(seeker(asWas), midnight))
			e, ok := q.TryPop(midnight)
			require.True(t, ok)
			for _, do := range c.acts {
				do(t, q)
			}
			e.FailedFilters = []string{"NodeResourcesFit"}
			require.NoError(t, q.AddUnschedulableIfNotPresent(e, midnight))
			ready, ok := q.NextReady(midnight)
			require.True(t, ok)
			assert.Equal(t, c.want, ready.Sub(midnight))
		})
	}
}

// The fields of a pod that are status, so that a change of them alone does not
// make a pending pod schedulable. Any other field may.
var statusFields = []string{"NominatedNode", "StartTime", "DisruptionReason", "Ready", "QOSClass", "Phase", "ResizeInfeasible"}

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
			q, err := priority.NewQueue(priority.QueueConfig{})
			require.NoError(t, err)
			require.NoError(t, q.Add(&outrank.Pod{Name: "p"}, midnight))
			e, _ := q.TryPop(midnight)
			e.FailedFilters = []string{"NodeResourcesFit"}
			require.NoError(t, q.AddUnschedulableIfNotPresent(e, midnight))

			changed := &outrank.Pod{Name: "p"}
			fill(t, reflect.ValueOf(changed).Elem().Field(i))
			require.NoError(t, q.Update(changed, midnight))
			want := priority.Counts{Backoff: 1}
			if slices.Contains(statusFields, field) {
				want = priority.Counts{Unschedulable: 1}
			}
			assert.Equal(t, want, q.Counts())
		})
	}
}

// fill puts something other than the zero value into a field.
func fill(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("x")
	case reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(midnight))
			return
		}
		fill(t, v.Field(0))
	default:
		t.Fatalf("no value of type %v", v.Type())
	}
}
