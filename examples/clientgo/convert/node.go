package convert

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
)

// Node converts a node without the content of its CSINode (see [Attach]), in time linear in the size of the
// node.
func Node(n *corev1.Node) (*outrank.Node, error) {
	if n == nil {
		return nil, missing("node")
	}
	ps := problems{kind: "node", name: n.Name}
	out := ps.node(n)
	if err := ps.with(out.Validate()); err != nil {
		return nil, err
	}
	return out, nil
}

func (ps *problems) node(n *corev1.Node) *outrank.Node {
	out := &outrank.Node{
		Name:             n.Name,
		Labels:           texts(n.Labels),
		Allocatable:      ps.amounts(n.Status.Allocatable, "status.allocatable"),
		Unschedulable:    n.Spec.Unschedulable,
		DeclaredFeatures: list(n.Status.DeclaredFeatures),
		Images:           images(n.Status.Images),
		KubeletVersion:   n.Status.NodeInfo.KubeletVersion,
	}
	if f := n.Status.Features; f != nil {
		out.StrictGroups = valueOf(f.SupplementalGroupsPolicy)
	}
	out.DisableResizePreemption = noResize(n)
	for i := range n.Spec.Taints {
		t := &n.Spec.Taints[i]
		out.Taints = append(out.Taints, outrank.Taint{Key: t.Key, Value: t.Value, Effect: outrank.TaintEffect(t.Effect)})
	}
	return out
}

// Namespace converts a namespace.
func Namespace(ns *corev1.Namespace) (*outrank.Namespace, error) {
	if ns == nil {
		return nil, missing("namespace")
	}
	out := &outrank.Namespace{Name: ns.Name, Labels: texts(ns.Labels)}
	if err := (&outrank.Cluster{Namespaces: []*outrank.Namespace{out}}).Validate(); err != nil {
		return nil, err
	}
	return out, nil
}
