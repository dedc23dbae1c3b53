package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// NodeVolumeLimits turns a pod away from a node that cannot attach as many
// volumes of a driver as there would be (group 7.9).
const NodeVolumeLimits = "NodeVolumeLimits"

var volumeLimitText = []string{"node(s) exceed max volume count"}

var volumeLimitsFilter = descriptor{
	name:            NodeVolumeLimits,
	concernsPod:     hasVolumes,
	concernsRunning: hasVolumes,
	begin: func(q *question) podFilter {
		if drivers := driversOf(q.pod); len(drivers) > 0 {
			return &wantedVolumes{drivers}
		}
		return nil
	},
}

// wantedVolumes are the drivers that have to attach volumes for one preemptor.
type wantedVolumes struct{ drivers []driver }

// driver has the volumes of one driver, each handle once.
type driver struct {
	name    string
	handles []string
}

// attached reports whether a volume counts against a limit.
func attached(v *outrank.Volume) bool { return v.Driver != "" && v.Handle != "" }

func driversOf(pod *outrank.Pod) []driver {
	var drivers []driver
	for i := range pod.Volumes {
		vol := &pod.Volumes[i]
		if !attached(vol) {
			continue
		}
		at := slices.IndexFunc(drivers, func(d driver) bool { return d.name == vol.Driver })
		if at < 0 {
			at = len(drivers)
			drivers = append(drivers, driver{name: vol.Driver})
		}
		if d := &drivers[at]; !slices.Contains(d.handles, vol.Handle) {
			d.handles = append(d.handles, vol.Handle)
		}
	}
	return drivers
}

func (v *wantedVolumes) touches(n *nodeState) bool { return n.concerned[volumeLimitsFilter.index] > 0 }

func (v *wantedVolumes) onNode(earlier nodeFilter) nodeFilter {
	n, ok := earlier.(*volumesOnNode)
	if !ok || len(n.attach) != len(v.drivers) {
		n = &volumesOnNode{attach: make([]attachment, len(v.drivers))}
	}
	n.wantedVolumes = v
	return n
}

// volumesOnNode is the filter on one node.
type volumesOnNode struct {
	*wantedVolumes
	// attach has, for each driver of the preemptor, what is attached to the
	// node.
	attach []attachment
}

// attachment counts the pods of a node that use each handle of a driver.
type attachment struct {
	limited bool
	limit   int64
	handles map[string]int
}

func (v *volumesOnNode) enter(n *nodeState) {
	for i := range v.attach {
		a := &v.attach[i]
		a.limit, a.limited = n.node.AttachLimits[v.drivers[i].name]
		if a.handles == nil {
			a.handles = map[string]int{}
		}
		clear(a.handles)
	}
	if n.concerned[volumeLimitsFilter.index] == 0 {
		return
	}
	for _, p := range n.pods {
		v.change(p, 1)
	}
}

func (v *volumesOnNode) change(p *podState, by int) {
	for i := range p.pod.Volumes {
		vol := &p.pod.Volumes[i]
		if !attached(vol) {
			continue
		}
		for j := range v.drivers {
			if v.drivers[j].name == vol.Driver && v.attach[j].limited {
				v.attach[j].add(vol.Handle, by)
			}
		}
	}
}

func (a *attachment) add(handle string, by int) {
	if a.handles[handle] += by; a.handles[handle] == 0 {
		delete(a.handles, handle)
	}
}

// takes reports whether the node can attach these handles, some of which may be
// attached already (CSILimits Filter).
func (a *attachment) takes(handles []string) bool {
	more := 0
	for _, h := range handles {
		if a.handles[h] == 0 {
			more++
		}
	}
	return !a.limited || more == 0 || int64(len(a.handles)+more) <= a.limit
}

func (v *volumesOnNode) check(nominated []*podState) filterStatus {
	for _, p := range nominated {
		v.change(p, 1)
	}
	var st filterStatus
	for i := range v.attach {
		if !v.attach[i].takes(v.drivers[i].handles) {
			st = filterStatus{code: Unschedulable, text: volumeLimitText}
		}
	}
	for _, p := range nominated {
		v.change(p, -1)
	}
	return st
}

func (v *volumesOnNode) release() {
	v.wantedVolumes = nil
	for i := range v.attach {
		clear(v.attach[i].handles)
	}
}
