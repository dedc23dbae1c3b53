package devices

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/filtertest"
	"github.com/outrank-go/outrank/resource"
)

func node(name string, gpus int64) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.List{
		"cpu": resource.MustParse("64"), "pods": resource.MustParse("110"), workload.GPU: resource.New(gpus * Whole),
	}}
}

func pod(name string, milli int64, priority int32) *outrank.Pod {
	return &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Containers: []outrank.Container{
		{Name: "main", Requests: resource.List{"cpu": resource.MustParse("1"), workload.GPU: resource.New(milli)}},
	}}
}

func TestDemandOf(t *testing.T) {
	for milli, want := range map[int64]Demand{
		0: {}, -5: {}, 1: {1, 1}, 470: {1, 470}, 1000: {1, 1000}, 1500: {2, 750}, 2000: {2, 1000}, 2001: {3, 667}, 8000: {8, 1000},
	} {
		assert.Equal(t, want, DemandOf(pod("p", milli, 0)), "%d", milli)
	}
}

// A share goes to the fullest device that has room, whole ones to free devices alone, and who
// has left has left once.
func TestTable(t *testing.T) {
	table := New([]*outrank.Node{node("n", 3)})
	bind := func(name string, milli int64) bool {
		return table.Bind(outrank.Key(name), DemandOf(pod(name, milli, 0)), "n")
	}
	require.True(t, bind("a", 600))
	require.True(t, bind("b", 600))
	require.True(t, bind("c", 400))
	assert.Equal(t, room{0, 400, 1000}, table.nodes["n"])
	require.True(t, bind("d", 1000))
	assert.False(t, bind("e", 1000), "the emptiest it is")
	assert.Equal(t, room{0, -600, 0}, table.nodes["n"])
	assert.Zero(t, table.nodes["n"].free())
	table.Leave("e")
	table.Leave("e")
	table.Leave("nobody")
	assert.Equal(t, room{0, 400, 0}, table.nodes["n"])
	assert.True(t, bind("f", 0), "who asks for nothing")
}

// placed puts pods on a node by themselves, whose devices the table knows.
func placed(t require.TestingT, table *Table, n *outrank.Node, milli ...int64) []*outrank.Pod {
	var pods []*outrank.Pod
	for i, m := range milli {
		p := pod(fmt.Sprintf("%s-%d", n.Name, i), m, 0)
		p.NodeName = n.Name
		table.Bind(p.Key(), DemandOf(p), n.Name)
		pods = append(pods, p)
	}
	return pods
}

// decide asks for a plan, with the filter or without.
func decide(t require.TestingT, c *outrank.Cluster, p *outrank.Pod, filters ...*preemption.Filter) *preemption.Plan {
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{Filters: filters})
	require.NoError(t, err)
	plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p})
	require.NoError(t, err)
	return plan
}

// Four pods with 600 thousandths each leave 1,600 of four GPUs: as an amount room for a whole
// one, as devices for none, so that one of them has to leave.
func TestWholeGPUNeedsADevice(t *testing.T) {
	n := node("n", 4)
	table := New([]*outrank.Node{n})
	c := &outrank.Cluster{Nodes: []*outrank.Node{n}, Pods: placed(t, table, n, 600, 600, 600, 600)}
	require.Equal(t, room{400, 400, 400, 400}, table.nodes["n"])
	assert.Equal(t, preemption.Fits, decide(t, c, pod("whole", 1000, 5)).Outcome)
	plan := decide(t, c, pod("whole", 1000, 5), Filter(table))
	require.Equal(t, preemption.Preempts, plan.Outcome)
	assert.Len(t, plan.Victims, 1)
	assert.Equal(t, preemption.Fits, decide(t, c, pod("share", 400, 5), Filter(table)).Outcome)
	assert.NotEqual(t, preemption.Fits, decide(t, c, pod("five", 5000, 5), Filter(table)).Outcome)
}

// Room is kept for a pod of higher priority that is nominated: of two GPUs, one of which has a
// pod with 300 thousandths, it is to have 800 of the other. The 900 that are left are on two.
func TestNominatedPodsKeepRoom(t *testing.T) {
	n := node("n", 2)
	table := New([]*outrank.Node{n})
	waiting := pod("waiting", 800, 9)
	waiting.NominatedNodeName = "n"
	c := &outrank.Cluster{Nodes: []*outrank.Node{n}, Pods: append(placed(t, table, n, 300), waiting)}
	outcome := func(milli int64, priority int32) preemption.Outcome {
		return decide(t, c, pod("p", milli, priority), Filter(table)).Outcome
	}
	assert.Equal(t, preemption.Fits, outcome(700, 5), "beside the small one")
	assert.NotEqual(t, preemption.Fits, outcome(800, 5))
	assert.Equal(t, preemption.Fits, outcome(800, 10), "the nominated one is of lower priority")
}

