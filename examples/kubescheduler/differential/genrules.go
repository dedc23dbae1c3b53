package differential

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// selector draws a label selector. It may be nil, empty, or of a kind that the API server refuses for a budget
// today but may have accepted once.
func (g *generator) selector() *metav1.LabelSelector {
	expression := func(key string, op metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: op, Values: values}}}
	}
	labels := func(kv ...string) *metav1.LabelSelector {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return &metav1.LabelSelector{MatchLabels: m}
	}

	switch g.IntN(12) {
	case 0, 1, 2:
		return labels("app", "web")
	case 3, 4:
		return labels("app", "db")
	case 5:
		return labels("app", "web", "tier", "front")
	case 6:
		return expression("tier", metav1.LabelSelectorOpIn, "front", "back")
	case 7:
		return expression("app", metav1.LabelSelectorOpNotIn, "db")
	case 8:
		return expression("tier", metav1.LabelSelectorOpExists)
	case 9:
		return expression("tier", metav1.LabelSelectorOpDoesNotExist)
	case 10:
		return &metav1.LabelSelector{}
	}
	return nil
}

func (g *generator) budgets() {
	for i := range g.between(0, 4) {
		b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("b%d", i), Namespace: pick(g, "default", "default", "default", "red", "blue"), UID: uid(fmt.Sprintf("b%d", i)),
		}}
		b.Spec.Selector = g.selector()
		b.Status.DisruptionsAllowed = pick(g, int32(0), 0, 1, 1, 2, 5)
		if g.oneIn(5) {
			policy := pick(g, policyv1.AlwaysAllow, policyv1.IfHealthyBudget)
			b.Spec.UnhealthyPodEvictionPolicy = &policy // preemption does not look at it
		}
		if g.oneIn(4) && len(g.c.Pods) > 0 {
			b.Status.DisruptedPods = map[string]metav1.Time{}
			for range g.between(1, 3) {
				b.Status.DisruptedPods[pick(g, g.c.Pods...).Name] = metav1.NewTime(start)
			}
		}
		g.c.Budgets = append(g.c.Budgets, b)
	}
}

// demand gives a pod demands on nodes: tolerations, a node selector, node affinity, and features that a node must
// declare.
func (g *generator) demand(p *corev1.Pod) {
	for range g.IntN(3) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{
			Key: pick(g, "dedicated", "gpu", corev1.TaintNodeUnschedulable, ""), Operator: pick(g, corev1.TolerationOpExists, corev1.TolerationOpExists, corev1.TolerationOpEqual, ""),
			Effect: pick(g, "", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute),
		})
		if t := &p.Spec.Tolerations[len(p.Spec.Tolerations)-1]; t.Key == "" {
			t.Operator = corev1.TolerationOpExists // an API server accepts no other operator with an empty key
		} else if t.Operator != corev1.TolerationOpExists {
			t.Value = pick(g, "", "a", "b")
		}
	}

	if g.oneIn(4) {
		p.Spec.NodeSelector = map[string]string{"disk": pick(g, "ssd", "hdd")}
	}
	if g.oneIn(3) {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: g.nodeSelector()}}
		if g.oneIn(4) {
			g.makeOdd(p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
		}
	}

	if g.oneIn(20) {
		p.Spec.HostNetwork = true
		users := false
		p.Spec.HostUsers = &users
	}
	if g.oneIn(20) {
		p.Spec.Containers[0].RestartPolicyRules = []corev1.ContainerRestartRule{{Action: corev1.ContainerRestartRuleActionRestartAllContainers}}
	}
}

func (g *generator) nodeSelector() *corev1.NodeSelector {
	s := &corev1.NodeSelector{}
	for range g.between(1, 2) {
		term := corev1.NodeSelectorTerm{}
		if g.oneIn(4) {
			term.MatchFields = []corev1.NodeSelectorRequirement{{
				Key: "metadata.name", Operator: pick(g, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn), Values: []string{fmt.Sprintf("n%d", g.IntN(5))},
			}}
		}
		for range g.IntN(3) {
			term.MatchExpressions = append(term.MatchExpressions, pick(g,
				corev1.NodeSelectorRequirement{Key: "disk", Operator: corev1.NodeSelectorOpIn, Values: []string{"ssd", "nvme"}},
				corev1.NodeSelectorRequirement{Key: "disk", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"hdd"}},
				corev1.NodeSelectorRequirement{Key: "rack", Operator: corev1.NodeSelectorOpExists},
				corev1.NodeSelectorRequirement{Key: "rack", Operator: corev1.NodeSelectorOpDoesNotExist},
				corev1.NodeSelectorRequirement{Key: "cores", Operator: corev1.NodeSelectorOpGt, Values: []string{"4"}},
				corev1.NodeSelectorRequirement{Key: "cores", Operator: corev1.NodeSelectorOpLt, Values: []string{"16"}},
			))
		}
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, term)
	}
	return s
}

