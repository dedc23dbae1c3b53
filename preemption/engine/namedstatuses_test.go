package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/internal/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/search"
)

// Statuses by name are those in order, whatever map was read before, while nodes come and
// go, and with as many different statuses as there are nodes.
func TestStatusesByNameAreThoseInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	c, p := gen.Benchmark(600, 3, 2)
	snap, err := NewSnapshot(c)
	require.NoError(t, err)
	spare := c.Nodes[:20]
	evals := []*Evaluator{}
	for i, config := range []preemption.Config{{}, {Ranks: []preemption.Rank{preemption.ByVictims, preemption.ByStart}}, {}, {Sample: &preemption.Sample{}}} {
		e, err := New(config)
		require.NoError(t, err)
		if i == 2 {
			e = e.Parallel(3)
		}
		e.chunk = 16
		evals = append(evals, e)
	}
	given := map[string]preemption.Status{}
	for round := range 60 {
		switch r.IntN(4) {
		case 0: // another map, in another order
			given = map[string]preemption.Status{}
			for n := range snap.Nodes() {
				if r.IntN(20) > 0 {
					given[n.Name] = drawStatus(r, round)
				}
			}
		case 1:
			n := spare[r.IntN(len(spare))]
			if _, ok := snap.Node(n.Name); ok {
				err = snap.RemoveNode(n.Name)
				delete(given, n.Name)
			} else {
				err = snap.PutNode(n)
			}
			require.NoError(t, err)
		case 2:
			snap = snap.Clone()
		}
		for name := range given {
			if r.IntN(50) == 0 {
				given[name] = drawStatus(r, round)
			}
		}
		inOrder := []preemption.Status{}
		for n := range snap.Nodes() {
			st, ok := given[n.Name]
			if !ok {
				st = new(dryrun.Terms).NotFiltered()
			}
			inOrder = append(inOrder, st)
		}
		e := evals[r.IntN(len(evals))]
		want, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now, StatusesInOrder: inOrder})
		require.NoError(t, err)
		for range 3 {
			got, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now, Statuses: given})
			require.NoError(t, err)
			require.Empty(t, testdiff.Diff(want, got), "(-in order +by name)")
		}
	}
}

// drawStatus draws one of few statuses, or one like no other.
func drawStatus(r *rand.Rand, round int) preemption.Status {
	switch r.IntN(8) {
	case 0:
		return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Filter: "Licences", Reasons: []string{"none left"}}
	case 1:
		return preemption.Status{Code: preemption.Unschedulable, ExcludedBy: preemption.NodeAffinity}
	case 2:
		return preemption.Unschedulable.Because(fmt.Sprint("round ", round, " ", r.IntN(1000)))
	}
	return preemption.Status{Code: preemption.Unschedulable, Filter: preemption.NodeResourcesFit, Reasons: []string{"Insufficient cpu"}}
}

// The first unknown name by the alphabet is the one that the error has, however the map
// gives them, and nothing of it is left in the next answer.
func TestUnknownNameOfAStatus(t *testing.T) {
	c, p := gen.Benchmark(50, 3, 2)
	snap, err := NewSnapshot(c)
	require.NoError(t, err)
	e, err := New(preemption.Config{})
	require.NoError(t, err)
	given := map[string]preemption.Status{}
	for n := range snap.Nodes() {
		given[n.Name] = preemption.Status{Code: preemption.Unschedulable}
	}
	want, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now, Statuses: given})
	require.NoError(t, err)
	bad := maps.Clone(given)
	for _, name := range []string{"zebra", "ghost", "yak", "node"} {
		bad[name] = preemption.Status{}
	}
	for range 10 {
		_, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now, Statuses: bad})
		require.ErrorIs(t, err, preemption.ErrNotFound)
		require.ErrorContains(t, err, "status of node ghost:")
		for _, err = range e.Candidates(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now, Statuses: bad}) {
			break
		}
		require.ErrorContains(t, err, "status of node ghost:")
		got, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now, Statuses: given})
		require.NoError(t, err)
		require.Empty(t, testdiff.Diff(want, got))
	}
	empty, err := NewSnapshot(nil)
	require.NoError(t, err)
	_, err = e.Preempt(context.Background(), empty, preemption.Request{Pod: p, Now: gen.Now, Statuses: map[string]preemption.Status{"n": {}}})
	require.True(t, errors.Is(err, preemption.ErrNotFound))
}

// A map that was read before is read by guess, another one is not, and the guesses are
// those of the last one.
func TestNamesAreGuessed(t *testing.T) {
	c := &outrank.Cluster{}
	for i := range 3000 {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: fmt.Sprint("n", i)})
	}
	snap, err := NewSnapshot(c)
	require.NoError(t, err)
	fresh := func() map[string]preemption.Status {
		given := map[string]preemption.Status{}
		for n := range snap.Nodes() {
			given[n.Name] = preemption.Status{Code: preemption.Unschedulable}
		}
		return given
	}
	snap.of.Names.Load(snap.of.NodeStates, snap.of.Order)
	var x search.NamedStatuses
	for range 2 {
		given := fresh()
		require.True(t, x.Read(snap.of.Names, given, new(dryrun.Terms).NotFiltered()))
		require.Less(t, x.Guessed, 1500)
		for range 3 {
			require.True(t, x.Read(snap.of.Names, given, new(dryrun.Terms).NotFiltered()))
			require.Greater(t, x.Guessed, 2900)
		}
		require.Len(t, x.List, 2, "all statuses are one")
	}
}
