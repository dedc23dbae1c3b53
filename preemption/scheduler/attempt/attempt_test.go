package attempt_test

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

var errMine = errors.New("mine")

// scene is a loop with its parts on a full node n1 and an empty n2, which takes little.
type scene struct {
	snap    *engine.Snapshot
	q       *queue.Queue
	cluster *executiontest.Recorder
	metrics *metrics.Meter
	loop    *attempt.Loop
}

func newScene(t *testing.T, change func(c *attempt.Config)) *scene {
	s := &scene{
		snap: must(engine.NewSnapshot(&outrank.Cluster{
			Nodes: []*outrank.Node{node("n1", "4"), node("n2", "1"), node("n3", "1")}, Pods: []*outrank.Pod{on(pod("low", 0, "3"), "n1")},
		})),
		q: must(queue.New(queue.Config{})), cluster: &executiontest.Recorder{}, metrics: &metrics.Meter{},
	}
	config := attempt.Config{Snapshot: s.snap, Queue: s.q, Metrics: s.metrics, Execution: execution.Config{Actions: s.cluster.Actions(), Parallel: 1}}
	if change != nil {
		change(&config)
	}
	var err error
	s.loop, err = attempt.New(config)
	require.NoError(t, err)
	return s
}

// try makes an attempt with a pod that has just come.
func (s *scene) try(t *testing.T, p *outrank.Pod) (*attempt.Result, error) {
	require.NoError(t, s.q.Add(p, now))
	r, err := s.loop.Next(context.Background(), now)
	require.NotNil(t, r)
	require.Zero(t, s.q.Counts().InFlight, "the attempt is over, whatever it came to")
	return r, err
}

func TestOutcomes(t *testing.T) {
	s := newScene(t, func(c *attempt.Config) { c.Took = func() time.Duration { return time.Second } })
	r, err := s.try(t, pod("small", 1, "1"))
	require.NoError(t, err)
	assert.Equal(t, attempt.Bound, r.Outcome)
	assert.Equal(t, r.Node, s.snap.NodeOf("default/small"))
	assert.Len(t, r.Nodes, 3)
	assert.Nil(t, r.Failure)

	r, err = s.try(t, pod("high", 9, "4"))
	require.NoError(t, err)
	assert.Equal(t, attempt.Preempting, r.Outcome)
	assert.Equal(t, "n1", r.Node)
	assert.Equal(t, execution.Completed, r.Report.Result)
	assert.Equal(t, "n1", s.loop.Nominator().NodeOf("default/high"))

	r, err = s.try(t, pod("meek", 0, "4"))
	require.NoError(t, err)
	assert.Equal(t, attempt.Waiting, r.Outcome)
	assert.Equal(t, preemption.NothingHelps, r.Plan.(*preemption.Plan).Outcome)
	assert.Equal(t, []string{"NodeResourcesFit"}, r.Failure.Filters)

	leaves := pod("leaves", 1, "1")
	leaves.DeletionTimestamp = now
	r, err = s.try(t, leaves)
	require.NoError(t, err)
	assert.Equal(t, attempt.Dropped, r.Outcome)

	values := s.metrics.Values()
	assert.EqualValues(t, 2, values.PreemptionAttempts)
}

// A pod that is gone by the time of the attempt is dropped, with all that was known of it.
func TestPodsThatAreGone(t *testing.T) {
	s := newScene(t, nil)
	s.cluster.Do = func(c executiontest.Call) error {
		if c.Op == "bind" {
			return fmt.Errorf("pod %s: %w", c.Pod.Key(), preemption.ErrNotFound)
		}
		return nil
	}
	s.cluster.Find = func(outrank.Key) (*outrank.Pod, bool) { return nil, false }
	for _, cpu := range []string{"1", "4"} {
		r, err := s.try(t, pod("ghost", 9, cpu))
		require.NoError(t, err)
		assert.Equal(t, attempt.Dropped, r.Outcome)
		assert.Equal(t, execution.Gone, r.Failure.Result)
		_, known := s.snap.Pod("default/ghost")
		assert.False(t, known)
		assert.Empty(t, s.loop.Nominator().NodeOf("default/ghost"))
		assert.Equal(t, queue.Parts[int]{}, s.q.Counts())
	}
}

