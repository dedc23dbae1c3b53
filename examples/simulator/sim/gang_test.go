package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// withGroups is v1.37 with groups.
func withGroups(t require.TestingT) outrank.Release {
	r, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	return r
}

// drawGangs makes gangs of some of the pods of a scene.
func drawGangs(t *rapid.T, c *scene) {
	c.cluster.Release, c.config.Discipline = withGroups(t), PriorityQueue
	c.config.Schedulers[0].Preemption.Variant = 0
	c.config.Recreate.Change = nil
	for i := range rapid.IntRange(1, 3).Draw(t, "gangs") {
		g := &outrank.PodGroup{
			Name: fmt.Sprintf("g%d", i), Priority: pick(t, "gang's priority", outrank.Priority(0), outrank.Priority(10), outrank.Priority(100)),
			Policy:         pick(t, "gang's policy", outrank.GangPolicy, outrank.GangPolicy, outrank.BasicPolicy),
			DisruptionMode: pick(t, "mode", outrank.DisruptPodGroup, outrank.DisruptPodGroup, outrank.DisruptPod),
		}
		policy := pick(t, "gang's preemption", "", "", outrank.PreemptNever)
		for j := range c.work {
			if c.work[j].Pod.Group == "" && rapid.IntRange(0, 3).Draw(t, "in the gang") == 0 {
				pod := *c.work[j].Pod
				pod.Group, pod.Priority, pod.PreemptionPolicy = g.Name, g.Priority, policy
				c.work[j].Pod = &pod
				g.MinCount++
			}
		}
		if g.Policy == outrank.BasicPolicy {
			g.MinCount = 0
		} else {
			g.MinCount = max(g.MinCount-int32(rapid.IntRange(0, 1).Draw(t, "fewer")), 1)
		}
		c.cluster.Groups = append(c.cluster.Groups, g)
	}
}

// The rules for single pods hold beside gangs, and gangs are whole.
func TestPropertyGangs(t *testing.T) {
	evictions, placed, preempted := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := drawScene(t)
		drawGangs(t, c)
		w := c.watched(t)
		r := w.s.Result()
		require.Equal(t, w.evicted-w.causes[Drained], r.Preemption.Evictions)
		require.LessOrEqual(t, r.Gangs.Placed, r.Gangs.Arrived)
		evictions += w.evicted
		placed += r.Gangs.Placed
		preempted += r.Gangs.Preempted

		again := c.watched(t)
		require.Equal(t, w.log(), again.log(), "the same input gives the same events")
	})
	t.Logf("%d evictions, %d gangs placed, %d preempted", evictions, placed, preempted)
	require.Positive(t, placed, "nothing was tested")
	if !testing.Short() { // few draws may have no eviction; a gang's is TestGangIsPushedOutAndComesBack
		require.Positive(t, evictions, "nothing was tested")
	}
}

func gangWork(name, group string, priority int32, cores int64, duration time.Duration) Work {
	return Work{Pod: &outrank.Pod{
		Name: name, Group: group, Priority: outrank.Priority(priority),
		Containers: []outrank.Container{{Requests: resource.List{resource.CPU: resource.New(cores)}}},
	}, Duration: duration}
}

