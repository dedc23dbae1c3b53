package attempt_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// event is what an informer delivers of a pod.
type event struct{ old, new *outrank.Pod }

// world is a cluster without a scheduler: it does what it is told, and its informers deliver what
// has happened afterwards.
type world struct {
	executiontest.Recorder
	pods   map[outrank.Key]*outrank.Pod
	events []event
	busy   bool // bindings fail
}

func newWorld() *world {
	w := &world{pods: map[outrank.Key]*outrank.Pod{}}
	w.Find = func(key outrank.Key) (*outrank.Pod, bool) { p, ok := w.pods[key]; return p, ok }
	w.Do = func(c executiontest.Call) error {
		switch c.Op {
		case "evict":
			w.change(c.Pod, func(p *outrank.Pod) {
				p.DeletionTimestamp, p.DisruptionReason = now, outrank.PreemptionByScheduler
			})
		case "nominate":
			w.change(c.Pod, func(p *outrank.Pod) { p.NominatedNodeName = c.Node })
		case "clear nomination":
			w.change(c.Pod, func(p *outrank.Pod) { p.NominatedNodeName = "" })
		case "update status":
			if c.Nomination == (execution.Nomination{Override: true}) {
				w.change(c.Pod, func(p *outrank.Pod) { p.NominatedNodeName = "" })
			}
		case "bind":
			if w.busy {
				return fmt.Errorf("the server is busy")
			}
			w.change(c.Pod, func(p *outrank.Pod) { p.NodeName, p.NominatedNodeName = c.Node, "" })
		}
		return nil
	}
	return w
}

// change gives a pod a new version.
func (w *world) change(pod *outrank.Pod, f func(*outrank.Pod)) {
	old := w.pods[pod.Key()]
	if old == nil {
		return
	}
	made := *old
	f(&made)
	w.pods[pod.Key()] = &made
	w.events = append(w.events, event{old, &made})
}

// side is a scheduler in a world of its own: the loop, or the plain one.
type side interface {
	observe(t require.TestingT, old, new *outrank.Pod, now time.Time)
	observeNode(t require.TestingT, old, new *outrank.Node, now time.Time)
	next(t require.TestingT, now time.Time) string
	world() *world
	parts() (*engine.Snapshot, *queue.Queue, *execution.Nominator)
}

// byLoop is the scheduler that is tested.
type byLoop struct {
	*world_
	loop *attempt.Loop
	snap *engine.Snapshot
	q    *queue.Queue
}

type world_ struct{ w *world }

func (s *world_) world() *world { return s.w }

func (s *byLoop) observe(t require.TestingT, old, new *outrank.Pod, now time.Time) {
	var a, b any
	if old != nil {
		a = old
	}
	if new != nil {
		b = new
	}
	_, err := s.loop.Observe(a, b, now)
	require.NoError(t, err)
}

func (s *byLoop) observeNode(t require.TestingT, old, new *outrank.Node, now time.Time) {
	_, err := s.loop.Observe(old, new, now) // typed nils are no objects
	require.NoError(t, err)
}

func (s *byLoop) next(t require.TestingT, now time.Time) string {
	r, err := s.loop.Next(context.Background(), now)
	require.NoError(t, err)
	if r.Outcome == attempt.Idle {
		return "idle"
	}
	text := fmt.Sprintln(r.Entry.Pod.Key(), r.Outcome, r.Node)
	if r.Failure != nil {
		text += fmt.Sprintln(r.Failure.Condition.Reason, r.Failure.Result, r.Failure.Nomination, r.Failure.Filters, r.Failure.Event.Message)
	}
	if r.Report != nil {
		text += r.Report.String()
	}
	return text
}

func (s *byLoop) parts() (*engine.Snapshot, *queue.Queue, *execution.Nominator) {
	return s.snap, s.q, s.loop.Nominator()
}

// plain is the loop as one would write it by hand, over the slow path: every attempt indexes
// the cluster anew and asks every node.
type plain struct {
	*world_
	snap *engine.Snapshot // never asked
	q    *queue.Queue
	n    execution.Nominator
	x    *execution.Executor
}

func (s *plain) parts() (*engine.Snapshot, *queue.Queue, *execution.Nominator) {
	return s.snap, s.q, &s.n
}

