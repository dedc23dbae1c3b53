package sim

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/internal/tests/plainkubelet"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// kubeletWatch is the state that a watch keeps of kubelets.
type kubeletWatch struct {
	// before are the pods on each node before the step, that had started.
	before  map[string][]outrank.Key
	started map[*pod]bool // kubelets that were seen to start these
	decided int
	// byPressure counts evictions without a preemptor.
	byPressure int
}

// noteNodes remembers the nodes before a step.
func (w *watch) noteNodes() {
	if w.s.config.Kubelets == nil {
		return
	}
	w.before = map[string][]outrank.Key{}
	for name := range w.s.cluster.hosts {
		for _, obj := range w.s.cluster.snap.PodsOn(name) {
			if w.s.lives.pods[obj.Key()].started {
				w.before[name] = append(w.before[name], obj.Key())
			}
		}
	}
}

// kubelets: each does one thing at a time and never rests with work left; its
// record of usage and pressure equals that of the pods.
func (w *watch) kubelets() {
	if w.s.config.Kubelets == nil {
		return
	}
	for _, h := range w.s.cluster.hosts {
		own := w.s.table.of(h)
		require.True(w, own.starting != nil || len(own.inbox) == 0, "%s has pods to look at", h.node.Name)
		if own.starting != nil {
			require.NotEmpty(w, own.victims, "%s could go on", h.node.Name)
			require.Equal(w, Terminating, own.victims[0].phase, "%s waits for nobody", h.node.Name)
			w.decision(own)
		}
		for k := range kindsOfPressure {
			w.pressure(own, k)
		}
	}
	for _, l := range w.s.lives.lineages {
		for _, p := range l.lives {
			require.True(w, p.started || p.phase != Running && p.phase != Finished, "%s runs", p.obj.Key())
		}
	}
}

// decision: the victims are those that the slow way finds (groups 17.5 and 17.6).
func (w *watch) decision(own *kubelet) {
	h := own.host
	if w.started == nil {
		w.started = map[*pod]bool{}
	}
	if w.started[own.starting] {
		return
	}
	w.started[own.starting] = true
	if k := w.s.config.Kubelets; k.PriorityFirst || k.Exact {
		return // the slow way is that of kubelets
	}
	w.decided++
	var active []*outrank.Pod
	for _, key := range w.before[h.node.Name] {
		if p := w.s.lives.pods[key]; p.onNode() && p.host == h {
			active = append(active, p.obj)
		}
	}
	for _, e := range w.events[w.seen:] {
		if e.Kind == Started && e.Node == h.node.Name {
			active = append(active, w.s.lives.pods[e.Pod.Key()].obj)
		}
	}
	short := []plainkubelet.Shortage{{Resource: resource.Pods, Amount: int64(len(active)) + 1 - h.node.Allocatable.Amount(resource.Pods)}}
	for _, name := range []resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage, device} {
		asked := own.starting.obj.Requests().Amount(name)
		if asked == 0 {
			continue
		}
		for _, p := range active {
			asked += p.Requests().Amount(name)
		}
		short = append(short, plainkubelet.Shortage{Resource: name, Amount: asked - h.node.Allocatable.Amount(name)})
	}
	want, missing := plainkubelet.Evict(w.s.cluster.release, own.starting.obj, active, short)
	require.Empty(w, missing)
	require.Equal(w, keysOf(want), func() (keys []outrank.Key) {
		for _, v := range own.victims {
			keys = append(keys, v.obj.Key())
		}
		return keys
	}(), "%s makes room for %s", h.node.Name, own.starting.obj.Key())
}

func keysOf(pods []*outrank.Pod) (keys []outrank.Key) {
	for _, p := range pods {
		keys = append(keys, p.Key())
	}
	return keys
}

// pressure: sums are those of the pods, the taint equals the kubelet's record,
// and where there is too little left some pod is going, or soon will.
func (w *watch) pressure(own *kubelet, k pressureKind) {
	h := own.host
	sum := int64(0)
	for _, obj := range w.s.cluster.snap.PodsOn(h.node.Name) {
		if p := w.s.lives.pods[obj.Key()]; p.started {
			sum += pressureRules[k].amount(&p.uses)
		}
	}
	require.Equal(w, sum, own.uses[k], "usage of %s", h.node.Name)
	require.Equal(w, own.pressures[k].on, slices.Contains(h.node.Taints, pressureRules[k].taint), "%s", h.node.Name)
	if own.over(k) && len(w.s.kubelets.evictable(h)) > 0 && !own.relieved() {
		require.GreaterOrEqual(w, own.lookAt, w.s.clock.at, "%s is short of %s", h.node.Name, pressureRules[k].name)
		require.LessOrEqual(w, own.lookAt, w.s.clock.at+w.s.config.Kubelets.Period)
	}
	if own.pressures[k].on && !own.over(k) {
		require.NotZero(w, own.lookAt, "%s stays under pressure for ever", h.node.Name)
	}
}

