package trial

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
)

// resourceKinds returns the kinds of trials about amounts of resources.
func resourceKinds() []Kind {
	return []Kind{
		{Name: "resources", About: "cpu and memory, anywhere", Pod: plain},
		{Name: "large", About: "most of a node", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			if r.IntN(2) == 0 {
				return onPool(newPod(name, fill.Critical, "cpu", milli(r, 6000, 7700)), "std")
			}
			return onPool(newPod(name, fill.Critical, "cpu", milli(r, 12000, 31000)), "big")
		}},
		{Name: "memory", About: "memory that is short where cpu is not", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			return newPod(name, pick(r, fill.High, fill.Critical), "cpu", milli(r, 10, 300), "memory", gibi(r, 18, 100))
		}},

		{Name: "devices", About: "extended resources", Pod: devices},
		{Name: "huge-pages", About: "huge pages beside memory", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			p := onPool(newPod(name, fill.High, "cpu", milli(r, 2000, 8000), "memory", "1Gi"), "gpu")
			p.Spec.Containers[0].Resources.Limits = fill.Amounts("hugepages-2Mi", "512Mi")
			return p
		}},
		{Name: "pod-count", About: "no request, but a node has room for so many pods", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			return onPool(newPod(name, pick(r, fill.Medium, fill.High)), pick(r, "few", "few", "std"))
		}},
		{Name: "containers", About: "init containers, sidecars, overhead, limits alone, requests of the pod", Pod: containers},

		{Name: "budgets", About: "where every victim has a budget", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			return onPool(newPod(name, pick(r, fill.High, fill.Critical), "cpu", milli(r, 4000, 7200)), "infra")
		}},
		{Name: "budgets-mixed", About: "among pods with budgets and without", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			return onPool(newPod(name, pick(r, fill.Low, fill.Medium, fill.High), "cpu", milli(r, 2000, 7000), "memory", gibi(r, 1, 20)), pick(r, "std", "big"))
		}},
		{Name: "low", About: "the classes that come next to the least", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			return onPool(newPod(name, pick(r, "", fill.Standard, fill.Low), "cpu", milli(r, 100, 3000)), pick(r, "", "std", "big"))
		}},
		{Name: "system", About: "the classes of the system", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			p := onPool(newPod(name, pick(r, "system-cluster-critical", "system-node-critical"), "cpu", milli(r, 1000, 7700)), "std")
			p.Namespace = "kube-system"
			return p
		}},
	}
}

func plain(r *rand.Rand, name string) *corev1.Pod {
	p := newPod(name, pick(r, fill.Low, fill.Medium, fill.High, fill.Critical), "cpu", milli(r, 200, 6000))
	if r.IntN(2) == 0 {
		p.Spec.Containers[0].Resources.Requests["memory"] = fill.Amounts("m", gibi(r, 1, 16))["m"]
	}
	return p
}

func devices(r *rand.Rand, name string) *corev1.Pod {
	p := newPod(name, pick(r, fill.Medium, fill.High), "cpu", milli(r, 200, 2000))
	if r.IntN(4) == 0 {
		p.Spec.Tolerations = []corev1.Toleration{fill.InfraToleration}
		p.Spec.Containers[0].Resources.Limits = fill.Amounts(string(fill.FPGA), fmt.Sprint(1+r.IntN(2)))
		return p
	}
	p.Spec.Tolerations = []corev1.Toleration{fill.GPUToleration}
	p.Spec.Containers[0].Resources.Limits = fill.Amounts(string(fill.GPU), fmt.Sprint(1+r.IntN(4)))
	return p
}

// containers draws a pod that requests much in one of the places of a pod where requests count.
func containers(r *rand.Rand, name string) *corev1.Pod {
	p := onPool(newPod(name, fill.High, "cpu", milli(r, 100, 1500)), pick(r, "", "std"))
	main := &p.Spec.Containers[0]
	switch r.IntN(5) {
	case 0:
		always := corev1.ContainerRestartPolicyAlways
		p.Spec.InitContainers = []corev1.Container{
			{Name: "sidecar", Image: fill.Image, RestartPolicy: &always, Resources: corev1.ResourceRequirements{Requests: fill.Amounts("cpu", milli(r, 200, 1500))}},
		}
	case 1:
		p.Spec.InitContainers = []corev1.Container{
			{Name: "init", Image: fill.Image, Resources: corev1.ResourceRequirements{Requests: fill.Amounts("cpu", milli(r, 1500, 4000))}},
		}
	case 2:
		p.Spec.RuntimeClassName = new("kata")
	case 3:
		main.Resources = corev1.ResourceRequirements{Limits: fill.Amounts("cpu", milli(r, 500, 3000), "memory", gibi(r, 1, 8))}
	case 4:
		p.Spec.Resources = &corev1.ResourceRequirements{Requests: fill.Amounts("cpu", milli(r, 1500, 3000), "memory", gibi(r, 1, 4))}
	}
	return p
}
