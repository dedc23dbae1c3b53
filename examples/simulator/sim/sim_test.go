package sim

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/resource"
)

func node(name, cpu string) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", cpu, "memory", "8Gi", "pods", "110")}
}

func asking(name string, priority int32, cpu string) *outrank.Pod {
	return &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Containers: []outrank.Container{
		{Name: "main", Requests: resource.MustList("cpu", cpu)},
	}}
}

// lasting is work that comes at a time and runs so long, in seconds.
func lasting(p *outrank.Pod, arrival, duration int) Work {
	return Work{Pod: p, Arrival: seconds(arrival), Duration: seconds(duration)}
}

func endless(p *outrank.Pod, arrival int) Work {
	return Work{Pod: p, Arrival: seconds(arrival), Endless: true}
}

func nodes(ns ...*outrank.Node) *outrank.Cluster { return &outrank.Cluster{Nodes: ns} }

// at goes on to a time and returns the places of pods.
func (w *watch) at(second int, want map[string]Place) {
	for next, ok := w.s.Next(); ok && next <= min(seconds(second), w.s.config.End); next, ok = w.s.Next() {
		w.step(next)
	}
	require.NoError(w, w.s.Until(context.Background(), seconds(second)))
	w.check()
	for name, p := range want {
		got := w.s.Where(outrank.NewKey("", name))
		got.Pod, got.Lineage, got.Pool = nil, "", ""
		require.Equal(w, p, got, "%s at %v", name, w.s.Now())
	}
}

