package metrics

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

const device resource.Name = "example.com/device"

func sec(n int) time.Duration { return time.Duration(n) * time.Second }

// scene is a random run.
type scene struct {
	cluster  *outrank.Cluster
	work     []sim.Work
	config   sim.Config
	failures []sim.Failure
	drains   []string
	deleted  []outrank.Key
}

func drawScene(t *rapid.T) *scene {
	pick := func(label string, options ...int) int { return rapid.SampledFrom(options).Draw(t, label) }
	c := &scene{cluster: &outrank.Cluster{}}
	for i := range rapid.IntRange(1, 4).Draw(t, "nodes") {
		c.cluster.Nodes = append(c.cluster.Nodes, &outrank.Node{Name: fmt.Sprintf("n%d", i), Allocatable: resource.List{
			resource.CPU: resource.New(int64(pick("cores", 2, 4, 6))), resource.Memory: resource.New(8), resource.Pods: resource.New(int64(pick("slots", 2, 9))),
			device: resource.New(int64(pick("devices", 0, 2))),
		}})
	}
	for i := range rapid.IntRange(1, 25).Draw(t, "pods") {
		requests := resource.List{resource.CPU: resource.NewMilli(int64(pick("cpu", 500, 1000, 2000, 3000))), resource.Memory: resource.New(int64(pick("memory", 0, 2)))}
		if pick("device", 0, 0, 1) == 1 {
			requests[device] = resource.New(1)
		}
		p := &outrank.Pod{
			Name: fmt.Sprintf("p%d", i), Namespace: rapid.SampledFrom([]string{"red", "blue", "green"}).Draw(t, "tenant"),
			Priority: outrank.Priority(int32(pick("priority", 0, 10, 100))), Containers: []outrank.Container{{Name: "main", Requests: requests}},
		}
		w := sim.Work{Pod: p, Arrival: sec(pick("arrival", 0, 3, 20, 100, 150)), Duration: sec(pick("duration", 0, 5, 50, 300)), Endless: pick("endless", 0, 0, 0, 1) == 1}
		if pick("is there", 0, 0, 0, 1) == 1 && w.Arrival == 0 && i < len(c.cluster.Nodes) {
			there := *p
			there.NodeName = c.cluster.Nodes[i].Name
			there.Containers = []outrank.Container{{Name: "main", Requests: resource.MustList("cpu", "1")}}
			c.cluster.Pods = append(c.cluster.Pods, &there)
			continue
		}
		c.work = append(c.work, w)
		if pick("deleted", 0, 0, 0, 1) == 1 {
			c.deleted = append(c.deleted, p.Key())
		}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "failures") {
		c.failures = append(c.failures, sim.Failure{At: sec(40 * (i + 1)), Node: c.cluster.Nodes[pick("failing", 0, len(c.cluster.Nodes)-1)].Name, Repair: sec(pick("repair", 0, 30))})
	}
	if pick("drained", 0, 1) == 1 {
		c.drains = append(c.drains, c.cluster.Nodes[0].Name)
	}
	c.config = sim.Config{Audit: true, End: 700 * time.Second, Recreate: sim.Recreate{Rule: sim.RecreateRule(pick("rule", 0, 1, 2))}}
	if pick("kubelets", 0, 0, 1) == 1 {
		c.config.Kubelets = &sim.Kubelets{}
		for i := range c.work {
			c.drawForKubelets(t, &c.work[i])
		}
	}
	return c
}

// drawForKubelets gives a pod what only kubelets look at: a node that it comes to past the scheduler, and a
// usage of its own.
func (c *scene) drawForKubelets(t *rapid.T, w *sim.Work) {
	if rapid.IntRange(0, 4).Draw(t, "past the scheduler") == 0 {
		pod := *w.Pod
		pod.NodeName, pod.Static = rapid.SampledFrom(c.cluster.Nodes).Draw(t, "comes to").Name, true
		w.Pod = &pod
	}
	if rapid.IntRange(0, 3).Draw(t, "of its own") == 0 {
		w.Usage = &kubeletadmit.Usage{Memory: int64(rapid.IntRange(0, 9).Draw(t, "uses"))}
	}
}