// makeOdd adds a requirement to each term that API servers accept and that may not be readable: numbers with
// signs, spaces or leading zeros, numbers that are too large, and values that no label can have.
func (g *generator) makeOdd(s *corev1.NodeSelector) {
	for i := range s.NodeSelectorTerms {
		r := corev1.NodeSelectorRequirement{Key: "cores", Operator: pick(g, corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt),
			Values: []string{pick(g, "-1", "+3", "-0", " 4", "4 ", "04", "007", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "4.", "many", "")}}
		if g.oneIn(4) {
			r = corev1.NodeSelectorRequirement{Key: "disk", Operator: pick(g, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn)}
			for range g.between(1, 3) {
				r.Values = append(r.Values, pick(g, "ssd", "hdd", "", "-1", "s s"))
			}
		}
		t := &s.NodeSelectorTerms[i]
		t.MatchExpressions = append(t.MatchExpressions, r)
	}
}

func (g *generator) topologyKey() string {
	return pick(g, "kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.kubernetes.io/zone", "rack")
}

func (g *generator) podAffinity(own map[string]string) *corev1.Affinity {
	a := &corev1.Affinity{}
	if !g.oneIn(4) {
		a.PodAntiAffinity = &corev1.PodAntiAffinity{}
		for range g.between(1, 2) {
			a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution = append(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, g.podTerm(own))
		}
	}
	if g.oneIn(3) {
		a.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{g.podTerm(own)}}
	}
	return a
}

func (g *generator) podTerm(own map[string]string) corev1.PodAffinityTerm {
	t := corev1.PodAffinityTerm{LabelSelector: g.selector(), TopologyKey: g.topologyKey()}
	switch g.IntN(8) {
	case 0:
		t.Namespaces = []string{"red", "blue"}
	case 1:
		t.NamespaceSelector = &metav1.LabelSelector{}
	case 2:
		t.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "red"}}
	case 3:
		t.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{pick(g,
			metav1.LabelSelectorRequirement{Key: "team", Operator: metav1.LabelSelectorOpDoesNotExist},
			metav1.LabelSelectorRequirement{Key: "team", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"red"}},
		)}}
	}
	if t.LabelSelector != nil && g.oneIn(6) {
		if g.oneIn(2) {
			t.MatchLabelKeys = []string{"tier"}
			mergeKey(t.LabelSelector, own, metav1.LabelSelectorOpIn)
		} else {
			t.MismatchLabelKeys = []string{"tier"}
			mergeKey(t.LabelSelector, own, metav1.LabelSelectorOpNotIn)
		}
	}
	return t
}

// mergeKey does what the API server does with the label keys of a term when a pod is created: it adds a
// requirement with the pod's own value, if the pod has one.
func mergeKey(s *metav1.LabelSelector, own map[string]string, op metav1.LabelSelectorOperator) {
	if value, there := own["tier"]; there {
		s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{Key: "tier", Operator: op, Values: []string{value}})
	}
}

func merge(a, b *corev1.Affinity) *corev1.Affinity {
	if a != nil {
		b.NodeAffinity = a.NodeAffinity
	}
	return b
}

// constrain gives a pod one or two spread constraints.
func (g *generator) constrain(p *corev1.Pod) {
	for range g.between(1, 2) {
		c := corev1.TopologySpreadConstraint{
			MaxSkew: pick(g, int32(1), 1, 1, 2), TopologyKey: g.topologyKey(),
			WhenUnsatisfiable: pick(g, corev1.DoNotSchedule, corev1.DoNotSchedule, corev1.DoNotSchedule, corev1.ScheduleAnyway),
			LabelSelector:     g.selector(),
		}
		if g.oneIn(2) {
			c.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
		}
		if c.WhenUnsatisfiable == corev1.DoNotSchedule && g.oneIn(4) {
			n := int32(g.between(1, 4))
			c.MinDomains = &n
		}
		honor, ignore := corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore
		c.NodeAffinityPolicy = pick(g, nil, nil, &honor, &ignore)
		c.NodeTaintsPolicy = pick(g, nil, nil, &honor, &ignore)
		if c.LabelSelector != nil && g.oneIn(5) {
			c.MatchLabelKeys = []string{"tier"}
			mergeKey(c.LabelSelector, p.Labels, metav1.LabelSelectorOpIn)
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, c)
	}
}

// resize puts a running pod in the middle of a resize.
func (g *generator) resize(p *corev1.Pod) {
	// A kubelet reports amounts for a container in two places, and may not have written either yet.
	list := func() corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: g.cpu(), corev1.ResourceMemory: g.memory()}
	}
	status := func(name string) corev1.ContainerStatus {
		s := corev1.ContainerStatus{Name: name}
		if !g.oneIn(4) {
			s.AllocatedResources = list()
		}
		if !g.oneIn(4) {
			s.Resources = &corev1.ResourceRequirements{Requests: list()}
		}
		return s
	}

	for _, c := range p.Spec.Containers {
		if !g.oneIn(4) {
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, status(c.Name))
		}
	}
	for _, c := range p.Spec.InitContainers {
		if !g.oneIn(4) {
			p.Status.InitContainerStatuses = append(p.Status.InitContainerStatuses, status(c.Name))
		}
	}

	if g.oneIn(3) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: pick(g, corev1.PodReasonInfeasible, corev1.PodReasonDeferred),
		})
	}
	if p.Spec.Resources != nil && g.oneIn(2) {
		p.Status.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("700m")}}
		p.Status.AllocatedResources = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("300m")}
	}
}
