package sim

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/filtertest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Followers hear what an observer does, refused attempts apart, whether attempts are made one by
// one or in numbers.
func TestPropertyFollowersHearTheSame(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		c := drawScene(t)
		play := func(config Config) {
			s, err := New(c.cluster, c.work, config)
			require.NoError(t, err)
			for _, ask := range c.changes {
				require.NoError(t, ask(s))
			}
			_, err = s.Run(t.Context())
			require.NoError(t, err)
		}
		var observed, followed []Event
		config := c.config
		config.Observe = func(e Event) {
			if e.Kind == Refused {
				refused++
				return
			}
			e.Text, e.Pod, e.Related, e.Object = "", nil, nil, nil
			observed = append(observed, e)
		}
		play(config)
		config = c.config
		config.Follow = func(e Event) {
			require.Empty(t, e.Text)
			e.Pod, e.Related, e.Object = nil, nil, nil
			followed = append(followed, e)
		}
		play(config)
		require.Equal(t, observed, followed)
	})
	require.Positive(t, refused, "nothing was left out")
}

// Every way out has its cause, in the event that tells a pod to go and in that of its leaving.
func TestCauses(t *testing.T) {
	type told struct {
		kind  EventKind
		pod   string
		cause Cause
	}
	var got []told
	config := Config{Recreate: Recreate{Rule: RecreateNever}, Follow: func(e Event) {
		if e.Kind == Evicted || e.Kind == Left || e.Kind == Deleted || e.Kind == Ended {
			require.Equal(t, "default/"+e.Pod.Name, e.Lineage)
			got = append(got, told{e.Kind, e.Pod.Name, e.Cause})
		}
	}}
	work := []Work{
		endless(asking("low", 0, "4"), 0), endless(asking("high", 9, "4"), 10), endless(asking("a", 5, "4"), 100), endless(asking("b", 4, "4"), 200),
		lasting(asking("c", 4, "4"), 300, 5), endless(asking("d", 3, "4"), 310),
	}
	w := watched(t, nodes(node("n1", "4")), work, Config{Recreate: config.Recreate})
	w.s.teller.follow = append(w.s.teller.follow, config.Follow)
	for at, c := range map[int]Change{
		50: DeletePod("default/high"), 150: Drain("n1"), 190: Uncordon("n1"), 250: FailNode("n1", seconds(20)), 400: RemoveNode("n1"), 410: FailNode("n1", 0),
	} {
		require.NoError(t, w.s.At(seconds(at), c))
	}
	w.run(100)
	require.Equal(t, []told{
		{Evicted, "low", Preempted}, {Left, "low", Preempted}, {Deleted, "high", DeletedFromOutside}, {Left, "high", DeletedFromOutside},
		{Evicted, "a", Drained}, {Left, "a", Drained}, {Left, "b", NodeLost}, {Ended, "c", NoCause}, {Left, "d", NodeLost},
	}, got)
	require.Equal(t, "node lost", NodeLost.String())
	require.Equal(t, "Cause(99)", Cause(99).String())
	require.Len(t, Causes(), int(causeCount)-1)
}

// An eviction that fails leaves the victim alone, and is tried again.
func TestFailedEviction(t *testing.T) {
	failures := 0
	config := Config{Order: execution.Synchronous, Evict: func(victim, preemptor *outrank.Pod) error {
		require.Equal(t, "low", victim.Name)
		require.Equal(t, "high", preemptor.Name)
		if failures < 3 {
			failures++
			return errors.New("timeout")
		}
		return nil
	}}
	w := watched(t, nodes(node("n1", "4")), []Work{endless(asking("low", 0, "4"), 0), endless(asking("high", 9, "4"), 10)}, config)
	w.at(10, map[string]Place{"low": {Phase: Running, Node: "n1"}, "high": {Phase: Queued}})
	require.Equal(t, 1, failures)
	w.run(100)
	require.Equal(t, 3, failures)
	w.at(1000, map[string]Place{"low": {Phase: Gone, Node: "n1"}, "high": {Phase: Running, Node: "n1"}})
}

// A filter of the caller's counts where a pod is placed and where it pushes others out, and sees
// the nodes' values: those of the beginning, of nodes that were changed, and of those that came.
func TestOwnFilterPlacesAndPreempts(t *testing.T) {
	fast := &preemption.Filter{Name: "Fast", Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
		if n.Value == "fast" {
			return preemption.Status{}
		}
		return preemption.UnschedulableAndUnresolvable.Because("slow")
	}}
	config := Config{Schedulers: []Scheduler{{Preemption: preemption.Config{Filters: []*preemption.Filter{fast}}}}}
	n1, n2, n3 := node("n1", "4"), node("n2", "4"), node("n3", "4")
	n1.Value, n2.Value, n3.Value = "slow", "fast", "fast"
	w := watched(t, nodes(n1, n2), []Work{endless(asking("low", 0, "4"), 0), endless(asking("high", 9, "4"), 50), endless(asking("more", 9, "4"), 200)}, config)
	require.NoError(t, w.s.At(seconds(10), Cordon("n2")))
	require.NoError(t, w.s.At(seconds(20), Uncordon("n2")))
	require.NoError(t, w.s.At(seconds(100), AddNode(n3)))
	w.at(5, map[string]Place{"low": {Phase: Running, Node: "n2"}})
	w.at(50, map[string]Place{"low": {Phase: Terminating, Node: "n2", Until: seconds(80)}, "high": {Phase: Queued, Nominated: "n2"}})
	w.at(300, map[string]Place{"high": {Phase: Running, Node: "n2"}, "more": {Phase: Running, Node: "n3"}})
}

// A filter made of a function keeps the contract of filters, and is heeded where victims are chosen.
func TestFilterByPods(t *testing.T) {
	two := FilterByPods("Two", func(_ *outrank.Pod, _ *outrank.Node, pods []*outrank.Pod) preemption.Status {
		if len(pods) < 2 {
			return preemption.Status{}
		}
		return preemption.Unschedulable.Because("two are there")
	})
	require.NoError(t, filtertest.Check(two, filtertest.Options{}))
	config := Config{Schedulers: []Scheduler{{Preemption: preemption.Config{Filters: []*preemption.Filter{two}}}}}
	work := []Work{endless(asking("a", 1, "1"), 0), endless(asking("b", 0, "1"), 1), endless(asking("c", 0, "1"), 2), endless(asking("d", 9, "1"), 10)}
	w := watched(t, nodes(node("n1", "4")), work, config)
	w.at(10, map[string]Place{
		"a": {Phase: Running, Node: "n1"}, "b": {Phase: Terminating, Node: "n1", Until: seconds(40)}, "c": {Phase: Queued}, "d": {Phase: Queued, Nominated: "n1"},
	})
}
