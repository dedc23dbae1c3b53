package sim

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// drawFewKinds draws a run with many pods of few kinds, most of which have to wait.
func drawFewKinds(t *rapid.T) *scene {
	c := drawScene(t)
	c.config.Cycle = pick(t, "crowd cycle", 0, 0, 0, 0, 10*time.Millisecond)
	if c.config.variant() == outrank.VariantV1_13 {
		c.config.Cycle = 10 * time.Millisecond // its queue sends pods straight back
	}
	c.config.Discipline = pick(t, "crowd discipline", PriorityQueue, PriorityQueue, PriorityQueue, FIFOQueue)
	if pick(t, "plain", true, true, true, false) {
		c.strip()
	}
	kinds := c.work[:min(len(c.work), rapid.IntRange(1, 4).Draw(t, "kinds"))]
	for i := range rapid.IntRange(5, 40).Draw(t, "more pods") {
		w := rapid.SampledFrom(kinds).Draw(t, "kind")
		made := *w.Pod
		made.Name = fmt.Sprintf("%s-%02d", pick(t, "initial", "a", "m", "z"), i)
		made.Namespace = pick(t, "namespace", "", "", "ops")
		w.Pod, w.Endless = &made, false
		w.Arrival = seconds(rapid.IntRange(0, 90).Draw(t, "later arrival"))
		w.Duration = time.Duration(rapid.IntRange(1, 90_000).Draw(t, "milliseconds")) * time.Millisecond
		switch pick(t, "peculiarity", "", "", "", "", "", "", "nominated", "gated", "named", "labelled") {
		case "nominated":
			made.NominatedNodeName = rapid.SampledFrom(c.cluster.Nodes).Draw(t, "nominated to").Name
		case "gated":
			made.SchedulingGates = []string{"quota"}
			c.open(t, made.Key())
		case "named":
			made.SchedulerName = "second"
		case "labelled":
			made.Labels = map[string]string{"app": "other"}
		}
		c.work = append(c.work, w)
	}
	c.bindFails = pick(t, "bindings fail", false, false, false, true)
	c.drawQueue(t)
	if pick(t, "kubelets", false, false, true) {
		drawKubelets(t, c)
		c.config.Cycle = max(c.config.Cycle, 10*time.Millisecond) // see TestNoTimePasses
	}
	return c
}

// strip removes the pods' demands on each other.
func (c *scene) strip() {
	for i := range c.work {
		p := *c.work[i].Pod
		p.Affinity.PodAffinity, p.Affinity.PodAntiAffinity, p.TopologySpreadConstraints = nil, nil, nil
		c.work[i].Pod = &p
	}
}

// open removes the gates of a pod and puts them back.
func (c *scene) open(t *rapid.T, key outrank.Key) {
	at := seconds(rapid.IntRange(0, 60).Draw(t, "opened"))
	c.changes = append(c.changes, func(s *Simulation) error { return s.At(at, cautiously(SetGates(key))) })
	if pick(t, "closed again", false, true) {
		c.changes = append(c.changes, func(s *Simulation) error { return s.At(at+seconds(7), cautiously(SetGates(key, "quota"))) })
	}
}

// drawQueue draws the queue's rules and a second scheduler.
func (c *scene) drawQueue(t *rapid.T) {
	q := &c.config.Queue
	q.NoEarlyPop = pick(t, "no early pop", false, false, true)
	q.InitialBackoff = pick(t, "backoff", 0, 0, 300*time.Millisecond)
	q.UnschedulableTimeout = pick(t, "time-out", 0, 0, 20*time.Second)
	switch pick(t, "rule of the caller", "", "", "", "", "", "gate", "order", "hint") {
	case "gate":
		q.Gates = []queue.Gate{{Name: "m", Holds: func(p *outrank.Pod) bool { return p.Name == "m-07" || p.NominatedNodeName != "" }}}
	case "order":
		q.Compare = func(a, b *queue.Entry) int { return b.Attempts - a.Attempts }
	case "hint":
		q.Helps = func(e *queue.Entry, event queue.ClusterEvent) bool {
			return e.Pod.Name[0] != 'z' && queue.Helps(outrank.DefaultRelease, e, event)
		}
	}
	if c.config.variant() == outrank.VariantV1_13 { // it has none of these
		q.NoEarlyPop, q.InitialBackoff, q.Helps = false, 0, nil
	}
	if pick(t, "second scheduler", false, false, true) {
		second := c.config.Schedulers[0]
		second.Name = "second"
		c.config.Schedulers = append(c.config.Schedulers, second)
		c.config.SchedulerOf = func(p *outrank.Pod) string {
			if p.SchedulerName == "second" {
				return "second"
			}
			return outrank.DefaultScheduler
		}
	}
}

