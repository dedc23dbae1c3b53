package differential

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
)

// join makes a pod on a node the member of a group, in half of the cases. The group need not exist.
func (s *sequenceRun) join(p *corev1.Pod) {
	if !s.Groups || s.oneIn(2) {
		return
	}
	group := pick(s.generator, "crew", "gang")
	p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
}

// changeGroup removes a group or adds one. The content of a group never changes.
func (s *sequenceRun) changeGroup() (err error) {
	names := []string{"crew", "gang"}
	if s.Cycles != nil {
		names = append(names, teams...)
	}
	name, namespace := pick(s.generator, names...), pick(s.generator, "default", "default", "red", "blue")
	list := s.objects.Groups
	at := slices.IndexFunc(list, func(g Object) bool { return g.GetName() == name && g.GetNamespace() == namespace })
	if at >= 0 {
		s.note("end of a group", "%s/%s", namespace, name)
		delete(s.together, namespace+"/"+name)
		s.objects.Groups, err = removed(s.told.groups, list, at)
		return err
	}

	// A group that comes again is another one, with a UID of its own.
	spec := s.groupSpec(name, namespace)
	g, err := groupOf(metav1.ObjectMeta{Name: name, Namespace: namespace, UID: uid(name + "-" + s.next())}, spec)
	if err != nil {
		return err
	}
	if priority, ok := spec["priority"].(int64); ok {
		s.priorityOf[g.GetUID()] = int32(priority)
	}
	s.note("new group", "%s/%s", namespace, name)
	s.objects.Groups, err = replaced(s, s.told.groups, list, -1, g)
	return err
}

// groupSpec draws the spec of a new group, and notes in together whether its pods leave together.
func (s *sequenceRun) groupSpec(name, namespace string) map[string]any {
	spec := map[string]any{"schedulingPolicy": map[string]any{"basic": map[string]any{}}}
	switch s.IntN(4) {
	case 0: // no mode, as before there were modes
	case 1:
		spec["disruptionMode"] = map[string]any{"single": map[string]any{}}
	default:
		spec["disruptionMode"] = map[string]any{"all": map[string]any{}}
		s.together[namespace+"/"+name] = true
	}

	if slices.Contains(teams, name) && !s.oneIn(4) {
		spec["schedulingPolicy"] = map[string]any{"gang": map[string]any{"minCount": int64(s.between(1, 3))}}
	}

	// A group that waits has the priority of its members, if there are any (rule 12.9.2).
	if !s.oneIn(8) {
		spec["priority"] = int64(pick(s.generator, s.priorities...))
	}
	if members := s.priorityOfMembers(namespace, name); slices.Contains(teams, name) && members != nil {
		spec["priority"] = int64(*members)
	}
	return spec
}

// importance returns the importance of a pod as a victim. Pods that leave together are equally important: the
// reference has them in the order of a map (rule 12.7.4).
func (s *sequenceRun) importance(p *corev1.Pod) string {
	if unit := s.unitOf(p); unit != "" {
		return "group " + unit
	}
	return importance(p)
}

// unitOf returns the group with which a pod leaves; it is empty for a pod that leaves alone.
func (s *sequenceRun) unitOf(p *corev1.Pod) string {
	if !s.Groups || p.Spec.SchedulingGroup == nil {
		return ""
	}
	if unit := p.Namespace + "/" + *p.Spec.SchedulingGroup.PodGroupName; s.together[unit] {
		return unit
	}
	return ""
}

// unitsOnLostNodes reports whether a pod that leaves with its group is on a node that does not exist. The
// reference's preemption then ends in an error, whatever pod it is for.
func (s *sequenceRun) unitsOnLostNodes() bool {
	return slices.ContainsFunc(s.known(), func(p *corev1.Pod) bool {
		return isRunning(p) && s.unitOf(p) != "" && !slices.ContainsFunc(s.objects.Nodes, func(n *corev1.Node) bool { return n.Name == p.Spec.NodeName })
	})
}

// mixedUnits reports whether pods that leave together have different priorities. The reference then takes any of
// the priorities for the highest one, by which it chooses among candidates.
func (s *sequenceRun) mixedUnits() bool {
	last := map[string]int32{}
	return slices.ContainsFunc(s.known(), func(p *corev1.Pod) bool {
		unit := s.unitOf(p)
		if unit == "" || isPending(p) {
			return false
		}
		before, there := last[unit]
		last[unit] = corev1helpers.PodPriority(p)
		return there && before != last[unit]
	})
}

// chargedByOrder reports whether the number of violations may depend on the order in which pods that leave together
// are charged to budgets. The reference charges them in the order of a map (rule 12.7.5). The order matters if two
// budgets cover one of the pods: it can use up what others need, or find it used up.
func (s *sequenceRun) chargedByOrder() bool {
	return slices.ContainsFunc(s.known(), func(p *corev1.Pod) bool {
		if s.unitOf(p) == "" || isPending(p) {
			return false
		}

		covering := 0
		for _, b := range s.objects.Budgets {
			selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
			if err == nil && b.Namespace == p.Namespace && selector.Matches(labels.Set(p.Labels)) {
				covering++
			}
		}
		return covering > 1
	})
}

// placesOf returns the candidates with their nodes alone. Which pods are put back, and so the victims, depends on
// the violations.
func placesOf(candidates []Candidate) (out []Candidate) {
	for _, c := range candidates {
		out = append(out, Candidate{Node: c.Node})
	}
	return out
}
