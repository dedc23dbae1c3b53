package gen

import (
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// The matrix has a row for each kind of preemptor that occurs in practice, so that benchmarks show the
// slowest kinds as well as the fastest.

// matrixRow is one row: add changes the plain cluster and the plain preemptor into those of the row.
type matrixRow struct {
	name string
	add  func(c *outrank.Cluster, p *outrank.Pod)
}

// Names and numbers of the matrix: keys of labels, a driver of volumes, and how many zones and pools there
// are.
const (
	matrixZone, matrixPool, matrixAll = "topology.kubernetes.io/zone", "pool", "all"
	matrixHost                        = "kubernetes.io/hostname"
	matrixDriver                      = "csi.example.com"
	matrixZones, matrixPools          = 5, 10
	matrixPort                        = 8080
	matrixAttached                    = 25 // the volumes of one driver that a node can attach
)

// matrixGuard selects the pods that affinity and spread constraints of the matrix are about.
var matrixGuard = &outrank.LabelSelector{MatchLabels: map[string]string{"app": "app-3"}}

// matrixKinds are the rows in the order in which benchmarks show them.
var matrixKinds = []matrixRow{
	{"plain", func(*outrank.Cluster, *outrank.Pod) {}},
	{"sizes", func(c *outrank.Cluster, _ *outrank.Pod) {
		for i, p := range c.Pods {
			p.Containers[0].Requests = matrixSize(2+i%5, 16)
		}
	}},
	{"selector-all", func(_ *outrank.Cluster, p *outrank.Pod) { p.NodeSelector = map[string]string{matrixAll: "yes"} }},
	{"selector-tenth", func(_ *outrank.Cluster, p *outrank.Pod) { p.NodeSelector = map[string]string{matrixPool: "pool-3"} }},
	{"selector-host", func(c *outrank.Cluster, p *outrank.Pod) {
		p.NodeSelector = map[string]string{matrixHost: c.Nodes[len(c.Nodes)/2].Name}
	}},
	{"tainted", func(c *outrank.Cluster, _ *outrank.Pod) { matrixTaints(c) }},
	{"toleration", func(c *outrank.Cluster, p *outrank.Pod) {
		matrixTaints(c)
		p.Tolerations = []outrank.Toleration{{Key: "dedicated", Operator: outrank.TolerationExists}}
	}},
	{"port", func(c *outrank.Cluster, p *outrank.Pod) {
		port := []outrank.Port{{HostPort: matrixPort}}
		for i, q := range c.Pods {
			if i%20 == 3 {
				q.Containers[0].Ports = port
			}
		}
		p.Containers[0].Ports = port
	}},
	{"anti-affinity", func(_ *outrank.Cluster, p *outrank.Pod) {
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: matrixGuard, TopologyKey: matrixHost}}
	}},
	{"affinity", func(_ *outrank.Cluster, p *outrank.Pod) {
		p.Affinity.PodAffinity = []outrank.PodAffinityTerm{{LabelSelector: matrixGuard, TopologyKey: matrixZone}}
	}},
	{"spread", func(_ *outrank.Cluster, p *outrank.Pod) {
		p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{MaxSkew: 1, WhenUnsatisfiable: outrank.DoNotSchedule, LabelSelector: matrixGuard, TopologyKey: matrixZone}}
	}},
	{"volume", func(c *outrank.Cluster, p *outrank.Pod) { matrixVolumes(c, p, 1) }},
	{"volumes-5", func(c *outrank.Cluster, p *outrank.Pod) { matrixVolumes(c, p, 5) }},
	{"claim-in-use", func(c *outrank.Cluster, p *outrank.Pod) {
		v := []outrank.Volume{{Claim: "data", OncePod: true, Driver: matrixDriver, Handle: "data"}}
		for _, q := range c.Pods {
			if q.Namespace == p.Namespace && q.PriorityValue() < p.PriorityValue() {
				q.Volumes = v
				break
			}
		}
		p.Volumes = v
	}},
	{"never-fits", func(_ *outrank.Cluster, p *outrank.Pod) { p.Containers[0].Requests = matrixSize(10_000, 1) }},
	{"nobody-lower", func(_ *outrank.Cluster, p *outrank.Pod) { p.Priority = outrank.Priority(-10_000) }},
}