// The filter keeps its contract.
func TestFilterKeepsItsContract(t *testing.T) {
	table := &Table{}
	err := filtertest.Check(Filter(table), filtertest.Options{Prepare: func(c *outrank.Cluster, p *outrank.Pod) {
		for i, n := range c.Nodes {
			n.Allocatable[workload.GPU] = resource.New(int64(i%3) * Whole)
		}
		*table = *New(c.Nodes)
		for i, running := range c.Pods {
			if i%3 > 0 && len(running.Containers) > 0 {
				running.Containers[0].Requests[workload.GPU] = resource.New(int64(200 + 300*(i%5)))
			}
			if i%4 > 0 && running.NodeName != "" && table.nodes[running.NodeName] != nil {
				table.Bind(running.Key(), DemandOf(running), running.NodeName)
			}
		}
		p.Containers[0].Requests[workload.GPU] = resource.New(700)
	}})
	require.NoError(t, err)
}

// Of any pods that came one by one where the filter let them, none is without room, and all
// who leave give back what they had.
func TestPropertyFilterKeepsRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := node("n", rapid.Int64Range(1, 4).Draw(t, "gpus"))
		table := New([]*outrank.Node{n})
		var on []*outrank.Pod
		for i := range rapid.IntRange(1, 12).Draw(t, "pods") {
			p := pod(fmt.Sprintf("p%d", i), rapid.SampledFrom([]int64{100, 300, 500, 700, 1000, 2000}).Draw(t, "asks"), 0)
			if decide(t, &outrank.Cluster{Nodes: []*outrank.Node{n}, Pods: on}, p, Filter(table)).Outcome == preemption.Fits {
				p.NodeName = "n"
				require.True(t, table.Bind(p.Key(), DemandOf(p), "n"))
				on = append(on, p)
			}
		}
		for _, p := range on {
			table.Leave(p.Key())
		}
		require.Equal(t, roomOf(n), table.nodes["n"])
	})
}

func tasks(pods ...*outrank.Pod) []workload.Item {
	var items []workload.Item
	for _, p := range pods {
		items = append(items, workload.Item{Pod: p})
	}
	return items
}

// Two GPUs, of which 600 and 1,000 thousandths are free, and four tasks that come equally
// often: one wants half of a GPU, which both have; one a whole GPU, for which the 600 are a
// fragment; one more cores than are free and one no GPU, for which all is.
func TestFragmentsByHand(t *testing.T) {
	n := node("n", 2)
	table := New([]*outrank.Node{n})
	many := pod("many", 100, 0)
	many.Containers[0].Requests["cpu"] = resource.MustParse("64")
	f := NewFragments(table, []*outrank.Node{n}, tasks(pod("half", 500, 0), pod("whole", 1000, 0), many, pod("none", 0, 0)))
	assert.InDelta(t, 500, f.lost, 1e-9, "of two free ones all for one task of four")
	table.Bind("x", Demand{1, 400}, "n")
	f.Changed(10*time.Second, "n", -1000)
	assert.InDelta(t, (0+600+1600+1600)/4.0, f.lost, 1e-9)
	f.Hold(30 * time.Second)
	share, ok := f.Share()
	require.True(t, ok)
	assert.InDelta(t, (10*500+20*950)/(10*2000+20*1600.0), share, 1e-12)
}

// A node of another model is nothing for a task that names one.
func TestFragmentsOfOtherModels(t *testing.T) {
	n := node("n", 1)
	n.Labels = map[string]string{workload.ModelLabel: "T4"}
	asks := func(models ...string) *outrank.Pod {
		p := pod("p", 500, 0)
		p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
			MatchExpressions: []outrank.NodeRequirement{{Key: workload.ModelLabel, Operator: outrank.In, Values: models}},
		}}}
		return p
	}
	nodes := []*outrank.Node{n}
	assert.Zero(t, NewFragments(New(nodes), nodes, tasks(asks("P100", "T4"))).lost)
	assert.Equal(t, 1000.0, NewFragments(New(nodes), nodes, tasks(asks("P100"))).lost)
	_, ok := NewFragments(New(nil), nil, nil).Share()
	assert.False(t, ok)
}
