package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/preemption"
)

// drawing returns a function that gives the items one after another, and counts them.
func drawing[T any](items []T, drawn *int) func() (T, bool) {
	return func() (item T, ok bool) {
		if *drawn == len(items) {
			return item, false
		}
		*drawn++
		return items[*drawn-1], true
	}
}

// A run of arrivals that are drawn one at a time is that of the same work given at once, and draws
// no more than one ahead.
func TestPropertyArrivalsAsWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawScene(t)
		c.config.Recreate.Rule = RecreateNever // else a pod may be made anew at the time of an arrival
		for i := range c.work {
			c.work[i].Arrival = seconds(10*i) + time.Millisecond
		}
		config := c.config
		config.Cycle = 0
		play := func(work []Work, arrivals Process) string {
			var w watch
			config.Observe = func(e Event) { w.events = append(w.events, e) }
			s, err := New(c.cluster, work, config)
			require.NoError(t, err)
			if arrivals != nil {
				require.NoError(t, s.AddProcess(arrivals))
			}
			_, err = s.Run(t.Context())
			require.NoError(t, err)
			return w.log()
		}
		drawn := 0
		require.Equal(t, play(c.work, nil), play(nil, Arrivals(drawing(c.work, &drawn))))
		require.Equal(t, len(c.work), drawn)
	})
}

func TestArrivalsAreDrawnLazily(t *testing.T) {
	drawn := 0
	work := []Work{endless(asking("a", 0, "1"), 10), endless(asking("b", 0, "1"), 20), endless(asking("c", 0, "1"), 30)}
	w := watched(t, nodes(node("n1", "4")), nil, Config{})
	require.NoError(t, w.s.AddProcess(Arrivals(drawing(work, &drawn))))
	for second, want := range []int{0: 1, 10: 2, 19: 2, 20: 3} {
		if want > 0 {
			w.at(second, nil)
			require.Equal(t, want, drawn, "at %d s", second)
		}
	}
	w.run(20)
	require.Equal(t, Running, w.s.Where("default/c").Phase)
}

// What a process yields has to be possible, and to let time pass.
func TestProcessesThatCannotGoOn(t *testing.T) {
	begun := func() *Simulation {
		s, err := New(nodes(node("n1", "4")), nil, Config{})
		require.NoError(t, err)
		return s
	}
	require.ErrorIs(t, begun().AddProcess(nil), outrank.ErrInvalid)
	s, drawn := begun(), 0
	require.NoError(t, s.AddProcess(Arrivals(drawing([]Work{endless(asking("a", 0, "1"), 10), endless(asking("b", 0, "1"), 9)}, &drawn))))
	_, err := s.Run(t.Context())
	require.ErrorIs(t, err, outrank.ErrInvalid)
	require.ErrorContains(t, err, "add a pod at 9s")

	s = begun()
	require.NoError(t, s.AddProcess(Arrivals(drawing([]Work{{Arrival: seconds(1)}}, new(int)))))
	_, err = s.Run(t.Context())
	require.ErrorContains(t, err, "work: Pod: missing")

	s = begun()
	require.NoError(t, s.AddProcess(func(*Simulation) (time.Duration, Change, bool) {
		return seconds(1), Call(func(*Simulation) error { return nil }), true
	}))
	_, err = s.Run(t.Context())
	require.ErrorContains(t, err, "in which no time passes")
}

// A node that fails loses its pods and their work, and comes back empty; controllers make the pods
// anew. A failure of a node that is away is none.
func TestFailures(t *testing.T) {
	failures := []Failure{
		{At: seconds(10), Node: "n1", Repair: seconds(60)}, {At: seconds(15), Node: "n1", Repair: seconds(5)},
		{At: seconds(200), Node: "n2"}, {At: seconds(300), Node: "n2", Repair: seconds(1)},
	}
	w := watched(t, nodes(node("n1", "4")), []Work{lasting(asking("p", 0, "4"), 0, 100)}, Config{Recreate: Recreate{Rule: RecreateWhenGone}})
	require.NoError(t, w.s.At(seconds(1), AddNode(node("n2", "2"))))
	require.NoError(t, w.s.AddProcess(Failures(drawing(failures, new(int)))))
	w.at(10, map[string]Place{"p": {Phase: Gone, Node: "n1"}, "p-r1": {Phase: Coming}})
	w.at(69, map[string]Place{"p-r1": {Phase: Queued}})
	w.at(70, map[string]Place{"p-r1": {Phase: Running, Node: "n1"}})
	w.run(50)
	r := w.s.Result()
	require.Equal(t, 1, r.Pods.Finished)
	require.InDelta(t, 10, r.Lost.PodSeconds, 0)

	_, there := w.s.Snapshot().Node("n2")
	require.False(t, there, "it failed for good")
	for name, c := range map[string]Change{"never": FailNode("never", 0), "negative": FailNode("n1", -1)} {
		s, err := New(nodes(node("n1", "4")), nil, Config{})
		require.NoError(t, err)
		require.NoError(t, s.At(0, c))
		_, err = s.Run(t.Context())
		require.ErrorIs(t, err, map[string]error{"never": preemption.ErrNotFound, "negative": outrank.ErrInvalid}[name])
	}
}

