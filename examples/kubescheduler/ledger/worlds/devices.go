package worlds

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// deviceKinds are the kinds that the filter for devices reads, beside pods.
var deviceKinds = []string{"ResourceClaim", "ResourceSlice", "DeviceClass", "DeviceTaintRule"}

// hasDevices reports whether the world has objects for devices.
func (w *World) hasDevices() bool {
	return slices.ContainsFunc(w.Objects, func(o Object) bool { return slices.Contains(deviceKinds, kindOf(o)) })
}

// aboutDevices asks who has to leave for the devices of each pod that waits: as in every release, and where pods may be
// pushed out for devices.
func (a *asker) aboutDevices(o *devices.Objects) {
	if o == nil {
		return
	}
	for _, preempts := range []bool{false, true} {
		filter, err := devices.New(*o, devices.Config{Release: a.cluster.Release, DRAPreemption: preempts, Now: now})
		if err != nil {
			a.says("devices", nil, err)
			continue
		}
		cluster := filter.Cluster(a.cluster)
		snap, err := engine.NewSnapshot(cluster)
		if err != nil {
			a.says("snapshot with devices", nil, err)
			continue
		}
		a.aboutDevicesOf(filter, snap, cluster)
	}
}

// aboutDevicesOf asks one filter about each pod that waits.
func (a *asker) aboutDevicesOf(filter *devices.Filter, snap *engine.Snapshot, cluster *outrank.Cluster) {
	eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}})
	if err != nil {
		a.says("evaluator with devices", nil, err)
		return
	}

	for _, p := range cluster.Pods {
		if p.NodeName != "" {
			continue
		}
		plan, err := eval.Explain(a.ctx, snap, preemption.Request{Pod: p, Now: now})
		a.says("plan with devices for "+p.Name, plan, err)
		if err != nil {
			continue
		}

		way, idle, err := filter.WayOut(plan, snap)
		var names []string
		for _, claim := range idle {
			names = append(names, claim.Name)
		}
		a.says("what is given up for "+p.Name, []any{way.Says, names}, err)
		for _, n := range cluster.Nodes {
			short, err := filter.Explain(snap, p, n.Name)
			a.says("devices of "+n.Name+" for "+p.Name, short, err)
		}
	}
}
