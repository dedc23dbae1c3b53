//go:build !kube136

package convert

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
)

// Objects are the objects of a cluster, in the order in which they are listed.
type Objects struct {
	Nodes              []*corev1.Node
	Pods               []*corev1.Pod
	Budgets            []*policyv1.PodDisruptionBudget
	PriorityClasses    []*schedulingv1.PriorityClass
	Namespaces         []*corev1.Namespace
	Claims             []*corev1.PersistentVolumeClaim
	Volumes            []*corev1.PersistentVolume
	StorageClasses     []*storagev1.StorageClass
	CSINodes           []*storagev1.CSINode
	CSIDrivers         []*storagev1.CSIDriver
	PodGroups          []*schedulingv1beta1.PodGroup
	CompositePodGroups []*schedulingv1alpha3.CompositePodGroup
	Workloads          []*schedulingv1beta1.Workload
}

// groups converts groups of pods and workloads.
func (r *reading) groups(o *Objects) {
	r.cluster.Groups = all(r, o.PodGroups, PodGroup)
	each(o.PodGroups, r.groupUnread)
	r.cluster.Composites = all(r, o.CompositePodGroups, CompositePodGroup)
	r.cluster.Workloads = all(r, o.Workloads, Workload)
}

// groupUnread tells of devices that the pods of a group share (rule 22.2.7).
func (r *reading) groupUnread(g *schedulingv1beta1.PodGroup) {
	if len(g.Spec.ResourceClaims) > 0 {
		ps := problems{kind: "podgroup", namespace: orDefault(g.Namespace), name: g.Name}
		ps.add("spec.resourceClaims", "devices that are claimed are not looked at")
		r.unread(ps)
	}
}

// bindOptions reports whether a mount has options that older kubelets do not know.
func bindOptions(m *corev1.VolumeMount) bool { return len(m.BindMountOptions) > 0 }

// noResize lists who demands that no pod be pushed out of the node for a resize.
func noResize(n *corev1.Node) []string {
	if p := n.Spec.PodPreemptionPolicy; p != nil {
		return list(p.DisableResizePreemption)
	}
	return nil
}
