package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// withResizes is v1.37 with preemption for deferred resizes.
var withResizes = func() outrank.Release {
	r, err := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true})
	if err != nil {
		panic(err)
	}
	return r
}()

// drawResizing makes one of the pods on a node a deferred one, and returns it as it is
// asked about: as it stands there, a little changed since, or unknown.
func drawResizing(t *rapid.T, c *outrank.Cluster) *outrank.Pod {
	c.Release = withResizes
	at := slices.IndexFunc(c.Pods, func(p *outrank.Pod) bool { return p.NodeName != "" && !p.Finished() && len(p.Containers) > 0 })
	if at < 0 {
		c.Pods = append(c.Pods, running("lonely", c.Nodes[0].Name, "100m"))
		at = len(c.Pods) - 1
	}
	p := *c.Pods[at]
	p.ResizeDeferred, p.ResizeInfeasible = true, false
	p.Containers = slices.Clone(p.Containers)
	p.Containers[0].AllocatedResources, p.Containers[0].Actual = p.Containers[0].Requests, p.Containers[0].Requests
	p.Containers[0].Requests = rapid.SampledFrom([]resource.List{
		resource.MustList("cpu", "1"), resource.MustList("cpu", "600m", "memory", "256Mi"), resource.MustList("cpu", "20"), resource.MustList("example.com/gpu", "1", "cpu", "10m"),
		resource.MustList("example.com/gpu", "9", "cpu", "600m"), {},
	}).Draw(t, "resize")
	if rapid.IntRange(0, 3).Draw(t, "outranks") > 0 {
		p.Priority = outrank.Priority(rapid.SampledFrom([]int32{1000, 100, 0}).Draw(t, "its priority"))
	}
	if rapid.IntRange(0, 3).Draw(t, "devices counted") == 0 { // on a node that may have fewer by now
		p.Containers[0].AllocatedResources = resource.MustList("example.com/gpu", rapid.SampledFrom([]string{"1", "9"}).Draw(t, "devices"))
	}
	p.NominatedNodeName = rapid.SampledFrom([]string{"", "", p.NodeName}).Draw(t, "old nomination")
	c.Pods = slices.Clone(c.Pods)
	c.Pods[at] = &p
	for i, n := range c.Nodes {
		if n.Name == p.NodeName && rapid.IntRange(0, 5).Draw(t, "disabled") == 5 {
			m := *n
			m.DisableResizePreemption = []string{"someone"}
			c.Nodes[i] = &m
		}
	}
	asked := p
	switch rapid.IntRange(0, 3).Draw(t, "asked about") {
	case 1:
		asked.Containers = slices.Clone(p.Containers)
		asked.Containers[0].Requests = resource.MustList("cpu", rapid.SampledFrom([]string{"2", "100m"}).Draw(t, "later"))
		asked.Priority = outrank.Priority(2000)
	case 2:
		c.Pods = slices.Delete(c.Pods, at, at+1)
	}
	return &asked
}

// The caller's rules are asked about other pods than the one that has to be resized.
func TestDeferredResizeIsNoVictimOfItself(t *testing.T) {
	for cpu, want := range map[string]preemption.Outcome{"2": preemption.Preempts, "4": preemption.NothingHelps} {
		c := &outrank.Cluster{Release: withResizes, Nodes: []*outrank.Node{node("n1", "3", "a")}, Pods: []*outrank.Pod{
			pod("self", 5, "1", on("n1")), pod("other", 9, "1", on("n1")), pod("third", 9, "1", on("n1")),
		}}
		self := c.Pods[0]
		self.ResizeDeferred = true
		self.Containers[0].AllocatedResources, self.Containers[0].Actual = self.Containers[0].Requests, self.Containers[0].Requests
		self.Containers[0].Requests = resource.MustList("cpu", cpu)
		for _, sample := range []*preemption.Sample{nil, {}} {
			e := newEvaluator(t, preemption.Config{
				Sample: sample,
				Eligibility: preemption.Eligibility{AnyPriority: true, Take: func(preemptor, victim *outrank.Pod) (string, bool) {
					assert.NotEqual(t, preemptor.Name, victim.Name)
					return "anybody else", true
				}},
			})
			plan, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: self, Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, want, plan.Outcome)
		}
	}
}

