package filters

import (
	"slices"
	"unique"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

var volumeLimitText = []string{"node(s) exceed max volume count"}

var volumeLimitsFilter = descriptor{
	Entry: filter.Of(filter.NodeVolumeLimits),
	begin: func(q *Question) PodFilter {
		if drivers := driversOf(q.Pod); len(drivers) > 0 {
			return &WantedVolumes{drivers: drivers, required: q.Rules.CSIDriverRequired}
		}
		return nil
	},
}

// WantedVolumes has the volumes of one preemptor that count against limits, by driver.
type WantedVolumes struct {
	drivers []driver
	// required is set if a node fails that reports one of the drivers as missing (rule 7.9.9).
	required bool
}

// absent returns the failure of a node that reports one of the drivers as missing, Success for any other
// node.
func (v *WantedVolumes) absent(node *outrank.Node) Status {
	if !v.required || len(node.MissingDrivers) == 0 {
		return Status{}
	}
	for i := range v.drivers {
		if name := v.drivers[i].name; slices.Contains(node.MissingDrivers, name) {
			return Status{Code: Unschedulable, Text: []string{name + " CSI driver is not installed on the node"}}
		}
	}
	return Status{}
}

// tooManyVolumes is the status of a node that cannot attach all volumes.
var tooManyVolumes = Status{Code: Unschedulable, Text: volumeLimitText}

// addColumns adds a column for each driver whose limit the preemptor's volumes would exceed. It reports false
// if one of these volumes may already be attached or pods share a volume. Otherwise each pod that leaves
// frees as many places as it has volumes.
func (v *WantedVolumes) addColumns(h *holdings, c *Columns) bool {
	if v.required && h.lacksDriver {
		return false
	}

	for i := range v.drivers {
		d := &v.drivers[i]
		x := h.volumesOf(d.interned)
		if x == nil {
			continue // a driver without a limit attaches any number (rule 7.9.2)
		}

		// Volumes that are already attached make the true excess smaller. So without an excess here the
		// driver passes for certain.
		excess := x.attached + int64(len(d.volumes)) - x.limit
		if excess <= 0 {
			continue
		}
		if x.shared || x.hasAny(d.hashes) {
			return false
		}
		c.list = append(c.list, column{excess: excess, holds: x.pods, most: x.most, status: &tooManyVolumes})
	}
	return true
}

func (v *WantedVolumes) appendKey(key *state.KeyWriter) {
	key.Number(len(v.drivers))
	for i := range v.drivers {
		d := &v.drivers[i]
		key.Text(d.name)
		key.Number(len(d.volumes))
		for _, id := range d.volumes {
			key.Text(id.namespace)
			key.Text(id.name)
		}
	}
}

// driver has the preemptor's volumes of one driver, each once.
type driver struct {
	name     string
	interned unique.Handle[string]
	volumes  []volumeID
	hashes   []uint64 // hashes of volumes, in their order
}

// driversOf lists the drivers of a pod's volumes, in the order of the volumes.
func driversOf(pod *outrank.Pod) []driver {
	var drivers []driver
	for i := range pod.Volumes {
		name, id := attached(pod, &pod.Volumes[i])
		if name == "" {
			continue
		}

		at := slices.IndexFunc(drivers, func(d driver) bool { return d.name == name })
		if at < 0 {
			at = len(drivers)
			drivers = append(drivers, driver{name: name, interned: unique.Make(name)})
		}
		if d := &drivers[at]; !slices.Contains(d.volumes, id) {
			d.volumes, d.hashes = append(d.volumes, id), append(d.hashes, id.hash())
		}
	}
	return drivers
}

// Touches reports whether any pod of the node has volumes; see [PodFilter].
func (v *WantedVolumes) Touches(n *state.NodeState) bool {
	return heldOn(n).volumes
}

// OnNode returns the filter for one worker; see [PodFilter].
func (v *WantedVolumes) OnNode(earlier NodeFilter) NodeFilter {
	n, ok := earlier.(*volumesOnNode)
	if !ok || len(n.attach) != len(v.drivers) {
		n = &volumesOnNode{attach: make([]attachment, len(v.drivers))}
	}
	n.filter = v
	return n
}

// volumesOnNode is the filter for one worker, on the node that it entered.
type volumesOnNode struct {
	filter *WantedVolumes
	// attach has, for each driver of the preemptor, the volumes attached to the node.
	attach []attachment
	// lacks is the result of absent for the node.
	lacks Status
}

// attachment counts, for each volume of a driver, its uses by pods of the node. Without a limit nothing is
// counted.
type attachment struct {
	limited bool
	limit   int64
	volumes map[volumeID]int
}

func (v *volumesOnNode) Enter(n *state.NodeState) {
	v.lacks = v.filter.absent(n.Node)
	for i := range v.attach {
		a := &v.attach[i]
		a.limit, a.limited = n.Node.AttachLimits[v.filter.drivers[i].name]
		if a.volumes == nil {
			a.volumes = map[volumeID]int{}
		}
		clear(a.volumes)
	}
	if !heldOn(n).volumes {
		return
	}
	for _, p := range n.Pods {
		v.Change(p, 1)
	}
}

func (v *volumesOnNode) Change(p *state.PodState, by int) {
	for i := range p.Pod.Volumes {
		name, id := attached(p.Pod, &p.Pod.Volumes[i])
		if name == "" {
			continue
		}
		for j := range v.filter.drivers {
			if v.filter.drivers[j].name == name && v.attach[j].limited {
				v.attach[j].add(id, by)
			}
		}
	}
}

// add changes the number of uses of a volume. A volume without uses is detached.
func (a *attachment) add(id volumeID, by int) {
	if a.volumes[id] += by; a.volumes[id] == 0 {
		delete(a.volumes, id)
	}
}

// takes reports whether the node can attach these volumes as well. Volumes that are already attached need no
// place (rule 7.9.3; CSILimits Filter).
func (a *attachment) takes(volumes []volumeID) bool {
	more := 0
	for _, id := range volumes {
		if a.volumes[id] == 0 {
			more++
		}
	}
	return !a.limited || more == 0 || int64(len(a.volumes)+more) <= a.limit
}

// Check asks about the node; see [NodeFilter]. A missing driver comes first, because no pod that leaves helps
// then.
func (v *volumesOnNode) Check(nominated []*state.PodState) Status {
	if v.lacks.Code != Success {
		return v.lacks
	}
	for _, p := range nominated {
		v.Change(p, 1)
	}

	var st Status
	for i := range v.attach {
		if !v.attach[i].takes(v.filter.drivers[i].volumes) {
			st = tooManyVolumes
		}
	}

	for _, p := range nominated {
		v.Change(p, -1)
	}
	return st
}

func (v *volumesOnNode) Release() {
	v.filter, v.lacks = nil, Status{}
	for i := range v.attach {
		clear(v.attach[i].volumes)
	}
}
