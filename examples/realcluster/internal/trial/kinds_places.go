package trial

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
)

// placeKinds returns the kinds of trials in which the pod may go only to some nodes.
func placeKinds() []Kind {
	return []Kind{
		{Name: "host-ports", About: "a port of the node that others hold", Pod: hostPorts},
		{Name: "daemon-victims", About: "the port of a daemon that runs on every node", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			return withPort(onPool(newPod(name, pick(r, fill.Medium, fill.High), "cpu", milli(r, 50, 2000)), pick(r, "", "std", "infra")), 9100)
		}},
		{Name: "taints", About: "taints, tolerated or not", Pod: taints},
		{Name: "node-affinity", About: "node affinity by labels and by name", Pod: nodeAffinity},
		{Name: "node-selector", About: "a selector of nodes", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			p := newPod(name, fill.High, "cpu", milli(r, 500, 5000))
			p.Spec.NodeSelector = map[string]string{corev1.LabelTopologyZone: pick(r, fill.Zones...), fill.PoolLabel: pick(r, "std", "big")}
			return p
		}},
		{Name: "cordoned", About: "nodes that take no new pods", Pod: cordoned},
		{Name: "volumes", About: "volumes of a zone, on nodes that attach few", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			p := onPool(newPod(name, fill.High, "cpu", milli(r, 500, 4000)), pick(r, "", "big", "std"))
			p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: fill.Claim(r.IntN(fill.Volumes))},
			}}}
			return p
		}},
	}
}

func withPort(p *corev1.Pod, port int32) *corev1.Pod {
	p.Spec.Containers[0].Ports = append(p.Spec.Containers[0].Ports, corev1.ContainerPort{ContainerPort: 80, HostPort: port})
	return p
}

func hostPorts(r *rand.Rand, name string) *corev1.Pod {
	switch r.IntN(3) {
	case 0:
		return withPort(onPool(newPod(name, fill.High, "cpu", milli(r, 100, 2000)), "big"), 9443)
	case 1:
		return withPort(newPod(name, pick(r, fill.Medium, fill.High), "cpu", milli(r, 100, 2000)), 8080)
	}
	p := withPort(onPool(newPod(name, fill.High, "cpu", milli(r, 1000, 5000)), "big"), 9443)
	p.Spec.Containers[0].Ports[0].Protocol = corev1.ProtocolUDP // no pod uses that port with UDP
	return p
}

func taints(r *rand.Rand, name string) *corev1.Pod {
	p := newPod(name, pick(r, fill.Medium, fill.High), "cpu", milli(r, 1000, 7000))
	switch r.IntN(4) {
	case 0:
		p.Spec.Tolerations = []corev1.Toleration{fill.InfraToleration}
	case 1:
		p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	case 2:
		p.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: "other"}}
		p.Spec.NodeSelector = map[string]string{fill.PoolLabel: "infra"} // the pod does not tolerate the taint of this pool
	case 3:
		return onPool(p, pick(r, "gpu", "infra"))
	}
	return p
}

// nodeAffinity draws a pod with one of five affinities: by a number, by several labels, by the name of a node,
// with alternatives, or one that no node satisfies.
func nodeAffinity(r *rand.Rand, name string) *corev1.Pod {
	p := newPod(name, fill.High, "cpu", milli(r, 500, 5000))
	need := func(key string, op corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: key, Operator: op, Values: values}
	}
	var terms []corev1.NodeSelectorTerm
	one := func(all ...corev1.NodeSelectorRequirement) {
		terms = append(terms, corev1.NodeSelectorTerm{MatchExpressions: all})
	}

	switch r.IntN(5) {
	case 0:
		one(need(fill.CoresLabel, corev1.NodeSelectorOpGt, "8"))
	case 1:
		one(need(corev1.LabelTopologyZone, corev1.NodeSelectorOpNotIn, "eu-1a", "eu-1b"), need(fill.PoolLabel, corev1.NodeSelectorOpIn, "std", "big"))
	case 2: // in the form of a DaemonSet's pods
		node := fmt.Sprintf("std-%02d", r.IntN(26))
		terms = []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{need("metadata.name", corev1.NodeSelectorOpIn, node)}}}
	case 3:
		one(need(fill.PoolLabel, corev1.NodeSelectorOpIn, "big"))
		one(need(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, "eu-1c"), need(fill.CoresLabel, corev1.NodeSelectorOpLt, "16"))
	case 4:
		one(need("nowhere", corev1.NodeSelectorOpExists))
	}

	p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
	}}
	return p
}

func cordoned(r *rand.Rand, name string) *corev1.Pod {
	p := newPod(name, fill.High, "cpu", milli(r, 1000, 6000))
	p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: append([]string{"std-00"}, fill.Cordoned...)[r.IntN(2):],
			}},
		}}},
	}}
	if r.IntN(2) == 0 {
		p.Spec.Tolerations = []corev1.Toleration{{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists}}
	}
	return p
}