// growing is a policy: a node for whoever waits, and away with those that are empty.
func growing(looks *[]time.Duration) func(*Simulation) Scaling {
	made, asked := 0, false
	return func(s *Simulation) (out Scaling) {
		*looks = append(*looks, s.Now())
		out.Delay = seconds(40)
		if pending := s.Pending(); len(pending.Unschedulable)+len(pending.Backoff)+len(pending.Active) > 0 && !asked {
			made, asked = made+1, true
			out.Add = []*outrank.Node{node(fmt.Sprintf("new%d", made), "4")}
			return out
		}
		for n := range s.Snapshot().Nodes() {
			if asked = false; n.Name != "n1" && len(s.Snapshot().PodsOn(n.Name)) == 0 {
				out.Remove = append(out.Remove, n.Name, "long gone")
			}
		}
		return out
	}
}

// An autoscaler adds a node for a pod that waits, which is there after a delay, and takes it away once it
// is empty. The run ends with its pods.
func TestAutoscaler(t *testing.T) {
	var looks []time.Duration
	work := []Work{lasting(asking("a", 0, "4"), 0, 200), lasting(asking("b", 0, "4"), 5, 30)}
	w := watched(t, nodes(node("n1", "4")), work, Config{})
	p, err := Autoscaler{Every: seconds(10), Decide: growing(&looks)}.Process()
	require.NoError(t, err)
	require.NoError(t, w.s.AddProcess(p))
	w.at(49, map[string]Place{"a": {Phase: Running, Node: "n1"}, "b": {Phase: Queued}})
	w.at(50, map[string]Place{"b": {Phase: Running, Node: "new1"}})
	w.at(80, map[string]Place{"b": {Phase: Finished, Node: "new1"}})
	_, there := w.s.Snapshot().Node("new1")
	require.False(t, there)
	w.run(100)
	require.Equal(t, seconds(10), looks[0])
	require.Equal(t, seconds(200), looks[len(looks)-1])
	require.Equal(t, seconds(200), w.s.Now())
}

// A run in which a pod waits that nothing helps ends after the patience, counted from the last change.
func TestAutoscalerLosesPatience(t *testing.T) {
	var looks []time.Duration
	decide := func(s *Simulation) Scaling { looks = append(looks, s.Now()); return Scaling{} }
	w := watched(t, nodes(node("n1", "4")), []Work{lasting(asking("a", 0, "4"), 0, 25), endless(asking("large", 0, "40"), 0)}, Config{})
	p, err := Autoscaler{Every: seconds(10), Patience: seconds(60), Decide: decide}.Process()
	require.NoError(t, err)
	require.NoError(t, w.s.AddProcess(p))
	w.run(1000)
	require.Equal(t, seconds(90), looks[len(looks)-1], "25 s, seen at 30 s, and 60 s more")

	for _, a := range []Autoscaler{{Decide: decide}, {Every: 1}, {Every: 1, Patience: -1, Decide: decide}} {
		_, err := a.Process()
		require.ErrorIs(t, err, outrank.ErrInvalid)
	}
	s, err := New(nodes(), nil, Config{})
	require.NoError(t, err)
	p, err = Autoscaler{Every: 1, Decide: func(*Simulation) Scaling { return Scaling{Delay: -1} }}.Process()
	require.NoError(t, err)
	require.NoError(t, s.AddProcess(p))
	_, err = s.Run(t.Context())
	require.ErrorContains(t, err, "Delay")
}

