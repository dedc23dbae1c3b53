package explain

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/resource"
)

// changing removes one obstacle. Its methods change the copy of the pod, or the node or other pods of the scratch,
// and record what they changed. They change nothing if no change would remove the obstacle.
type changing struct {
	*bench
	// pod is the copy that is changed. It shares its lists with the preemptor, so a change replaces a list and
	// never writes to it.
	pod *outrank.Pod
	at  *place
	// Step is the step that the changes belong to.
	Step
}

// note records a change in the step.
func (c *changing) note(change string) { c.Changes = append(c.Changes, change) }

// onNode records a change, makes it on a copy of the node, and replaces the node in the scratch by the copy.
func (c *changing) onNode(change string, edit func(n *outrank.Node)) error {
	n := *c.at.node
	edit(&n)
	c.note(change)
	return c.snap.PutNode(&n)
}

// uncordon makes the node schedulable again, and removes the taint of a cordoned node.
func (c *changing) uncordon(*Obstacle) error {
	return c.onNode(uncordon, func(n *outrank.Node) {
		n.Unschedulable = false
		n.Taints = slices.DeleteFunc(slices.Clone(n.Taints), func(t outrank.Taint) bool { return t.Key == outrank.UnschedulableTaint })
	})
}

// unasked lets the pod name no nodes. The node was not asked because the pod names others.
func (c *changing) unasked(o *Obstacle) error {
	switch {
	case c.pod.ResizeDeferred: // a pod that runs does not move
	case len(o.Names) == 0:
	case o.subject() == filter.NodeName:
		c.pod.NodeName = ""
		c.note(dropNodeName)
	default:
		c.pod.Affinity.NodeAffinity = nil
		c.note(dropNodeAffinity)
	}
	return nil
}

// tolerate adds a toleration for each taint.
func (c *changing) tolerate(o *Obstacle) error {
	if len(o.Taints) == 0 {
		return nil
	}
	c.pod.Tolerations = slices.Clone(c.pod.Tolerations)
	for _, t := range o.Taints {
		c.pod.Tolerations = append(c.pod.Tolerations, t.Toleration())
	}
	c.note(tolerate)
	return nil
}

// dropLabels drops the requirements of the node selector that are not met, and the whole node affinity if it is not
// met, because any one of its terms would be enough. A requirement of the configuration cannot be dropped.
func (c *changing) dropLabels(o *Obstacle) error {
	if slices.ContainsFunc(o.Terms, func(t Term) bool { return t.Added }) {
		return nil
	}

	if len(o.Labels) > 0 {
		c.pod.NodeSelector = maps.Clone(c.pod.NodeSelector)
		for _, l := range o.Labels {
			delete(c.pod.NodeSelector, l.Key)
		}
		c.note(dropNodeSelector)
	}
	if len(o.Terms) > 0 {
		c.pod.Affinity.NodeAffinity = nil
		c.note(dropNodeAffinity)
	}
	return nil
}

// dropPorts drops the host ports that are taken from all containers.
func (c *changing) dropPorts(o *Obstacle) error {
	// fit.HostPorts fills in the default protocol and address, as in the obstacle.
	taken := func(p outrank.Port) bool {
		h := fit.HostPorts(&outrank.Pod{Containers: []outrank.Container{{Ports: []outrank.Port{p}}}})
		return len(h) == 1 && slices.ContainsFunc(o.Ports, func(t Port) bool { return h[0] == fit.HostPort{IP: t.HostIP, Protocol: t.Protocol, Port: t.HostPort} })
	}
	drop := func(list []outrank.Container) []outrank.Container {
		list = slices.Clone(list)
		for i := range list {
			list[i].Ports = slices.DeleteFunc(slices.Clone(list[i].Ports), taken)
		}
		return list
	}

	if len(o.Ports) > 0 {
		c.pod.Containers, c.pod.InitContainers = drop(c.pod.Containers), drop(c.pod.InitContainers)
		c.note(dropPorts)
	}
	return nil
}

// allowResize removes the setting of the node that forbids preemption for a resize.
func (c *changing) allowResize(o *Obstacle) error {
	if len(o.Names) == 0 {
		return nil
	}
	return c.onNode(allowResize, func(n *outrank.Node) { n.DisableResizePreemption = nil })
}

// makeRoom makes the pod ask for less, or the node offer more. The node has to offer more if it holds too many
// pods, because a pod cannot ask for less than one place, and if the pod is resized in place.
func (c *changing) makeRoom(o *Obstacle) error {
	less, offered := resource.List{}, resource.List{}
	for _, s := range o.Short {
		if s.Resource == resource.Pods || c.pod.ResizeDeferred {
			offered[s.Resource] = s.Offered.Add(s.Short)
		} else {
			less[s.Resource] = s.Short
		}
	}

	if len(less) > 0 {
		*c.pod = *askingLess(c.pod, less)
		c.note(askLess)
	}
	if len(offered) == 0 {
		return nil
	}
	return c.onNode(enlargeNode, func(n *outrank.Node) {
		n.Allocatable = maps.Clone(n.Allocatable)
		maps.Copy(n.Allocatable, offered)
	})
}

