package fill

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Image is the image of every container. It is never run.
const Image = "registry.k8s.io/pause:3.10"

// Workload is a number of equal pods.
type Workload struct {
	Namespace, Name, Class string
	Replicas               int32
	Requests               []string // in the form of the arguments of Amounts
	Limits                 []string // in the same form
	Shape                  func(*corev1.PodSpec)
	Budget                 *policyv1.PodDisruptionBudgetSpec
}

// GPUToleration and InfraToleration tolerate the taints of the pools gpu and infra.
var (
	GPUToleration   = corev1.Toleration{Key: string(GPU), Operator: corev1.TolerationOpExists}
	InfraToleration = corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: "infra", Effect: corev1.TaintEffectNoSchedule}
)

func atLeast(n string) *policyv1.PodDisruptionBudgetSpec {
	v := intstr.Parse(n)
	return &policyv1.PodDisruptionBudgetSpec{MinAvailable: &v}
}

func atMost(n string) *policyv1.PodDisruptionBudgetSpec {
	v := intstr.Parse(n)
	return &policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &v}
}

func hostPort(port int32) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: port, HostPort: port}}
	}
}

func tolerating(t corev1.Toleration, pool string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.Tolerations = append(s.Tolerations, t)
		if pool != "" {
			s.NodeSelector = map[string]string{PoolLabel: pool}
		}
	}
}

// Apart returns an affinity that keeps pods with a label away from each other.
func Apart(app, key string, namespaces ...string) *corev1.Affinity {
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
		{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}, TopologyKey: key, Namespaces: namespaces},
	}}}
}

// Even returns a constraint that spreads the pods with a label.
func Even(app, key string, skew int32) corev1.TopologySpreadConstraint {
	return corev1.TopologySpreadConstraint{
		MaxSkew: skew, TopologyKey: key, WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
	}
}

// Workloads returns the workloads that take their places first: of every class above the fillers' classes, with
// disruption budgets of each kind, ports, devices, and requests in every part of a pod.
func Workloads() []Workload {
	always := corev1.ContainerRestartPolicyAlways
	return []Workload{
		{Namespace: "team-a", Name: "cache", Class: High, Replicas: 6, Requests: []string{"cpu", "2", "memory", "8Gi"}, Budget: atLeast("6"),
			Shape: func(s *corev1.PodSpec) { s.Affinity = Apart("cache", corev1.LabelHostname) }},
		{Namespace: "team-a", Name: "web", Class: Medium, Replicas: 45, Requests: []string{"cpu", "1", "memory", "2Gi"}, Budget: atLeast("90%")},
		{Namespace: "team-a", Name: "api", Class: Medium, Replicas: 22, Requests: []string{"cpu", "500m", "memory", "1Gi"}, Budget: atMost("1"),
			Shape: func(s *corev1.PodSpec) { s.Affinity = Apart("api", corev1.LabelHostname) }},

		{Namespace: "edge", Name: "legacy", Class: Medium, Replicas: 9, Requests: []string{"cpu", "200m", "memory", "256Mi"},
			Shape: func(s *corev1.PodSpec) { hostPort(9443)(s); s.NodeSelector = map[string]string{PoolLabel: "big"} }},
		{Namespace: "batch", Name: "stubborn", Class: Never, Replicas: 6, Requests: []string{"cpu", "500m", "memory", "1Gi"}},
		{Namespace: "infra", Name: "ctl", Class: Medium, Replicas: 18, Requests: []string{"cpu", "1", "memory", "2Gi"}, Budget: atMost("0"),
			Shape: tolerating(InfraToleration, "infra")},
		{Namespace: "infra", Name: "fpga", Class: Low, Replicas: 6, Requests: []string{"cpu", "200m", "memory", "256Mi"}, Limits: []string{string(FPGA), "2"},
			Shape: tolerating(InfraToleration, "")},

		{Namespace: "edge", Name: "proxy", Class: Low, Replicas: 16, Requests: []string{"cpu", "200m", "memory", "256Mi"}, Shape: hostPort(8080)},
		{Namespace: "ml", Name: "train", Class: Low, Replicas: 9, Requests: []string{"cpu", "4", "memory", "16Gi"}, Limits: []string{string(GPU), "2"},
			Shape: tolerating(GPUToleration, "")},
		{Namespace: "team-b", Name: "worker", Class: Low, Replicas: 60, Requests: []string{"cpu", "500m", "memory", "1Gi"}, Shape: func(s *corev1.PodSpec) {
			s.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{Even("worker", corev1.LabelTopologyZone, 2)}
		}},
		{Namespace: "team-b", Name: "report", Class: Low, Replicas: 32, Requests: []string{"cpu", "1", "memory", "4Gi"}, Budget: atMost("30%")},

		{Namespace: "mesh", Name: "sidecars", Class: Low, Replicas: 16, Requests: []string{"cpu", "300m", "memory", "256Mi"}, Shape: func(s *corev1.PodSpec) {
			s.InitContainers = []corev1.Container{
				{Name: "proxy", Image: Image, RestartPolicy: &always, Resources: corev1.ResourceRequirements{Requests: Amounts("cpu", "200m", "memory", "128Mi")}},
				{Name: "setup", Image: Image, Resources: corev1.ResourceRequirements{Requests: Amounts("cpu", "1", "memory", "512Mi")}},
			}
		}},
		{Namespace: "mesh", Name: "podlevel", Class: Low, Replicas: 12, Requests: []string{"cpu", "100m", "memory", "64Mi"}, Shape: func(s *corev1.PodSpec) {
			s.Resources = &corev1.ResourceRequirements{Requests: Amounts("cpu", "700m", "memory", "512Mi")}
		}},
		{Namespace: "mesh", Name: "kata", Class: Low, Replicas: 8, Requests: []string{"cpu", "250m", "memory", "256Mi"},
			Shape: func(s *corev1.PodSpec) { s.RuntimeClassName = new("kata") }},
		{Namespace: "ml", Name: "notebook", Class: Batch, Replicas: 6, Requests: []string{"cpu", "500m", "memory", "2Gi"}, Limits: []string{string(GPU), "1"},
			Shape: tolerating(GPUToleration, "")},
	}
}

