package queue

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

var noon = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

// desk is a queue under test with the attempts that were begun in it.
type desk struct {
	*testing.T
	q        *Queue
	now      time.Time
	attempts map[string]Entry // the last of each pod, by name
}

// step is something done so many seconds after noon, and the counts it leaves:
// active, backoff, unschedulable, in flight, and how many are gated if any are. They are
// not looked at where they are empty.
type step struct {
	at     float64
	do     func(d *desk)
	counts string
}

func (d *desk) run(steps []step) {
	d.attempts = map[string]Entry{}
	for i, s := range steps {
		d.now = noon.Add(time.Duration(s.at * float64(time.Second)))
		s.do(d)
		if s.counts == "" {
			continue
		}
		c := d.q.Counts()
		counts := fmt.Sprint(c.Active, c.Backoff, c.Unschedulable, c.InFlight)
		if c.Gated > 0 {
			counts += fmt.Sprint(" gated ", c.Gated)
		}
		require.Equal(d, s.counts, counts, "step %d, at %vs", i+1, s.at)
	}
}

// waiting is a catalogue of pods; the priority comes first in the name.
func waiting(name string) *outrank.Pod {
	p := &outrank.Pod{Name: name, UID: "1", Labels: map[string]string{"app": name}}
	var priority int32
	if _, err := fmt.Sscanf(name, "p%d", &priority); err == nil {
		p.Priority = &priority
	}
	return p
}

func with(name string, change func(p *outrank.Pod)) *outrank.Pod {
	p := waiting(name)
	change(p)
	return p
}

func add(name string) func(*desk) { return addPod(waiting(name)) }
func addPod(p *outrank.Pod) func(*desk) {
	return func(d *desk) { require.NoError(d, d.q.Add(p, d.now)) }
}

func addIfNotPresent(name string, want bool) func(*desk) {
	return func(d *desk) {
		got, err := d.q.AddIfNotPresent(waiting(name), d.now)
		require.NoError(d, err)
		require.Equal(d, want, got)
	}
}

func pop(want string) func(*desk) {
	return func(d *desk) {
		e, ok := d.q.TryPop(d.now)
		require.True(d, ok, "nothing popped, want %s", want)
		require.Equal(d, want, e.Pod.Name)
		require.Empty(d, e.FailedFilters)
		d.attempts[want] = e
	}
}

func popNone(d *desk) {
	e, ok := d.q.TryPop(d.now)
	require.False(d, ok, "popped %v", e)
}

func fail(name string, filters ...string) func(*desk) {
	return func(d *desk) {
		e := d.attempts[name]
		e.FailedFilters = filters
		require.NoError(d, d.q.AddUnschedulableIfNotPresent(e, d.now))
	}
}

func failRefused(name string) func(*desk) {
	return func(d *desk) {
		require.ErrorIs(d, d.q.AddUnschedulableIfNotPresent(d.attempts[name], d.now), ErrNotInFlight)
	}
}

func done(name string, want bool) func(*desk) {
	return func(d *desk) { require.Equal(d, want, d.q.Done(d.attempts[name])) }
}

func update(p *outrank.Pod) func(*desk) {
	return func(d *desk) { require.NoError(d, d.q.Update(p, d.now)) }
}

func remove(p *outrank.Pod, want bool) func(*desk) {
	return func(d *desk) { require.Equal(d, want, d.q.Remove(p)) }
}

func moveAll(kind ClusterEventKind, want int) func(*desk) {
	return func(d *desk) { require.Equal(d, want, d.q.MoveAll(ClusterEvent{Kind: kind}, d.now)) }
}

func assigned(p *outrank.Pod, want int) func(*desk) {
	return func(d *desk) { require.Equal(d, want, d.q.AssignedPodAdded(p, d.now)) }
}

func givenUp(name string, want int) func(*desk) {
	return func(d *desk) { require.Equal(d, want, d.q.RoomGivenUp(waiting(name), d.now)) }
}

// notBound has the binding of a pod fail.
func notBound(name string, want int) func(*desk) {
	pod := with(name, func(p *outrank.Pod) { p.NodeName = "n1" })
	return func(d *desk) { require.Equal(d, want, d.q.RoomGivenUp(pod, d.now)) }
}

func activate(want int, names ...string) func(*desk) {
	return func(d *desk) {
		var pods []*outrank.Pod
		for _, name := range names {
			pods = append(pods, waiting(name))
		}
		require.Equal(d, want, d.q.Activate(pods...))
	}
}

func flush(want int) func(*desk) {
	return func(d *desk) { require.Equal(d, want, d.q.Flush(d.now)) }
}

// ready asks for NextReady, in seconds after noon; negative is never.
func ready(want float64) func(*desk) {
	return func(d *desk) {
		got, ok := d.q.NextReady(d.now)
		require.Equal(d, want >= 0, ok)
		if ok {
			require.Equal(d, want, got.Sub(noon).Seconds())
		}
	}
}

const fit = "NodeResourcesFit"

func fresh(t *testing.T) *desk {
	q, err := New(Config{})
	require.NoError(t, err)
	return &desk{T: t, q: q}
}

// seeker is a pending pod that waits for a neighbour called x.
func seeker(change func(p *outrank.Pod)) *outrank.Pod {
	p := &outrank.Pod{Name: "seeker", UID: "1"}
	p.Affinity.PodAffinity = []outrank.PodAffinityTerm{{LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "x"}}}}
	change(p)
	return p
}

func asWas(*outrank.Pod)          {}
func nominatedNow(p *outrank.Pod) { p.NominatedNodeName = "n1" }
func urgentNow(p *outrank.Pod)    { p.Priority = outrank.Priority(7) }

// fill puts something other than the zero value into a field.
func fill(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		v.Set(reflect.ValueOf("x"))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("x")
	case reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if v.Elem().Kind() != reflect.Struct {
			fill(t, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(noon))
			return
		}
		fill(t, v.Field(0))
	default:
		t.Fatalf("no value of type %v", v.Type())
	}
}