// A gang is pushed out by another one as a whole, is made anew and waits together, also
// after one of its pods has come to its end.
func TestGangIsPushedOutAndComesBack(t *testing.T) {
	node := func(name string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.List{resource.CPU: resource.New(2), resource.Pods: resource.New(9)}}
	}
	gang := func(name string, priority int32, least int32) *outrank.PodGroup {
		return &outrank.PodGroup{
			Name: name, UID: name, Priority: outrank.Priority(priority), Policy: outrank.GangPolicy, MinCount: least, DisruptionMode: outrank.DisruptPodGroup,
		}
	}
	cluster := &outrank.Cluster{
		Release: withGroups(t), Nodes: []*outrank.Node{node("n1"), node("n2")},
		Groups: []*outrank.PodGroup{gang("low", 0, 3), gang("high", 9, 2)},
	}
	work := []Work{
		gangWork("l1", "low", 0, 1, 10*time.Second), gangWork("l2", "low", 0, 1, 500*time.Second), gangWork("l3", "low", 0, 1, 500*time.Second),
		gangWork("h1", "high", 9, 2, 100*time.Second), gangWork("h2", "high", 9, 2, 100*time.Second),
	}
	work[3].Arrival, work[4].Arrival = 20*time.Second, 30*time.Second
	w := watched(t, cluster, work, Config{Recreate: Recreate{Rule: RecreateWhenGone}})
	w.run(1000)
	var log []string
	for _, e := range w.events {
		if e.Kind == Bound || e.Kind == Evicted || e.Kind == Ended {
			log = append(log, fmt.Sprintf("%gs %s %s on %s", e.Time.Seconds(), e.Kind, e.Pod.Name, e.Node))
		}
	}
	require.Equal(t, []string{
		"0s bind l1 on n1", "0s bind l2 on n2", "0s bind l3 on n1",
		"10s finish l1 on n1",
		"30s evict l2 on n2", "30s evict l3 on n1", // h1 alone was not enough of its gang
		"60s bind h1 on n1", "60s bind h2 on n2",
		"160s finish h1 on n1", "160s finish h2 on n2",
		"160s bind l2-r1 on n1", "160s bind l3-r1 on n2",
		"660s finish l2-r1 on n1", "660s finish l3-r1 on n2",
	}, log)
	r := w.s.Result()
	require.Equal(t, "&{2 2 0 1 0 1}", fmt.Sprint(r.Gangs))
	require.EqualValues(t, 2, r.Metrics.GroupVictims.Sum)
	require.Equal(t, "default/low", string(w.s.gangs.inOrder[0].group.Key()))
	require.EqualValues(t, 1, w.s.gangs.inOrder[0].group.MinCount)
	require.EqualValues(t, 3, cluster.Groups[0].MinCount, "what was given is only read")
}

// A pod of a gang goes where room was made for it, though another node that has got room meanwhile scores
// higher (rule 7.15.5).
func TestGangGoesWhereItIsNominated(t *testing.T) {
	node := func(name string, cores int64) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.List{resource.CPU: resource.New(cores), resource.Pods: resource.New(9)}}
	}
	cluster := &outrank.Cluster{
		Release: withGroups(t), Nodes: []*outrank.Node{node("large", 8), node("small", 2)},
		Groups: []*outrank.PodGroup{{Name: "g", Priority: outrank.Priority(9), Policy: outrank.GangPolicy, MinCount: 1}},
	}
	work := []Work{
		gangWork("equal", "", 9, 7, 50*time.Second), gangWork("low", "", 0, 2, 500*time.Second), gangWork("g1", "g", 9, 2, 100*time.Second),
	}
	work[2].Arrival = 20 * time.Second // the grace period ends when the pod on the large node does
	w := watched(t, cluster, work, Config{})
	w.run(1000)
	var log []string
	for _, e := range w.events {
		if e.Kind == Bound || e.Kind == Evicted || e.Kind == Ended {
			log = append(log, fmt.Sprintf("%gs %s %s on %s", e.Time.Seconds(), e.Kind, e.Pod.Name, e.Node))
		}
	}
	require.Equal(t, []string{
		"0s bind equal on large", "0s bind low on small", "20s evict low on small", "50s finish equal on large", "50s bind g1 on small", "150s finish g1 on small",
	}, log)
}

