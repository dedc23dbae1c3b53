package sim

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

const device resource.Name = "example.com/device"

// scene is a random run.
type scene struct {
	cluster *outrank.Cluster
	work    []Work
	config  Config
	changes []func(*Simulation) error
	// bindFails makes bindings fail, in the runs with many equal pods.
	bindFails bool
}

func pick[T any](t *rapid.T, label string, options ...T) T {
	return rapid.SampledFrom(options).Draw(t, label)
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

func drawNode(t *rapid.T, name string) *outrank.Node {
	n := &outrank.Node{
		Name:   name,
		Labels: map[string]string{"host": name, "zone": pick(t, "zone", "a", "b")},
		Allocatable: resource.List{
			resource.CPU:    resource.New(int64(rapid.IntRange(1, 6).Draw(t, "cores"))),
			resource.Memory: resource.New(int64(rapid.IntRange(4, 8).Draw(t, "memory"))),
			resource.Pods:   resource.New(int64(rapid.IntRange(2, 6).Draw(t, "slots"))),
			device:          resource.New(int64(pick(t, "devices", 0, 0, 2))),
		},
	}
	if pick(t, "tainted", false, false, false, true) {
		n.Taints = []outrank.Taint{{Key: "own", Effect: pick(t, "effect", outrank.NoSchedule, outrank.NoExecute, outrank.PreferNoSchedule)}}
	}
	return n
}

func drawPod(t *rapid.T, name string) *outrank.Pod {
	requests := resource.List{
		resource.CPU:    resource.NewMilli(int64(pick(t, "cpu", 1000, 500, 2000, 3000, 0))),
		resource.Memory: resource.New(int64(pick(t, "memory", 0, 1, 2))),
	}
	if pick(t, "wants a device", false, false, false, true) {
		requests[device] = resource.New(1)
	}
	p := &outrank.Pod{
		Name: name, Labels: map[string]string{"app": pick(t, "app", "web", "db", "job")},
		Priority:   pick(t, "priority", outrank.Priority(0), outrank.Priority(10), outrank.Priority(10), outrank.Priority(100), nil, outrank.Priority(-5)),
		Containers: []outrank.Container{{Name: "main", Requests: requests}},
	}
	if pick(t, "never", false, false, false, false, true) {
		p.PreemptionPolicy = outrank.PreemptNever
	}
	if pick(t, "tolerates", false, true) {
		p.Tolerations = []outrank.Toleration{{Operator: outrank.TolerationExists}}
	}
	drawRelations(t, p)
	return p
}

// drawRelations adds demands on nodes to a few pods.
func drawRelations(t *rapid.T, p *outrank.Pod) {
	selector := &outrank.LabelSelector{MatchLabels: map[string]string{"app": pick(t, "related app", "web", "db", "job")}}
	term := outrank.PodAffinityTerm{LabelSelector: selector, TopologyKey: pick(t, "topology", "host", "zone")}
	switch pick(t, "relation", "", "", "", "", "", "affinity", "apart", "spread", "zone", "port") {
	case "affinity":
		p.Affinity.PodAffinity = []outrank.PodAffinityTerm{term}
	case "apart":
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{term}
	case "spread":
		p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: term.TopologyKey, LabelSelector: selector}}
	case "zone":
		p.NodeSelector = map[string]string{"zone": "a"}
	case "port":
		p.Containers[0].Ports = []outrank.Port{{HostPort: 80}}
	}
}

func drawBudget(t *rapid.T, name string) *outrank.PodDisruptionBudget {
	b := &outrank.PodDisruptionBudget{Name: name, Selector: &outrank.LabelSelector{
		MatchLabels: map[string]string{"app": pick(t, "covered", "web", "db", "job")},
	}}
	figure := &outrank.IntOrPercent{Value: int32(rapid.IntRange(0, 3).Draw(t, "figure"))}
	switch pick(t, "kind of budget", "least", "most", "percent", "fixed") {
	case "least":
		b.MinAvailable = figure
	case "most":
		b.MaxUnavailable = figure
	case "percent":
		b.MinAvailable = &outrank.IntOrPercent{Value: figure.Value * 30, Percent: true}
	case "fixed":
		b.DisruptionsAllowed = figure.Value
	}
	return b
}