// MatrixRows returns the names of all rows in order.
func MatrixRows() (names []string) {
	for _, r := range matrixKinds {
		names = append(names, r.name)
	}
	return names
}

// Matrix returns the cluster and the preemptor of a row. The cluster has the given numbers of nodes, of pods
// on each node, and of budgets. Its pods are of one size and fill the nodes, unless the row changes that. The
// preemptor needs the room of four pods.
func Matrix(row string, nodes, pods, budgets int) (*outrank.Cluster, *outrank.Pod) {
	c, p := Benchmark(nodes, pods, budgets)
	for i, n := range c.Nodes {
		n.Labels[matrixZone] = fmt.Sprint("zone-", i%matrixZones)
		n.Labels[matrixPool] = fmt.Sprint("pool-", i%matrixPools)
		n.Labels[matrixAll] = "yes"
		n.Allocatable = matrixSize(pods, 4)
		n.Allocatable[resource.Pods] = resource.New(110)
	}
	for _, q := range c.Pods {
		q.Containers[0].Requests = matrixSize(1, 4)
	}

	p.Labels = map[string]string{"app": "urgent"}
	p.Containers[0].Requests = matrixSize(1, 1)
	at := slices.IndexFunc(matrixKinds, func(r matrixRow) bool { return r.name == row })
	matrixKinds[at].add(c, p)
	return c, p
}

// MatrixAskers returns a thousand copies of a preemptor, each with another priority, so that nothing
// remembered about one of them helps with the next.
func MatrixAskers(like *outrank.Pod) []*outrank.Pod {
	askers := make([]*outrank.Pod, 1000)
	for i := range askers {
		asker := *like
		asker.Priority = outrank.Priority(like.PriorityValue() + int32(i))
		askers[i] = &asker
	}
	return askers
}

// MatrixMoving returns two states of the last running pod of a cluster, for benchmarks that change the pod
// back and forth: first one with a later start, then the present one.
func MatrixMoving(c *outrank.Cluster) [2]*outrank.Pod {
	for _, was := range slices.Backward(c.Pods) {
		if was.NodeName != "" {
			later := *was
			later.StartTime = was.StartTime.Add(time.Second)
			return [2]*outrank.Pod{&later, was}
		}
	}
	panic("no pod runs")
}

// matrixSize returns the fraction parts/of of 2 cores, 4Gi of memory and 4Gi of ephemeral storage.
func matrixSize(parts, of int) resource.List {
	each := func(whole int64) int64 { return int64(parts) * whole / int64(of) }
	return resource.List{
		resource.CPU:              resource.NewMilli(each(2000)),
		resource.Memory:           resource.New(each(4 << 30)),
		resource.EphemeralStorage: resource.New(each(4 << 30)),
	}
}

// matrixTaints taints all nodes but one in ten.
func matrixTaints(c *outrank.Cluster) {
	for i, n := range c.Nodes {
		if i%matrixPools != 3 {
			n.Taints = []outrank.Taint{{Key: "dedicated", Value: "batch", Effect: outrank.NoSchedule}}
		}
	}
}

// matrixVolumes gives the pods of each node as many volumes as the node can attach, and the preemptor some of
// its own.
func matrixVolumes(c *outrank.Cluster, p *outrank.Pod, own int) {
	on := map[string]int64{}
	for _, n := range c.Nodes {
		n.AttachLimits = map[string]int64{matrixDriver: matrixAttached}
	}

	for i, q := range c.Pods {
		if on[q.NodeName]++; on[q.NodeName] <= matrixAttached {
			q.Volumes = []outrank.Volume{{Claim: fmt.Sprint("c", i), Driver: matrixDriver, Handle: fmt.Sprint("h", i)}}
		}
	}

	for i := range own {
		p.Volumes = append(p.Volumes, outrank.Volume{Claim: fmt.Sprint("own", i), Driver: matrixDriver, Handle: fmt.Sprint("own", i)})
	}
}