// byKubelet checks an eviction by a kubelet against the rules.
func (w *watch) byKubelet(e Event) {
	v := w.s.lives.pods[e.Pod.Key()]
	if v.cause == ForCritical {
		by := w.s.lives.pods[e.Related.Key()]
		require.Same(w, v.host, by.host)
		require.True(w, kubeletadmit.Critical(by.obj))
		require.True(w, kubeletadmit.Preemptable(by.obj, v.obj))
		return
	}
	w.byPressure++
	require.Nil(w, e.Related)
	require.False(w, kubeletadmit.Critical(v.obj), "%s is critical", e.Pod.Key())
	k := memoryPressure
	if v.cause == UnderDisk {
		k = diskPressure
	}
	require.True(w, w.s.table.of(v.host).over(k), "%s had enough", e.Node)
	require.True(w, w.s.table.of(v.host).pressures[k].on)
	for _, obj := range w.s.kubelets.evictable(v.host) {
		require.GreaterOrEqual(w, w.goesBefore(v, w.s.lives.pods[obj.Key()], k), 0, "%s before %s", v.obj.Key(), obj.Key())
	}
}

// goesBefore is above 0 where a pod has to go before another one (rules 18.2 to 18.4).
func (w *watch) goesBefore(a, b *pod, k pressureKind) int {
	above := func(p *pod) int64 {
		return pressureRules[k].amount(&p.uses) - resource.Amount(pressureRules[k].resource, p.obj.KubeletRequestOf(pressureRules[k].resource))
	}
	return cmp.Or(
		one(above(a) > 0)-one(above(b) > 0),
		cmp.Compare(b.obj.PriorityValue(), a.obj.PriorityValue()),
		cmp.Compare(above(a), above(b)),
	)
}

// drawKubelets puts kubelets into a scene, pods for them, and what pods use.
func drawKubelets(t *rapid.T, c *scene) {
	c.config.Kubelets = &Kubelets{
		Period: seconds(pick(t, "period", 0, 3)), Transition: seconds(pick(t, "transition", 0, 20)), Retries: pick(t, "retries", 0, 2),
		PriorityFirst: pick(t, "priority first", false, false, false, true), Exact: pick(t, "exact", false, false, false, true),
	}
	for _, n := range c.cluster.Nodes {
		if pick(t, "disk", true, true, false) {
			n.Allocatable[resource.EphemeralStorage] = resource.New(6)
		}
		if pick(t, "another system", false, false, false, false, true) {
			n.Labels["kubernetes.io/os"] = "windows"
		}
	}
	node := func() string { return rapid.SampledFrom(c.cluster.Nodes).Draw(t, "node of its own").Name }
	for i := range c.work {
		w := &c.work[i]
		switch pick(t, "usage", "", "", "memory", "disk", "disk") {
		case "memory":
			w.Usage = &kubeletadmit.Usage{Memory: int64(rapid.IntRange(0, 5).Draw(t, "memory used"))}
		case "disk":
			w.Usage = &kubeletadmit.Usage{Disk: int64(rapid.IntRange(0, 7).Draw(t, "disk used"))}
		}
		if w.Pod.NominatedNodeName != "" {
			continue
		}
		switch pick(t, "way", "", "", "", "static", "static", "past the scheduler", "critical", "system") {
		case "static":
			w.Pod.Static, w.Pod.NodeName = true, node()
		case "past the scheduler":
			w.Pod.NodeName = node()
		case "critical":
			w.Pod.Priority = outrank.Priority(2_000_000_000)
		case "system":
			w.Pod.Labels["kubernetes.io/os"] = "linux"
		}
		w.Pod.QOSClass = pick(t, "class", "", outrank.BestEffort, outrank.Burstable, outrank.Guaranteed)
	}
	for range rapid.IntRange(0, 4).Draw(t, "changes of usage") {
		key := rapid.SampledFrom(c.work).Draw(t, "pod of another usage").Pod.Key()
		usage := kubeletadmit.Usage{Memory: int64(rapid.IntRange(0, 9).Draw(t, "memory used")), Disk: int64(rapid.IntRange(0, 9).Draw(t, "disk used"))}
		at := seconds(pick(t, "time of usage", 0, 3, 10, 25, 30, 120, 330))
		c.changes = append(c.changes, func(s *Simulation) error { return s.At(at, cautiously(SetUsage(key, usage))) })
	}
}

