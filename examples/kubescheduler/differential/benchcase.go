package differential

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// BenchmarkCase is the cluster that outrank's figures are measured on, as API objects.
func BenchmarkCase(nodes, podsPerNode, budgets int) (*Case, error) {
	cluster, preemptor, err := clustergen.Benchmark(nodes, podsPerNode, budgets)
	if err != nil {
		return nil, err
	}
	c := &Case{Kind: "benchmark"}
	for _, ns := range cluster.Namespaces {
		c.Namespaces = append(c.Namespaces, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns.Name}})
	}
	for _, n := range cluster.Nodes {
		c.Nodes = append(c.Nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}, Status: corev1.NodeStatus{Allocatable: amounts(n.Allocatable)}})
	}
	for _, b := range cluster.Budgets {
		c.Budgets = append(c.Budgets, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: b.Selector.MatchLabels}},
			Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: b.DisruptionsAllowed},
		})
	}
	for _, p := range cluster.Pods {
		c.Pods = append(c.Pods, plainPod(p))
	}
	c.Preemptor = plainPod(preemptor)
	return c, nil
}

func plainPod(p *outrank.Pod) *corev1.Pod {
	out := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: p.NamespaceName(), UID: uid(p.Name), Labels: p.Labels}}
	out.Spec.SchedulerName = corev1.DefaultSchedulerName
	out.Spec.NodeName, out.Spec.Priority = p.NodeName, p.Priority
	for _, ct := range p.Containers {
		out.Spec.Containers = append(out.Spec.Containers, corev1.Container{Name: ct.Name, Resources: corev1.ResourceRequirements{Requests: amounts(ct.Requests)}})
	}
	if !p.StartTime.IsZero() {
		out.Status.StartTime = &metav1.Time{Time: p.StartTime}
	}
	return out
}

func amounts(l resource.List) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, q := range l {
		out[corev1.ResourceName(name)] = apiresource.MustParse(q.String())
	}
	return out
}
