package gen

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/tests/clusters"
	"github.com/outrank-go/outrank/internal/tests/draw"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// recorder notes the numbers of others, in the order in which they are asked for.
type recorder struct {
	draw.Numbers
	list *[]int
}

type recordedSource struct {
	draw.Source
	list *[]int
}

func (r recorder) Of(sort string, index int) draw.Source {
	return recordedSource{r.Numbers.Of(sort, index), r.list}
}

func (s recordedSource) Int(label string, least, most int) int {
	n := s.Source.Int(label, least, most)
	*s.list = append(*s.list, n)
	return n
}

// player gives the numbers of a list one after the other, whatever they are for.
type player struct{ rest *[]int }

func (p player) Of(string, int) draw.Source { return p }

func (p player) Int(string, int, int) int {
	n := (*p.rest)[0]
	*p.rest = (*p.rest)[1:]
	return n
}

// A cluster and a preemptor are drawn from rapid's numbers alone: a plain source that gives the
// same ones draws the same.
func TestTheNumbersOfRapidDrawTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []int
		from := recorder{numbers{t}, &list}
		shape := Full().cluster(from.Of("", 0))
		cluster, pod := clusters.Cluster(shape, from), clusters.Preemptor(shape, from)

		again := player{&list}
		if got := Full().cluster(again); !reflect.DeepEqual(shape, got) {
			t.Fatalf("another shape from the same numbers")
		}
		if got := clusters.Cluster(shape, again); !reflect.DeepEqual(cluster, got) {
			t.Fatalf("another cluster from the same numbers")
		}
		if got := clusters.Preemptor(shape, again); !reflect.DeepEqual(pod, got) {
			t.Fatalf("another preemptor from the same numbers")
		}
		if len(list) > 0 {
			t.Fatalf("%d numbers are left", len(list))
		}
	})
}

// What package clustergen draws from a seed, this package draws from the seed's numbers, given one
// after the other as rapid gives them.
func TestTheNumbersOfASeedDrawTheSame(t *testing.T) {
	// Package clustergen makes this of its full shape.
	shape := Full().asking(player{&[]int{7, 7}})
	shape.Nodes, shape.Least, shape.Most, shape.Kinds, shape.Layouts, shape.Apart = 5, 3, 6, 4, 3, 3
	shape.Budgets, shape.Nominated, shape.Fill, shape.Starts, shape.OwnPriority = 4, 4, 95, 3, 1
	for seed := range uint64(200) {
		var list []int
		from := recorder{draw.Seeded(seed), &list}

		want, err := clustergen.Cluster(clustergen.Full(), seed)
		require.NoError(t, err)
		clusters.Cluster(shape, from)
		require.Equal(t, want, clusters.Cluster(shape, player{&list}), "seed %d", seed)

		wantPods, err := clustergen.PreemptorGroup(clustergen.Full(), seed)
		require.NoError(t, err)
		clusters.PreemptorGroup(shape, from, true)
		require.Equal(t, wantPods, clusters.PreemptorGroup(shape, player{&list}, true), "seed %d", seed)
		assert.Empty(t, list)
	}
}