// What fails and is dealt with is data; the pod waits.
func TestWhatFails(t *testing.T) {
	for _, c := range []struct {
		name, cpu string
		op        string
		reason    string
	}{
		{"binding", "1", "bind", "SchedulerError"},
		{"evicting", "4", "evict", "Unschedulable"},
		{"nominating", "4", "nominate", "Unschedulable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, nil)
			s.cluster.Do = func(call executiontest.Call) error {
				if call.Op == c.op {
					return errMine
				}
				return nil
			}
			r, err := s.try(t, pod("p", 9, c.cpu))
			require.NoError(t, err)
			require.ErrorIs(t, r.Err, errMine)
			assert.Equal(t, attempt.Waiting, r.Outcome)
			assert.Equal(t, c.reason, r.Failure.Condition.Reason)
			assert.Empty(t, r.Node)
			assert.Empty(t, s.snap.NodeOf("default/p"))
			assert.Equal(t, execution.Requeued, r.Failure.Result)
		})
	}
}

// An attempt on a snapshot that is changed meanwhile, so that its answer is wrong, is an error
// that names the pod; one that is still right is none.
func TestSnapshotChangedMeanwhile(t *testing.T) {
	for _, c := range []struct {
		name, cpu string
		change    func(s *engine.Snapshot) error
		stale     bool
	}{
		{"the room is taken", "1", func(s *engine.Snapshot) error { return errOf(s.PutPod(on(pod("first", 1, "1"), "n2"))) }, true},
		{"room elsewhere is taken", "1", func(s *engine.Snapshot) error { return errOf(s.PutPod(on(pod("first", 1, "1"), "n3"))) }, false},
		{"the node goes", "1", func(s *engine.Snapshot) error { return s.RemoveNode("n2") }, true},
		{"the victim goes", "4", func(s *engine.Snapshot) error { return s.RemovePod("default/low") }, true},
		{"another pod comes", "4", func(s *engine.Snapshot) error { return errOf(s.PutPod(on(pod("first", 1, "1"), "n3"))) }, false},
		{"taken back", "4", func(s *engine.Snapshot) error {
			m := s.Mark()
			return errors.Join(s.RemovePod("default/low"), s.Undo(m))
		}, false},
		{"the pod itself is bound", "1", func(s *engine.Snapshot) error { return s.Bind("default/p", "n1") }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s *scene
			s = newScene(t, func(config *attempt.Config) {
				config.Decided = func([]*outrank.Node, preemption.Decision) error { return c.change(s.snap) }
				config.Place = func(_ context.Context, _ *outrank.Pod, nodes []*outrank.Node) (*outrank.Node, error) {
					return nodes[1], nil
				}
			})
			r, err := s.try(t, pod("p", 9, c.cpu))
			if !c.stale {
				require.NoError(t, err)
				assert.Contains(t, []attempt.Outcome{attempt.Bound, attempt.Preempting}, r.Outcome)
				return
			}
			require.ErrorIs(t, err, engine.ErrStale)
			require.ErrorContains(t, err, "pod default/p: ")
			assert.EqualError(t, err, r.Err.Error())
			for _, call := range s.cluster.Calls() {
				assert.NotContains(t, []string{"bind", "evict", "nominate"}, call.Op)
			}
		})
	}
}

