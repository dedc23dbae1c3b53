package attempt_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/resource"
)

// with is the pod with a change.
func with(p *outrank.Pod, f func(*outrank.Pod)) *outrank.Pod {
	made := *p
	f(&made)
	return &made
}

// waits is a loop with pods that wait: each is named after the filter that turned it down.
func waits(t *testing.T) (*attempt.Loop, *engine.Snapshot, *queue.Queue) {
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "4"), node("n2", "4")},
		Pods:  []*outrank.Pod{on(pod("runs", 1, "1"), "n1"), on(with(pod("other", 1, "1"), func(p *outrank.Pod) { p.SchedulerName = "another" }), "n2")},
	}))
	q := must(queue.New(queue.Config{}))
	loop := must(attempt.New(attempt.Config{Snapshot: snap, Queue: q, Execution: execution.Config{Actions: (&executiontest.Recorder{}).Actions()}, Evaluator: must(engine.New(preemption.Config{Profile: preemption.Profile{Schedulers: []string{outrank.DefaultScheduler}}}))}))
	early := now.Add(-time.Minute)
	for _, filter := range []string{"NodeResourcesFit", "NodeAffinity", "PodTopologySpread", "NodePorts"} {
		require.NoError(t, q.Add(pod(filter, 1, "1"), early))
	}
	for {
		e, ok := q.TryPop(early)
		if !ok {
			break
		}
		e.FailedFilters = []string{e.Pod.Name}
		require.NoError(t, q.AddUnschedulableIfNotPresent(e, early))
	}
	meant := pod("meant", 5, "1")
	_, err := loop.Observe(nil, meant, now)
	require.NoError(t, err)
	require.NoError(t, loop.Nominator().Add(meant, "n2"))
	return loop, snap, q
}

