package sim

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// A score sees the level of every resource, also of one that came with a later node, and the value of
// the node.
func TestChoiceHasEveryResource(t *testing.T) {
	const gpu, late resource.Name = "example.com/gpu", "example.com/late"
	seen := map[string]map[resource.Name]Level{}
	rate := func(c *Choice) int64 {
		levels := map[resource.Name]Level{}
		for _, name := range c.Resources() {
			levels[name] = c.Level(name)
		}
		seen[c.Pod.Name+" on "+c.Node.Name] = levels
		require.Equal(t, Level{}, c.Level("example.com/none"))
		require.Equal(t, "value of "+c.Node.Name, c.Node.Value)
		return c.Level(gpu).Used
	}
	offering := func(name, list string) *outrank.Node {
		n := node(name, "4")
		n.Allocatable[resource.Name(list)], n.Value = resource.New(8), "value of "+name
		return n
	}
	pod := func(name string, gpus int64) *outrank.Pod {
		p := asking(name, 0, "1")
		p.Containers[0].Requests[gpu] = resource.New(gpus)
		return p
	}
	config := Config{Schedulers: []Scheduler{{Score: rate}}}
	w := watched(t, nodes(offering("n1", string(gpu)), offering("n2", string(gpu))), []Work{endless(pod("a", 3), 0), endless(pod("b", 2), 10)}, config)
	w.at(10, map[string]Place{"a": {Phase: Running, Node: "n1"}, "b": {Phase: Running, Node: "n1"}})
	memory := Level{0, 8 << 30}
	require.Equal(t, map[resource.Name]Level{"cpu": {2000, 4000}, "memory": memory, "pods": {2, 110}, gpu: {5, 8}}, seen["b on n1"])
	require.Equal(t, map[resource.Name]Level{"cpu": {1000, 4000}, "memory": memory, "pods": {1, 110}, gpu: {2, 8}}, seen["b on n2"])

	third := asking("c", 0, "1")
	require.NoError(t, w.s.At(seconds(20), AddNode(offering("n3", string(late)))))
	require.NoError(t, w.s.At(seconds(30), AddPod(endless(third, 0))))
	w.at(30, nil)
	require.Equal(t, Level{0, 8}, seen["c on n3"][late])
}

// firstTotal is a scorer that gives the node of a name the highest total.
type firstTotal struct {
	name  string
	err   error
	short bool
}

func (f *firstTotal) Score(_ context.Context, _ *engine.Snapshot, _ *outrank.Pod, nodes []*outrank.Node) (*score.Ranking, error) {
	r := &score.Ranking{Totals: make([]int64, len(nodes))}
	for i, n := range nodes {
		r.Totals[i] = int64(one(n.Name == f.name))
	}
	if f.short {
		r.Totals = r.Totals[1:]
	}
	return r, f.err
}

// A scorer picks in place of the score; its errors end the run.
func TestScorerPicks(t *testing.T) {
	cluster := nodes(node("n1", "4"), node("n2", "4"), node("n3", "4"))
	play := func(f *firstTotal) (*watch, error) {
		s, err := New(cluster, []Work{endless(asking("p", 0, "1"), 0)}, Config{Schedulers: []Scheduler{{Scorer: f}}})
		require.NoError(t, err)
		return &watch{TestingT: t, s: s}, s.Until(t.Context(), 0)
	}
	w, err := play(&firstTotal{name: "n2"})
	require.NoError(t, err)
	require.Equal(t, "n2", w.s.Where("default/p").Node)
	failed := errors.New("no answer")
	_, err = play(&firstTotal{err: failed})
	require.ErrorIs(t, err, failed)
	require.ErrorContains(t, err, "default/p")
	_, err = play(&firstTotal{short: true})
	require.ErrorIs(t, err, outrank.ErrInvalid)

	both := Config{Schedulers: []Scheduler{{Score: MostAllocated, Scorer: &score.Scorer{}}}}
	require.ErrorContains(t, both.Validate(), "Score and Scorer are both set")
}

// The zero scorer of package score places pods where the default profile does, one by one and in a
// gang: away from a node that it prefers not to take.
func TestScorerOfKubeScheduler(t *testing.T) {
	n1, n2 := node("n1", "4"), node("n2", "4")
	n1.Taints = []outrank.Taint{{Key: "old", Effect: outrank.PreferNoSchedule}}
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	for name, gang := range map[string]string{"alone": "", "in a gang": "g"} {
		t.Run(name, func(t *testing.T) {
			cluster := nodes(n1, n2)
			cluster.Release = release
			if gang != "" {
				cluster.Groups = []*outrank.PodGroup{{Name: gang, Policy: outrank.GangPolicy, MinCount: 2}}
			}
			a, b := asking("a", 0, "1"), asking("b", 0, "1")
			a.Group, b.Group = gang, gang
			work := []Work{endless(a, 0), endless(b, 0)}
			w := watched(t, cluster, work, Config{Schedulers: []Scheduler{{Scorer: &score.Scorer{}}}})
			w.at(0, map[string]Place{"a": {Phase: Running, Node: "n2"}, "b": {Phase: Running, Node: "n2"}})
			w = watched(t, cluster, work, Config{})
			w.at(0, map[string]Place{"a": {Phase: Running, Node: "n1"}, "b": {Phase: Running, Node: "n2"}})
		})
	}
}