func (s *plain) observe(t require.TestingT, old, new *outrank.Pod, now time.Time) {
	gone := func() {
		waited := *old
		waited.NodeName = ""
		s.q.RoomGivenUp(&waited, now)
	}
	switch {
	case new == nil:
		require.NoError(t, s.snap.RemovePod(old.Key()))
		s.n.Remove(old)
		s.x.Gone(old)
		s.q.Remove(old)
		switch {
		case old.NodeName != "":
			s.q.MoveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodDeleted, Pod: old}, now)
		case old.NominatedNodeName != "":
			gone()
		}
		return
	case old == nil && new.NodeName == "":
		require.NoError(t, s.n.Add(new, ""))
		require.NoError(t, s.q.Add(new, now))
	case new.NodeName == "" && s.snap.NodeOf(new.Key()) == "":
		s.n.Update(old, new)
		// What a world without users writes on a pod that waits is its nomination, which helps it nowhere.
		require.NoError(t, s.q.Update(with(new, func(*outrank.Pod) {}), now))
		if old.NominatedNodeName != "" && old.NominatedNodeName != new.NominatedNodeName {
			gone()
		}
	case new.NodeName != "" && (old == nil || old.NodeName == ""):
		s.n.Remove(new)
		if old != nil {
			s.q.Remove(old)
		}
		s.q.MoveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodAdded, Pod: new}, now)
	}
	require.NoError(t, errOf(s.snap.PutPod(new)))
}

func (s *plain) observeNode(t require.TestingT, old, new *outrank.Node, now time.Time) {
	switch {
	case new == nil:
		require.NoError(t, s.snap.RemoveNode(old.Name))
		s.q.MoveAll(queue.ClusterEvent{Kind: queue.EventNodeDeleted, Node: old}, now)
	default:
		require.NoError(t, s.snap.PutNode(new))
		s.q.MoveAll(queue.ClusterEvent{Kind: queue.EventNodeAdded, Node: new}, now)
	}
}

// anew is the cluster as it is, indexed anew, with all nominations written into it.
func (s *plain) anew(t require.TestingT) *engine.Snapshot {
	c := s.snap.Cluster()
	for i, p := range c.Pods {
		made := *p
		if made.NodeName == "" {
			if made.NominatedNodeName = s.n.NodeOf(p.Key()); !slices.ContainsFunc(c.Nodes, func(n *outrank.Node) bool { return n.Name == made.NominatedNodeName }) {
				made.NominatedNodeName = ""
			}
		}
		c.Pods[i] = &made
	}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	return snap
}

func (s *plain) next(t require.TestingT, now time.Time) string {
	ctx := context.Background()
	entry, ok := s.q.TryPop(now)
	if !ok {
		return "idle"
	}
	pod, snap := entry.Pod, s.anew(t)
	if pod.Terminating() {
		s.n.Remove(pod)
		s.q.Done(entry)
		return fmt.Sprintln(pod.Key(), attempt.Dropped, "")
	}
	eval := must(engine.New(preemption.Config{}))
	ranked, err := must(score.New(score.Config{})).Rank(ctx, eval, snap, pod)
	require.NoError(t, err)
	f := execution.Failure{Entry: entry, Queue: s.q, Now: now}
	var plan *preemption.Plan
	text := ""
	if node := ranked.Choose(nil); node != nil {
		err := s.x.Bind(ctx, snap.Release(), pod, node.Name)
		if err == nil {
			require.NoError(t, s.snap.Bind(pod.Key(), node.Name))
			s.n.Remove(pod)
			s.q.Done(entry)
			return fmt.Sprintln(pod.Key(), attempt.Bound, node.Name)
		}
		f.Err, f.Node = err, node.Name
	} else {
		plan, err = eval.Preempt(ctx, snap, preemption.Request{Pod: pod, Now: now})
		require.NoError(t, err)
		f.Plan = plan
		if plan.Outcome == preemption.Preempts {
			report, err := s.x.Execute(ctx, plan)
			require.NoError(t, err)
			text = report.String()
		}
	}
	r, err := s.x.Fail(ctx, f)
	require.NoError(t, err)
	outcome, node := attempt.Waiting, ""
	if text != "" {
		outcome, node = attempt.Preempting, plan.Node
	}
	return fmt.Sprintln(pod.Key(), outcome, node) + fmt.Sprintln(r.Condition.Reason, r.Result, r.Nomination, r.Filters, r.Event.Message) + text
}

func sides(t require.TestingT) (*byLoop, *plain) {
	nodes := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "4"), node("n2", "3")}}
	one := &byLoop{world_: &world_{newWorld()}, snap: must(engine.NewSnapshot(nodes)), q: must(queue.New(queue.Config{}))}
	var err error
	one.loop, err = attempt.New(attempt.Config{Snapshot: one.snap, Queue: one.q, Execution: execution.Config{Actions: one.w.Actions(), Parallel: 1}})
	require.NoError(t, err)
	other := &plain{world_: &world_{newWorld()}, snap: must(engine.NewSnapshot(nodes)), q: must(queue.New(queue.Config{}))}
	other.x = must(execution.NewExecutor(execution.Config{Actions: other.w.Actions(), Nominator: &other.n, Parallel: 1}))
	return one, other
}