// A node that has lost its devices is not short of those that it counts for the pod (rule
// 7.19.11).
func TestDeferredResizeOfAPodWithDevices(t *testing.T) {
	for have, want := range map[string]preemption.Outcome{"1": preemption.Preempts, "2": preemption.NothingHelps} {
		c := &outrank.Cluster{Release: withResizes, Nodes: []*outrank.Node{node("n1", "3", "a")}, Pods: []*outrank.Pod{
			pod("self", 5, "1", on("n1")), pod("low", 1, "1", on("n1")), pod("third", 9, "1", on("n1")),
		}}
		self := c.Pods[0]
		self.ResizeDeferred = true
		self.Containers[0].AllocatedResources = resource.MustList("cpu", "1", "example.com/gpu", "1")
		self.Containers[0].Actual = self.Containers[0].AllocatedResources
		self.Containers[0].Requests = resource.MustList("cpu", "2", "example.com/gpu", "1")
		asked := *self
		asked.Containers = slices.Clone(self.Containers)
		asked.Containers[0].Requests = resource.MustList("cpu", "2", "example.com/gpu", have)
		plan, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: &asked, Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, want, plan.Outcome, "%v", plan.TurnedDown)
	}
}

// All ways to an answer about a deferred resize agree with the book.
func TestPropertyDeferredResizesAgreeWithBook(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, _ *outrank.Pod) {
		p := drawResizing(t, c)
		w := newWorld(t, c)
		w.agree(t, p, gen.Now)
		e := newEvaluator(t, preemption.Config{})
		ex, err := e.Explain(context.Background(), w.snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		sameAsBook(t, c, preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{}, ex)
		oneNodeAgrees(t, e, w.snap, p, ex)
		if ex.Outcome != preemption.Preempts {
			return
		}
		require.NoError(t, e.Verify(context.Background(), w.snap, plantest.Unexplained(ex)))
		require.NoError(t, w.snap.Apply(plantest.Unexplained(ex)))
		for _, v := range ex.Victims {
			require.NotEqual(t, p.Key(), v.Pod.Key(), "its own victim")
		}
		after, err := e.Preempt(context.Background(), w.snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, preemption.Fits, after.Outcome)
		require.Contains(t, after.String(), ": pod resize fits, waiting for Kubelet actuation")
	})
}

// oneNodeAgrees holds the questions about single nodes to the explanation.
func oneNodeAgrees(t fataler, e *engine.Evaluator, snap *engine.Snapshot, p *outrank.Pod, ex *preemption.Plan) {
	t.Helper()
	feasible, err := e.Feasible(context.Background(), snap, p)
	require.NoError(t, err)
	require.Len(t, feasible, ex.Feasible)
	for _, n := range ex.Nodes {
		status, err := e.Check(snap, p, n.Node)
		require.NoError(t, err)
		require.Equal(t, n.Status, status)
		report, err := e.ExplainNode(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now}, n.Node)
		require.NoError(t, err)
		require.Equal(t, n, report)
	}
	i := 0
	for c, err := range e.Candidates(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now}) {
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(ex.Candidates[i].Node, ex.Candidates[i].Victims), fmt.Sprint(c.Node, c.Victims))
		i++
	}
	require.Len(t, ex.Candidates, i)
}

// Under any configuration the engine finds what the exhaustive search does.
func TestPropertyDeferredResizesByAnyRules(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, _ *outrank.Pod) {
		p := drawResizing(t, c)
		config := drawConfig(t)
		e := newEvaluator(t, config).Parallel(rapid.IntRange(0, 3).Draw(t, "workers"))
		snap := newSnapshot(t, c)
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		ex, err := e.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, ex.Outcome, plan.Outcome)
		require.Equal(t, fmt.Sprint(ex.Node, ex.Victims), fmt.Sprint(plan.Node, plan.Victims))
		require.True(t, plan.Resize)
		for _, v := range plan.Victims {
			require.NotEqual(t, p.Key(), v.Pod.Key(), "its own victim")
		}
	})
}

// aResize is a node of 4 cpu with two pods of 1 cpu, and a pod that is to grow from 2
// cpu to this.
func aResize(to string) (*outrank.Cluster, *outrank.Pod) {
	me := running("me", "n1", to)
	me.Priority, me.ResizeDeferred = outrank.Priority(100), true
	me.Containers[0].AllocatedResources, me.Containers[0].Actual = resource.MustList("cpu", "2"), resource.MustList("cpu", "2")
	a, b := running("a", "n1", "1"), running("b", "n1", "1")
	a.StartTime, b.StartTime = gen.Now.Add(-20), gen.Now.Add(-10)
	n := offering("n1", "4")
	return &outrank.Cluster{Release: withResizes, Nodes: []*outrank.Node{n, offering("n2", "8")}, Pods: []*outrank.Pod{a, b, me}}, me
}

