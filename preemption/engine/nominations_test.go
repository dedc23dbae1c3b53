package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// The profiles of one scheduler share their nominations: what a pod of one profile was
// promised is not promised to a pod of another one, whichever of them asks (rule 7.16.3).
func TestProfilesShareNominations(t *testing.T) {
	first := pod("first", 100, "1", nominated("n1"), scheduledBy("a"))
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "z"), node("n2", "0", "z")},
		Pods:  []*outrank.Pod{pod("low", 0, "1", on("n1")), first},
	}
	snap := newSnapshot(t, c)
	tests := []struct {
		schedulers []string
		want       preemption.Outcome
		why        string
	}{
		{nil, preemption.NothingHelps, "every nomination counts"},
		{[]string{"a"}, preemption.NothingHelps, "the nominated pod's scheduler is named"},
		{[]string{"b", "a"}, preemption.NothingHelps, "both are profiles of one scheduler"},
		{[]string{"b"}, preemption.Preempts, "the nominated pod is another scheduler's"},
		{[]string{outrank.DefaultScheduler}, preemption.Preempts, "it is not one of the default scheduler, either"},
	}
	for range 3 { // from the second time on the cache of the snapshot knows answers
		for _, test := range tests {
			e := newEvaluator(t, preemption.Config{Profile: preemption.Profile{Schedulers: test.schedulers}})
			for _, asks := range []string{"a", "b", ""} {
				plan, err := e.Preempt(t.Context(), snap, preemption.Request{Pod: pod("second", 100, "1", scheduledBy(asks)), Now: gen.Now})
				require.NoError(t, err)
				assert.Equal(t, test.want, plan.Outcome, "%q asks, %v share: %s", asks, test.schedulers, test.why)
			}
		}
	}
}

// A plan takes the nominations away that count, and no others.
func TestOtherSchedulersKeepTheirNominations(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "z")}, Pods: []*outrank.Pod{
		pod("low", 0, "1", on("n1")),
		pod("a", 5, "0", nominated("n1"), scheduledBy("a")), pod("b", 6, "0", nominated("n1"), scheduledBy("b")), pod("default", 7, "0", nominated("n1")),
	}}
	for _, test := range []struct {
		schedulers []string
		want       []string
	}{
		{nil, []string{"default/default", "default/b", "default/a"}},
		{[]string{"a", outrank.DefaultScheduler}, []string{"default/default", "default/a"}},
		{[]string{"c"}, nil},
	} {
		e, snap := newEvaluator(t, preemption.Config{Profile: preemption.Profile{Schedulers: test.schedulers}}), newSnapshot(t, c)
		plan, err := e.Preempt(t.Context(), snap, preemption.Request{Pod: pod("asks", 100, "1"), Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, test.want, keys(plan.ClearedNominations), "%v", test.schedulers)
	}
}

// Nothing is kept for a pod that is being deleted, and it loses no nomination: nobody will
// place it (rule 7.16.6).
func TestNominationsOfPodsThatAreBeingDeleted(t *testing.T) {
	deleted := func(p *outrank.Pod) { p.DeletionTimestamp = gen.Now }
	for _, test := range []struct {
		with    with
		outcome preemption.Outcome
	}{{nothing, preemption.NothingHelps}, {deleted, preemption.Fits}} {
		c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "z")}, Pods: []*outrank.Pod{pod("first", 100, "1", nominated("n1"), test.with)}}
		assert.Equal(t, test.outcome, preempt(t, c, pod("second", 100, "1")).Outcome)
	}
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "z")}, Pods: []*outrank.Pod{
		pod("low", 0, "1", on("n1")), pod("stays", 5, "0", nominated("n1")), pod("goes", 5, "0", nominated("n1"), deleted),
	}}
	assert.Equal(t, []string{"default/stays"}, keys(preempt(t, c, pod("asks", 100, "1")).ClearedNominations))
}

func TestSchedulersHaveNames(t *testing.T) {
	_, err := engine.New(preemption.Config{Profile: preemption.Profile{Schedulers: []string{"a", ""}}})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "Schedulers[1]: empty")
}
