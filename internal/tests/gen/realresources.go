package gen

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Resources that nodes offer beside cpu and memory.
const (
	realGPU, realRDMA, realFPGA resource.Name = "nvidia.com/gpu", "rdma/hca", "xilinx.com/fpga"
	realNIC                     resource.Name = "intel.com/sriov"
)

// realResourceRows are the rows in which resources beside cpu and memory decide.
var realResourceRows = []realRow{
	{"gpu-storage", func(w *realWorld) {
		w.devices(2, realDevice{realGPU, 8, 2})
		w.storage()
	}, realLabelled},
	{"extended-3", func(w *realWorld) {
		w.devices(1, realDevice{realGPU, 8, 2}, realDevice{realRDMA, 4, 1}, realDevice{realFPGA, 2, 1})
	}, realLabelled},
	{"extended-nic", func(w *realWorld) {
		w.devices(2, realDevice{realGPU, 4, 1}, realDevice{realRDMA, 8, 1})
		w.devices(1, realDevice{realNIC, 16, 2})
	}, realLabelled},
	{"sidecars", (*realWorld).sidecars, realLabelled},
	{"priorities-500", func(w *realWorld) {
		// The priorities are 98 apart, and all are below those of preemptors.
		for _, q := range w.cluster.Pods {
			if *q.Priority < realAsking {
				q.Priority = outrank.Priority(98 * int32(w.r.IntN(500)))
			}
		}
	}, realLabelled},
}

// realDevice is a resource that a node has in whole units, and what the preemptor requests of it.
type realDevice struct {
	name       resource.Name
	of, wanted int64
}

// devices gives every node whose index can be divided by the number all of these resources, and lets its pods use them
// up. The preemptor requests some of each.
func (w *realWorld) devices(every int, kinds ...realDevice) {
	w.byNode(func(i int, pods []*outrank.Pod) {
		if i%every != 0 {
			return
		}
		n := w.cluster.Nodes[i]
		for _, d := range kinds {
			n.Allocatable[d.name] = resource.New(d.of)
			for free, at := d.of, len(pods)-1; free > 0 && at > 0; at-- {
				// Pods request one, two or four units; every third has none.
				units := min(free, []int64{0, 1, 1, 2, 1, 4}[w.r.IntN(6)])
				if units == 0 {
					continue
				}
				free -= units
				pods[at].Containers[0].Requests = withRequests(pods[at].Containers[0].Requests, d.name, units)
			}
		}
	})

	for _, d := range kinds {
		asks := &w.preemptor.Containers[0]
		asks.Requests = withRequests(asks.Requests, d.name, d.wanted)
	}
}

// storage lets two of three pods and the preemptor request ephemeral storage. Nodes have a little more of it than
// their pods request.
func (w *realWorld) storage() {
	const gibi = 1 << 30
	w.byNode(func(i int, pods []*outrank.Pod) {
		sum := int64(10)
		for k, q := range pods {
			if k%3 == 0 {
				continue
			}
			units := 1 + w.r.Int64N(8)
			sum += units
			q.Containers[0].Requests = withRequests(q.Containers[0].Requests, resource.EphemeralStorage, units*gibi)
		}
		w.cluster.Nodes[i].Allocatable[resource.EphemeralStorage] = resource.NewBinary(sum * gibi)
	})
	asks := &w.preemptor.Containers[0]
	asks.Requests = withRequests(asks.Requests, resource.EphemeralStorage, 20*gibi)
}

// sidecars gives three of four pods and the preemptor a proxy that runs beside their containers, and an init container
// that requests less than those. The requests of a pod stay what they were.
func (w *realWorld) sidecars() {
	for i, q := range w.cluster.Pods {
		if a := w.owner[i]; i%4 != 0 && a.size.cpu > 100 && a.size.memory > 300 {
			realProxied(q, a.size)
		}
	}
	realProxied(w.preemptor, realAsks)
}

// realProxied gives a pod of that size a proxy and an init container.
func realProxied(p *outrank.Pod, whole realSize) {
	proxy := realSize{50, 128}
	rest := realSize{whole.cpu - proxy.cpu, whole.memory - proxy.memory}
	p.InitContainers = []outrank.Container{
		{Name: "proxy", Sidecar: true, Requests: proxy.list()},
		{Name: "migrate", Requests: realSize{rest.cpu / 2, rest.memory / 2}.list()},
	}
	p.Containers = []outrank.Container{{Name: "main", Requests: rest.list()}}
}
