package differential

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kinds are the kinds of cases that [Generate] draws. Each is about one part of the rules; the kind everything
// has all parts that concern the cluster.
var Kinds = append(ClusterKinds[:len(ClusterKinds):len(ClusterKinds)], "extenders", "contrary", "ways", "surrounded")

// ClusterKinds are the kinds that are about the cluster alone. The others add something to the scheduler's own
// plugins.
var ClusterKinds = []string{
	"resources", "budgets", "filters", "affinity", "spread", "nominated", "volumes", "resizes", "everything",
}

// features are the subjects of a case beside nodes, pods and resources.
type features struct {
	budgets, filters, affinity, spread, nominated, volumes, resizes bool
	extenders, contrary, ways                                       bool
	devices                                                         bool
}

// featuresOf returns the subjects of a kind of case.
func featuresOf(kind string) (features, error) {
	f := features{}
	switch kind {
	case "resources":
	case "budgets":
		f.budgets = true
	case "filters":
		f.filters, f.budgets = true, true
	case "affinity":
		f.affinity = true
	case "spread":
		f.spread = true
	case "nominated":
		f.nominated, f.budgets = true, true
	case "volumes":
		f.volumes = true
	case "resizes":
		f.resizes = true

	case "everything":
		f = features{budgets: true, filters: true, affinity: true, spread: true, nominated: true, volumes: true, resizes: true}
	case "extenders":
		f.extenders, f.budgets, f.nominated = true, true, true
	case "contrary":
		f.contrary, f.nominated = true, true
	case "ways":
		f.ways, f.nominated, f.volumes = true, true, true
	case "surrounded":
		f = features{
			budgets: true, filters: true, affinity: true, spread: true, nominated: true, volumes: true, resizes: true,
			extenders: true, contrary: true, ways: true,
		}

	case "devices":
		f.devices = true
	case "claims":
		f.devices, f.nominated, f.budgets, f.affinity = true, true, true, true
	case "crowded":
		f.devices, f.nominated, f.spread, f.volumes = true, true, true, true
	default:
		return f, fmt.Errorf("%q is no kind of case: %v", kind, Kinds)
	}
	return f, nil
}

// start is a time before which all pods of all cases have started. It is long past, so that a pod without a start
// time is younger than any other.
var start = time.Date(2026, 1, 10, 13, 0, 0, 0, time.UTC)

// Generate draws a case. The same kind and seed give the same case. Its pods are sorted by namespace and name:
// kube-scheduler leaves equally important pods in the order in which it learned of them, and outrank sorts them
// by namespace and name.
func Generate(kind string, seed uint64) (*Case, error) {
	f, err := featuresOf(kind)
	if err != nil {
		return nil, err
	}
	g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(slices.Index(Kinds, kind)))), features: f, c: &Case{Kind: kind, Seed: seed}}

	// Nodes draw their pods, and pods name claims of the storage, budgets select pods, and the claims of devices
	// need the nodes and all pods.
	g.profile()
	g.namespaces()
	if f.volumes {
		g.storage()
	}
	for i := range g.between(1, 7) {
		g.node(i)
	}
	g.pending()
	if f.budgets {
		g.budgets()
	}
	g.preemptor()
	g.clearDropped()
	g.around()
	if f.devices {
		g.claims()
	}

	slices.SortStableFunc(g.c.Pods, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return g.c, nil
}

// generator draws the objects of one case. It has few values for everything, so that ties and conflicts are
// frequent.
type generator struct {
	*rand.Rand
	features
	c *Case

	// priorities are the priorities that pods may have.
	priorities []int32
	// starts is the number of different times at which pods have started.
	starts int
	// pods is the number in the name of the last pod.
	pods int
	// roomy says how rare room is: one node in that many, on average, has much left.
	roomy int
}

// profile draws how often the values of this case repeat, and how often a node has room.
func (g *generator) profile() {
	all := []int32{-100, -1, 0, 0, 5, 10, 100, 1000, 5000, 1000000000, 2000000000}
	for range g.between(2, 5) {
		g.priorities = append(g.priorities, pick(g, all...))
	}
	g.starts = pick(g, 2, 4, 1000)
	g.roomy = pick(g, 6, 20, 1000)
	if g.affinity || g.spread || g.volumes || g.filters {
		g.roomy = pick(g, 2, 4, 12)
	}
}

