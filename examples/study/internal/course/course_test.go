package course

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/resource"
)

func object(name string, priority int32, cpu string) *outrank.Pod {
	return &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Containers: []outrank.Container{
		{Name: "main", Requests: resource.MustList("cpu", cpu)},
	}}
}

// On four cores batch has two for 40 s, is evicted at 50 s, and gone at 60 s, 30 s after it was
// bound. It is made anew, and runs from 100 s to 140 s. web has four cores from 60 s to 90 s; of
// late, which never ends, 10 s of one core are seen.
func TestFiguresByHand(t *testing.T) {
	node := &outrank.Node{Name: "n", Allocatable: resource.MustList("cpu", "4")}
	batch, web, late := object("batch", 0, "2"), object("web", 10, "4"), object("late", 0, "1")
	c := New([]*outrank.Node{node}, []workload.Item{
		{Pod: batch, Arrival: 20 * time.Second, Duration: 40 * time.Second},
		{Pod: web, Arrival: 50 * time.Second, Duration: 30 * time.Second},
		{Pod: late, Arrival: 140 * time.Second, Endless: true},
	}, 10*time.Second)
	c.Bound(30*time.Second, batch, node)
	c.Evicted(50*time.Second, batch, nil)
	c.Evicted(55*time.Second, batch, nil) // it goes when it was told
	c.Bound(60*time.Second, web, node)
	anew := object("batch-r1", 0, "2")
	c.Bound(100*time.Second, anew, node)
	c.Evicted(135*time.Second, anew, nil) // its work is done before its grace is over
	c.Bound(140*time.Second, late, node)
	c.Bound(140*time.Second, object("another", 0, "1"), node) // none of the trace
	figures := map[string]float64{}
	c.Figures(150*time.Second, figures)
	want := map[string]float64{
		"completionMean/0": 120, "completionMean/10": 40, "completionMean": 80,
		"slowdownMean/0": 3, "slowdownMean/10": 4.0 / 3, "slowdownMean": 13.0 / 6,
		"fairness/0": 1, "fairness/10": 1, "fairness": (13.0 / 3) * (13.0 / 3) / 2 / (9 + 16.0/9),
		"useCPU/0": 100 * (60 + 80 + 10) / 600.0, "useCPU/10": 100 * 120 / 600.0,
		"goodputCPU": 100 * (80 + 10 + 120) / 600.0,
	}
	assert.Len(t, figures, len(want), figures)
	for name, v := range want {
		assert.InDelta(t, v, figures[name], 1e-9, name)
	}
}

// A policy that gives less time has a pod go sooner, also one that was told before.
func TestGraceOfThePolicy(t *testing.T) {
	node := &outrank.Node{Name: "n", Allocatable: resource.MustList("cpu", "1")}
	p := object("p", 0, "1")
	c := New([]*outrank.Node{node}, []workload.Item{{Pod: p, Duration: time.Hour}}, time.Minute)
	c.Bound(0, p, node)
	c.Evicted(10*time.Second, p, nil)
	c.Evicted(20*time.Second, p, new(time.Duration))
	figures := map[string]float64{}
	c.Figures(100*time.Second, figures)
	assert.InDelta(t, 20, figures["useCPU/0"], 1e-9)
	assert.Zero(t, figures["goodputCPU"])
}

// What is small counts as ten seconds, and nothing is faster than itself.
func TestSlowdownIsBounded(t *testing.T) {
	node := &outrank.Node{Name: "n", Allocatable: resource.MustList("cpu", "1")}
	p, q := object("p", 1, "0"), object("q", 2, "0")
	c := New([]*outrank.Node{node}, []workload.Item{{Pod: p, Duration: time.Second}, {Pod: q, Duration: time.Second}}, 0)
	c.Bound(0, p, node)
	c.Bound(19*time.Second, q, node)
	figures := map[string]float64{}
	c.Figures(time.Minute, figures)
	assert.Equal(t, 1.0, figures["slowdownMean/1"])
	assert.Equal(t, 2.0, figures["slowdownMean/2"])
}
