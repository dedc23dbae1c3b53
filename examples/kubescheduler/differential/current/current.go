// Package current compares outrank with the version of Kubernetes that this module is built with.
package current

import (
	"fmt"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/outrank-go/outrank"

	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/preemption"
)

// Harness compares with v1.37.
var Harness = &differential.Harness{Release: outrank.V1_37, Convert: Convert, Filter: FilterOf(outrank.V1_37), Failed: Failed}

// Convert converts the objects of a case with package convert.
func Convert(c *differential.Case) (*outrank.Cluster, error) {
	groups, err := groupsOf(c)
	if err != nil {
		return nil, err
	}
	return convert.Cluster(convert.Objects{
		Nodes: c.Nodes, Pods: append(c.Pods[:len(c.Pods):len(c.Pods)], c.Preemptor), Budgets: c.Budgets, Namespaces: c.Namespaces,
		Claims: c.Claims, Volumes: c.Volumes, StorageClasses: c.StorageClasses, CSINodes: c.CSINodes, CSIDrivers: c.CSIDrivers,
		PodGroups: groups,
	})
}

// FilterOf makes filters for the devices of cases, by the rules of a release.
func FilterOf(release outrank.Release) func(*differential.Case) (differential.DeviceFilter, error) {
	return func(c *differential.Case) (differential.DeviceFilter, error) {
		o := devices.Objects{
			Pods: append(c.Pods[:len(c.Pods):len(c.Pods)], c.Preemptor), Claims: c.Devices.Claims, InFlight: c.Devices.InFlight,
			Slices: c.Devices.Slices, Classes: c.Devices.Classes,
		}
		for _, r := range c.Devices.TaintRules {
			rule, ok := r.(*resourcev1.DeviceTaintRule)
			if !ok {
				return nil, fmt.Errorf("%T is no rule", r)
			}
			o.TaintRules = append(o.TaintRules, rule)
		}
		return devices.New(o, devices.Config{Release: release, Now: time.Now()})
	}
}

// Failed returns the errors of nodes in one of which an attempt ends.
func Failed(ex *preemption.Plan) []string {
	if f := devices.Failed(ex); f != nil {
		return f.Errors
	}
	return nil
}

func groupsOf(c *differential.Case) ([]*schedulingv1beta1.PodGroup, error) {
	var groups []*schedulingv1beta1.PodGroup
	for _, o := range c.Groups {
		g, ok := o.(*schedulingv1beta1.PodGroup)
		if !ok {
			return nil, fmt.Errorf("%T is no group", o)
		}
		groups = append(groups, g)
	}
	return groups, nil
}
