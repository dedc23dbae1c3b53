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

// WantedVolumes are the drivers that attach volumes for one preemptor.
type WantedVolumes struct {
	drivers []driver
	// required is set if a node fails without a driver that says so (rule 7.9.9).
	required bool
}

// absent returns why a node fails that lacks a required driver, Success where it lacks none.
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

// addColumns adds a column for each driver whose limit the preemptor's volumes would exceed. It is not ok
// if one of these volumes may be attached already, or pods have a volume in common. Otherwise each pod
// that leaves makes room for as many volumes as it has.
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

		// Volumes that are attached already would make the excess smaller, so that the node passes for
		// certain where there is none.
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

// driver has the volumes of one driver, each handle once.
type driver struct {
	name     string
	interned unique.Handle[string]
	volumes  []volumeID
	hashes   []uint64 // of the volumes
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

// Touches reports whether pods of the node have a part in the answer; see [PodFilter].
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

// volumesOnNode is the filter on one node.
type volumesOnNode struct {
	filter *WantedVolumes
	// attach has, for each driver of the preemptor, what is attached to the
	// node.
	attach []attachment
	// lacks is the status of a node that lacks a required driver, Success for any other.
	lacks Status
}

// attachment counts the pods of a node that use each volume of a driver.
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

// add counts uses of a volume. A volume without any is not attached.
func (a *attachment) add(id volumeID, by int) {
	if a.volumes[id] += by; a.volumes[id] == 0 {
		delete(a.volumes, id)
	}
}

// takes reports whether the node can attach these volumes, too. Some may be there
// already (rule 7.9.3; CSILimits Filter).
func (a *attachment) takes(volumes []volumeID) bool {
	more := 0
	for _, id := range volumes {
		if a.volumes[id] == 0 {
			more++
		}
	}
	return !a.limited || more == 0 || int64(len(a.volumes)+more) <= a.limit
}

// Check asks about the node; see [NodeFilter]. A driver that is not installed comes first, because no
// pod that leaves helps there.
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
