package kube

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// keepUnread records fields that matter to a cluster and are not followed. Beyond apis.MostProblems they are left
// out: a bound keeps a hostile input from taking any amount of memory.
func (rd *reader) keepUnread(ps ...outrank.Problem) {
	room := min(len(ps), apis.MostProblems-len(rd.cluster.Unread))
	rd.cluster.Unread = append(rd.cluster.Unread, ps[:room]...)
}

// unread records a field of an object that is not followed.
func (rd *reader) unread(cv *converter, field, format string, args ...any) {
	if len(rd.cluster.Unread) < apis.MostProblems {
		rd.keepUnread(outrank.Problem{Object: cv.object(), Field: field, Text: fmt.Sprintf(format, args...)})
	}
}

// heldConditions are the conditions of a pod whose status decides.
var heldConditions = []string{"Ready", "DisruptionTarget"}

// podUnread tells of a condition whose status is no word that a kubelet writes, such as "true": to every component
// such a condition does not hold (rule 26.1.3). Of a pod without a node it tells what some kubelets refuse.
func (rd *reader) podUnread(cv *converter, w *manifest.Pod) {
	if w.Spec.NodeName == "" {
		rd.kernelUnread(cv, &w.Spec)
	}
	for i := range w.Status.Conditions {
		c := &w.Status.Conditions[i]
		if !apis.IsWord(c.Status, conditionStatuses) && slices.Contains(heldConditions, c.Type) {
			rd.unread(cv, fmt.Sprintf("status.conditions[%d].status", i), "%s; the condition %s does not hold", apis.NoWord(c.Status, conditionStatuses), c.Type)
		}
	}
}

// kernelUnread tells of settings of the kernel that a kubelet may refuse: package kubeletadmit knows nothing of the
// sysctls that a kubelet allows, nor of the kernel of its node.
func (rd *reader) kernelUnread(cv *converter, w *manifest.PodSpec) {
	if len(w.SecurityContext.Sysctls) > 0 {
		rd.unread(cv, "spec.securityContext.sysctls", "a kubelet that does not allow one of them refuses the pod, which is not looked at")
	}

	const text = "a kubelet without AppArmor refuses the pod, which is not looked at"
	if w.SecurityContext.AppArmor != nil {
		rd.unread(cv, "spec.securityContext.appArmorProfile", text)
	}
	for kind, containers := range [...][]manifest.Container{w.Containers, w.InitContainers} {
		for i := range containers {
			if s := containers[i].SecurityContext; s != nil && s.AppArmor != nil {
				rd.unread(cv, fmt.Sprintf("spec.%s[%d].securityContext.appArmorProfile", [...]string{"containers", "initContainers"}[kind], i), text)
			}
		}
	}
}

// budgetUnread tells of a status that is about an older spec. The eviction API evicts no pod of such a budget until
// the controller has looked at it again; here the status counts as it stands.
func (rd *reader) budgetUnread(cv *converter, w *manifest.Budget) {
	if seen := w.Status.ObservedGeneration; seen != 0 && seen < w.Metadata.Generation {
		rd.unread(cv, "status.observedGeneration", "%d, and the spec is of generation %d; the status counts as it stands, though it is about an older spec", seen, w.Metadata.Generation)
	}
}

// namespaceUnread tells of a namespace that is being deleted. No pod can be created in it.
func (rd *reader) namespaceUnread(cv *converter, w *manifest.Namespace) {
	if w.Metadata.DeletionTimestamp != "" {
		rd.unread(cv, "metadata.deletionTimestamp", "the namespace is being deleted; a pod that is created in it is decided on as in any other, though an API server refuses it")
	}
}

// groupUnread tells of devices that the pods of a group share (rule 22.2.7).
func (rd *reader) groupUnread(cv *converter, w *manifest.PodGroup) {
	if len(w.Spec.ResourceClaims) > 0 {
		rd.unread(cv, "spec.resourceClaims", "devices that are claimed are not looked at")
	}
}

// claimPhases are the phases that a controller writes.
var claimPhases = []string{"Pending", "Bound", phaseLost}

// claimUnread tells of the phase of a claim that does not exist.
func (rd *reader) claimUnread(cv *converter, w *manifest.Claim) {
	if !apis.IsWord(w.Status.Phase, claimPhases) {
		rd.unread(cv, "status.phase", "%s; the claim counts as one that is not lost", apis.NoWord(w.Status.Phase, claimPhases))
	}
}

// waitingUnread tells of each claim that waits for a pod which is there and has no node, in the order of the input:
// on which nodes it can get a volume is not looked at (rule 7.10.4).
func (rd *reader) waitingUnread() {
	s := &rd.storage
	wanted := rd.wantedClaims()
	for i, vc := range rd.cluster.Claims {
		b := &s.bound[i]
		class := s.classes[b.class]

		// A claim without a volume whose class does not wait has a state (rule 7.10.6).
		if b.volume != "" || vc.Volume.State != "" || !wanted[vc.Key()] {
			continue
		}

		text := "none yet; on which nodes the claim can get one is not looked at: by its own spec.accessModes, spec.resources, spec.selector, " +
			"spec.volumeMode and spec.dataSource, and by the capacity, accessModes, storageClassName, volumeMode and claimRef of volumes that are free"
		if class.limited {
			text += fmt.Sprintf("; allowedTopologies of the storage class %s", apis.Quote(b.class))
		}
		if s.counted[class.provisioner] {
			text += fmt.Sprintf("; storageCapacity of the CSI driver %s", apis.Quote(class.provisioner))
		}
		rd.keepUnread(outrank.Problem{Object: "persistentvolumeclaim " + string(vc.Key()), Field: "spec.volumeName", Text: text})
	}
}

// wantedClaims returns the claims of the pods that have no node.
func (rd *reader) wantedClaims() map[outrank.Key]bool {
	wanted := map[outrank.Key]bool{}
	for _, p := range rd.cluster.Pods {
		if p.NodeName != "" {
			continue
		}
		for i := range p.Volumes {
			wanted[outrank.NewKey(p.Namespace, p.Volumes[i].Claim)] = true
		}
	}
	return wanted
}
