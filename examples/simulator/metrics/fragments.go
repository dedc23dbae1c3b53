package metrics

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// fragmentMeter measures the fragments of all nodes.
type fragmentMeter struct {
	config *Fragmentation
	// names are the resources of the mix. The measured resource comes first.
	names []resource.Name
	// shapes are the requests of the pods of the mix, by these names. weights are their weights, which add up
	// to 1.
	shapes  [][]int64
	weights []float64
	nodes   map[string]*ground
	// free is the free amount of all nodes, and lost the part of it that is in fragments.
	free, lost float64
}

// ground is a node with its pods.
type ground struct {
	node *outrank.Node
	// has are the amounts that the node offers, and used those that its pods request, both in the order of
	// names.
	has, used  []int64
	slots      int64
	pods       []*outrank.Pod
	free, lost float64
}

// newFragments returns a meter without nodes.
func newFragments(c *Fragmentation) *fragmentMeter {
	f := &fragmentMeter{config: c, names: []resource.Name{c.Resource}, nodes: map[string]*ground{}}
	sum := 0.0
	for _, d := range c.Mix {
		sum += d.Weight
		for _, name := range sortedNames(d.Requests) {
			if !slices.Contains(f.names, name) && name != resource.Pods {
				f.names = append(f.names, name)
			}
		}
	}

	for _, d := range c.Mix {
		f.shapes = append(f.shapes, f.row(d.Requests))
		f.weights = append(f.weights, d.Weight/sum)
	}
	return f
}

// row returns the amounts of a list by name.
func (f *fragmentMeter) row(l resource.List) []int64 {
	row := make([]int64, len(f.names))
	for i, name := range f.names {
		row[i] = l.Amount(name)
	}
	return row
}

// set adds a node, or replaces the version of the one with this name, whose pods stay. Nil removes it.
func (f *fragmentMeter) set(name string, n *outrank.Node) {
	g := f.nodes[name]
	if n == nil {
		if g != nil {
			f.free -= g.free
			f.lost -= g.lost
			delete(f.nodes, name)
		}
		f.settle()
		return
	}

	if g == nil {
		g = &ground{used: make([]int64, len(f.names))}
		f.nodes[name] = g
	}
	g.node = n
	g.has = f.row(n.Allocatable)
	g.slots = n.Allocatable.Amount(resource.Pods)
	f.renew(g)
}

// put puts a pod on a node.
func (f *fragmentMeter) put(name string, pod *outrank.Pod) { f.change(name, pod, 1) }

// take removes a pod from its node.
func (f *fragmentMeter) take(name string, pod *outrank.Pod) { f.change(name, pod, -1) }

// change adds a pod to a node or, with a negative sign, removes it. It ignores a node that has been removed,
// with which its pods have gone.
func (f *fragmentMeter) change(name string, pod *outrank.Pod, sign int64) {
	g := f.nodes[name]
	if g == nil {
		return
	}

	for i, v := range f.row(pod.RunningRequests(outrank.DefaultRelease)) {
		if sign > 0 {
			g.used[i] = resource.AddSat(g.used[i], v)
		} else {
			g.used[i] = resource.SubSat(g.used[i], v)
		}
	}
	if sign > 0 {
		g.pods = append(g.pods, pod)
	} else {
		g.pods = slices.DeleteFunc(g.pods, func(p *outrank.Pod) bool { return p.Key() == pod.Key() && p.UID == pod.UID })
	}
	f.renew(g)
}

// renew computes the fragments of a node again. Time is the size of the mix times the numbers of its
// resources and of the devices.
func (f *fragmentMeter) renew(g *ground) {
	// The measured resource is the first one. If it is on devices, the sum over these is what is free.
	free := float64(max(resource.SubSat(g.has[0], g.used[0]), 0))
	var devices []int64
	if f.config.Devices != nil {
		free = 0
		devices = f.config.Devices(g.node, g.pods)
		for _, d := range devices {
			free += float64(max(d, 0))
		}
	}

	lost := 0.0
	for i, weight := range f.weights {
		lost += float64(weight * f.fragment(g, i, free, devices))
	}

	f.free, f.lost = f.free+free-g.free, f.lost+lost-g.lost
	g.free, g.lost = free, lost
	f.settle()
}

// settle keeps the sums within bounds that rounding errors may exceed.
func (f *fragmentMeter) settle() {
	f.free = max(f.free, 0)
	f.lost = min(max(f.lost, 0), f.free)
}

// fragment returns how much of what is free on a node is useless for one kind of pod.
func (f *fragmentMeter) fragment(g *ground, kind int, free float64, devices []int64) float64 {
	// All of it is useless if the pod does not request the resource or does not fit on the node.
	shape, d := f.shapes[kind], &f.config.Mix[kind]
	if shape[0] == 0 || int64(len(g.pods)) >= g.slots || d.Takes != nil && !d.Takes(g.node) {
		return free
	}
	for c, asked := range shape {
		if asked > 0 && asked > resource.SubSat(g.has[c], g.used[c]) {
			return free
		}
	}
	if f.config.Devices == nil {
		return 0
	}

	// A request of up to one device is served by one device, and a larger one by whole devices. What is free
	// on a device that is too full for that is useless.
	device := f.config.Device
	least := min(shape[0], device)
	needed := (shape[0] + device - 1) / device

	small, enough := 0.0, int64(0)
	for _, v := range devices {
		if v < least {
			small += float64(max(v, 0))
		} else {
			enough++
		}
	}

	if enough < needed {
		return free
	}
	return small
}