// The invariants hold with kubelets, too: no node has more than it can allocate of pods
// that have started, victims are those of the slow way, and every evicted pod has a fate.
func TestPropertyKubelets(t *testing.T) {
	var critical, memory, disk, elsewhere, decided, relieved int
	rejected := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		c := drawScene(t)
		drawKubelets(t, c)
		w := c.watched(t)
		r := w.s.Result()
		k := r.Kubelets
		f := k.Evicted
		require.Equal(t, w.evicted-w.byPressure-w.causes[Drained], r.Preemption.Evictions)
		require.Equal(t, k.UnderMemory+k.UnderDisk, w.byPressure)
		require.Equal(t, k.ForCritical+k.UnderMemory+k.UnderDisk, f.Elsewhere+f.SameNode+f.Waiting+f.Leaving+f.Finished+f.Over, "a fate for each")
		if c.config.Recreate.Rule != RecreateNever {
			gone := 0 // nobody makes static pods anew, nor those given up or deleted
			for _, l := range w.s.lives.lineages {
				gone += one(l.current().phase == Gone)
			}
			require.LessOrEqual(t, f.Over, gone)
		}
		critical += k.ForCritical
		memory += k.UnderMemory
		disk += k.UnderDisk
		elsewhere += f.Elsewhere
		decided += w.decided
		for _, x := range k.Rejected {
			rejected[x.Reason] += x.Pods
		}
		for _, e := range w.events {
			relieved += one(e.Kind == Changed && e.Text == "no longer under memory pressure")
		}
	})
	t.Logf("%d evicted for critical pods in %d decisions, %d for memory, %d for disk, %d started elsewhere, %d times relieved, rejected %v", critical, decided, memory, disk, elsewhere, relieved, rejected)
	if testing.Short() {
		return // too few cases for each of these to happen
	}
	for _, n := range []int{critical, memory, disk, elsewhere, decided, relieved, rejected["OutOfcpu"], rejected["Evicted"], rejected["UnexpectedAdmissionError"], rejected["PodOSSelectorNodeLabelDoesNotMatch"]} {
		require.Positive(t, n, "nothing was tested")
	}
}

// Kubelets change nothing for pods that come by the scheduler, use what they request and
// are on nodes of their system: they start when they are bound.
func TestPropertyKubeletsWithoutWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawScene(t)
		course := func() string {
			w := c.watched(t)
			w.events = slices.DeleteFunc(w.events, func(e Event) bool { return e.Kind == Started })
			return w.log()
		}
		without := course()
		c.config.Kubelets = &Kubelets{}
		require.Equal(t, without, course())
	})
}

func TestKubeletsRefused(t *testing.T) {
	node := &outrank.Node{Name: "n", Allocatable: resource.MustList("cpu", "1", "pods", "9")}
	on := func(p outrank.Pod) []Work { p.NodeName, p.Name = "n", "p"; return []Work{{Pod: &p}} }
	for _, tt := range []struct {
		want   string
		config Config
		work   []Work
		groups []*outrank.PodGroup
	}{
		{"pod default/p: NodeName: n: work comes without a node, unless there are kubelets", Config{}, on(outrank.Pod{}), nil},
		{"pod default/p: NodeName: a static pod comes to the node that has its file", Config{Kubelets: &Kubelets{}}, []Work{{Pod: &outrank.Pod{Name: "p", Static: true}}}, nil},
		{"pod default/p: Usage.Memory: -1 is negative", Config{}, []Work{{Pod: &outrank.Pod{Name: "p"}, Usage: &kubeletadmit.Usage{Memory: -1}}}, nil},
		{"simulation config: Kubelets.Period: -1s is not between", Config{Kubelets: &Kubelets{Period: -seconds(1)}}, nil, nil},
		{"simulation config: Kubelets.Retries: -1 is negative", Config{Kubelets: &Kubelets{Retries: -1}}, nil, nil},
		{"kubelets and groups of pods do not go together", Config{Kubelets: &Kubelets{}}, nil, []*outrank.PodGroup{{Name: "g", Policy: outrank.BasicPolicy}}},
	} {
		_, err := New(&outrank.Cluster{Nodes: []*outrank.Node{node}, Groups: tt.groups}, tt.work, tt.config)
		require.ErrorIs(t, err, outrank.ErrInvalid, tt.want)
		require.ErrorContains(t, err, tt.want)
	}
	s, err := New(&outrank.Cluster{Nodes: []*outrank.Node{node}}, nil, Config{})
	require.NoError(t, err)
	require.NoError(t, s.At(0, SetUsage("default/p", kubeletadmit.Usage{})))
	require.ErrorContains(t, s.Step(), "nobody looks at what pods use")
}

