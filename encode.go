package outrank

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/resource"
)

// encoder turns one object at a time into its wire form, the reverse of
// converter. What the wire form cannot say is a problem.
type encoder struct {
	subject  string // the object at hand
	problems []Problem
	beta     bool // groups are written as v1beta1 has them, whatever they say
}

func (e *encoder) add(at *fields.Path, format string, args ...any) {
	e.problems = append(e.problems, Problem{e.subject, at.String(), fmt.Sprintf(format, args...)})
}

// text returns the JSON of a wire form.
func (e *encoder) text(wire any) []byte {
	text, wrong := manifest.Encode(wire)
	for _, m := range wrong {
		e.problems = append(e.problems, Problem{e.subject, m.Field, m.Text})
	}
	return text
}

func (e *encoder) node(n *Node) *manifest.Node {
	e.subject = "node " + n.Name
	w := &manifest.Node{APIVersion: "v1", Kind: kindNode}
	w.Metadata = manifest.Meta{Name: n.Name, Labels: n.Labels}
	w.Spec.Unschedulable = n.Unschedulable
	w.Spec.Preemption.DisableResize = n.ResizePreemptionDisabled
	w.Status.DeclaredFeatures = n.DeclaredFeatures
	w.Status.NodeInfo.KubeletVersion = n.KubeletVersion
	w.Status.Features.SupplementalGroupsPolicy = n.StrictGroups
	for _, t := range n.Taints {
		w.Spec.Taints = append(w.Spec.Taints, manifest.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)})
	}
	w.Status.Allocatable = wireAmounts(n.Allocatable)
	return w
}

func (e *encoder) budget(b *PodDisruptionBudget) *manifest.Budget {
	e.subject = "poddisruptionbudget " + string(b.Key())
	w := &manifest.Budget{APIVersion: "policy/v1", Kind: kindBudget}
	w.Metadata = manifest.Meta{Name: b.Name, Namespace: b.Namespace}
	w.Spec.Selector = wireSelector(b.Selector)
	if b.MinAvailable != nil {
		w.Spec.MinAvailable = b.MinAvailable.json()
	}
	if b.MaxUnavailable != nil {
		w.Spec.MaxUnavailable = b.MaxUnavailable.json()
	}
	w.Spec.Unhealthy = string(b.UnhealthyPodEvictionPolicy)
	w.Status.DisruptionsAllowed, w.Status.CurrentHealthy, w.Status.DesiredHealthy = b.Allowed, b.Healthy, b.Desired
	if len(b.Disrupted) == 0 {
		return w
	}
	w.Status.DisruptedPods = make(map[string]*string, len(b.Disrupted))
	for _, name := range fields.SortedKeys(b.Disrupted) {
		if text := e.time(b.Disrupted[name]); text != "" {
			w.Status.DisruptedPods[name] = &text
		} else {
			w.Status.DisruptedPods[name] = nil
		}
	}
	return w
}

func (e *encoder) class(pc *PriorityClass) *manifest.PriorityClass {
	e.subject = "priorityclass " + pc.Name
	return &manifest.PriorityClass{
		APIVersion: "scheduling.k8s.io/v1", Kind: kindClass,
		Metadata: manifest.Meta{Name: pc.Name},
		Value:    pc.Value, GlobalDefault: pc.GlobalDefault,
		PreemptionPolicy: string(pc.PreemptionPolicy), Description: pc.Description,
	}
}

func (e *encoder) namespace(ns *Namespace) *manifest.Namespace {
	e.subject = "namespace " + ns.Name
	return &manifest.Namespace{
		APIVersion: "v1", Kind: kindNamespace,
		Metadata: manifest.Meta{Name: ns.Name, Labels: ns.Labels},
	}
}

// time returns the text of a time as an API server writes it (rule 26.2.2), empty for the zero
// time.
func (e *encoder) time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return manifest.FormatTime(t)
}

// wireAmounts returns nil for an empty list.
func wireAmounts(l resource.List) manifest.Amounts {
	if len(l) == 0 {
		return nil
	}
	out := make(manifest.Amounts, len(l))
	for name, q := range l {
		out[string(name)] = manifest.Quantity{Quantity: q}
	}
	return out
}

// wireReported is wireAmounts for a list of a status, where an empty one is not the
// same as none.
func wireReported(l resource.List) manifest.Amounts {
	if l != nil && len(l) == 0 {
		return manifest.Amounts{}
	}
	return wireAmounts(l)
}

func wireRequirements(requests, limits resource.List) manifest.Requirements {
	return manifest.Requirements{Requests: wireAmounts(requests), Limits: wireAmounts(limits)}
}

func wireSelector(s *LabelSelector) *manifest.LabelSelector {
	if s == nil {
		return nil
	}
	w := &manifest.LabelSelector{MatchLabels: s.Labels}
	for _, r := range s.Expressions {
		w.MatchExpressions = append(w.MatchExpressions, manifest.Requirement{Key: r.Key, Operator: string(r.Operator), Values: r.Values})
	}
	return w
}

func wireNodeSelector(s *NodeSelector) *manifest.NodeSelector {
	if s == nil {
		return nil
	}
	w := &manifest.NodeSelector{}
	for _, t := range s.Terms {
		w.NodeSelectorTerms = append(w.NodeSelectorTerms, manifest.NodeSelectorTerm{
			MatchExpressions: wireNodeRequirements(t.Labels), MatchFields: wireNodeRequirements(t.Fields),
		})
	}
	return w
}

func wireNodeRequirements(rs []NodeRequirement) []manifest.Requirement {
	var out []manifest.Requirement
	for _, r := range rs {
		w := manifest.Requirement{Key: r.Key, Operator: string(r.Operator)}
		if len(r.Values) > 0 {
			w.Values = r.Values
		}
		out = append(out, w)
	}
	return out
}