// Fillers returns the workloads that take the rest of the cluster. They ask for more than is left.
func Fillers() []Workload {
	return []Workload{
		{Namespace: "batch", Name: "unnamed", Replicas: 30, Requests: []string{"cpu", "500m", "memory", "1Gi"}},
		{Namespace: "team-b", Name: "tiny", Class: Batch, Replicas: 90, Requests: []string{"cpu", "50m", "memory", "64Mi"}},
		{Namespace: "batch", Name: "fill-x", Class: Batch, Replicas: 30, Requests: []string{"cpu", "4", "memory", "8Gi"}},
		{Namespace: "batch", Name: "fill-l", Class: Batch, Replicas: 150, Requests: []string{"cpu", "1", "memory", "4Gi"}},
		{Namespace: "batch", Name: "fill-m", Class: Batch, Replicas: 220, Requests: []string{"cpu", "500m", "memory", "1Gi"}, Budget: atLeast("50%")},
		{Namespace: "batch", Name: "fill-s", Class: Batch, Replicas: 190, Requests: []string{"cpu", "250m", "memory", "512Mi"}, Budget: atMost("3")},
		{Namespace: "infra", Name: "infra-batch", Class: Batch, Replicas: 40, Requests: []string{"cpu", "500m", "memory", "512Mi"}, Shape: tolerating(InfraToleration, "infra")},
		{Namespace: "ml", Name: "gpu-batch", Class: Batch, Replicas: 40, Requests: []string{"cpu", "1", "memory", "2Gi"}, Shape: tolerating(GPUToleration, "gpu")},
	}
}

// app returns namespace/app, where app is the value of the pods' label app.
func (w *Workload) app() string { return w.Namespace + "/" + w.Name }

// Objects returns the deployment of a workload, and its budget if it has one.
func (w *Workload) Objects() []runtime.Object {
	labels := map[string]string{"app": w.Name}
	meta := metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name, Labels: labels}
	out := []runtime.Object{&appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
		Replicas: &w.Replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: w.spec()},
	}}}
	if w.Budget != nil {
		b := w.Budget.DeepCopy()
		b.Selector = &metav1.LabelSelector{MatchLabels: labels}
		out = append(out, &policyv1.PodDisruptionBudget{ObjectMeta: meta, Spec: *b})
	}
	return out
}

func (w *Workload) spec() corev1.PodSpec {
	s := corev1.PodSpec{
		PriorityClassName: w.Class,
		Containers: []corev1.Container{{
			Name: "main", Image: Image,
			Resources: corev1.ResourceRequirements{Requests: Amounts(w.Requests...), Limits: Amounts(w.Limits...)},
		}},
	}
	if w.Shape != nil {
		w.Shape(&s)
	}
	return s
}

// Daemons returns two daemon sets, which have a pod on every node. The pods of the first are too important to
// be pushed out. The pods of the second are unimportant and use a host port.
func Daemons() []runtime.Object {
	daemon := func(w Workload) runtime.Object {
		d := w.Objects()[0].(*appsv1.Deployment)
		return &appsv1.DaemonSet{ObjectMeta: d.ObjectMeta, Spec: appsv1.DaemonSetSpec{Selector: d.Spec.Selector, Template: d.Spec.Template}}
	}
	anywhere := corev1.Toleration{Operator: corev1.TolerationOpExists}
	return []runtime.Object{
		daemon(Workload{Namespace: "kube-system", Name: "log-agent", Class: "system-node-critical", Requests: []string{"cpu", "100m", "memory", "128Mi"},
			Shape: tolerating(anywhere, "")}),
		daemon(Workload{Namespace: "monitoring", Name: "node-exporter", Class: Low, Requests: []string{"cpu", "50m", "memory", "64Mi"},
			Shape: func(s *corev1.PodSpec) { tolerating(anywhere, "")(s); hostPort(9100)(s) }}),
	}
}
