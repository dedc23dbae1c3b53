package sim_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/preemption"
)

func decidedWork() []sim.Work {
	return []sim.Work{
		{Pod: asking("batch", 0, "3"), Duration: time.Hour},
		{Pod: asking("web", 100, "2"), Arrival: time.Minute, Duration: 10 * time.Minute},
		{Pod: asking("late", 100, "1"), Arrival: 2 * time.Minute, Duration: 10 * time.Minute},
	}
}

// Plans are shown before they are carried out, and an error ends the run.
func TestDecided(t *testing.T) {
	cluster := &outrank.Cluster{Nodes: []*outrank.Node{offering("n1", "4")}}
	var seen []string
	stop := errors.New("stop")
	var end error
	config := sim.Config{Decided: func(d sim.Decision) error {
		require.Nil(t, d.Group)
		require.NoError(t, d.Evaluator.Verify(context.Background(), d.Snapshot, d.Plan), "nothing has happened yet")
		seen = append(seen, d.Plan.Pod.Name+" "+d.Plan.Node+" "+d.Plan.Victims[0].Pod.Name)
		return end
	}}
	run, err := sim.New(cluster, decidedWork(), config)
	require.NoError(t, err)
	result, err := run.Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"web n1 batch"}, seen)
	assert.Equal(t, 1, result.Preemption.Preemptions)

	end = stop
	run, err = sim.New(cluster, decidedWork(), config)
	require.NoError(t, err)
	result, err = run.Run(t.Context())
	require.ErrorIs(t, err, stop)
	assert.Zero(t, result.Preemption.Preemptions)
}

// counting returns a filter that lets every pod through, and counts the states of the
// cluster that are made.
func counting(states *int) *preemption.Filter {
	tracker := &preemption.Tracker{New: func() preemption.ClusterState {
		*states++
		return nothing{}
	}}
	return &preemption.Filter{Name: "Counting", Start: func(_ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		view.Tracked(tracker)
		return free{}, nil
	}}
}

type nothing struct{}

func (nothing) Clone() preemption.ClusterState     { return nothing{} }
func (nothing) Add(*outrank.Pod, *outrank.Node)    {}
func (nothing) Remove(*outrank.Pod, *outrank.Node) {}

type free struct{}

func (free) Clone() preemption.FilterState         { return free{} }
func (free) Check(*outrank.Node) preemption.Status { return preemption.Status{} }
func (free) Add(*outrank.Pod, *outrank.Node)       {}
func (free) Remove(*outrank.Pod, *outrank.Node)    {}

// What a filter tracks is counted once in a run.
func TestFiltersAreTracked(t *testing.T) {
	states := 0
	cluster := &outrank.Cluster{Nodes: []*outrank.Node{offering("n1", "4")}}
	config := sim.Config{Schedulers: []sim.Scheduler{{Preemption: preemption.Config{Filters: []*preemption.Filter{counting(&states)}}}}}
	run, err := sim.New(cluster, decidedWork(), config)
	require.NoError(t, err)
	_, err = run.Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, states)
}
