package devices

import (
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/outrank-go/outrank"
)

// stays is the reason why by KEP-5690 a claim does not come free with its consumers; empty if it does.
type stays string

const (
	staysInFlight   stays = "its allocation is not yet written"
	staysUnreserved stays = "it is reserved for nobody, and comes free when its controller gives it back"
	staysGroup      stays = "it is reserved for a pod group, which KEP-5690 leaves out"
	staysNodes      stays = "it has devices that are not of one node by nodeName, which KEP-5690 leaves out"
)

// staysOf returns why the claim would not come free with the last of the pods for which it is reserved; empty if
// it would. It looks at the claim alone: that one of those pods may not leave is no reason here.
func (x *index) staysOf(c *claim) stays {
	if c.Status.Allocation == nil {
		return ""
	}
	if len(c.Status.ReservedFor) == 0 {
		return staysUnreserved
	}
	for i := range c.Status.ReservedFor {
		if !isPod(&c.Status.ReservedFor[i]) {
			return staysGroup
		}
	}
	node := ""
	for i := range c.holds {
		at := x.nodeOf(c.holds[i].device)
		if at == "" || node != "" && at != node {
			return staysNodes
		}
		node = at
	}
	return ""
}

// nodeOf returns the node that a device is bound to by nodeName; empty for none. The newest generation of its
// pool counts.
func (x *index) nodeOf(id structured.DeviceID) string {
	node, generation := "", int64(-1)
	for _, s := range x.pools[poolID{id.Driver.String(), id.Pool.String()}] {
		if s.Spec.Pool.Generation < generation {
			continue
		}
		for i := range s.Spec.Devices {
			if d := &s.Spec.Devices[i]; d.Name == id.Device.String() {
				node, generation = boundTo(s.ResourceSlice, d), s.Spec.Pool.Generation
			}
		}
	}
	return node
}

func boundTo(s *resourcev1.ResourceSlice, d *resourcev1.Device) string {
	name := s.Spec.NodeName
	if s.Spec.PerDeviceNodeSelection != nil && *s.Spec.PerDeviceNodeSelection {
		name = d.NodeName
	}
	if name == nil {
		return ""
	}
	return *name
}

// changes says how claims and their devices differ from the index at a point of an attempt.
type changes struct {
	// gone counts the consumers of each claim that are taken away and belong to no group.
	gone map[*claim]int
	// grouped counts the consumers of each claim that are taken away and belong to a group.
	grouped map[*claim]int
	// away counts, for each claim that waits to be given back, the nominations that need it. While there are any,
	// the claim counts as given back.
	away map[*claim]int
	// taken are the allocations of nominated pods.
	taken []taken
}

// taken is what a nominated pod will hold.
type taken struct {
	by    named
	holds []hold
}

func (c *changes) clone() changes {
	out := changes{taken: append([]taken(nil), c.taken...)}
	for k, v := range c.gone {
		out.count(&out.gone, k, v)
	}
	for k, v := range c.grouped {
		out.count(&out.grouped, k, v)
	}
	for k, v := range c.away {
		out.count(&out.away, k, v)
	}
	return out
}

// count adds to a count. A count of 0 is dropped, so that equal changes have equal maps.
func (c *changes) count(of *map[*claim]int, k *claim, by int) {
	if *of == nil {
		*of = map[*claim]int{}
	}
	if (*of)[k] += by; (*of)[k] == 0 {
		delete(*of, k)
	}
}

// free reports whether the devices of a claim are free after the changes.
func (c *changes) free(k *claim) bool {
	if len(c.gone) > 0 && k.stays == "" && len(k.Status.ReservedFor) > 0 && c.gone[k] == len(k.Status.ReservedFor) {
		return true
	}
	return len(c.away) > 0 && c.away[k] > 0
}

// leave follows a running pod that leaves, if by is 1, or comes back, if by is -1. By KEP-5690 a pod of a group
// frees nothing.
func (a *attempt) leave(p *outrank.Pod, by int) {
	of := &a.gone
	if p.Group != "" {
		of = &a.grouped
	}
	for _, k := range a.x.consumed[nameOf(p)] {
		if k.isFor(p) && !a.own(k) {
			a.count(of, k, by)
		}
	}
}

// leftOut explains which claims keep their devices although pods that use them are gone, because of something that
// KEP-5690 leaves out. The texts are sorted.
func (a *attempt) leftOut(v *view) []string {
	var texts []string
	for k := range a.gone {
		if (k.stays == staysNodes || k.stays == staysGroup) && k.isOn(v) {
			texts = append(texts, "claim "+k.name.String()+" does not come free: "+string(k.stays))
		}
	}
	for k := range a.grouped {
		if k.isOn(v) {
			texts = append(texts, "claim "+k.name.String()+" does not come free: a pod that it is reserved for is of a group, which KEP-5690 leaves out")
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// isOn reports whether the claim holds a device that the node could use.
func (c *claim) isOn(v *view) bool {
	return slices.ContainsFunc(c.holds, func(h hold) bool { return slices.Contains(v.devices, h.device) })
}

// own reports whether the preemptor itself uses a claim. Such a claim never comes free, whoever leaves, because
// the preemptor will be one of its consumers.
func (a *attempt) own(k *claim) bool {
	return slices.Contains(a.claims, k.ResourceClaim)
}

// nominate follows a nominated pod that comes to the node, if by is 1, or goes again, if by is -1. While it is
// there, its own allocations count as made. The claims that preemption has freed on the node count as given back,
// although they still have an allocation.
func (a *attempt) nominate(p *outrank.Pod, node string, by int) {
	n := a.x.nominations[nameOf(p)]
	if n == nil || n.Node != node {
		return
	}
	for _, k := range a.x.returning[node] {
		a.count(&a.away, k, by)
	}
	if by > 0 {
		a.taken = append(a.taken, taken{n.name(), n.pending(a.x)})
		return
	}
	for i := len(a.taken) - 1; i >= 0; i-- {
		if a.taken[i].by == n.name() {
			a.taken = append(a.taken[:i:i], a.taken[i+1:]...)
			return
		}
	}
}
