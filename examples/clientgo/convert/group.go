//go:build !kube136

package convert

import (
	"slices"
	"strconv"

	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
)

// The types of the condition by which a group reports that it has found its places for the first time.
var (
	groupScheduled     = [...]string{"PodGroupInitiallyScheduled", "PodGroupScheduled"}
	compositeScheduled = [...]string{"CompositePodGroupInitiallyScheduled"}
)

// PodGroup converts a pod group of v1beta1, the version that kube-scheduler v1.37 reads. For v1alpha3 there is
// [PodGroupAlpha].
func PodGroup(g *schedulingv1beta1.PodGroup) (*outrank.PodGroup, error) {
	if g == nil {
		return nil, missing("podgroup")
	}
	return groupOf(&g.ObjectMeta, betaGroup(&g.Spec), g.Status.Conditions)
}

// PodGroupAlpha converts a pod group of v1alpha3.
func PodGroupAlpha(g *schedulingv1alpha3.PodGroup) (*outrank.PodGroup, error) {
	if g == nil {
		return nil, missing("podgroup")
	}
	return groupOf(&g.ObjectMeta, alphaGroup(&g.Spec), g.Status.Conditions)
}

// CompositePodGroup converts a composite pod group, which exists only in v1alpha3.
func CompositePodGroup(g *schedulingv1alpha3.CompositePodGroup) (*outrank.CompositePodGroup, error) {
	if g == nil {
		return nil, missing("compositepodgroup")
	}
	ps := problems{kind: "compositepodgroup", namespace: orDefault(g.Namespace), name: g.Name}
	s := &g.Spec
	t := alphaCompositeTerms(s.SchedulingPolicy, s.DisruptionMode, s.SchedulingConstraints)
	ps.terms(&t, "spec")
	out := &outrank.CompositePodGroup{
		Name: g.Name, Namespace: g.Namespace, UID: string(g.UID),
		DisruptionMode: t.disruption, Policy: t.policy, MinGroupCount: t.count, Topology: t.topology,
		Priority: s.Priority, PriorityClassName: s.PriorityClassName,
		PreemptionPolicy: outrank.PreemptionPolicy(valueOf(s.PreemptionPolicy)),
		Parent:           valueOf(s.ParentCompositePodGroupName),
		Scheduled:        ps.scheduled(g.Status.Conditions, compositeScheduled[:]),
	}
	if r := s.WorkloadRef; r != nil {
		out.Workload, out.Template = r.WorkloadName, r.TemplateName
	}
	if err := ps.with((&outrank.Cluster{Composites: []*outrank.CompositePodGroup{out}}).Validate()); err != nil {
		return nil, err
	}
	return out, nil
}

// groupSpec is the spec of a pod group, whatever its version.
type groupSpec struct {
	terms              terms
	priority           *int32
	class              string
	preemption         outrank.PreemptionPolicy
	parent             string
	workload, template string
}

func groupOf(m *metav1.ObjectMeta, s groupSpec, conditions []metav1.Condition) (*outrank.PodGroup, error) {
	ps := problems{kind: "podgroup", namespace: orDefault(m.Namespace), name: m.Name}
	ps.terms(&s.terms, "spec")
	out := &outrank.PodGroup{
		Name: m.Name, Namespace: m.Namespace, UID: string(m.UID),
		DisruptionMode: s.terms.disruption, Policy: s.terms.policy, MinCount: s.terms.count, Topology: s.terms.topology,
		Priority: s.priority, PriorityClassName: s.class, PreemptionPolicy: s.preemption,
		Parent: s.parent, Workload: s.workload, Template: s.template,
		Scheduled: ps.scheduled(conditions, groupScheduled[:]),
	}
	if err := ps.with((&outrank.Cluster{Groups: []*outrank.PodGroup{out}}).Validate()); err != nil {
		return nil, err
	}
	return out, nil
}

// scheduled reports whether one of the conditions is true. Only the first condition of each type counts.
func (ps *problems) scheduled(cs []metav1.Condition, types []string) bool {
	for i := range cs {
		if slices.Contains(types, cs[i].Type) {
			word(ps, cs[i].Status, "status.conditions["+strconv.Itoa(i)+"].status", metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown)
		}
	}
	for _, t := range types {
		for i := range cs {
			if cs[i].Type == t {
				if cs[i].Status == metav1.ConditionTrue {
					return true
				}
				break
			}
		}
	}
	return false
}

// terms has the fields that groups and templates of all versions have in common.
type terms struct {
	disruption outrank.DisruptionMode
	policy     outrank.GroupPolicy
	count      int32
	topology   []string
	// both says that the policy is wrongly both basic and gang.
	both bool
	// modes says that the mode is wrongly both single and all.
	modes bool
}

// modes says whether a disruption mode is given, and which of its fields are set.
type modes struct{ given, single, all bool }

// termsOf returns the terms from fields that all versions share. gang is the minimum count of a gang. It is nil
// if the policy is not gang.
func termsOf(basic bool, gang *int32, mode modes) terms {
	var t terms
	switch {
	case basic && gang != nil:
		t.both = true
	case basic:
		t.policy = outrank.BasicPolicy
	case gang != nil:
		t.policy, t.count = outrank.GangPolicy, *gang
	}

	switch {
	case mode.single && mode.all:
		t.modes = true
	case mode.all:
		t.disruption = outrank.DisruptPodGroup
	case mode.single:
		t.disruption = outrank.DisruptPod
	case mode.given:
		t.disruption = "{}" // validation refuses this value
	}
	return t
}

// terms reports contradictions in the terms.
func (ps *problems) terms(t *terms, at string) {
	if t.modes {
		ps.add(at+".disruptionMode", "both single and all")
	}
	if t.both {
		ps.add(at+".schedulingPolicy", "both basic and gang")
	}
}
