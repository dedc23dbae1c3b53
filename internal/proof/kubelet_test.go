package proof_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/proof"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

func TestKubeletDecidesAsTheModel(t *testing.T) {
	agree(t, "kubeletadmit", readAdmissions(t), 1, func(t *testing.T, a proof.Admission) proof.Admitted {
		node := &outrank.Node{Name: "n", Allocatable: amounts(a.Node.CPU, a.Node.Memory, a.Node.Pods)}
		if a.Node.Tainted {
			node.Taints = []outrank.Taint{{Key: "t", Effect: outrank.NoExecute}}
		}
		var active []*outrank.Pod
		for _, p := range a.Active {
			active = append(active, activeOf(p))
		}

		adm, err := kubeletadmit.Admit(node, active, activeOf(a.Pod), kubeletadmit.Config{})
		require.NoError(t, err)
		return admitted(adm)
	})
}

// classes lists the classes by their tiers.
var classes = []outrank.QOSClass{outrank.BestEffort, outrank.Burstable, outrank.Guaranteed}

// activeOf returns a pod whose status has the class on record, whatever it asks for. A static pod would tolerate the
// taint, so that it is a mirror pod.
func activeOf(p proof.Active) *outrank.Pod {
	pod := &outrank.Pod{
		Name: fmt.Sprintf("p%02d", p.Name), Mirror: p.StaticPod, QOSClass: classes[p.Tier],
		Containers: []outrank.Container{{Name: "c", Requests: amounts(p.CPU, p.Memory, 0)}},
	}
	if p.HasPriority {
		pod.Priority = outrank.Priority(int32(p.Priority))
	}
	return pod
}

// admitted returns an admission in the words of the model.
func admitted(adm kubeletadmit.Admission) proof.Admitted {
	a := proof.Admitted{Outcome: map[kubeletadmit.Outcome]proof.Word{
		kubeletadmit.Admitted: "Admitted", kubeletadmit.Rejected: "Rejected",
		kubeletadmit.AdmittedAfterEvicting: "AdmittedAfterEvicting",
	}[adm.Outcome]}
	for _, n := range adm.Missing {
		name := map[resource.Name]proof.Word{resource.Pods: "Pods", resource.CPU: "Cpu", resource.Memory: "Memory"}[n.Resource]
		a.Missing = append(a.Missing, proof.Need{Resource: name, Amount: int(n.Amount)})
	}
	if adm.Outcome != kubeletadmit.AdmittedAfterEvicting {
		return a
	}

	a.Evictions = make([][]int, len(classes))
	for _, e := range adm.Evictions {
		for tier, class := range classes {
			if e.Tier == class {
				a.Evictions[tier] = append(a.Evictions[tier], number(e.Pod.Name))
			}
		}
	}
	return a
}
