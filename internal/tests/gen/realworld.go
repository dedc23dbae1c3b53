package gen

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// realWorld is the cluster that all rows of the matrix of real clusters begin with, and its preemptor.
type realWorld struct {
	r         *rand.Rand
	cluster   *outrank.Cluster
	preemptor *outrank.Pod
	apps      []*realApp
	// owner has the app of each pod of the cluster, in the order of the pods.
	owner []*realApp
}

// realApp is a controller with pods of one kind.
type realApp struct {
	index           int
	name, namespace string
	labels          map[string]string
	priority        *int32
	size            realSize
	requests        resource.List
	// tolerations let the pods of a DaemonSet onto every node.
	tolerations []outrank.Toleration
}

// realSize is an amount of cpu in thousandths and one of memory in mebibytes.
type realSize struct{ cpu, memory int64 }

// Keys of labels, and how many zones, namespaces and kinds of machines there are.
const (
	realHashKey, realAppKey, realTierKey = "pod-template-hash", "app", "tier"
	realHostKey                          = "kubernetes.io/hostname"
	realTypeKey, realGenerationKey       = "node.kubernetes.io/instance-type", "generation"
	realZones, realTeams                 = 3, 40
	realPodsOfApp                        = 12
)

var (
	realMachines = []realSize{{16_000, 64 << 10}, {32_000, 128 << 10}, {16_000, 32 << 10}, {24_000, 96 << 10}}
	realTiers    = []string{"front", "middle", "store", "batch"}
	// realSizes are sizes of pods before an app varies them by up to three tenths.
	realSizes = []realSize{
		{50, 128}, {100, 256}, {100, 512}, {200, 256}, {250, 512}, {250, 1024},
		{500, 1024}, {500, 2048}, {1000, 2048}, {1000, 4096}, {2000, 4096}, {2000, 8192},
	}
	// realAsks is what the preemptor requests. Each is more than the largest pod's, which no longer fits anywhere.
	realAsks = realSize{6000, 24 << 10}
	// realLevels are the priorities of apps. One in ten apps is above the preemptor.
	realLevels = []int32{0, 0, 0, 0, 100, 100, 1000, 1000, 10_000, 100_000}
)

// newRealWorld returns the common cluster.
func newRealWorld(nodes int) *realWorld {
	w := &realWorld{r: rand.New(rand.NewPCG(51, 51)), cluster: &outrank.Cluster{}}
	for i := range realTeams {
		w.cluster.Namespaces = append(w.cluster.Namespaces, &outrank.Namespace{Name: realTeam(i), Labels: map[string]string{"team": realTeam(i)}})
	}
	for i := range max(40, nodes*30/realPodsOfApp) {
		w.apps = append(w.apps, w.newApp(i))
	}

	agents := []*realApp{w.daemon("log-agent", realSize{100, 200}), w.daemon("network-agent", realSize{150, 128})}
	for i := range nodes {
		w.cluster.Nodes = append(w.cluster.Nodes, realNode(i))
		w.fill(i, agents)
	}

	w.preemptor = &outrank.Pod{
		Name: "asker", Namespace: realTeam(0), UID: "uid-asker", Phase: outrank.PhasePending,
		Labels:     map[string]string{realAppKey: "asker", realTierKey: "front"},
		Priority:   outrank.Priority(realAsking),
		Containers: []outrank.Container{{Name: "main", Requests: realAsks.list()}},
	}
	return w
}

// realTeam returns the name of a team, and of its namespace.
func realTeam(i int) string { return fmt.Sprintf("team-%02d", i%realTeams) }

// newApp draws the app with index i.
func (w *realWorld) newApp(i int) *realApp {
	like, more := realSizes[w.r.IntN(len(realSizes))], 10+w.r.Int64N(4)
	a := &realApp{
		index: i, name: fmt.Sprint("app-", i), namespace: realTeam(i),
		priority: outrank.Priority(realLevels[w.r.IntN(len(realLevels))]),
		size:     realSize{like.cpu * more / 10, like.memory * more / 10},
	}
	a.labels = map[string]string{realAppKey: a.name, realTierKey: realTier(i), realHashKey: fmt.Sprintf("%08x", w.r.Uint32())}
	a.requests = a.size.list()
	return a
}

// realTier returns the tier of the app with index i. A namespace has apps of all tiers.
func realTier(i int) string { return realTiers[i/realTeams%len(realTiers)] }

// daemon returns an app with a pod on every node that no pod may push out.
func (w *realWorld) daemon(name string, size realSize) *realApp {
	return &realApp{
		name: name, namespace: realTeam(0), size: size, requests: size.list(), priority: outrank.Priority(2_000_001_000),
		labels:      map[string]string{realAppKey: name, "controller-revision-hash": "1"},
		tolerations: []outrank.Toleration{{Operator: outrank.TolerationExists}},
	}
}

