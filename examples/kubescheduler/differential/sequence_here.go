package differential

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// exemptions say which parts of an attempt are not compared.
type exemptions struct {
	// rule is the rule by which nothing is compared; empty for none.
	rule string
	// mixed says that the choice among the candidates is not compared.
	mixed bool
	// byOrder says that neither the victims nor the choice is compared.
	byOrder bool
}

func (s *sequenceRun) exemptions() exemptions {
	return exemptions{rule: s.here(), mixed: s.mixedUnits(), byOrder: s.chargedByOrder()}
}

// here returns the rule by which outrank may differ on purpose in the attempt about the current pod. Nothing is
// compared then. It is empty if there is no such rule.
func (s *sequenceRun) here() string {
	switch {
	case s.nominationIsLate():
		return "8.3"
	case len(s.shared) > 0 && len(hostPorts(s.current)) > 0:
		return "7.6.8"
	case s.claimsOfLostNodes():
		return "7.8.8"
	case s.deletedNominee():
		return "7.16.6"
	case s.unitsOnLostNodes():
		return "12.6.7"
	case isPending(s.current) && s.objects.lacksClaim(s.current):
		return "7.10.4"
	}
	return ""
}

// nominationIsLate reports whether the informers have not told of the pod's nomination yet.
func (s *sequenceRun) nominationIsLate() bool {
	return slices.ContainsFunc(s.late, func(p *corev1.Pod) bool {
		return podKey(p) == podKey(s.current) && p.Status.NominatedNodeName != s.current.Status.NominatedNodeName
	})
}

// toldOf leaves out the pods whose present nominations the informers do not know yet. Outrank clears those
// nominations; the reference does so only if the pod that it has names a node (rule 14.3.7).
func (s *sequenceRun) toldOf(pods []string) []string {
	return slices.DeleteFunc(slices.Clone(pods), func(key string) bool {
		return slices.ContainsFunc(s.late, func(p *corev1.Pod) bool {
			return podKey(p) == key && s.all[key] != nil && s.all[key].Status.NominatedNodeName != p.Status.NominatedNodeName
		})
	})
}

// deletedNominee reports whether the scheduler counts the nomination of a pending pod that is being deleted.
func (s *sequenceRun) deletedNominee() bool {
	return slices.ContainsFunc(s.objects.Nodes, func(n *corev1.Node) bool {
		return slices.ContainsFunc(s.r.sched.SchedulingQueue.NominatedPodsForNode(n.Name), func(info fwk.PodInfo) bool {
			p := s.all[podKey(info.GetPod())]
			return p != nil && isDropped(p)
		})
	})
}

// claimsOfLostNodes reports whether the pod shares a claim with a pod whose node is gone, or was gone once.
func (s *sequenceRun) claimsOfLostNodes() bool {
	if slices.ContainsFunc(claimsOf(s.current), func(claim string) bool { return s.miscounted[s.current.Namespace+"/"+claim] }) {
		return true
	}
	return slices.ContainsFunc(s.known(), func(p *corev1.Pod) bool {
		if isPending(p) || p.Namespace != s.current.Namespace || slices.ContainsFunc(s.objects.Nodes, func(n *corev1.Node) bool { return n.Name == p.Spec.NodeName }) {
			return false
		}
		return slices.ContainsFunc(claimsOf(p), func(claim string) bool { return slices.Contains(claimsOf(s.current), claim) })
	})
}

func claimsOf(p *corev1.Pod) []string {
	var list []string
	for i := range p.Spec.Volumes {
		if c := p.Spec.Volumes[i].PersistentVolumeClaim; c != nil {
			list = append(list, c.ClaimName)
		}
	}
	return list
}