// Each row of the table of the package comment.
func TestObserve(t *testing.T) {
	runs, other, meant := on(pod("runs", 1, "1"), "n1"), on(with(pod("other", 1, "1"), func(p *outrank.Pod) { p.SchedulerName = "another" }), "n2"), pod("meant", 5, "1")
	come, group, composite := pod("come", 1, "1"), &outrank.PodGroup{Name: "g"}, &outrank.CompositePodGroup{Name: "c"}
	budget, namespace := &outrank.PodDisruptionBudget{Name: "b", DisruptionsAllowed: 1}, &outrank.Namespace{Name: "space"}
	nominated := func(node string) func(*outrank.Pod) { return func(p *outrank.Pod) { p.NominatedNodeName = node } }
	for _, c := range []struct {
		row, why string
		old, new any
		// moves are the pods that are tried again, queued whether the event's pod is in the
		// queue; on and to are where the snapshot has it and what it is nominated to.
		moves  string
		queued bool
		on, to string
	}{
		{"a pod that waits comes", "", nil, come, "", true, "", ""},
		{"a pod that waits comes", "with a nomination", nil, with(come, nominated("n1")), "", true, "", "n1"},
		{"a pod that waits comes", "of another scheduler", nil, with(come, func(p *outrank.Pod) { p.SchedulerName = "another" }), "", false, "", ""},
		{"a pod that waits changes", "its nomination is not written yet", meant, with(meant, func(p *outrank.Pod) { p.Labels = map[string]string{"a": "b"} }), "", true, "", "n2"},
		{"a pod that waits changes", "its nomination goes, and others may use the room", with(meant, nominated("n2")), meant, "NodeResourcesFit PodTopologySpread", true, "", ""},
		{"a pod that waits changes", "it was not known", come, on(come, ""), "", true, "", ""},
		{"a pod that waits goes", "it was nominated", meant, nil, "NodeResourcesFit PodTopologySpread", false, "", ""},
		{"a pod that waits goes", "it is not known", come, nil, "", false, "", ""},
		{"a pod that waits ends", "", meant, with(meant, func(p *outrank.Pod) { p.Phase = outrank.PhaseFailed }), "NodeResourcesFit PodTopologySpread", false, "", ""},
		{"a pod gets its node", "the one it is nominated to", meant, on(meant, "n2"), "PodTopologySpread", false, "n2", ""},
		{"a pod gets its node", "another one: it counts as placed and no more", meant, on(meant, "n1"), "PodTopologySpread", false, "n1", ""},
		{"a pod gets its node", "nobody says that it waited", nil, on(meant, "n2"), "PodTopologySpread", false, "n2", ""},
		{"a pod on a node comes", "", nil, on(come, "n1"), "PodTopologySpread", false, "n1", ""},
		{"a pod on a node changes", "nothing that matters", runs, with(runs, func(p *outrank.Pod) { p.Ready = true }), "", false, "n1", ""},
		{"a pod on a node changes", "its labels", runs, with(runs, func(p *outrank.Pod) { p.Labels = map[string]string{"a": "b"} }), "PodTopologySpread", false, "n1", ""},
		{"a pod on a node changes", "its requests", runs, with(runs, func(p *outrank.Pod) {
			p.Containers = []outrank.Container{{Name: "main", Requests: resource.MustList("cpu", "500m")}}
		}), "NodeResourcesFit", false, "n1", ""},
		{"a pod on a node goes", "", runs, nil, "NodeResourcesFit PodTopologySpread", false, "", ""},
		{"a pod on a node goes", "of another scheduler", other, nil, "NodeResourcesFit PodTopologySpread", false, "", ""},
		{"a pod on a node ends", "", runs, with(runs, func(p *outrank.Pod) { p.Phase = outrank.PhaseSucceeded }), "NodeResourcesFit PodTopologySpread", false, "", ""},
		{"a pod takes another's name", "", runs, with(pod("runs", 1, "1"), func(p *outrank.Pod) { p.UID = "later" }), "NodeResourcesFit PodTopologySpread", true, "", ""},
		{"a node comes", "", nil, node("n3", "4"), "NodeAffinity NodePorts NodeResourcesFit PodTopologySpread", false, "", ""},
		{"a node changes", "", node("n1", "4"), node("n1", "5"), "NodeResourcesFit PodTopologySpread", false, "", ""},
		{"a node changes", "only its images", node("n1", "4"), func() *outrank.Node {
			n := node("n1", "4")
			n.Images = []outrank.NodeImage{{Names: []string{"a"}}}
			return n
		}(), "", false, "", ""},
		{"a node goes", "", node("n1", "4"), nil, "PodTopologySpread", false, "", ""},
		{"a node goes", "it is not known", node("n9", "4"), nil, "", false, "", ""},
		{"a budget comes", "", nil, budget, "", false, "", ""},
		{"a budget goes", "", budget, nil, "", false, "", ""},
		{"a namespace comes", "", nil, namespace, "", false, "", ""},
		{"a namespace goes", "", namespace, nil, "", false, "", ""},
		{"a group comes", "", nil, group, "", false, "", ""},
		{"a group goes", "", group, nil, "", false, "", ""},
		{"a composite group comes", "", nil, composite, "", false, "", ""},
		{"a composite group goes", "", composite, nil, "", false, "", ""},
	} {
		t.Run(c.row+"/"+c.why, func(t *testing.T) {
			loop, snap, q := waits(t)
			moved, err := loop.Observe(c.old, c.new, now)
			require.NoError(t, err)
			left := map[string]bool{}
			for _, e := range q.Pending().Unschedulable {
				left[e.Pod.Name] = true
			}
			moves := ""
			for _, name := range []string{"NodeAffinity", "NodePorts", "NodeResourcesFit", "PodTopologySpread"} {
				if !left[name] {
					moves += " " + name
				}
			}
			assert.Equal(t, c.moves, moves[min(1, len(moves)):])
			assert.Equal(t, len(moves) > 0, moved > 0)
			p, ok := c.new.(*outrank.Pod)
			if !ok {
				p, ok = c.old.(*outrank.Pod)
			}
			if ok {
				assert.Equal(t, c.queued, q.Remove(p), "in the queue")
				assert.Equal(t, c.on, snap.NodeOf(p.Key()))
				assert.Equal(t, c.to, loop.Nominator().NodeOf(p.Key()))
			}
			again, err := loop.Observe(c.new, c.new, now)
			if c.new == nil {
				require.ErrorIs(t, err, outrank.ErrInvalid)
			} else {
				require.NoError(t, err, "it may be delivered again")
				assert.Zero(t, again)
			}
		})
	}
}

// Other objects are in the snapshot and in the queue afterwards.
func TestObserveOtherObjects(t *testing.T) {
	loop, snap, _ := waits(t)
	observe := func(old, new any) {
		_, err := loop.Observe(old, new, now)
		require.NoError(t, err)
	}
	budget, group, composite := &outrank.PodDisruptionBudget{Name: "b"}, &outrank.PodGroup{Name: "g"}, &outrank.CompositePodGroup{Name: "c"}
	namespace := &outrank.Namespace{Name: "space"}
	for _, o := range []any{budget, group, composite, namespace} {
		observe(nil, o)
		observe(o, o)
	}
	has := func() string {
		_, g := snap.Group("default/g")
		_, c := snap.Composite("default/c")
		n := 0
		for range snap.Namespaces() {
			n++
		}
		return fmt.Sprint(len(slices.Collect(snap.Budgets())), g, c, n)
	}
	assert.Equal(t, "1 true true 1", has())
	for _, o := range []any{budget, group, composite, namespace} {
		observe(o, nil)
		observe(o, nil)
	}
	assert.Equal(t, "0 false false 0", has())
}