func pick[T any](g *generator, values ...T) T { return values[g.IntN(len(values))] }

// oneIn returns true once in n times, on average.
func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

// between draws from low to high, both included.
func (g *generator) between(low, high int) int { return low + g.IntN(high-low+1) }

func (g *generator) namespaces() {
	for _, name := range []string{"default", "red", "blue"} {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/metadata.name": name}}}
		if name != "default" {
			ns.Labels["team"] = name
		}
		if name == "blue" && g.oneIn(4) {
			continue // the pods of blue are in a namespace that the informers do not know yet
		}
		g.c.Namespaces = append(g.c.Namespaces, ns)
	}
}

// node draws a node with its pods. Its allocatable is what the pods request and a little more or, sometimes, less.
func (g *generator) node(i int) {
	name := fmt.Sprintf("n%d", i)
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "node-" + uid(name), Labels: map[string]string{
		"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": fmt.Sprintf("z%d", i%3),
		"kubernetes.io/os": "linux",
	}}}
	if g.oneIn(3) {
		n.Labels["rack"] = pick(g, "r1", "r2")
	}
	if g.oneIn(8) {
		delete(n.Labels, "topology.kubernetes.io/zone")
	}

	var cpu, memory int64 // in thousandths of a core and MiB, as roughly returns them
	for range g.between(0, pick(g, 3, 6, 9)) {
		podCPU, podMemory := roughly(g.running(name))
		cpu += podCPU
		memory += podMemory
	}
	n.Status.Allocatable = g.allocatable(cpu, memory)
	n.Status.Capacity = n.Status.Allocatable

	if g.filters {
		g.restrict(n)
	}
	if g.volumes {
		g.attach(n)
	}
	g.c.Nodes = append(g.c.Nodes, n)
}

// allocatable draws the allocatable of a node whose pods request that much CPU and memory. Sometimes it is less
// than the requests.
func (g *generator) allocatable(cpu, memory int64) corev1.ResourceList {
	moreCPU, moreMemory := int64(g.between(0, 4))*100, int64(g.between(0, 4))*64
	if g.oneIn(g.roomy) {
		moreCPU, moreMemory = 4000, 4096
	}
	if g.oneIn(20) {
		moreCPU, moreMemory = -200, 0
	}

	list := corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewMilliQuantity(max(0, cpu+moreCPU), resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(max(0, memory+moreMemory)<<20, resource.BinarySI),
		corev1.ResourcePods:   *resource.NewQuantity(int64(pick(g, 110, 110, 110, 6, 3)), resource.DecimalSI),
	}
	if g.oneIn(2) {
		list["example.com/gpu"] = *resource.NewQuantity(int64(g.between(0, 4)), resource.DecimalSI)
	}
	if g.oneIn(3) {
		list[corev1.ResourceEphemeralStorage] = resource.MustParse(pick(g, "1Gi", "4Gi"))
	}
	return list
}

// restrict gives a node properties that keep pods away.
func (g *generator) restrict(n *corev1.Node) {
	if g.oneIn(2) {
		n.Labels["disk"] = pick(g, "ssd", "hdd")
	}
	if g.oneIn(3) {
		n.Labels["cores"] = pick(g, "4", "8", "16", "many", "008", "9223372036854775808")
	}
	if g.oneIn(5) {
		n.Spec.Taints = append(n.Spec.Taints, g.taint())
	}
	if g.oneIn(8) {
		n.Spec.Unschedulable = true
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	if g.oneIn(6) {
		n.Status.DeclaredFeatures = pick(g, []string{"RestartAllContainersOnContainerExits"}, []string{"UserNamespacesHostNetworkSupport"})
	}
}

func (g *generator) taint() corev1.Taint {
	return corev1.Taint{
		Key: pick(g, "dedicated", "gpu"), Value: pick(g, "", "a", "b"),
		Effect: pick(g, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule),
	}
}