// failingAtFirst makes the first bindings of some pods fail.
func failingAtFirst() func(*outrank.Pod, *outrank.Node) error {
	asked := map[outrank.Key]int{}
	return func(p *outrank.Pod, _ *outrank.Node) error {
		asked[p.Key()]++
		if n := asked[p.Key()]; n <= len(p.Name)%3 || p.Name[0] == 'm' && n < 6 {
			return errors.New("timeout")
		}
		return nil
	}
}

// course is everything that can be seen of a run.
type course struct {
	Log     string
	Pending []queue.Parts[[]queue.Entry]
	Results []*Result
	Places  []Place
	Samples []chart.Sample
}

// course runs to the end, with stops on the way.
func (c *scene) course(t *rapid.T, oneByOne, observed bool) (*course, *Simulation) {
	var out course
	var w watch
	config := c.config
	config.OneByOne = oneByOne
	if c.bindFails {
		config.Bind = failingAtFirst()
	}
	if observed {
		config.Observe = func(e Event) { w.events = append(w.events, e) }
	}
	config.Sample = func(x chart.Sample) {
		copied := x
		copied.Levels = append([]chart.Level(nil), x.Levels...)
		copied.Waiting, copied.Evicted = map[int32]int{}, maps.Clone(x.Evicted)
		for priority, n := range x.Waiting {
			if n > 0 {
				copied.Waiting[priority] = n
			}
		}
		out.Samples = append(out.Samples, copied)
	}
	s, err := New(c.cluster, c.work, config)
	require.NoError(t, err)
	for _, ask := range c.changes {
		require.NoError(t, ask(s))
	}
	for _, stop := range []time.Duration{0, seconds(5), seconds(20) + 1, seconds(50), seconds(90), seconds(200), config.End} {
		require.NoError(t, s.Until(t.Context(), stop))
		out.Pending = append(out.Pending, s.Pending())
		out.Results = append(out.Results, s.Result())
	}
	for _, l := range s.lives.lineages {
		for _, p := range l.lives {
			out.Places = append(out.Places, s.Where(p.obj.Key()))
		}
	}
	out.Log = w.log()
	return &out, s
}

func requireSame(t *rapid.T, want, got *course) {
	require.Equal(t, want.Log, got.Log)
	if diff := testdiff.Diff(want, got, cmpopts.EquateComparable(), gocmp.AllowUnexported(report.Waits{})); diff != "" {
		t.Fatalf("-one by one +shared:\n%s", diff)
	}
}

// Sharing answers and refusing many pods at a time changes nothing that can be
// seen: neither with an observer, for which attempts are made one by one, nor
// without.
func TestPropertySharing(t *testing.T) {
	var shared, alone uint64
	crowds := 0
	rapid.Check(t, func(t *rapid.T) {
		c := drawFewKinds(t)
		want, _ := c.course(t, true, true)
		got, _ := c.course(t, false, true)
		requireSame(t, want, got)

		want.Log = ""
		got, s := c.course(t, false, false)
		requireSame(t, want, got)
		for _, x := range s.schedulers.inOrder {
			shared += x.refused
		}
		alone += s.tally.metrics.Values().ScheduleAttempts[metrics.Attempt{Result: "unschedulable", Profile: outrank.DefaultScheduler}]
		crowds += one(s.sharing.on && len(s.sharing.classes) > 0)
	})
	t.Logf("%d attempts shared, %d made; %d runs with classes", shared, alone, crowds)
	require.Positive(t, shared, "nothing was tested")
}