// Each rule about deferred resizes (group 7.19).
func TestDeferredResizes(t *testing.T) {
	const elsewhere = "n2:  node(s) didn't satisfy plugin(s) [NodeName]"
	tests := []struct {
		name, to string
		change   func(c *outrank.Cluster, me *outrank.Pod)
		want     string
	}{
		{"the least important pod leaves (7.19.4)", "3", nil, "n1: NodeResourcesFit Insufficient cpu; " + elsewhere + "; victim b"},
		{"there is room", "2", nil, elsewhere + "; fits"},
		{"larger than the node (7.7.5)", "5", nil, "n1: NodeResourcesFit Insufficient cpu; " + elsewhere + "; nothing-helps"},
		{"no other filter is asked (7.19.2)", "3", func(c *outrank.Cluster, me *outrank.Pod) {
			c.Nodes[0].Unschedulable, c.Nodes[0].Taints = true, []outrank.Taint{{Key: "k", Effect: outrank.NoSchedule}}
			me.NodeSelector = map[string]string{"no": "match"}
			me.HostNetwork, me.HostUsers = true, new(bool)
		}, "n1: NodeResourcesFit Insufficient cpu; " + elsewhere + "; victim b"},
		{"the node spares its pods (7.19.3)", "3", func(c *outrank.Cluster, _ *outrank.Pod) {
			c.Nodes[0].DisableResizePreemption = []string{"x"}
		}, "n1: DeferredPodScheduling node had resize preemption disabled; " + elsewhere + "; nothing-helps"},
		{"the pod counts twice (7.19.5)", "2", func(c *outrank.Cluster, _ *outrank.Pod) {
			c.Nodes[0].Allocatable = resource.MustList("cpu", "4", "pods", "3")
		}, "n1: NodeResourcesFit Too many pods; " + elsewhere + "; victim b"},
		{"terminating victims are chosen again (7.19.6)", "3", func(c *outrank.Cluster, me *outrank.Pod) {
			b := c.Pods[1]
			b.DeletionTimestamp, b.DisruptionReason, me.NominatedNodeName = gen.Now, outrank.PreemptionByScheduler, "n1"
		}, "n1: NodeResourcesFit Insufficient cpu; " + elsewhere + "; victim b"},
		{"a member of a group preempts by itself (7.19.8)", "3", func(_ *outrank.Cluster, me *outrank.Pod) {
			me.Group = "g"
		}, "n1: NodeResourcesFit Insufficient cpu; " + elsewhere + "; victim b"},
		{"a policy of Never (8.2)", "3", func(_ *outrank.Cluster, me *outrank.Pod) {
			me.PreemptionPolicy = outrank.PreemptNever
		}, "n1: NodeResourcesFit Insufficient cpu; " + elsewhere + "; not-eligible"},
		{"nobody below (9.2)", "3", func(c *outrank.Cluster, _ *outrank.Pod) {
			for _, p := range c.Pods[:2] {
				p.Priority = outrank.Priority(100)
			}
		}, "n1: NodeResourcesFit Insufficient cpu; " + elsewhere + "; nothing-helps"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, me := aResize(test.to)
			if test.change != nil {
				test.change(c, me)
			}
			assert.Equal(t, test.want, outcomeIn(t, *c, me, withResizes))
		})
	}
}

// Where victims leave in units, one that the pod is part of stays, and the pod preempts
// by itself all the same.
func TestDeferredResizesAmongUnits(t *testing.T) {
	r, err := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true, "GenericWorkload": true})
	require.NoError(t, err)
	for _, test := range []struct {
		group    string
		priority int32
		want     string
	}{
		{"", 0, "victim b"}, {"g", 0, "victim a"},
		{"g", 200, "victim a"}, // who counts more than the pod itself among those that would leave with it
	} {
		c, me := aResize("3")
		// The group counts less than anybody else.
		c.Groups = []*outrank.PodGroup{{Name: "g", DisruptionMode: outrank.DisruptPodGroup, Priority: outrank.Priority(-1)}}
		me.Group, c.Pods[1].Group, c.Pods[1].Priority = "g", test.group, &test.priority
		assert.Contains(t, outcomeIn(t, *c, me, r), test.want)
	}
}