// Functions of the caller's that make no sense, or fail, are errors, and the pod is back.
func TestFunctionsOfTheCaller(t *testing.T) {
	for name, c := range map[string]struct {
		change func(c *attempt.Config)
		is     error
	}{
		"Decided": {func(c *attempt.Config) {
			c.Decided = func([]*outrank.Node, preemption.Decision) error { return errMine }
		}, errMine},
		"Place without a node": {func(c *attempt.Config) {
			c.Place = func(context.Context, *outrank.Pod, []*outrank.Node) (*outrank.Node, error) { return nil, nil }
		}, outrank.ErrInvalid},
		"Decide without an answer": {func(c *attempt.Config) {
			c.Decide = func(context.Context, *outrank.Pod, time.Time) ([]*outrank.Node, *preemption.Plan, error) {
				return nil, nil, nil
			}
		}, outrank.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, c.change)
			r, err := s.try(t, pod("p", 1, "1"))
			require.ErrorIs(t, err, c.is)
			assert.Equal(t, attempt.Waiting, r.Outcome)
			assert.Equal(t, 1, s.q.Counts().Backoff)
		})
	}
	s := newScene(t, func(c *attempt.Config) {
		c.Place = func(context.Context, *outrank.Pod, []*outrank.Node) (*outrank.Node, error) { return nil, errMine }
	})
	r, err := s.try(t, pod("p", 1, "1"))
	require.NoError(t, err, "a place that cannot be found is dealt with")
	require.ErrorIs(t, r.Err, errMine)
	s = newScene(t, func(c *attempt.Config) { // lots may be drawn where scores are equal
		snap := c.Snapshot
		c.Place = func(ctx context.Context, pod *outrank.Pod, nodes []*outrank.Node) (*outrank.Node, error) {
			ranking, err := (&score.Scorer{}).Score(ctx, snap, pod, nodes)
			if err != nil {
				return nil, err
			}
			return ranking.Choose(func(n int) int { return n - 1 }), nil
		}
	})
	require.NoError(t, errOf(s.snap.PutPod(on(pod("full", 1, "1"), "n1"))))
	r, err = s.try(t, pod("p", 1, "1"))
	require.NoError(t, err)
	assert.Equal(t, "n3", r.Node, "the last of the equal ones")
}