// Events that make no sense are errors that name what they are about, and change nothing.
func TestObserveWhatMakesNoSense(t *testing.T) {
	loop, snap, q := waits(t)
	revision, counts := snap.Revision(), q.Counts()
	bad := pod("bad", 1, "1")
	bad.Overhead = resource.MustList("cpu", "-1")
	for _, c := range []struct {
		old, new any
		text     string
	}{
		{nil, nil, "event: invalid input: struct {} and struct {} are no objects that are looked at"},
		{nil, "text", "event: invalid input: struct {} and string are no objects that are looked at"},
		{node("n1", "1"), pod("p", 1, "1"), "event: invalid input: *outrank.Node and *outrank.Pod are of different kinds"},
		{(*outrank.Pod)(nil), (*outrank.Pod)(nil), "event: invalid input: no object"},
		{pod("p", 1, "1"), pod("q", 1, "1"), "event: invalid input: default/p becomes default/q, which is another object"},
		{nil, bad, "pod default/bad: "},
	} {
		_, err := loop.Observe(c.old, c.new, now)
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, c.text)
	}
	assert.Equal(t, revision, snap.Revision())
	assert.Equal(t, counts, q.Counts())
	_, err := new(attempt.Loop).Observe(nil, pod("p", 1, "1"), now)
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// The room that a nominated pod gives up concerns those whom it kept out: the pods of the same
// or a lower priority.
func TestObserveRoomThatIsGivenUp(t *testing.T) {
	for _, written := range []string{"", "n2"} {
		loop, _, q := waits(t)
		high := pod("high", 9, "1")
		require.NoError(t, q.Add(high, now.Add(-time.Minute)))
		e, _ := q.TryPop(now.Add(-time.Minute))
		require.Equal(t, high, e.Pod)
		e.FailedFilters = []string{"NodeResourcesFit"}
		require.NoError(t, q.AddUnschedulableIfNotPresent(e, now.Add(-time.Minute)))
		moved, err := loop.Observe(with(pod("meant", 5, "1"), func(p *outrank.Pod) { p.NominatedNodeName = written }), nil, now)
		require.NoError(t, err)
		assert.Equal(t, 2, moved)
		assert.True(t, slices.ContainsFunc(q.Pending().Unschedulable, func(e queue.Entry) bool { return e.Pod == high }))
	}
}

// News of a pod that the loop has bound meanwhile does not put it into the queue again.
func TestObserveLateVersionOfABoundPod(t *testing.T) {
	loop, snap, q := waits(t)
	meant := pod("meant", 5, "1")
	r, err := loop.Next(t.Context(), now)
	require.NoError(t, err)
	require.Equal(t, attempt.Bound, r.Outcome)
	require.Equal(t, "n2", snap.NodeOf(meant.Key()), "the node it is nominated to, whatever its score")
	moved, err := loop.Observe(meant, with(meant, func(p *outrank.Pod) { p.Labels = map[string]string{"a": "b"} }), now)
	require.NoError(t, err)
	assert.Zero(t, moved)
	assert.False(t, q.Remove(meant))
	assert.Equal(t, "n2", snap.NodeOf(meant.Key()))
	_, err = loop.Observe(meant, nil, now)
	require.NoError(t, err)
	assert.Empty(t, snap.NodeOf(meant.Key()))
}

// A victim that is gone is not taken for a later pod of its name.
func TestObserveVictimThatIsGone(t *testing.T) {
	s := newScene(t, nil)
	nameless := func(p *outrank.Pod) { p.UID = "" }
	low := with(on(pod("low", 0, "3"), "n1"), nameless)
	require.NoError(t, s.snap.RemovePod(low.Key()))
	for i := range 2 {
		_, err := s.loop.Observe(nil, low, now)
		require.NoError(t, err)
		high := pod(fmt.Sprint("high", i), 9, "4")
		r, err := s.try(t, high)
		require.NoError(t, err)
		require.Equal(t, execution.Evicted, r.Report.Victims[0].Result)
		for _, p := range []*outrank.Pod{low, high} {
			_, err = s.loop.Observe(p, nil, now)
			require.NoError(t, err)
		}
	}
}