func drawScene(t *rapid.T) *scene {
	c := &scene{cluster: &outrank.Cluster{Release: rapid.SampledFrom(outrank.Releases()).Draw(t, "release")}}
	for i := range rapid.IntRange(1, 4).Draw(t, "nodes") {
		c.cluster.Nodes = append(c.cluster.Nodes, drawNode(t, fmt.Sprintf("n%d", i)))
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "budgets") {
		c.cluster.Budgets = append(c.cluster.Budgets, drawBudget(t, fmt.Sprintf("b%d", i)))
	}
	for i := range rapid.IntRange(2, 25).Draw(t, "pods") {
		w := Work{
			Pod:      drawPod(t, fmt.Sprintf("p%02d", i)),
			Arrival:  seconds(pick(t, "arrival", 0, 0, 1, 5, 20, 21, 60, 100)),
			Duration: seconds(pick(t, "duration", 10, 100, 300, 20, 0)),
			Endless:  pick(t, "endless", false, false, false, false, true),
		}
		if pick(t, "own grace", false, true) {
			grace := seconds(pick(t, "grace", 0, 1, 20, 200))
			w.Grace = &grace
		}
		c.work = append(c.work, w)
	}
	c.config = drawConfig(t)
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		c.drawChange(t)
	}
	c.drawAutoscaler(t)
	return c
}

func drawConfig(t *rapid.T) Config {
	c := Config{
		End:        600 * time.Second,
		Discipline: pick(t, "discipline", PriorityQueue, PriorityQueue, FIFOQueue),
		Order:      pick(t, "order", execution.Synchronous, execution.Asynchronous),
		Cycle:      pick(t, "cycle", 0, 10*time.Millisecond, time.Second),
		Seed:       pick[uint64](t, "seed", 0, 1, 2),
		Schedulers: []Scheduler{{
			Score:      pick(t, "score", LeastAllocated, MostAllocated),
			Preemption: preemption.Config{Variant: pick(t, "variant", 0, 0, outrank.VariantV1_13, outrank.VariantSimplified)},
		}},
		Recreate: Recreate{
			Rule:  pick(t, "recreate", RecreateWhenGone, RecreateNever, RecreateWhenEvicted),
			Delay: seconds(pick(t, "delay", 0, 3)),
		},
	}
	if c.variant() != 0 {
		c.Order = execution.Synchronous // it has its own
	}
	if c.variant() == outrank.VariantV1_13 {
		c.Cycle = max(c.Cycle, 10*time.Millisecond) // its queue sends pods straight back
	}
	if pick(t, "by a scorer", false, false, false, true) {
		c.Schedulers[0].Score, c.Schedulers[0].Scorer = nil, &score.Scorer{}
	}
	if pick(t, "promoted", false, false, false, true) {
		c.Recreate.Change = func(made *outrank.Pod, evictions int) {
			made.Priority = outrank.Priority(made.PriorityValue() + int32(10*evictions))
		}
	}
	return c
}

// drawAutoscaler adds one that grows the cluster while pods wait, and shrinks it again.
func (c *scene) drawAutoscaler(t *rapid.T) {
	if pick(t, "autoscaled", false, false, true) {
		delay, most := seconds(pick(t, "start of nodes", 0, 7, 60)), rapid.IntRange(1, 3).Draw(t, "most nodes")
		template := drawNode(t, "template")
		c.changes = append(c.changes, func(s *Simulation) error {
			made := 0
			p, err := Autoscaler{Every: seconds(10), Patience: seconds(100), Decide: func(s *Simulation) (out Scaling) {
				if out.Delay = delay; s.line.inQueue > 0 && made < most {
					made++
					n := *template
					n.Name = fmt.Sprintf("made%d", made)
					out.Add = []*outrank.Node{&n}
					return out
				}
				for i := range made {
					if name := fmt.Sprintf("made%d", i+1); len(s.Snapshot().PodsOn(name)) < 2 {
						out.Remove = append(out.Remove, name)
					}
				}
				return out
			}}.Process()
			if err != nil {
				return err
			}
			return s.AddProcess(p)
		})
	}
}

