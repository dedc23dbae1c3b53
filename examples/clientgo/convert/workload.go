//go:build !kube136

package convert

import (
	"strconv"

	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
)

// Workload converts a workload of v1beta1, in time linear in its templates. For v1alpha3 there is
// [WorkloadAlpha].
func Workload(w *schedulingv1beta1.Workload) (*outrank.Workload, error) {
	if w == nil {
		return nil, missing("workload")
	}
	ps := workloadProblems(&w.ObjectMeta)
	out := &outrank.Workload{
		Name: w.Name, Namespace: w.Namespace,
		PodGroupTemplates:          ps.betaTemplates(w.Spec.PodGroupTemplates, "spec", 1),
		CompositePodGroupTemplates: ps.betaComposites(w.Spec.CompositePodGroupTemplates, "spec", 1),
	}
	if r := w.Spec.ControllerRef; r != nil {
		out.Owner = outrank.Owner{Kind: r.Kind, Name: r.Name}
	}
	return ps.workload(out)
}

// WorkloadAlpha converts a workload of v1alpha3.
func WorkloadAlpha(w *schedulingv1alpha3.Workload) (*outrank.Workload, error) {
	if w == nil {
		return nil, missing("workload")
	}
	ps := workloadProblems(&w.ObjectMeta)
	out := &outrank.Workload{
		Name: w.Name, Namespace: w.Namespace,
		PodGroupTemplates:          ps.alphaTemplates(w.Spec.PodGroupTemplates, "spec", 1),
		CompositePodGroupTemplates: ps.alphaComposites(w.Spec.CompositePodGroupTemplates, "spec", 1),
	}
	if r := w.Spec.ControllerRef; r != nil {
		out.Owner = outrank.Owner{Kind: r.Kind, Name: r.Name}
	}
	return ps.workload(out)
}

func workloadProblems(m *metav1.ObjectMeta) problems {
	return problems{kind: "workload", namespace: orDefault(m.Namespace), name: m.Name}
}

func (ps *problems) workload(w *outrank.Workload) (*outrank.Workload, error) {
	if err := ps.with((&outrank.Cluster{Workloads: []*outrank.Workload{w}}).Validate()); err != nil {
		return nil, err
	}
	return w, nil
}

// tooMany reports whether a list of n templates is too long, or nested too deeply. Such a list is not
// converted, because validation refuses it.
func tooMany(n, level int) bool { return n > mostTemplates || level > outrank.MaxGroupLevels }

// mostTemplates is the largest number of templates in a list of a workload.
const mostTemplates = 8

func groupsAt(parent string, i int) string {
	return parent + ".podGroupTemplates[" + strconv.Itoa(i) + "]"
}

func compositesAt(parent string, i int) string {
	return parent + ".compositePodGroupTemplates[" + strconv.Itoa(i) + "]"
}

func (t *terms) template(name string, priority *int32, class string, preemption outrank.PreemptionPolicy) outrank.PodGroupTemplate {
	return outrank.PodGroupTemplate{
		Name: name, DisruptionMode: t.disruption, Policy: t.policy, MinCount: t.count, Topology: t.topology,
		Priority: priority, PriorityClassName: class, PreemptionPolicy: preemption,
	}
}

func (t *terms) composite(name string, priority *int32, class string, preemption outrank.PreemptionPolicy) outrank.CompositePodGroupTemplate {
	return outrank.CompositePodGroupTemplate{
		Name: name, DisruptionMode: t.disruption, Policy: t.policy, MinGroupCount: t.count, Topology: t.topology,
		Priority: priority, PriorityClassName: class, PreemptionPolicy: preemption,
	}
}
