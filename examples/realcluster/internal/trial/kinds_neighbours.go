package trial

import (
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
)

// neighbourKinds returns the kinds of trials in which the places of other pods matter.
func neighbourKinds() []Kind {
	return []Kind{
		{Name: "anti-affinity", About: "away from pods that are there", Pod: antiAffinity},

		{Name: "others-anti-affinity", About: "pods that are there want it away", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			p := newPod(name, fill.High, "cpu", milli(r, 200, 3000))
			p.Namespace, p.Labels["app"] = "team-a", pick(r, "api", "cache")
			if r.IntN(2) == 0 {
				p.Spec.Affinity = fill.Apart(p.Labels["app"], corev1.LabelHostname)
			}
			return onPool(p, pick(r, "", "std"))
		}},

		{Name: "affinity", About: "beside pods that are there, or that would have to leave", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			p := newPod(name, pick(r, fill.Medium, fill.High), "cpu", milli(r, 500, 4000))
			app, ns := pick(r, "cache", "report", "worker", "nobody"), []string{"team-a", "team-b"}
			if r.IntN(5) == 0 {
				app, ns = name, nil // the pod itself matches, and so satisfies its own term
			}
			p.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
					LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
					TopologyKey:   pick(r, corev1.LabelHostname, corev1.LabelTopologyZone), Namespaces: ns,
				}},
			}}
			return p
		}},

		{Name: "spread", About: "spread over zones and nodes", Pod: spread},
	}
}

func antiAffinity(r *rand.Rand, name string) *corev1.Pod {
	p := onPool(newPod(name, pick(r, fill.High, fill.Critical), "cpu", milli(r, 200, 3000)), pick(r, "std", "big"))
	switch r.IntN(3) {
	case 0:
		p.Spec.Affinity = fill.Apart(pick(r, "worker", "report"), corev1.LabelHostname, "team-b")
	case 1:
		p.Spec.Affinity = fill.Apart(pick(r, "fill-s", "fill-m", "unnamed"), corev1.LabelHostname, "batch")
	case 2:
		p.Spec.Affinity = fill.Apart("", corev1.LabelHostname)
		term := &p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0]
		term.LabelSelector = &metav1.LabelSelector{}
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "prod"}}
	}
	return p
}

func spread(r *rand.Rand, name string) *corev1.Pod {
	p := newPod(name, fill.High, "cpu", milli(r, 200, 3000))
	key := pick(r, corev1.LabelTopologyZone, corev1.LabelHostname)
	app := pick(r, "worker", "report")
	p.Namespace, p.Labels["app"] = "team-b", app
	c := fill.Even(app, key, int32(1+r.IntN(2)))
	if r.IntN(2) == 0 {
		c.NodeTaintsPolicy = new(corev1.NodeInclusionPolicyHonor)
	}
	if r.IntN(4) == 0 && key == corev1.LabelTopologyZone {
		c.MinDomains = new(int32(3 + r.IntN(2)))
	}
	p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{c}
	return onPool(p, pick(r, "", "std", "big"))
}