// stateOf tells what a scheduler knows.
func stateOf(s side) (out string) {
	snap, q, n := s.parts()
	for _, node := range []string{"n1", "n2", "n3"} {
		for _, p := range snap.PodsOn(node) {
			out += fmt.Sprintln(node, p.Key(), p.Terminating())
		}
		for _, p := range n.NominatedTo(node) {
			out += fmt.Sprintln(node, "for", p.Key())
		}
	}
	pending := q.Pending()
	for name, entries := range map[string][]queue.Entry{"1 active": pending.Active, "2 backoff": pending.Backoff, "3 unschedulable": pending.Unschedulable} {
		for _, e := range entries {
			out += fmt.Sprintln(name, e.Pod.Key(), e.Attempts, e.FailedFilters, e.Pod.NominatedNodeName)
		}
	}
	lines := slices.Sorted(slices.Values(slices.Collect(linesOf(out))))
	return fmt.Sprint(lines, q.Counts())
}

func linesOf(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for start, i := 0, 0; i < len(text); i++ {
			if text[i] == '\n' {
				if !yield(text[start : i+1]) {
					return
				}
				start = i + 1
			}
		}
	}
}

// Whatever happens, an attempt of the loop comes to what an attempt by hand comes to that looks
// at everything anew.
func TestPropertyAttemptsEqualAPlainLoop(t *testing.T) {
	did := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		one, other := sides(t)
		both, at, count := []side{one, other}, now, 0
		each := func(f func(s side)) {
			for _, s := range both {
				f(s)
			}
		}
		deliver := func() {
			each(func(s side) {
				for w := s.world(); len(w.events) > 0; {
					e := w.events[0]
					w.events = w.events[1:]
					s.observe(t, e.old, e.new, at)
				}
			})
		}
		draw := func(t *rapid.T, keep func(*outrank.Pod) bool) outrank.Key {
			var keys []outrank.Key
			for _, key := range slices.Sorted(maps.Keys(one.w.pods)) {
				if keep(one.w.pods[key]) {
					keys = append(keys, key)
				}
			}
			if len(keys) == 0 {
				return ""
			}
			return rapid.SampledFrom(keys).Draw(t, "pod")
		}
		remove := func(key outrank.Key) {
			each(func(s side) {
				if p := s.world().pods[key]; p != nil {
					delete(s.world().pods, key)
					s.observe(t, p, nil, at)
				}
			})
		}
		for i := range rapid.IntRange(0, 6).Draw(t, "there") {
			low := on(pod(fmt.Sprint("low", i), 0, "1"), []string{"n1", "n2"}[i%2])
			each(func(s side) {
				s.world().pods[low.Key()] = low
				s.observe(t, nil, low, at)
			})
		}
		t.Repeat(map[string]func(*rapid.T){
			"come": func(t *rapid.T) {
				count++
				p := pod(fmt.Sprint("p", count), rapid.Int32Range(0, 3).Draw(t, "priority"), rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "cpu"))
				p.StartTime = time.Time{}
				each(func(s side) {
					s.world().pods[p.Key()] = p
					s.observe(t, nil, p, at)
				})
			},
			"attempt": func(t *rapid.T) {
				want, got := other.next(t, at), one.next(t, at)
				require.Equal(t, want, got)
				did[strings.Join(strings.Fields(got)[min(1, len(strings.Fields(got))-1):min(2, len(strings.Fields(got)))], "")]++
				deliver()
			},
			"attempts": func(t *rapid.T) {
				for range 5 {
					require.Equal(t, other.next(t, at), one.next(t, at))
					deliver()
				}
			},
			"victim goes": func(t *rapid.T) { remove(draw(t, func(p *outrank.Pod) bool { return p.Terminating() })) },
			"pod ends":    func(t *rapid.T) { remove(draw(t, func(p *outrank.Pod) bool { return p.NodeName != "" })) },
			"pod goes":    func(t *rapid.T) { remove(draw(t, func(p *outrank.Pod) bool { return p.NodeName == "" })) },
			"time":        func(t *rapid.T) { at = at.Add(time.Duration(rapid.IntRange(1, 400).Draw(t, "s")) * time.Second) },
			"busy":        func(t *rapid.T) { each(func(s side) { s.world().busy = !s.world().busy }) },
			"node": func(t *rapid.T) {
				n3 := node("n3", "2")
				_, there := one.snap.Node("n3")
				each(func(s side) {
					if there {
						s.observeNode(t, n3, nil, at)
					} else {
						s.observeNode(t, nil, n3, at)
					}
				})
			},
			"somebody tries": func(t *rapid.T) { // and takes it back
				mark := one.snap.Mark()
				for _, p := range one.snap.PodsOn("n1") {
					require.NoError(t, one.snap.RemovePod(p.Key()))
				}
				for _, p := range one.snap.NominatedTo("n2") {
					require.NoError(t, one.snap.Bind(p.Key(), "n2"))
				}
				require.NoError(t, one.snap.Undo(mark))
			},
			"": func(t *rapid.T) {
				require.Equal(t, stateOf(other), stateOf(one))
				require.Equal(t, fmt.Sprint(other.w.Calls()), fmt.Sprint(one.w.Calls()))
			},
		})
	})
	t.Log(did)
}