// askingLess returns a copy of the pod that asks for less. The copy has its whole request in the first container,
// because a request that is computed from several containers, pod-level resources and the overhead cannot simply
// be reduced where it came from.
func askingLess(pod *outrank.Pod, less resource.List) *outrank.Pod {
	other := *pod
	strip := func(list []outrank.Container) []outrank.Container {
		list = slices.Clone(list)
		for i := range list {
			list[i].Requests, list[i].Limits, list[i].AllocatedResources, list[i].Actual = nil, nil, nil, nil
		}
		return list
	}
	other.Containers, other.InitContainers = strip(pod.Containers), strip(pod.InitContainers)
	other.Resources, other.Overhead = nil, nil

	// The amounts that remain, of the resources that the pod asked for.
	rest := resource.List{}
	asked := pod.Requests()
	for _, name := range asked.Names() {
		amount := asked.Amount(name)
		if q, short := less[name]; short {
			amount -= resource.Amount(name, q)
		}
		if amount > 0 {
			rest[name] = prose.Quantity(name, amount)
		}
	}

	// A pod may have only pod-level requests, and no container that was read.
	if len(other.Containers) == 0 {
		other.Containers = make([]outrank.Container, 1)
	}
	other.Containers[0].Requests = rest
	return &other
}

// dropVolumes drops the volumes that the obstacle names by claim or by disk.
func (c *changing) dropVolumes(o *Obstacle) error {
	return c.dropVolumesIf(func(v *outrank.Volume) bool {
		return slices.ContainsFunc(o.Volumes, func(w Volume) bool {
			return v.Claim != "" && outrank.NewKey(c.pod.Namespace, v.Claim) == w.Claim || v.Disk.Kind != "" && diskText(&v.Disk) == w.Disk
		})
	})
}

// dropVolumesIf drops the volumes for which drop returns true.
func (c *changing) dropVolumesIf(drop func(*outrank.Volume) bool) error {
	rest := slices.DeleteFunc(slices.Clone(c.pod.Volumes), func(v outrank.Volume) bool { return drop(&v) })
	if len(rest) < len(c.pod.Volumes) {
		c.pod.Volumes = rest
		c.note(dropVolumes)
	}
	return nil
}

// dropAttached installs a driver that is missing. Otherwise it drops all volumes of the drivers that can
// attach no more.
func (c *changing) dropAttached(o *Obstacle) error {
	if len(o.Names) > 0 {
		return c.onNode(installDriver, func(n *outrank.Node) {
			n.MissingDrivers = slices.DeleteFunc(slices.Clone(n.MissingDrivers), func(d string) bool { return d == o.Names[0] })
		})
	}

	return c.dropVolumesIf(func(v *outrank.Volume) bool {
		of := attachments(&outrank.Pod{Namespace: c.pod.Namespace, Volumes: []outrank.Volume{*v}})
		return len(of) > 0 && slices.ContainsFunc(o.Short, func(r Room) bool { return r.driver() == of[0].driver })
	})
}

// dropSpread drops the constraints of DoNotSchedule on the topology keys that the obstacle names.
func (c *changing) dropSpread(o *Obstacle) error {
	rest := slices.DeleteFunc(slices.Clone(c.pod.TopologySpreadConstraints), func(t outrank.TopologySpreadConstraint) bool {
		return t.WhenUnsatisfiable != outrank.ScheduleAnyway && slices.ContainsFunc(o.Spread, func(s Spread) bool { return s.TopologyKey == t.TopologyKey })
	})
	if len(rest) < len(c.pod.TopologySpreadConstraints) {
		c.pod.TopologySpreadConstraints = rest
		c.note(dropSpread)
	}
	return nil
}

// dropNeighbours drops the pod's own terms, or evicts the pods whose anti-affinity keeps it out. All terms of an
// obstacle are of one side.
func (c *changing) dropNeighbours(o *Obstacle) error {
	if len(o.Neighbours) == 0 {
		return nil
	}

	switch o.Neighbours[0].Side {
	case ownAffinity:
		c.pod.Affinity.PodAffinity = nil
		c.note(dropAffinity)
		return nil
	case ownAntiAffinity:
		c.pod.Affinity.PodAntiAffinity = nil
		c.note(dropAntiAffinity)
		return nil
	}

	gone, err := c.evict(o)
	if len(gone) > 0 {
		c.Evicted = c.refs(gone)
		c.note(evict)
	}
	return err
}

// declare makes the node declare the features that the pod needs.
func (c *changing) declare(o *Obstacle) error {
	if len(o.Names) == 0 {
		return nil
	}
	return c.onNode(declareFeatures, func(n *outrank.Node) {
		n.DeclaredFeatures = append(slices.Clone(n.DeclaredFeatures), o.Names...)
		slices.Sort(n.DeclaredFeatures)
	})
}