func TestGracefulTermination(t *testing.T) {
	ten := seconds(10)
	for _, tt := range []struct {
		name, reason string
		batch        Work
		rule         RecreateRule
		want         map[int]map[string]Place
	}{
		{"default grace", "30 s, and the pod counts on the node until then", lasting(asking("batch", 0, "3"), 0, 500), RecreateWhenGone, map[int]map[string]Place{
			129: {"batch": {Phase: Terminating, Node: "n", Until: seconds(130)}, "web": {Phase: Queued, Nominated: "n"}},
			130: {"batch": {Phase: Gone, Node: "n"}, "web": {Phase: Running, Node: "n"}, "batch-r1": {Phase: Coming}},
			131: {"batch-r1": {Phase: Queued}},
			300: {"web": {Phase: Finished, Node: "n"}, "batch-r1": {Phase: Running, Node: "n"}},
			699: {"batch-r1": {Phase: Running, Node: "n"}},
			731: {"batch-r1": {Phase: Finished, Node: "n"}},
		}},
		{"own grace", "the work's own comes before the default", Work{Pod: asking("batch", 0, "3"), Endless: true, Grace: &ten}, RecreateNever, map[int]map[string]Place{
			109: {"batch": {Phase: Terminating, Node: "n", Until: seconds(110)}},
			110: {"batch": {Phase: Gone, Node: "n"}, "web": {Phase: Running, Node: "n"}},
			900: {"batch-r1": {}},
		}},
		{"done earlier", "work that is done in the grace period is done", lasting(asking("batch", 0, "3"), 0, 105), RecreateWhenGone, map[int]map[string]Place{
			104: {"batch": {Phase: Terminating, Node: "n", Until: seconds(130)}},
			105: {"batch": {Phase: Finished, Node: "n"}, "web": {Phase: Running, Node: "n"}},
			900: {"batch-r1": {}},
		}},
		{"replaced at once", "another one does the work while this one leaves", lasting(asking("batch", 0, "3"), 0, 105), RecreateWhenEvicted, map[int]map[string]Place{
			101: {"batch": {Phase: Terminating, Node: "n", Until: seconds(130)}, "batch-r1": {Phase: Queued}},
			105: {"batch": {Phase: Gone, Node: "n"}, "web": {Phase: Running, Node: "n"}},
			900: {"batch-r1": {Phase: Finished, Node: "n"}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Log(tt.reason)
			work := []Work{tt.batch, lasting(asking("web", 100, "2"), 100, 100)}
			w := watched(t, nodes(node("n", "4")), work, Config{Recreate: Recreate{Rule: tt.rule}})
			for _, second := range []int{101, 104, 105, 109, 110, 129, 130, 131, 300, 699, 731, 900} {
				w.at(second, tt.want[second])
			}
		})
	}
}

// While victims leave, the room made can go to others (rule 14.3.2).
func TestOvertaken(t *testing.T) {
	w := watched(t, nodes(node("n", "4")), []Work{
		endless(asking("low", 0, "4"), 0),
		endless(asking("middle", 10, "4"), 10),
		endless(asking("high", 20, "4"), 20),
	}, Config{Order: execution.Synchronous})
	w.at(15, map[string]Place{"middle": {Phase: Queued, Nominated: "n"}})
	w.at(25, map[string]Place{"middle": {Phase: Queued}, "high": {Phase: Queued, Nominated: "n"}})
	w.at(50, map[string]Place{"middle": {Phase: Queued}, "high": {Phase: Running, Node: "n"}})
	w.run(1000)
	plans := w.s.Result().Metrics.PreemptionVictims
	require.EqualValues(t, 2, plans.Count(), "two plans, one victim told to go")
	require.Equal(t, 1, w.evicted)
}

// A pod lands elsewhere than nominated if room comes up there first, and a
// smaller one of lower priority does not take the room made for another.
func TestNominationIsNotAPlace(t *testing.T) {
	w := watched(t, nodes(node("n1", "4"), node("n2", "4")), []Work{
		endless(asking("low1", 0, "4"), 0),
		lasting(asking("equal", 10, "4"), 1, 19),
		endless(asking("web", 10, "3"), 10),
		endless(asking("small", 5, "2"), 12),
	}, Config{})
	w.at(15, map[string]Place{"web": {Phase: Queued, Nominated: "n1"}, "small": {Phase: Queued}})
	w.at(21, map[string]Place{"web": {Phase: Running, Node: "n2"}})
	w.at(60, map[string]Place{"small": {Phase: Running, Node: "n1"}})
}

func TestCycleTakesTime(t *testing.T) {
	w := watched(t, nodes(node("n", "4")), []Work{
		endless(asking("a", 0, "1"), 0), endless(asking("b", 0, "1"), 0), endless(asking("c", 9, "1"), 0), endless(asking("d", 0, "1"), 9),
	}, Config{Cycle: time.Second})
	for _, want := range []struct {
		at  time.Duration
		pod string
	}{{0, "c"}, {seconds(1), "a"}, {seconds(2), "b"}, {seconds(9), "d"}} {
		for w.s.Where(outrank.NewKey("", want.pod)).Phase != Running {
			next, ok := w.s.Next()
			require.True(t, ok)
			w.step(next)
		}
		require.Equal(t, want.at, w.s.Now(), want.pod)
	}
}

// Nothing is tried again while nothing has changed.
func TestRestsWhileNothingChanges(t *testing.T) {
	for _, discipline := range []Discipline{PriorityQueue, FIFOQueue} {
		w := watched(t, nodes(node("n", "4")), []Work{
			lasting(asking("long", 0, "1"), 0, 1_000_000),
			endless(asking("never", 0, "5"), 1), endless(asking("neither", 0, "6"), 2),
		}, Config{Discipline: discipline})
		w.run(20)
		require.Equal(t, seconds(1_000_000), w.s.Now(), discipline)
		require.Equal(t, Queued, w.s.Where("default/never").Phase)
		require.Equal(t, 2, w.s.Result().Pods.Waiting)
	}
}

func TestClusterAtTheBeginning(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	running, leaving, pending, over := asking("running", 0, "1"), asking("leaving", 0, "3"), asking("pending", 0, "2"), asking("over", 0, "9")
	running.NodeName, leaving.NodeName, over.NodeName = "n", "n", "n"
	leaving.DeletionTimestamp, over.Phase = start.Add(seconds(7)), outrank.PhaseSucceeded
	c := nodes(node("n", "4"))
	unwanted, nominated := asking("unwanted", 0, "1"), asking("nominated", 0, "9")
	unwanted.DeletionTimestamp, nominated.NominatedNodeName = start, "n"
	c.Pods = []*outrank.Pod{running, leaving, pending, over, unwanted, nominated}
	w := watched(t, c, nil, Config{Start: start})
	w.at(6, map[string]Place{"running": {Phase: Running, Node: "n"}, "pending": {Phase: Queued}, "over": {}, "unwanted": {}})
	w.at(7, map[string]Place{"leaving": {Phase: Gone, Node: "n"}, "pending": {Phase: Running, Node: "n"}})
	require.Equal(t, start.Add(seconds(7)), w.s.Where("default/pending").Pod.StartTime)
	require.Empty(t, pending.NodeName, "what is given stays as it was")
}

func TestBudgetsFollowThePods(t *testing.T) {
	labelled := func(p *outrank.Pod) *outrank.Pod {
		p.Labels = map[string]string{"app": "db"}
		return p
	}
	c := nodes(node("n1", "2"), node("n2", "2"), node("n3", "2"))
	c.Budgets = []*outrank.PodDisruptionBudget{{
		Name: "db", MinAvailable: &outrank.IntOrPercent{Value: 1},
		Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
	}}
	w := watched(t, c, []Work{
		endless(labelled(asking("db1", 0, "2")), 0), endless(labelled(asking("db2", 0, "2")), 0),
		endless(asking("dear", 50, "2"), 0),
		endless(asking("web1", 100, "2"), 10), endless(asking("web2", 100, "2"), 11),
	}, Config{})
	allowed := func() int32 { return w.s.Budgets()[0].DisruptionsAllowed }
	w.at(5, nil)
	require.EqualValues(t, 1, allowed(), "two run, one has to")
	w.at(10, nil)
	require.EqualValues(t, 0, allowed())
	w.at(100, map[string]Place{"dear": {Phase: Gone, Node: "n1"}})
	require.EqualValues(t, 0, c.Budgets[0].DisruptionsAllowed, "what is given stays as it was")
}

func TestChanges(t *testing.T) {
	n2 := node("n2", "4")
	w := watched(t, nodes(node("n1", "4")), []Work{
		endless(asking("a", 0, "3"), 0), endless(asking("b", 0, "3"), 5), endless(asking("later", 0, "1"), 1000),
	}, Config{Recreate: Recreate{Rule: RecreateWhenGone}})
	for _, c := range []struct {
		at     int
		change Change
	}{
		{10, AddNode(n2)}, {20, Cordon("n2")}, {20, RemoveNode("n1")}, {40, DeletePod("default/b")}, {40, DeletePod("default/later")},
		{50, Uncordon("n2")}, {60, SetLabels("default/b", map[string]string{"x": "y"})}, {70, SetLabels("default/a-r1", nil)},
	} {
		require.NoError(t, w.s.At(seconds(c.at), c.change))
	}
	w.at(10, map[string]Place{"b": {Phase: Running, Node: "n2"}})
	w.at(20, map[string]Place{"a": {Phase: Gone, Node: "n1"}, "a-r1": {Phase: Coming}})
	w.at(49, map[string]Place{"a-r1": {Phase: Queued}, "b": {Phase: Terminating, Node: "n2", Until: seconds(70)}})
	w.at(50, map[string]Place{"a-r1": {Phase: Queued}})
	w.at(70, map[string]Place{"a-r1": {Phase: Running, Node: "n2"}, "b": {Phase: Gone, Node: "n2"}})
	require.Equal(t, map[string]string{"x": "y"}, w.s.Where("default/b").Pod.Labels)
	require.Equal(t, []outrank.Key{"default/a", "default/a-r1"}, w.s.Lives("default/a"))
	w.run(100)
	require.Equal(t, Gone, w.s.Where("default/later").Phase, "deleted before it came")
	require.Equal(t, 2, w.s.Result().Pods.Arrived)
}

func TestChangesRefused(t *testing.T) {
	for _, c := range []struct {
		change Change
		want   error
	}{
		{DeletePod("default/x"), preemption.ErrNotFound},
		{RemoveNode("x"), preemption.ErrNotFound},
		{Cordon("x"), preemption.ErrNotFound},
		{SetLabels("default/x", nil), preemption.ErrNotFound},
		{AddNode(node("n", "1")), preemption.ErrState},
		{AddPod(Work{}), outrank.ErrInvalid},
		{AddPod(endless(asking("a", 0, "1"), 0)), outrank.ErrInvalid},
		{SetBudgets([]*outrank.PodDisruptionBudget{{}}), outrank.ErrInvalid},
		{Call(func(*Simulation) error { return errors.ErrUnsupported }), errors.ErrUnsupported},
	} {
		s, err := New(nodes(node("n", "1")), []Work{endless(asking("a", 0, "1"), 0)}, Config{})
		require.NoError(t, err)
		require.NoError(t, s.At(time.Second, c.change))
		require.ErrorIs(t, s.Until(t.Context(), time.Hour), c.want)
	}
	s, err := New(nil, nil, Config{})
	require.NoError(t, err)
	require.ErrorIs(t, s.At(-1, DeletePod("x")), outrank.ErrInvalid)
	require.ErrorIs(t, s.At(0, Call(nil)), outrank.ErrInvalid)
	require.ErrorIs(t, s.At(0, Change{}), outrank.ErrInvalid)
	require.NoError(t, s.Until(t.Context(), time.Hour))
	require.Equal(t, time.Hour, s.Now())
	require.ErrorIs(t, s.At(time.Minute, DeletePod("x")), outrank.ErrInvalid, "time does not go back")
}

func TestRefused(t *testing.T) {
	bound := asking("bound", 0, "1")
	bound.NodeName = "x"
	lost := nodes(node("n", "1"))
	lost.Pods = []*outrank.Pod{bound}
	short := -time.Second
	for _, tt := range []struct {
		name    string
		cluster *outrank.Cluster
		work    []Work
		config  Config
		want    string
	}{
		{"cluster", nodes(&outrank.Node{}), nil, Config{}, "node"},
		{"no such node", lost, nil, Config{}, "pod default/bound: NodeName: there is no node x"},
		{"bound", nil, []Work{{Pod: bound}}, Config{}, "pod default/bound: NodeName: x: work comes without a node"},
		{"no pod", nil, []Work{{}}, Config{}, "work: Pod: missing"},
		{"time", nil, []Work{{Pod: asking("a", 0, "1"), Arrival: -1}}, Config{}, "pod default/a: Arrival: -1ns is not between"},
		{"grace of work", nil, []Work{{Pod: asking("a", 0, "1"), Grace: &short}}, Config{}, "pod default/a: Grace: -1s"},
		{"twice", nil, []Work{{Pod: asking("a", 0, "1")}, {Pod: asking("a", 0, "1")}}, Config{}, "pod default/a: there is one of that name"},
		{"scheduler", nil, []Work{{Pod: asking("a", 0, "1")}}, Config{SchedulerOf: func(*outrank.Pod) string { return "x" }}, "no scheduler is called x"},
		{"schedulers", nil, nil, Config{Schedulers: []Scheduler{{}, {Name: "default-scheduler"}}}, "Schedulers[1]: there is another scheduler called default-scheduler"},
		{"rules", nil, nil, Config{Schedulers: []Scheduler{{Preemption: preemption.Config{Sample: &preemption.Sample{Percent: 101}}}}}, "Schedulers[0]"},
		{"grace", nil, nil, Config{Grace: &short}, "Grace: -1s is not between"},
		{"kinds", nil, nil, Config{Discipline: 9, Order: "soon", Recreate: Recreate{Rule: 9}}, "Discipline: 9 is none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(tt.cluster, tt.work, tt.config)
			require.ErrorIs(t, err, outrank.ErrInvalid)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// A rule that fails is a scheduler's error: the pod waits, and others go on.
func TestBrokenRule(t *testing.T) {
	broken := errors.New("no answer")
	filter := &preemption.Filter{Name: "failing", Start: func(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
		return nil, broken
	}}
	w := watched(t, nodes(node("n", "4")), []Work{
		endless(asking("bad", 0, "1"), 0), endless(asking("good", 0, "1"), 0),
	}, Config{
		Schedulers: []Scheduler{{}, {Name: "broken", Preemption: preemption.Config{Filters: []*preemption.Filter{filter}}}},
		SchedulerOf: func(p *outrank.Pod) string {
			return map[string]string{"bad": "broken", "good": "default-scheduler"}[p.Name]
		},
	})
	w.run(1000)
	w.at(1000, map[string]Place{"bad": {Phase: Queued}, "good": {Phase: Running, Node: "n"}})
	require.NotZero(t, w.s.Result().Metrics.ScheduleAttempts[metrics.Attempt{Result: "error", Profile: "broken"}])
}

// The schedulers of a simulation share their nominations, as profiles do: room
// that one of them has promised is not promised again by the other, and nobody is
// evicted for it twice (rule 7.16.3).
func TestSchedulersShareNominations(t *testing.T) {
	named := func(p *outrank.Pod, scheduler string) *outrank.Pod { p.SchedulerName = scheduler; return p }
	w := watched(t, nodes(node("n", "1")), []Work{
		endless(asking("low", 0, "1"), 0), endless(named(asking("first", 9, "1"), "a"), 10), endless(named(asking("second", 9, "1"), "b"), 11),
	}, Config{
		Schedulers: []Scheduler{{}, {Name: "a"}, {Name: "b"}}, SchedulerOf: (*outrank.Pod).Scheduler,
	})
	w.at(12, map[string]Place{"first": {Phase: Queued, Nominated: "n"}, "second": {Phase: Queued}})
	w.at(1000, map[string]Place{"first": {Phase: Running, Node: "n"}, "second": {Phase: Queued}})
}

func TestScores(t *testing.T) {
	c := Choice{CPU: Level{3, 4}, Memory: Level{1, 2}}
	require.EqualValues(t, 37, LeastAllocated(&c))
	require.EqualValues(t, 62, MostAllocated(&c))
	require.EqualValues(t, 0, LeastAllocated(&Choice{CPU: Level{5, 4}}), "nothing is left of nothing, nor of less")
	at := func(config Config, names ...string) string {
		var work []Work
		for _, name := range names {
			work = append(work, endless(asking(name, 0, "1"), 0))
		}
		w := watched(t, nodes(node("n1", "4"), node("n2", "8"), node("n3", "8"), node("n4", "8")), work, config)
		w.run(100)
		return w.s.Where(outrank.NewKey("", names[len(names)-1])).Node
	}
	require.Equal(t, "n2", at(Config{}, "a"), "the first of those equal")
	require.Equal(t, "n3", at(Config{}, "a", "b"))
	require.Equal(t, "n1", at(Config{Schedulers: []Scheduler{{Score: MostAllocated}}}, "a", "b", "c"))
	seen := map[string]bool{}
	for seed := range uint64(30) {
		seen[at(Config{Seed: seed + 1}, "a")] = true
	}
	require.Equal(t, map[string]bool{"n2": true, "n3": true, "n4": true}, seen)
}

func TestEndOfContext(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	s, err := New(nodes(node("n", "4")), []Work{lasting(asking("a", 0, "1"), 5, 5)}, Config{})
	require.NoError(t, err)
	require.NoError(t, s.At(seconds(7), Call(func(*Simulation) error { stop(); return nil })))
	r, err := s.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 7.0, r.Simulated)
	require.Equal(t, 1, r.Pods.Run)
	r, err = s.Run(context.Background())
	require.NoError(t, err, "it can go on")
	require.Equal(t, 1, r.Pods.Finished)
}

func TestProgress(t *testing.T) {
	var run *Simulation
	last, calls := 0.0, 0
	run, err := New(nodes(node("n", "4")), []Work{lasting(asking("a", 0, "1"), 5, 5), endless(asking("b", 0, "1"), 9)}, Config{
		Progress: func() {
			calls++
			require.GreaterOrEqual(t, run.Progress(), last)
			last = run.Progress()
		},
	})
	require.NoError(t, err)
	require.Zero(t, run.Progress())
	r, err := run.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1.0, last)
	require.Equal(t, 5, calls, "two come, two are placed, one ends")
	require.Equal(t, calls, r.Steps)
	require.Equal(t, []resource.Name{"cpu", "memory"}, run.Resources())
}

// BenchmarkRun is a crowded cluster, from the first arrival to the last end.
func BenchmarkRun(b *testing.B) {
	for _, size := range []struct{ nodes, pods int }{{50, 1000}, {500, 10000}} {
		b.Run(fmt.Sprintf("nodes=%d/pods=%d", size.nodes, size.pods), func(b *testing.B) {
			c := &outrank.Cluster{}
			for i := range size.nodes {
				c.Nodes = append(c.Nodes, node(fmt.Sprintf("n%d", i), "16"))
			}
			var work []Work
			for i := range size.pods {
				p := asking(fmt.Sprintf("p%d", i), int32(i%7/5*100), []string{"1", "2", "4"}[i%3])
				work = append(work, lasting(p, i*600/size.pods, 200+i%5*50))
			}
			b.ReportAllocs()
			steps, victims := 0, 0
			for b.Loop() {
				s, err := New(c, work, Config{Recreate: Recreate{Rule: RecreateWhenGone}})
				require.NoError(b, err)
				r, err := s.Run(b.Context())
				require.NoError(b, err)
				steps, victims = r.Steps, r.Preemption.Evictions
			}
			b.ReportMetric(float64(steps), "steps")
			b.ReportMetric(float64(victims), "victims")
		})
	}
}