// A pressure that a pod's end relieves was seen at the look before it, also where the kubelet is
// about to look again at that time: pods end first.
func TestPressureThatEndsAtALook(t *testing.T) {
	cluster := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("cpu", "1", "memory", "1Gi", "pods", "9")}}}
	work := []Work{{
		Pod: &outrank.Pod{Name: "p", NodeName: "n", Priority: outrank.Priority(2_000_000_000)}, Duration: seconds(100),
		Usage: &kubeletadmit.Usage{Memory: 2 << 30},
	}}
	w := watched(t, cluster, work, Config{Kubelets: &Kubelets{}})
	w.run(1000)
	var at []time.Duration
	for _, e := range w.events {
		if e.Kind == Changed {
			at = append(at, e.Time)
		}
	}
	require.Equal(t, []time.Duration{seconds(10), seconds(90) + DefaultTransition}, at)
}

// A pod whose kubelet still waits for its victim is lost with the node, and made anew. A victim
// that is told again to go at the same time is left alone.
func TestNodeGoesWhileAPodIsAdmitted(t *testing.T) {
	cluster := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("cpu", "1", "pods", "9")}}}
	one := []outrank.Container{{Requests: resource.MustList("cpu", "1")}}
	grace := seconds(100)
	work := []Work{
		{Pod: &outrank.Pod{Name: "batch", Priority: outrank.Priority(0), Containers: one}, Endless: true, Grace: &grace},
		{Pod: &outrank.Pod{Name: "vital", NodeName: "n", Priority: outrank.Priority(2_000_000_000), Containers: one}, Arrival: seconds(1), Endless: true},
	}
	w := watched(t, cluster, work, Config{Recreate: Recreate{Rule: RecreateWhenGone}, Kubelets: &Kubelets{}})
	require.NoError(t, w.s.Until(t.Context(), seconds(1)))
	require.Equal(t, Admitting, w.s.Where("default/vital").Phase)
	batch := w.s.lives.pods["default/batch"]
	told := batch.obj
	w.s.stays.hasten(batch, &grace)
	require.Same(t, told, batch.obj)
	require.NoError(t, w.s.At(seconds(2), RemoveNode("n")))
	require.NoError(t, w.s.Until(t.Context(), seconds(2)))
	require.Len(t, w.s.Lives("default/vital"), 2)
}

// A pod that uses more than any node has is given up in the end, so that a run ends.
func TestGivenUp(t *testing.T) {
	cluster := &outrank.Cluster{}
	for i := range 3 {
		cluster.Nodes = append(cluster.Nodes, &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: resource.MustList("cpu", "1", "memory", "1Gi", "pods", "9")})
	}
	work := []Work{{Pod: &outrank.Pod{Name: "p"}, Endless: true, Usage: &kubeletadmit.Usage{Memory: 2 << 30}}}
	w := watched(t, cluster, work, Config{Recreate: Recreate{Rule: RecreateWhenGone}, Kubelets: &Kubelets{Retries: 4}})
	w.run(1000)
	r := w.s.Result().Kubelets
	require.Equal(t, 5, r.UnderMemory)
	require.Equal(t, 1, r.GivenUp)
	require.Equal(t, 1, r.Evicted.Over)
	require.Equal(t, 5, r.Started)

	// So is one that comes to a node on which there is no room for it.
	work = []Work{{Pod: &outrank.Pod{Name: "p", NodeName: "n0", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "2")}}}}}
	w = watched(t, cluster, work, Config{Recreate: Recreate{Rule: RecreateWhenGone}, Kubelets: &Kubelets{}})
	w.run(1000)
	r = w.s.Result().Kubelets
	require.Equal(t, []report.Reason{{Reason: "OutOfcpu", Pods: 1 + DefaultRetries}}, r.Rejected)
	require.Equal(t, 1, r.GivenUp)
}