// An entry of a pod that runs by now, or whose name another pod has, is an error that names it.
func TestEntriesThatMakeNoSense(t *testing.T) {
	s := newScene(t, nil)
	_, err := s.try(t, pod("low", 0, "1"))
	require.ErrorIs(t, err, preemption.ErrState)
	require.ErrorContains(t, err, "pod default/low: ")
	later := pod("low", 0, "1")
	later.UID = "later"
	require.True(t, s.q.Remove(pod("low", 0, "1")))
	_, err = s.try(t, later)
	require.ErrorIs(t, err, preemption.ErrState)
	require.ErrorContains(t, err, "pod default/low: ")
	bad := pod("bad", 0, "1")
	bad.Overhead = resource.MustList("cpu", "-1")
	r, err := s.try(t, bad)
	require.NoError(t, err, "the pod is wrong, and the scheduler goes on")
	require.ErrorContains(t, r.Err, "pod default/bad")
	for _, entry := range []queue.Entry{{}, {Group: &queue.Group{}}} {
		r, err := s.loop.Attempt(context.Background(), entry, now)
		assert.Nil(t, r)
		require.ErrorIs(t, err, outrank.ErrInvalid)
	}
	var zero attempt.Loop
	_, err = zero.Next(context.Background(), now)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	_, _, err = zero.Decide(context.Background(), bad, now)
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// A nomination of a pod that is unknown to the loop's cluster is one of a pod that is gone.
func TestNominationOfAPodThatIsGone(t *testing.T) {
	s := newScene(t, nil)
	require.ErrorIs(t, s.loop.Nominator().Add(pod("p", 1, "1"), "n2"), preemption.ErrNotFound)
	p := pod("p", 1, "1")
	p.NominatedNodeName = "n3"
	r, err := s.try(t, p) // it comes past Observe
	require.NoError(t, err)
	assert.Equal(t, "n3", r.Node, "its own nomination counts")
}

func TestNewRefuses(t *testing.T) {
	s := newScene(t, nil)
	c := attempt.Config{Snapshot: s.snap, Queue: s.q, Execution: execution.Config{Actions: s.cluster.Actions(), Parallel: -1}}
	_, err := attempt.New(c)
	assert.EqualError(t, err, "attempt config: Execution: executor config: Parallel: -1 is not between 0 and 1024")
}

// One value sets a variant for all parts: the queue's has to be the evaluator's (rule 13.1.1).
func TestNewRefusesTwoVariants(t *testing.T) {
	variants := []outrank.Variant{0, outrank.VariantV1_13, outrank.VariantSimplified}
	for _, decides := range variants {
		for _, queues := range variants {
			s := newScene(t, nil)
			c := attempt.Config{
				Snapshot: s.snap, Queue: must(queue.New(queue.Config{Variant: queues})), Execution: execution.Config{Actions: s.cluster.Actions()},
				Evaluator: must(engine.New(preemption.Config{Variant: decides})),
			}
			_, err := attempt.New(c)
			if decides == queues {
				require.NoError(t, err)
				continue
			}
			require.EqualError(t, err, fmt.Sprintf("attempt config: Queue: of another variant than the evaluator, which follows %v", decides))
		}
	}
	s := newScene(t, nil)
	_, err := attempt.New(attempt.Config{Snapshot: s.snap, Queue: must(queue.New(queue.Config{Variant: outrank.VariantV1_13})), Execution: execution.Config{Actions: s.cluster.Actions()}})
	require.ErrorIs(t, err, outrank.ErrInvalid, "without an evaluator the loop is today's")
}

// A group has all its places or none. What it may push out leaves first.
func TestGroups(t *testing.T) {
	release := must(outrank.V1_37.With(map[string]bool{"GenericWorkload": true}))
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Release: release, Nodes: []*outrank.Node{node("n1", "2"), node("n2", "2")}, Pods: []*outrank.Pod{on(pod("low", 0, "1"), "n2")},
	}))
	q, cluster := must(queue.New(queue.Config{Release: release})), &executiontest.Recorder{}
	loop := must(attempt.New(attempt.Config{Snapshot: snap, Queue: q, Execution: execution.Config{Actions: cluster.Actions(), Parallel: 1}}))
	group := &outrank.PodGroup{Name: "g", Policy: outrank.GangPolicy, MinCount: 2, Priority: outrank.Priority(9)}
	_, err := loop.Observe(nil, group, now)
	require.NoError(t, err)
	for i := range 2 {
		p := pod(fmt.Sprint("g-", i), 9, "2")
		p.Group = "g"
		_, err := loop.Observe(nil, p, now)
		require.NoError(t, err)
	}
	r, err := loop.Next(context.Background(), now)
	require.NoError(t, err)
	require.Equal(t, attempt.Preempting, r.Outcome, "%v", r.Plan)
	require.Len(t, r.Members, 2)
	assert.Equal(t, execution.Requeued, r.Members[1].Failure.Result)
	assert.NotEmpty(t, loop.Nominator().NodeOf("default/g-0"))
	assert.NotEmpty(t, loop.Nominator().NodeOf("default/g-1"))

	later := now.Add(time.Minute)
	_, err = loop.Observe(on(pod("low", 0, "1"), "n2"), nil, later)
	require.NoError(t, err)
	r, err = loop.Next(context.Background(), later)
	require.NoError(t, err)
	require.Equal(t, attempt.Bound, r.Outcome)
	require.Len(t, r.Members, 2)
	for _, m := range r.Members {
		assert.Equal(t, m.Node, snap.NodeOf(m.Entry.Pod.Key()))
	}
	assert.Empty(t, loop.Nominator().NodeOf("default/g-0")+loop.Nominator().NodeOf("default/g-1"))
	assert.Equal(t, queue.Parts[int]{}, q.Counts())
}

// A group with a member that has no pod is an error before anything is done, with and without a group.
func TestMembersWithoutAPod(t *testing.T) {
	snap := must(engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{node("n1", "2")}}))
	recorder := &executiontest.Recorder{}
	loop := must(attempt.New(attempt.Config{Snapshot: snap, Queue: must(queue.New(queue.Config{})), Execution: execution.Config{Actions: recorder.Actions()}}))
	member := pod("g-0", 9, "2")
	member.Group = "g"
	for _, group := range []*outrank.PodGroup{nil, {Name: "g", Policy: outrank.GangPolicy, MinCount: 1}} {
		for _, members := range [][]queue.Entry{{{}}, {{Pod: member}, {}}} {
			_, err := loop.Attempt(context.Background(), queue.Entry{Group: &queue.Group{PodGroup: group, Members: members}}, now)
			require.ErrorIs(t, err, outrank.ErrInvalid)
			assert.ErrorContains(t, err, fmt.Sprintf("member %d has no pod", len(members)-1))
		}
	}
	assert.Empty(t, recorder.Calls())
}

// errOf is the error of a call that returns something beside it.
func errOf[T any](_ T, err error) error { return err }