func realNode(i int) *outrank.Node {
	machine := realMachines[i%len(realMachines)]
	n := &outrank.Node{Name: fmt.Sprintf("node-%05d", i), Allocatable: machine.list()}
	n.Allocatable[resource.Pods] = resource.New(110)
	n.Labels = map[string]string{
		realHostKey: n.Name, outrank.ZoneLabel: realZone(i), realTypeKey: fmt.Sprint("type-", i%len(realMachines)),
		realGenerationKey: fmt.Sprint(6 - i/2%6),
	}
	return n
}

// realZone returns the zone of the node with index i.
func realZone(i int) string { return fmt.Sprint("zone-", i%realZones) }

// fill puts pods of random apps on the node with index i until several have not fitted. The preemptor requests more
// of everything than each of those, and so does not fit either.
func (w *realWorld) fill(i int, agents []*realApp) {
	free := realMachines[i%len(realMachines)]
	for _, a := range agents {
		w.start(a, i)
		free.cpu, free.memory = free.cpu-a.size.cpu, free.memory-a.size.memory
	}
	for missed := 0; missed < 4; {
		a := w.apps[w.r.IntN(len(w.apps))]
		if a.size.cpu > free.cpu || a.size.memory > free.memory {
			missed++
			continue
		}
		w.start(a, i)
		free.cpu, free.memory = free.cpu-a.size.cpu, free.memory-a.size.memory
	}
}

// start starts a pod of the app on the node with index i.
func (w *realWorld) start(a *realApp, i int) {
	name := fmt.Sprintf("%s-%06d", a.name, len(w.cluster.Pods))
	w.cluster.Pods = append(w.cluster.Pods, &outrank.Pod{
		Name: name, Namespace: a.namespace, UID: "uid-" + name, Labels: a.labels, Priority: a.priority, Tolerations: a.tolerations,
		NodeName: w.cluster.Nodes[i].Name, Phase: outrank.PhaseRunning, Ready: true,
		StartTime:  Now.Add(-time.Duration(1+w.r.Int64N(10_000_000)) * time.Second),
		Containers: []outrank.Container{{Name: "main", Requests: a.requests}},
	})
	w.owner = append(w.owner, a)
}

// list returns the size as requests.
func (s realSize) list() resource.List {
	return resource.List{resource.CPU: resource.NewMilli(s.cpu), resource.Memory: resource.NewBinary(s.memory << 20)}
}

// withLabels returns the labels with more of them, each a key and its value.
func withLabels(labels map[string]string, more ...string) map[string]string {
	all := maps.Clone(labels)
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// withRequests returns the requests with so many whole units of one more resource.
func withRequests(l resource.List, name resource.Name, units int64) resource.List {
	all := maps.Clone(l)
	all[name] = resource.New(units)
	return all
}

// byNode calls f with the index of each node and the pods on it, in their order.
func (w *realWorld) byNode(f func(node int, pods []*outrank.Pod)) {
	at := 0
	for i, n := range w.cluster.Nodes {
		from := at
		for at < len(w.cluster.Pods) && w.cluster.Pods[at].NodeName == n.Name {
			at++
		}
		f(i, w.cluster.Pods[from:at])
	}
}

// replicas makes one pod on each of a quarter of the nodes, at most about 300, a pod of the preemptor's own Deployment.
// Its priority is the preemptor's, so that it never leaves.
func (w *realWorld) replicas() {
	step := max(4, len(w.cluster.Nodes)/300)

	// Zones come in turn, and so do those of the nodes with a replica: realVolumeZone is never ahead of another.
	step -= (step - 1) % realZones
	w.byNode(func(i int, pods []*outrank.Pod) {
		if i%step != 1 {
			return
		}
		p := pods[len(pods)-1]
		p.Namespace, p.Priority, p.Labels = w.preemptor.Namespace, outrank.Priority(realAsking), withLabels(w.preemptor.Labels, realHashKey, "replicas")
	})
}

// realBudgetPods is how many disruptions a third of the budgets allows, and twice as many another third. The rest
// allows none.
const realBudgetPods = 3

// budgets adds that many budgets. First comes one for each tier of each namespace, and then budgets for three apps of
// a namespace, so that the same pod has several of them.
func (w *realWorld) budgets(count int) {
	for i := range count {
		b := &outrank.PodDisruptionBudget{
			Name: fmt.Sprintf("budget-%04d", i), Namespace: realTeam(i), DisruptionsAllowed: int32(i % 3 * realBudgetPods),
			Selector: &outrank.LabelSelector{MatchLabels: map[string]string{realTierKey: realTier(i)}},
		}
		if i >= realTeams*len(realTiers) {
			// The apps of a namespace are realTeams apart.
			var names []string
			for k := range 3 {
				names = append(names, fmt.Sprint("app-", (i+k*realTeams)%len(w.apps)))
			}
			b.Selector = &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: realAppKey, Operator: outrank.In, Values: names}}}
		}
		w.cluster.Budgets = append(w.cluster.Budgets, b)
	}
}
