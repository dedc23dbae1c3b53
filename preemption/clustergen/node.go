package clustergen

import (
	"math"
	"math/rand/v2"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// layout is shared by nodes that look the same: their pods, which are no node's
// own yet, and the room for them.
type layout struct {
	pods        []*outrank.Pod
	allocatable resource.List
}

// features are the features that nodes declare: two that pods can need, and another.
var features = []string{"UserNamespacesHostNetworkSupport", "RestartAllContainersOnContainerExits", "Other"}

// node generates node i, which holds the pods of a layout.
func (g *generator) node(l layout, i int) *outrank.Node {
	r := g.stream(ofNodes, i)
	n := &outrank.Node{Name: nodeName(i), Labels: topology(r), Allocatable: l.allocatable.Clone()}
	if !oneIn(r, 12) {
		n.Labels[hostnameKey] = n.Name
	}
	if g.Taints {
		addTaints(g.stream(ofNodeTaints, i), n)
	}
	if g.Volumes {
		addStorage(g.stream(ofNodeStorage, i), n)
	}
	if g.Features {
		n.DeclaredFeatures = several(g.stream(ofNodeFeatures, i), 0, 2, func(r *rand.Rand) string { return pick(r, features...) })
	}
	return n
}

// topology draws where a node is; some nodes do not say.
func topology(r *rand.Rand) map[string]string {
	set := map[string]string{}
	put := func(key string, values ...string) {
		if value := pick(r, values...); value != "" {
			set[key] = value
		}
	}
	put(zoneKey, "z1", "z2", "z1", "z2", "z1", "z2", "")
	put(rackKey, "r1", "r2", "r1", "r1", "")
	put(diskKey, "ssd", "ssd", "hdd", "")
	put(generationKey, "3", "2", "old", "")
	return set
}

// allocatable is sized so that the pods fill the given percentage of it, or half of
// that where there is to be room, with the given number of free slots. It counts as one
// release does, so that a seed gives the same bytes whatever the default is.
func (g *generator) allocatable(pods []*outrank.Pod, fill, slots int64, roomy bool) resource.List {
	used, count := resource.List{}, int64(0)
	for _, p := range pods {
		if !p.Finished() {
			used = used.Plus(p.RunningRequests(outrank.V1_36))
			count++
		}
	}
	all := resource.List{}
	for _, name := range used.Names() {
		if name.Counted() {
			all[name] = capacity(name, used.Amount(name), fill, roomy)
		}
	}
	all[resource.Pods] = resource.New(count + slots)
	return all.Max(g.largest())
}

// largest is the request of a pod of the largest size, so that every node is
// large enough for one.
func (g *generator) largest() resource.List {
	l := g.size(g.Sizes - 1)
	l[resource.EphemeralStorage], l[gpu], l[hugepages] = mebibytes(1024), resource.New(1), mebibytes(2)
	return l
}

// capacity is a node's amount of a resource of which a percentage is used.
func capacity(name resource.Name, used, percent int64, twice bool) resource.Quantity {
	// Neither the percentage nor the doubling overflows.
	amount := min(used, math.MaxInt64/200) * 100 / percent
	if twice {
		amount *= 2
	}
	switch {
	case name == resource.CPU:
		return resource.NewMilli(amount)
	case name == resource.Memory, name == resource.EphemeralStorage, name == hugepages:
		// Memory comes in whole mebibytes.
		return resource.NewBinary(amount >> 20 << 20)
	}
	return resource.New(amount)
}

// addTaints taints and cordons some nodes.
func addTaints(r *rand.Rand, n *outrank.Node) {
	if oneIn(r, 4) {
		n.Taints = several(r, 1, 2, taint)
	}
	n.Unschedulable = oneIn(r, 10)
}

func taint(r *rand.Rand) outrank.Taint {
	return outrank.Taint{
		Key:    pick(r, "dedicated", "gpu"),
		Value:  pick(r, "a", "b", ""),
		Effect: pick(r, outrank.NoSchedule, outrank.NoExecute, outrank.PreferNoSchedule),
	}
}

// nomination draws a node, or one that does not exist.
func (g *generator) nomination(r *rand.Rand) string {
	node := g.someNode(r)
	if oneIn(r, 8) {
		return "gone"
	}
	return node
}