// Without the gate a pod that is on a node is no preemptor, and neither is one whose
// resize is not deferred, one that is on another node, or several that are a group.
func TestRunningPodsAreNoPreemptors(t *testing.T) {
	c, me := aResize("3")
	ask := func(r outrank.Release, p outrank.Pod) error {
		c.Release = r
		_, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: &p, Now: gen.Now})
		return err
	}
	other, settled := *me, *me
	other.NodeName, settled.ResizeDeferred = "n2", false
	require.NoError(t, ask(withResizes, *me))
	for _, err := range []error{ask(outrank.V1_36, *me), ask(outrank.V1_37, *me), ask(withResizes, other), ask(withResizes, settled)} {
		require.ErrorIs(t, err, preemption.ErrState)
		require.ErrorContains(t, err, "pod default/me: ")
		require.ErrorContains(t, err, "it runs on node n1")
	}
	var err error
	c.Release, err = withResizes.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	_, err = newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), newSnapshot(t, c), preemption.GroupRequest{Pods: []*outrank.Pod{me}, Now: gen.Now})
	require.ErrorIs(t, err, preemption.ErrState)
}

// A plan for a resize is stale once the resize is not deferred any more, and Apply takes
// the victims away and leaves the pod where it is.
func TestPlansForResizes(t *testing.T) {
	c, me := aResize("3")
	snap := newSnapshot(t, c)
	e := newEvaluator(t, preemption.Config{})
	plan := preempt(t, c, me)
	require.NoError(t, e.Verify(context.Background(), snap, plan))
	settled := *me
	settled.ResizeDeferred = false
	require.NoError(t, errOf(snap.PutPod(&settled)))
	require.ErrorIs(t, e.Verify(context.Background(), snap, plan), engine.ErrStale)
	require.NoError(t, errOf(snap.PutPod(me)))
	require.NoError(t, snap.Apply(plan))
	assert.Equal(t, "n1", snap.NodeOf(me.Key()))
	assert.Empty(t, snap.NodeOf("default/b"))
	assert.Empty(t, snap.NominatedTo("n1"))
	require.ErrorIs(t, e.Verify(context.Background(), snap, plan), engine.ErrStale, "there is room by now")
	moved := *plan
	moved.Node = "n2"
	require.ErrorIs(t, snap.Apply(&moved), preemption.ErrState)
}

// Another pod of the name, on the same node, makes no room for itself, and no plan is its own.
func TestResizesOfAnotherPodOfTheName(t *testing.T) {
	c, me := aResize("3")
	me.UID = "1"
	plan := preempt(t, c, me)
	other := *me
	other.UID = "2"
	snap := newSnapshot(t, c)
	_, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), snap, preemption.Request{Pod: &other, Now: gen.Now})
	require.ErrorIs(t, err, preemption.ErrState)
	require.ErrorContains(t, err, "another pod has its name")
	plan.Pod = &other
	require.ErrorIs(t, snap.Apply(plan), preemption.ErrState)
	assert.Equal(t, "n1", snap.NodeOf("default/b"), "nobody has left")
}

// The filter stands among those of the release with its gate, and no other.
func TestDeferredFilterIsListed(t *testing.T) {
	for r, want := range map[outrank.Release]bool{outrank.V1_36: false, outrank.V1_37: false, withResizes: true} {
		names := newEvaluator(t, preemption.Config{}).Filters(r)
		at := slices.Index(names, preemption.DeferredPodScheduling)
		assert.Equal(t, want, at >= 0)
		if want {
			assert.Equal(t, preemption.NodeResourcesFit, names[at+1])
		}
	}
}

// The filter speaks of other nodes where nothing narrows the search.
func TestDeferredFilterOnOtherNodes(t *testing.T) {
	c, me := aResize("3")
	snap := newSnapshot(t, c)
	e := newEvaluator(t, preemption.Config{Profile: preemption.Profile{Off: []string{preemption.NodeName}}})
	status, err := e.Check(snap, me, "n2")
	require.NoError(t, err)
	assert.Equal(t, "DeferredPodScheduling: pod assigned to different node", status.String())
	e = newEvaluator(t, preemption.Config{Profile: preemption.Profile{Off: []string{preemption.NodeName, preemption.DeferredPodScheduling}}})
	status, err = e.Check(snap, me, "n2")
	require.NoError(t, err)
	assert.Equal(t, preemption.Success, status.Code, "its 3 cpu fit there, of which that node counts none")
}

// What a plan says in words and as JSON.
func TestDeferredResizeInWords(t *testing.T) {
	c, me := aResize("3")
	plan := preempt(t, c, me)
	assert.Contains(t, asJSON(plan), `"outcome":"preempt","resize":true,"node":"n1"`)
	c, me = aResize("2")
	plan = preempt(t, c, me)
	assert.Equal(t, "default/me: pod resize fits, waiting for Kubelet actuation\n  as things are: 1 node(s) didn't satisfy plugin(s) [NodeName] (removal cannot help)", plan.String())
	assert.Contains(t, asJSON(plan), `"outcome":"fits","resize":true,`)
}