// A gang with enough pods in their places tries again at once with the others, which may
// push others out then. As long as enough of its pods can come again, its MinCount stays.
func TestGangTriesAgainWithTheRest(t *testing.T) {
	cluster := &outrank.Cluster{
		Release: withGroups(t),
		Nodes:   []*outrank.Node{{Name: "n1", Allocatable: resource.List{resource.CPU: resource.New(2), resource.Pods: resource.New(9)}}},
		Groups:  []*outrank.PodGroup{{Name: "g", Priority: outrank.Priority(9), Policy: outrank.GangPolicy, MinCount: 1}},
	}
	work := []Work{
		gangWork("low", "", 0, 1, 500*time.Second),
		gangWork("g1", "g", 9, 1, 10*time.Second), gangWork("g2", "g", 9, 1, 500*time.Second),
	}
	work[1].Arrival, work[2].Arrival = 20*time.Second, 20*time.Second
	w := watched(t, cluster, work, Config{})
	w.run(1000)
	var log []string
	for _, e := range w.events {
		if e.Kind == Bound || e.Kind == Evicted || e.Kind == Ended {
			log = append(log, fmt.Sprintf("%gs %s %s", e.Time.Seconds(), e.Kind, e.Pod.Name))
		}
	}
	require.Equal(t, []string{"0s bind low", "20s bind g1", "20s evict low", "30s finish g1", "30s bind g2", "530s finish g2"}, log)
	require.Same(t, cluster.Groups[0], w.s.gangs.inOrder[0].group)
}

// Without the gate pods of groups are single pods, and so they are in a FIFO.
func TestGroupsWithoutGangs(t *testing.T) {
	cluster := &outrank.Cluster{Groups: []*outrank.PodGroup{{Name: "g", Policy: outrank.GangPolicy, MinCount: 2}}}
	for _, r := range append(outrank.Releases(), withGroups(t)) {
		cluster.Release = r
		s, err := New(cluster, []Work{gangWork("a", "g", 0, 1, time.Second)}, Config{Discipline: FIFOQueue})
		require.NoError(t, err)
		require.Nil(t, s.gangs)
		result, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Nil(t, result.Gangs)
	}
	s, err := New(cluster, []Work{gangWork("a", "g", 0, 1, time.Second)}, Config{})
	require.NoError(t, err)
	_, err = s.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, "backoff", s.Where("default/a").Pool)
}

// A simulated scheduler places a group anywhere, so that a topology is an error where it
// would count (rule 12.9.14 of package preemption), and nothing where no gate lets it.
func TestGangWithTopologyIsRefused(t *testing.T) {
	with := func(gates ...string) outrank.Release {
		set := map[string]bool{}
		for _, gate := range gates {
			set[gate] = true
		}
		r, err := outrank.V1_37.With(set)
		require.NoError(t, err)
		return r
	}
	const topology = "TopologyAwareWorkloadScheduling"
	for _, x := range []struct {
		release outrank.Release
		want    []string
	}{
		{with("GenericWorkload"), nil},
		{with(topology), nil},
		{with("GenericWorkload", topology), []string{"podgroup default/gang: spec.schedulingConstraints.topology"}},
		{with("GenericWorkload", topology, "CompositePodGroup"), []string{
			"podgroup default/gang: spec.schedulingConstraints.topology", "compositepodgroup default/tree: spec.schedulingConstraints.topology",
		}},
	} {
		c := &outrank.Cluster{
			Release:    x.release,
			Groups:     []*outrank.PodGroup{{Name: "gang", Topology: []string{"rack"}}, {Name: "free"}},
			Composites: []*outrank.CompositePodGroup{{Name: "tree", Topology: []string{"zone"}}},
		}
		_, err := New(c, nil, Config{Discipline: PriorityQueue})
		if x.want == nil {
			require.NoError(t, err, x.release)
			continue
		}
		var invalid *outrank.InputError
		require.ErrorAs(t, err, &invalid, x.release)
		require.Len(t, invalid.Problems, len(x.want))
		for i, p := range invalid.Problems {
			require.Equal(t, x.want[i], p.Object+": "+p.Field)
		}
	}
}
