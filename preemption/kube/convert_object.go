package kube

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// node converts a node. AttachLimits and MissingDrivers, which come from its CSINode, are set later (see
// reader.joinStorage).
func (cv *converter) node(w *manifest.Node) *outrank.Node {
	n := &outrank.Node{
		Name:          cv.text(w.Metadata.Name),
		Labels:        cv.labels(w.Metadata.Labels),
		Unschedulable: w.Spec.Unschedulable,
	}

	n.StrictGroups = w.Status.Features.SupplementalGroupsPolicy
	n.KubeletVersion = cv.text(w.Status.NodeInfo.KubeletVersion)
	if len(w.Status.DeclaredFeatures) > 0 {
		n.DeclaredFeatures = cv.list(w.Status.DeclaredFeatures)
	}
	for _, image := range w.Status.Images {
		n.Images = append(n.Images, outrank.NodeImage{Names: cv.list(image.Names), SizeBytes: image.Size})
	}
	n.DisableResizePreemption = cv.list(w.Spec.Preemption.DisableResize)

	status := apis.Path{Name: "status", Index: -1}
	at := status.Field("allocatable")
	n.Allocatable = cv.amounts(w.Status.Allocatable, &at)
	cv.nodeTimes(w)

	for _, t := range w.Spec.Taints {
		n.Taints = append(n.Taints, outrank.Taint{Key: cv.text(t.Key), Value: cv.text(t.Value), Effect: outrank.TaintEffect(cv.text(t.Effect))})
	}
	return n
}

// budget converts a disruption budget.
func (cv *converter) budget(w *manifest.Budget) *outrank.PodDisruptionBudget {
	b := &outrank.PodDisruptionBudget{
		Name: w.Metadata.Name, Namespace: cv.text(w.Metadata.Namespace),
		Selector:           cv.selector(w.Spec.Selector),
		DisruptionsAllowed: w.Status.DisruptionsAllowed,
		CurrentHealthy:     w.Status.CurrentHealthy, DesiredHealthy: w.Status.DesiredHealthy,
		ObservedGeneration:         w.Status.ObservedGeneration,
		UnhealthyPodEvictionPolicy: outrank.UnhealthyPodEvictionPolicy(cv.text(w.Spec.Unhealthy)),
	}

	spec, status := apis.Path{Name: "spec", Index: -1}, apis.Path{Name: "status", Index: -1}
	at := spec.Field("minAvailable")
	b.MinAvailable = cv.intOrPercent(w.Spec.MinAvailable, &at)
	at = spec.Field("maxUnavailable")
	b.MaxUnavailable = cv.intOrPercent(w.Spec.MaxUnavailable, &at)
	at = status.Field("disruptedPods")
	b.DisruptedPods = cv.disruptedPods(w.Status.DisruptedPods, &at)
	return b
}

// disruptedPods converts status.disruptedPods of a budget, which maps pods to times. A null becomes the zero time.
// Problems come in the order of the names.
func (cv *converter) disruptedPods(texts map[string]*string, list *apis.Path) map[string]time.Time {
	if len(texts) == 0 {
		return nil
	}

	out := make(map[string]time.Time, len(texts))
	for _, name := range apis.SortedKeys(texts) {
		at := list.Field(name)
		out[name] = time.Time{}
		if text := texts[name]; text != nil {
			out[name] = cv.time(*text, &at)
		}
	}
	return out
}

// intOrPercent converts a number or a percentage. It is nil if there is none, or if it cannot be read.
func (cv *converter) intOrPercent(raw json.RawMessage, at *apis.Path) *outrank.IntOrPercent {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}

	var v outrank.IntOrPercent
	var invalid *outrank.InputError
	if errors.As(v.UnmarshalJSON(raw), &invalid) {
		cv.add(at, "%s", invalid.Problems[0].Text)
		return nil
	}
	return &v
}

// class converts a priority class.
func (cv *converter) class(w *manifest.PriorityClass) *outrank.PriorityClass {
	return &outrank.PriorityClass{
		Name:             w.Metadata.Name,
		Value:            w.Value,
		GlobalDefault:    w.GlobalDefault,
		PreemptionPolicy: outrank.PreemptionPolicy(w.PreemptionPolicy),
		Description:      w.Description,
	}
}
