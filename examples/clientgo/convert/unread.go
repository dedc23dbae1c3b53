package convert

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/outrank-go/outrank"
)

// mostUnread is the most fields that are told, the same number as in ReadCluster.
const mostUnread = 1000

// unread records fields of one object that matter to a cluster and are not followed. Like problems it names the object
// and the place.
func (r *reading) unread(ps problems) {
	room := min(len(ps.list), mostUnread-len(r.cluster.Unread))
	r.cluster.Unread = append(r.cluster.Unread, ps.list[:room]...)
}

// podUnread tells of a condition that decides and whose status is no word that a kubelet writes (rule 26.1.3). Of a pod
// without a node it tells what some kubelets refuse.
func (r *reading) podUnread(p *corev1.Pod) {
	ps := podProblems(p)
	if p.Spec.NodeName == "" {
		ps.kernel(&p.Spec)
	}

	for i := range p.Status.Conditions {
		c := &p.Status.Conditions[i]
		if c.Type != corev1.PodReady && c.Type != corev1.DisruptionTarget {
			continue
		}
		if text := noWord(c.Status, corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown); text != "" {
			ps.add("status.conditions["+strconv.Itoa(i)+"].status", "%s; the condition %s does not hold", text, c.Type)
		}
	}
	r.unread(ps)
}

// kernel tells of settings of the kernel that a kubelet may refuse.
func (ps *problems) kernel(spec *corev1.PodSpec) {
	const text = "a kubelet without AppArmor refuses the pod, which is not looked at"
	if c := spec.SecurityContext; c != nil && len(c.Sysctls) > 0 {
		ps.add("spec.securityContext.sysctls", "a kubelet that does not allow one of them refuses the pod, which is not looked at")
	}
	if c := spec.SecurityContext; c != nil && c.AppArmorProfile != nil {
		ps.add("spec.securityContext.appArmorProfile", text)
	}

	for kind, containers := range [...][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range containers {
			if c := containers[i].SecurityContext; c != nil && c.AppArmorProfile != nil {
				ps.add(fmt.Sprintf("spec.%s[%d].securityContext.appArmorProfile", [...]string{"containers", "initContainers"}[kind], i), text)
			}
		}
	}
}

// budgetUnread tells of a status that is about an older spec.
func (r *reading) budgetUnread(b *policyv1.PodDisruptionBudget) {
	seen := b.Status.ObservedGeneration
	if seen == 0 || seen >= b.Generation {
		return
	}
	ps := problems{kind: "poddisruptionbudget", namespace: orDefault(b.Namespace), name: b.Name}
	ps.add("status.observedGeneration", "%d, and the spec is of generation %d; the status counts as it stands, though it is about an older spec", seen, b.Generation)
	r.unread(ps)
}

// namespaceUnread tells of a namespace that is being deleted.
func (r *reading) namespaceUnread(n *corev1.Namespace) {
	if n.DeletionTimestamp.IsZero() {
		return
	}
	ps := problems{kind: "namespace", name: n.Name}
	ps.add("metadata.deletionTimestamp", "the namespace is being deleted; a pod that is created in it is decided on as in any other, though an API server refuses it")
	r.unread(ps)
}

// claimUnread tells of the phase of a claim that does not exist.
func (r *reading) claimUnread(c *corev1.PersistentVolumeClaim) {
	if text := noWord(c.Status.Phase, corev1.ClaimPending, corev1.ClaimBound, corev1.ClaimLost); text != "" {
		ps := claimProblems(c)
		ps.add("status.phase", "%s; the claim counts as one that is not lost", text)
		r.unread(ps)
	}
}

// waitingUnread tells of each claim that waits for a pod which is there and has no node: on which nodes it can get a
// volume is not looked at (rule 7.10.4). A claim without a volume whose class does not wait has a state.
func (r *reading) waitingUnread(o *Objects) {
	wanted := map[outrank.Key]bool{}
	for _, p := range r.cluster.Pods {
		for i := range p.Volumes {
			if p.NodeName == "" {
				wanted[outrank.NewKey(p.Namespace, p.Volumes[i].Claim)] = true
			}
		}
	}

	// Nothing is wrong with any object by now, so that there is one claim for each that came in.
	demands := classDemands(o)
	for i, c := range o.Claims {
		vc, b := r.cluster.Claims[i], BindingOf(c)
		if b.Volume != "" || vc.Volume.State != "" || !wanted[vc.Key()] {
			continue
		}
		ps := claimProblems(c)
		ps.add("spec.volumeName", "none yet; on which nodes the claim can get one is not looked at: by its own spec.accessModes, spec.resources, spec.selector, "+
			"spec.volumeMode and spec.dataSource, and by the capacity, accessModes, storageClassName, volumeMode and claimRef of volumes that are free%s", demands[b.Class])
		r.unread(ps)
	}
}

// classDemands says for each storage class what else it and its driver demand of the place of a volume.
func classDemands(o *Objects) map[string]string {
	counted := map[string]bool{}
	for _, d := range o.CSIDrivers {
		counted[d.Name] = valueOf(d.Spec.StorageCapacity)
	}

	demands := map[string]string{}
	for _, sc := range o.StorageClasses {
		if len(sc.AllowedTopologies) > 0 {
			demands[sc.Name] = "; allowedTopologies of the storage class " + quote(sc.Name)
		}
		if counted[sc.Provisioner] {
			demands[sc.Name] += "; storageCapacity of the CSI driver " + quote(sc.Provisioner)
		}
	}
	return demands
}