// play runs the scene and returns the collector, the run and its result.
func (c *scene) play(t require.TestingT, config Config) (*Collector, *sim.Simulation, *sim.Result) {
	m, err := New(c.cluster, config)
	require.NoError(t, err)
	with := c.config
	with.Follow = m.Event
	s, err := sim.New(c.cluster, c.work, with)
	require.NoError(t, err)
	at := 0
	require.NoError(t, s.AddProcess(sim.Failures(func() (sim.Failure, bool) {
		if at++; at > len(c.failures) {
			return sim.Failure{}, false
		}
		return c.failures[at-1], true
	})))
	cautiously := func(change sim.Change) sim.Change {
		return sim.Call(func(s *sim.Simulation) error {
			if _, there := s.Snapshot().Node(c.cluster.Nodes[0].Name); !there {
				return nil
			}
			return s.At(s.Now(), change)
		})
	}
	for _, name := range c.drains {
		require.NoError(t, s.At(sec(90), cautiously(sim.Drain(name))))
	}
	for i, key := range c.deleted {
		require.NoError(t, s.At(sec(30*i), sim.DeletePod(key)))
	}
	r, err := s.Run(context.Background())
	require.NoError(t, err)
	return m, s, r
}

// The report agrees with the run, its parts with the whole, and its series with the summary.
func TestPropertyReportAddsUp(t *testing.T) {
	finished, lost, causes := 0, 0.0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		c := drawScene(t)
		m, s, result := c.play(t, Config{Points: 50})
		r := m.Report(s.Now())
		all := &r.All
		require.Equal(t, result.Pods.Arrived, all.Arrived)
		require.Equal(t, result.Pods.Finished, all.Finished)
		require.InDelta(t, result.Lost.PodSeconds, all.LostSeconds, 1e-6)
		cpu, ok := all.Use(resource.CPU)
		require.True(t, ok)
		require.InDelta(t, result.Lost.CPUHours*3600, cpu.Lost, 1e-6)
		forOthers := 0
		for _, e := range all.Evictions {
			causes[e.Cause] += e.Pods
			if e.Cause == sim.Preempted.String() || e.Cause == sim.ForCritical.String() {
				forOthers += e.Pods
			}
		}
		require.Equal(t, result.Preemption.Evictions, forOthers)
		for _, u := range all.Resources {
			if sum := u.Good + u.Lost + u.Cut + u.Open; c.config.Kubelets == nil {
				require.InDelta(t, u.Held, sum, 1e-6*(1+u.Held), "%s", u.Name)
			} else {
				require.GreaterOrEqual(t, u.Held, sum-1e-6*(1+u.Held), "%s", u.Name)
			}
		}
		for _, parts := range [][]Group{r.Priorities, r.Tenants} {
			whole := Group{Resources: make([]Use, len(all.Resources)), Evictions: make([]Evictions, len(all.Evictions))}
			for i, e := range all.Evictions {
				whole.Evictions[i].Cause = e.Cause
			}
			for _, g := range parts {
				whole.Arrived += g.Arrived
				whole.Finished += g.Finished
				whole.LostSeconds += g.LostSeconds
				for i, u := range g.Resources {
					whole.Resources[i].Held += u.Held
					whole.Resources[i].Good += u.Good
				}
				for i, e := range g.Evictions {
					whole.Evictions[i].Pods += e.Pods
				}
			}
			require.Equal(t, all.Arrived, whole.Arrived)
			require.Equal(t, all.Finished, whole.Finished)
			require.Equal(t, all.Evictions, whole.Evictions)
			require.InDelta(t, all.LostSeconds, whole.LostSeconds, 1e-6)
			for i, u := range all.Resources {
				require.InDelta(t, u.Held, whole.Resources[i].Held, 1e-6*(1+u.Held))
				require.InDelta(t, u.Good, whole.Resources[i].Good, 1e-6*(1+u.Good))
			}
		}
		requireSeries(t, r)
		finished += all.Finished
		lost += all.LostSeconds

		again, s, _ := c.play(t, Config{Points: 50})
		require.Equal(t, written(t, r), written(t, again.Report(s.Now())), "the same input gives the same bytes")
	})
	require.Positive(t, finished)
	require.Positive(t, lost)
	if testing.Short() {
		return // too few cases for each cause
	}
	for _, c := range []sim.Cause{sim.Preempted, sim.NodeLost, sim.Drained, sim.UnderMemory, sim.ForCritical} {
		require.Positive(t, causes[c.String()], "nobody was %v", c)
	}
}