func (c *scene) drawChange(t *rapid.T) {
	at := seconds(pick(t, "time of change", 0, 1, 10, 30, 50, 90))
	node := rapid.SampledFrom(c.cluster.Nodes).Draw(t, "changed node").Name
	key := rapid.SampledFrom(c.work).Draw(t, "changed pod").Pod.Key()
	var changes []Change
	later := at + seconds(30)
	switch pick(t, "change", "delete", "cordon", "remove", "labels", "budgets", "add", "drain", "retire", "fail") {
	case "delete":
		changes = []Change{DeletePod(key)}
	case "cordon":
		changes = []Change{cautiously(Cordon(node)), cautiously(Uncordon(node))}
	case "remove":
		changes = []Change{cautiously(RemoveNode(node)), cautiously(AddNode(drawNode(t, node)))}
	case "drain":
		changes = []Change{cautiously(Drain(node)), cautiously(Uncordon(node))}
	case "retire":
		changes = []Change{cautiously(Retire(node))}
		if node == c.cluster.Nodes[0].Name { // some node stays: without any, v1.13 tries again and again
			changes = []Change{cautiously(Drain(node))}
		}
	case "fail":
		repair := seconds(pick(t, "repair", 0, 5, 40))
		if node == c.cluster.Nodes[0].Name {
			repair = max(repair, seconds(5))
		}
		changes = []Change{FailNode(node, repair)}
	case "labels":
		changes = []Change{cautiously(SetLabels(key, map[string]string{"app": "web"}))}
	case "budgets":
		changes = []Change{SetBudgets([]*outrank.PodDisruptionBudget{drawBudget(t, "new")})}
	case "add":
		changes = []Change{AddPod(Work{Pod: drawPod(t, fmt.Sprintf("late-%d", len(c.changes))), Duration: seconds(40)})}
	}
	for i, change := range changes {
		when := []time.Duration{at, later}[i]
		c.changes = append(c.changes, func(s *Simulation) error { return s.At(when, change) })
	}
}

// cautiously leaves out impossible changes: two changes may be drawn that
// exclude each other.
func cautiously(c Change) Change {
	return Change{what: c.what, do: func(s *Simulation) error {
		_ = c.do(s)
		return nil
	}}
}

func (c *scene) watched(t require.TestingT) *watch {
	w := watched(t, c.cluster, c.work, c.config)
	for _, ask := range c.changes {
		require.NoError(t, ask(w.s))
	}
	w.run(50_000)
	return w
}

// The invariants after every step are in invariants_test.go.
func TestPropertyInvariants(t *testing.T) {
	evictions, nominationsLost, cycles := 0, 0, 0
	causesSeen := map[Cause]int{}
	rapid.Check(t, func(t *rapid.T) {
		c := drawScene(t)
		failing := pick(t, "evictions that fail", 0, 0, 0, 1, 3)
		c.config.Evict = func(*outrank.Pod, *outrank.Pod) error {
			if failing--; failing >= 0 {
				return errors.New("timeout")
			}
			return nil
		}
		w := c.watched(t)
		r := w.s.Result()
		require.Equal(t, w.evicted-w.causes[Drained], r.Preemption.Evictions, "the history knows every eviction for another pod")
		if c.config.Recreate.Change == nil && !w.againstPriority() {
			require.Zero(t, r.Preemption.Cycles, "nobody is evicted by a lower priority, nor by one of those it evicted")
		}
		evictions += w.evicted
		for c, n := range w.causes {
			causesSeen[c] += n
		}
		cycles += r.Preemption.Cycles
		for _, e := range w.events {
			nominationsLost += one(e.Kind == NominationLost)
		}
	})
	if !testing.Short() { // few draws may have none
		require.Positive(t, causesSeen[Drained], "nobody was drained")
		require.Positive(t, causesSeen[NodeLost], "no node was lost")
	}
	t.Logf("%d evictions, %d nominations lost, %d cycles", evictions, nominationsLost, cycles)
	require.Positive(t, evictions, "nothing was tested")
}

// againstPriority reports whether a pod without a priority was evicted by one that is no
// higher, as the simplified variant allows (rule 13.3.3).
func (w *watch) againstPriority() bool {
	return slices.ContainsFunc(w.events, func(e Event) bool {
		return e.Kind == Evicted && e.Related != nil && e.Pod.PriorityValue() >= e.Related.PriorityValue()
	})
}

// The same input gives the same events and the same result.
func TestPropertyReproducible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawScene(t)
		play := func() (string, *Result) {
			var w watch
			config := c.config
			config.Observe = func(e Event) { w.events = append(w.events, e) }
			s, err := New(c.cluster, c.work, config)
			require.NoError(t, err)
			for _, ask := range c.changes {
				require.NoError(t, ask(s))
			}
			r, err := s.Run(t.Context())
			require.NoError(t, err)
			return w.log(), r
		}
		log, result := play()
		again, same := play()
		require.Equal(t, log, again)
		require.Equal(t, result, same)
	})
}
