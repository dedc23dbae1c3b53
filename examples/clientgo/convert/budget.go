package convert

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/outrank-go/outrank"
)

// Budget converts a disruption budget, in time linear in its size.
func Budget(b *policyv1.PodDisruptionBudget) (*outrank.PodDisruptionBudget, error) {
	if b == nil {
		return nil, missing("poddisruptionbudget")
	}

	ps := problems{kind: "poddisruptionbudget", namespace: orDefault(b.Namespace), name: b.Name}
	out := &outrank.PodDisruptionBudget{
		Name: b.Name, Namespace: b.Namespace,
		Selector:           labelSelector(b.Spec.Selector),
		MinAvailable:       ps.intOrPercent(b.Spec.MinAvailable, "spec.minAvailable"),
		MaxUnavailable:     ps.intOrPercent(b.Spec.MaxUnavailable, "spec.maxUnavailable"),
		DisruptionsAllowed: b.Status.DisruptionsAllowed,
		CurrentHealthy:     b.Status.CurrentHealthy,
		DesiredHealthy:     b.Status.DesiredHealthy,
		ObservedGeneration: b.Status.ObservedGeneration,
	}
	if policy := b.Spec.UnhealthyPodEvictionPolicy; policy != nil {
		out.UnhealthyPodEvictionPolicy = outrank.UnhealthyPodEvictionPolicy(*policy)
	}

	if n := len(b.Status.DisruptedPods); n > 0 {
		out.DisruptedPods = make(map[string]time.Time, n)
		for _, name := range slices.Sorted(maps.Keys(b.Status.DisruptedPods)) {
			at := b.Status.DisruptedPods[name]
			out.DisruptedPods[name] = timeAt(&at)
		}
	}

	if err := ps.with((&outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{out}}).Validate()); err != nil {
		return nil, err
	}
	return out, nil
}

func (ps *problems) intOrPercent(v *intstr.IntOrString, field string) *outrank.IntOrPercent {
	if v == nil {
		return nil
	}
	if v.Type == intstr.Int {
		return &outrank.IntOrPercent{Value: v.IntVal}
	}
	if v.Type != intstr.String {
		ps.add(field, "is neither a number nor a text")
		return nil
	}
	var out outrank.IntOrPercent
	text, _ := json.Marshal(v.StrVal) // a string always has a JSON form
	var invalid *outrank.InputError
	if errors.As(out.UnmarshalJSON(text), &invalid) {
		ps.add(field, "%s", invalid.Problems[0].Text)
		return nil
	}
	return &out
}

// PriorityClass converts a priority class.
func PriorityClass(pc *schedulingv1.PriorityClass) (*outrank.PriorityClass, error) {
	if pc == nil {
		return nil, missing("priorityclass")
	}
	out := &outrank.PriorityClass{
		Name: pc.Name, Value: pc.Value, GlobalDefault: pc.GlobalDefault,
		PreemptionPolicy: outrank.PreemptionPolicy(valueOf(pc.PreemptionPolicy)), Description: pc.Description,
	}
	if err := (&outrank.Cluster{Classes: []*outrank.PriorityClass{out}}).Validate(); err != nil {
		return nil, err
	}
	return out, nil
}