func requireSeries(t *rapid.T, r *Report) {
	stretches := int((r.Seconds + r.Width - 1e-9) / r.Width)
	for _, g := range append(append([]Group{r.All}, r.Priorities...), r.Tenants...) {
		s := &g.Series
		for name, list := range map[string][]Figure{"waiting": s.Waiting, "running": s.Running, "finished": s.Finished, "slowdown": s.Slowdown, "cpu": s.Resources[0].Utilisation} {
			require.Len(t, list, stretches, name)
		}
		if r.Seconds == 0 {
			continue // there is no stretch
		}
		require.EqualValues(t, g.Finished, sum(s.Finished))
		require.EqualValues(t, g.Arrived, sum(s.Arrived))
		for i, e := range s.Evictions {
			require.EqualValues(t, g.Evictions[i].Pods, sum(e.Pods))
		}
		if g.Finished > 0 {
			require.InDelta(t, float64(g.Slowdown.Mean), float64(weighted(s.Slowdown, s.Finished)), 1e-6)
			require.InDelta(t, float64(g.Completion.Mean), float64(weighted(s.Completion, s.Finished)), 1e-6)
			require.GreaterOrEqual(t, float64(g.Slowdown.Median), 1.0)
		} else {
			require.False(t, g.Slowdown.Mean.Defined())
		}
		for _, v := range s.Resources[0].Goodput {
			require.False(t, v.Defined() && (v < 0 || v > 1+1e-9), "%v", v)
		}
	}
}

func written(t require.TestingT, r *Report) string {
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	require.NoError(t, r.WriteText(&b))
	return b.String()
}

// What is reported is what one would find by hand.
func TestReportByHand(t *testing.T) {
	pod := func(tenant, name string, priority int32, cpu string) *outrank.Pod {
		return &outrank.Pod{Namespace: tenant, Name: name, Priority: outrank.Priority(priority), Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}}
	}
	grace := time.Duration(0)
	c := &scene{
		cluster: &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("cpu", "4", "pods", "9")}}},
		work: []sim.Work{
			{Pod: pod("red", "batch", 0, "4"), Duration: sec(60)},
			{Pod: pod("blue", "web", 10, "2"), Arrival: sec(30), Duration: sec(20)},
			{Pod: pod("blue", "blink", 10, "1"), Arrival: sec(30), Duration: sec(1)},
		},
		config: sim.Config{Audit: true, Grace: &grace, Recreate: sim.Recreate{Rule: sim.RecreateWhenGone}},
	}
	// batch runs 0-30 in vain, then 50-110; web 30-50; blink 30-31.
	m, s, _ := c.play(t, Config{Resources: []resource.Name{"cpu"}})
	r := m.Report(s.Now())
	require.Equal(t, 110.0, r.Seconds)
	require.Equal(t, 1.0, r.Width)
	require.Equal(t, Spread{Mean: Figure((110.0 + 20 + 1) / 3), Median: 20, P95: 110, Max: 110}, r.All.Completion)
	require.Equal(t, Spread{Mean: Figure((110.0/60 + 1 + 1) / 3), Median: 1, P95: 110.0 / 60, Max: 110.0 / 60}, r.All.Slowdown)
	held, good := 4*30+2*20+1+4*60.0, 2*20+1+4*60.0
	require.Equal(t, Use{Name: "cpu", Held: held, Good: good, Lost: 120, Utilisation: Figure(held / 440), Goodput: Figure(good / 440), Efficiency: Figure(good / (good + 120))}, r.All.Resources[0])
	require.Equal(t, 30.0, r.All.LostSeconds)
	require.Equal(t, 1, r.All.Evicted())
	require.Equal(t, []string{"10", "0"}, []string{r.Priorities[0].Name, r.Priorities[1].Name})
	require.Equal(t, []string{"blue", "red"}, []string{r.Tenants[0].Name, r.Tenants[1].Name})
	red, blue := (30+60)/110.0, (0.5*20+0.25)/110
	require.InDelta(t, red, float64(r.Tenants[1].DominantShare), 1e-12)
	require.InDelta(t, blue, float64(r.Tenants[0].DominantShare), 1e-12)
	require.InDelta(t, (red+blue)*(red+blue)/2/(red*red+blue*blue), float64(r.ByTenant.Shares), 1e-12)
	require.InDelta(t, float64(Jain([]float64{110.0 / 60, 1})), float64(r.ByTenant.Slowdowns), 1e-12)
	require.Equal(t, Figure(1), r.ByTenant.Series[0], "red alone")
	require.Equal(t, Figure(0.5), r.ByTenant.Series[40], "blue has something, and red waits for it")
}

