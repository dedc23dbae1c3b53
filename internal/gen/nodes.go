package gen

import (
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// nodeLayout is shared by nodes that look the same: the pods on them and the room
// that is left. Several nodes of one layout are equal in all ranks but the last.
type nodeLayout struct {
	pods []*outrank.Pod
	room slack
	// bare is set for nodes that have nothing beyond the needs of their pods.
	bare bool
}

// features are the features that nodes declare: those that exist, and another.
var features = []string{"UserNamespacesHostNetworkSupport", "RestartAllContainersOnContainerExits", "VolumeBindMountOptions", "Other"}

// topology draws where a node is; some nodes do not say.
func topology(t *rapid.T) map[string]string {
	set := map[string]string{}
	put := func(key string, values ...string) {
		if value := pick(t, key, values...); value != "" {
			set[key] = value
		}
	}
	put(zoneKey, "z1", "z2", "z1", "z2", "z1", "z2", "")
	put(rackKey, "r1", "r2", "r1", "r1", "")
	put(diskKey, "ssd", "ssd", "hdd", "")
	put(generationKey, "3", "2", "3", "2", "old", "", "002", "9223372036854775808")
	return set
}

// slack is a node's room beyond the requests of its pods.
type slack struct {
	// cpu is in thousandths, memory in MiB. Negative slack makes a node that
	// holds more than it has.
	cpu, memory, pods int64
}

// drawSlack leaves little room. Where something else than resources is to
// decide, every second node has enough of them, for the filters of pods come
// after that of resources.
func drawSlack(t *rapid.T, s Shape) slack {
	rarely := 16
	if s.Ports || s.Affinity || s.Spread || s.Volumes {
		rarely = 2
	}
	if oneIn(t, "roomy", rarely) {
		return slack{cpu: 2000, memory: 2048, pods: 10}
	}
	return slack{
		cpu:    pick[int64](t, "spare cpu", 0, 0, 100, 200, -100),
		memory: pick[int64](t, "spare memory", 0, 0, 64, 128, -64),
		pods:   pick[int64](t, "spare slots", 10, 10, 100, 1, 0, 0),
	}
}

// smallest is the room of a node with nothing on it.
var smallest = resource.MustList(
	"cpu", "800m", "memory", "320Mi", "ephemeral-storage", "1Gi", string(gpu), "1", string(hugepages), "2Mi",
)

// node is a node of the layout called name.
func (l nodeLayout) node(t *rapid.T, s Shape, name string) *outrank.Node {
	n := &outrank.Node{Name: name, Labels: topology(t), Allocatable: l.allocatable()}
	if !oneIn(t, "no hostname", 12) {
		n.Labels[hostnameKey] = name
	}
	if s.Taints {
		if oneIn(t, "tainted", 4) {
			n.Taints = rapid.SliceOfN(rapid.Custom(taint), 1, 2).Draw(t, "taints")
		}
		n.Unschedulable = oneIn(t, "cordoned", 10)
	}
	if s.Volumes {
		addStorage(t, n)
	}
	if s.Features {
		n.DeclaredFeatures = drawList(t, "declared features", 2, func(t *rapid.T) string { return pick(t, "feature", features...) })
	}
	return n
}

// allocatable is the sum of what the pods ask for and the slack.
func (l nodeLayout) allocatable() resource.List {
	sum := resource.List{}
	count := int64(0)
	for _, p := range l.pods {
		if !p.Finished() {
			sum = sum.Plus(p.RunningRequests(outrank.DefaultRelease))
			count++
		}
	}
	all := smallest.Clone()
	if l.bare {
		all = resource.List{}
	}
	for _, name := range sum.Names() {
		if name.Counted() {
			all[name] = larger(sum[name].Add(l.room.of(name)), all[name])
		}
	}
	all[resource.Pods] = resource.New(count + l.room.pods)
	return all
}

func (s slack) of(name resource.Name) resource.Quantity {
	switch name {
	case resource.CPU:
		return resource.NewMilli(s.cpu)
	case resource.Memory:
		return resource.NewBinary(s.memory << 20)
	}
	return resource.Quantity{}
}

func larger(a, b resource.Quantity) resource.Quantity {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}
