package kube

import (
	"encoding/json"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// node returns the wire form of a node. Its AttachLimits and MissingDrivers are written by csiNode.
func (e *encoder) node(n *outrank.Node) *manifest.Node {
	e.subject = "node " + n.Name
	w := &manifest.Node{APIVersion: "v1", Kind: kindNode}
	w.Metadata = manifest.Meta{Name: n.Name, Labels: n.Labels}
	w.Spec.Unschedulable = n.Unschedulable
	w.Spec.Preemption.DisableResize = n.DisableResizePreemption
	w.Status.DeclaredFeatures = n.DeclaredFeatures
	w.Status.NodeInfo.KubeletVersion = n.KubeletVersion
	w.Status.Features.SupplementalGroupsPolicy = n.StrictGroups
	for _, t := range n.Taints {
		w.Spec.Taints = append(w.Spec.Taints, manifest.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)})
	}
	for _, image := range n.Images {
		w.Status.Images = append(w.Status.Images, manifest.NodeImage{Names: image.Names, Size: image.SizeBytes})
	}
	w.Status.Allocatable = wireAmounts(n.Allocatable)
	return w
}

// budget returns the wire form of a disruption budget.
func (e *encoder) budget(b *outrank.PodDisruptionBudget) *manifest.Budget {
	e.subject = "poddisruptionbudget " + string(b.Key())
	w := &manifest.Budget{APIVersion: "policy/v1", Kind: kindBudget}
	w.Metadata = manifest.Meta{Name: b.Name, Namespace: b.Namespace}
	w.Spec.Selector = wireSelector(b.Selector)
	w.Spec.MinAvailable, w.Spec.MaxUnavailable = wireShare(b.MinAvailable), wireShare(b.MaxUnavailable)
	w.Spec.Unhealthy = string(b.UnhealthyPodEvictionPolicy)
	w.Status.DisruptionsAllowed = b.DisruptionsAllowed
	w.Status.CurrentHealthy, w.Status.DesiredHealthy = b.CurrentHealthy, b.DesiredHealthy
	w.Status.ObservedGeneration = b.ObservedGeneration

	if len(b.DisruptedPods) == 0 {
		return w
	}
	w.Status.DisruptedPods = make(map[string]*string, len(b.DisruptedPods))
	for _, name := range apis.SortedKeys(b.DisruptedPods) {
		if text := e.time(b.DisruptedPods[name]); text != "" {
			w.Status.DisruptedPods[name] = &text
		} else {
			w.Status.DisruptedPods[name] = nil
		}
	}
	return w
}

// wireShare returns the JSON of a number or a percentage; nil stays nil.
func wireShare(v *outrank.IntOrPercent) json.RawMessage {
	if v == nil {
		return nil
	}
	text, _ := v.MarshalJSON() // MarshalJSON of an IntOrPercent never fails
	return text
}

// class returns the wire form of a priority class.
func (e *encoder) class(pc *outrank.PriorityClass) *manifest.PriorityClass {
	e.subject = "priorityclass " + pc.Name
	return &manifest.PriorityClass{
		APIVersion: "scheduling.k8s.io/v1", Kind: kindClass,
		Metadata: manifest.Meta{Name: pc.Name},
		Value:    pc.Value, GlobalDefault: pc.GlobalDefault,
		PreemptionPolicy: string(pc.PreemptionPolicy), Description: pc.Description,
	}
}

// namespace returns the wire form of a namespace.
func (e *encoder) namespace(ns *outrank.Namespace) *manifest.Namespace {
	e.subject = "namespace " + ns.Name
	return &manifest.Namespace{
		APIVersion: "v1", Kind: kindNamespace,
		Metadata: manifest.Meta{Name: ns.Name, Labels: ns.Labels},
	}
}