// A pod of a moment that waited is measured against the shortest time that counts, and tenants are whoever
// the caller says.
func TestShortPodsAndTenants(t *testing.T) {
	pod := func(name, team string) *outrank.Pod {
		return &outrank.Pod{Name: name, Labels: map[string]string{"team": team}, Containers: []outrank.Container{{Requests: resource.MustList("cpu", "4")}}}
	}
	c := &scene{
		cluster: &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("cpu", "4", "pods", "9")}}},
		work: []sim.Work{
			{Pod: pod("a", "red"), Duration: sec(40)}, {Pod: pod("blink", "blue"), Duration: sec(2)},
		},
		config: sim.Config{Audit: true},
	}
	for shortest, want := range map[time.Duration]Figure{0: 42.0 / 10, sec(1): 42.0 / 2, sec(100): 1} {
		m, s, _ := c.play(t, Config{Shortest: shortest, Tenant: func(p *outrank.Pod) string { return p.Labels["team"] }})
		r := m.Report(s.Now())
		require.Len(t, r.Tenants, 2)
		require.Equal(t, "blue", r.Tenants[0].Name)
		require.Equal(t, want, r.Tenants[0].Slowdown.Mean, "%v", shortest)
		require.Equal(t, Figure(42), r.Tenants[0].Completion.Mean)
	}
}

// Figures over nothing are undefined, in every form.
func TestNothingIsUndefined(t *testing.T) {
	m, err := New(nil, Config{Fragmentation: &Fragmentation{Resource: "cpu", Mix: []Demand{{Requests: resource.MustList("cpu", "1"), Weight: 1}}}})
	require.NoError(t, err)
	r := m.Report(0)
	for _, f := range []Figure{r.All.Slowdown.Mean, r.All.Completion.Max, r.All.DominantShare, r.All.Resources[0].Goodput, r.ByTenant.Shares, r.ByPriority.Slowdowns, r.Fragmentation.Share} {
		require.False(t, f.Defined())
	}
	text := written(t, r)
	require.Contains(t, text, `"mean": null`)
	require.NotContains(t, text, "NaN")
	require.Contains(t, text, "  none\n")

	var back Report
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, text, written(t, &back), "a report reads back")
}

// Jain's index is 1 for equals, 1/n where one has all, and does not depend on the unit.
func TestJain(t *testing.T) {
	require.False(t, Jain(nil).Defined())
	require.False(t, Jain([]float64{0, 0}).Defined())
	require.Equal(t, Figure(1), Jain([]float64{7}))
	require.InDelta(t, 1, float64(Jain([]float64{3, 3, 3})), 1e-12)
	require.InDelta(t, 0.25, float64(Jain([]float64{0, 5, 0, 0})), 1e-12)
	require.InDelta(t, float64(Jain([]float64{1, 2, 3})), float64(Jain([]float64{1e300, 2e300, 3e300})), 1e-12)
}

// Whatever is put on a timeline stays on it when stretches are joined.
func TestPropertyTimeline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		tl := newTimeline(2 * rapid.IntRange(1, 20).Draw(t, "half"))
		spread, put := tl.line(), tl.line()
		want, count, at := 0.0, 0.0, time.Duration(0)
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			next := at + time.Duration(dice.Int64N(int64(20*time.Second)))
			rate := float64(dice.IntN(5))
			spread.spread(at, next, rate)
			put.put(next, 1)
			want, count, at = want+rate*(next-at).Seconds(), count+1, next
		}
		require.InDelta(t, want, spread.total(), 1e-6)
		require.InDelta(t, count, put.total(), 0)
		n := tl.stretches(at)
		require.LessOrEqual(t, n, tl.most)
		require.LessOrEqual(t, len(spread.sums), max(n, 1))
		if at > 0 {
			require.InDelta(t, count, float64(sum(tl.counts(at, put))), 0, "nothing is behind the end")
		}
	})
}

func TestConfigIsChecked(t *testing.T) {
	bad := Config{
		Shortest: -1, Points: 1, Resources: []resource.Name{"cpu", "cpu", ""},
		Fragmentation: &Fragmentation{Device: 5, Mix: []Demand{{}}},
	}
	_, err := New(nil, bad)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	for _, field := range []string{"Shortest", "Points", "Resources[1]", "Resources[2]", "Fragmentation.Resource", "Fragmentation.Mix[0].Weight", "Fragmentation.Device"} {
		require.ErrorContains(t, err, field)
	}
	_, err = New(nil, Config{Fragmentation: &Fragmentation{Resource: "cpu"}})
	require.ErrorContains(t, err, "Fragmentation.Mix")
}