// Pods leave a drained node as their budget allows, one after another as those before are replaced;
// a static one stays. The node goes once it is empty.
func TestRetireHeedsBudgets(t *testing.T) {
	label := map[string]string{"app": "web"}
	cluster := nodes(node("n1", "4"), node("n2", "4"))
	cluster.Budgets = []*outrank.PodDisruptionBudget{{Name: "b", Selector: &outrank.LabelSelector{MatchLabels: label}, MinAvailable: &outrank.IntOrPercent{Value: 1}}}
	var work []Work
	for i := range 2 {
		p := asking(fmt.Sprintf("p%d", i), 0, "1")
		p.Labels = label
		work = append(work, endless(p, 0))
	}
	n2 := cluster.Nodes[1]
	closed := *n2
	closed.Unschedulable = true
	cluster.Nodes[1] = &closed
	w := watched(t, cluster, work, Config{Recreate: Recreate{Rule: RecreateWhenGone}})
	require.NoError(t, w.s.At(seconds(50), Uncordon("n2")))
	require.NoError(t, w.s.At(seconds(100), Retire("n1")))
	w.at(100, map[string]Place{"p0": {Phase: Terminating, Node: "n1", Until: seconds(130)}, "p1": {Phase: Running, Node: "n1"}})
	w.at(135, map[string]Place{"p0-r1": {Phase: Running, Node: "n2"}, "p1": {Phase: Terminating, Node: "n1", Until: seconds(165)}})
	_, there := w.s.Snapshot().Node("n1")
	require.True(t, there)
	w.run(100)
	_, there = w.s.Snapshot().Node("n1")
	require.False(t, there)
	w.at(900, map[string]Place{"p1-r1": {Phase: Running, Node: "n2"}})
	require.Equal(t, 2, w.s.Result().Pods.Evicted)
}

// A drain that a budget never allows gives up, and one of a node that is open again ends; the node
// stays in any case.
func TestDrainEnds(t *testing.T) {
	for _, tt := range []struct {
		name       string
		uncordoned int // 0 for never
		waits      bool
		ends       time.Duration
	}{
		{"nobody waits, and nothing is on the way", 0, false, seconds(10)},
		{"the node is open again when the drain looks next, and the budget is gone", 12, false, seconds(15)},
		{"a pod waits for an hour in which nothing changes", 0, true, seconds(10) + DefaultPatience},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cluster := nodes(node("n1", "4"))
			p := asking("p", 0, "1")
			p.Labels = map[string]string{"app": "web"}
			cluster.Budgets = []*outrank.PodDisruptionBudget{{Name: "b", Selector: &outrank.LabelSelector{MatchLabels: p.Labels}, MinAvailable: &outrank.IntOrPercent{Value: 1}}}
			work := []Work{endless(p, 0)}
			if tt.waits {
				work = append(work, endless(asking("large", 0, "40"), 0))
			}
			w := watched(t, cluster, work, Config{})
			require.NoError(t, w.s.At(seconds(10), Retire("n1")))
			if tt.uncordoned > 0 {
				require.NoError(t, w.s.At(seconds(tt.uncordoned), Uncordon("n1")))
				require.NoError(t, w.s.At(seconds(tt.uncordoned+1), SetBudgets(nil)))
			}
			w.run(5000)
			require.Equal(t, Running, w.s.Where("default/p").Phase)
			require.Equal(t, tt.ends, w.s.Now())
		})
	}
}

// A node that failed under pressure is back without the taint of its kubelet, and with its own.
func TestRepairedNodeIsHealthy(t *testing.T) {
	n := node("n1", "4")
	own := outrank.Taint{Key: "own", Effect: outrank.PreferNoSchedule}
	n.Taints = []outrank.Taint{own}
	n.Value = "mine"
	w := watched(t, nodes(n), []Work{{Pod: asking("p", 0, "1"), Endless: true, Usage: &kubeletadmit.Usage{Memory: 9 << 30}}}, Config{Kubelets: &Kubelets{}})
	require.NoError(t, w.s.At(seconds(11), FailNode("n1", seconds(10))))
	w.at(10, nil)
	under, _ := w.s.Snapshot().Node("n1")
	require.Len(t, under.Taints, 2)
	w.at(21, nil)
	back, there := w.s.Snapshot().Node("n1")
	require.True(t, there)
	require.True(t, slices.Equal([]outrank.Taint{own}, back.Taints))
	require.Equal(t, "mine", back.Value)
}
