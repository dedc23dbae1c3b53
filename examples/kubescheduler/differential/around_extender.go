package differential

import (
	"cmp"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// proposal is a candidate as an extender is asked about it, or as it answers.
type proposal struct {
	victims    []string // namespace/name, the most important first
	violations int64
}

// errExtender is the error of an extender that fails.
var errExtender = errors.New("an extender fails")

// asked returns the extenders in the order in which they are asked: the ignorable ones come last (rule 10.2.1).
func (a *Around) asked() []*Extender {
	list := slices.Clone(a.Extenders)
	slices.SortStableFunc(list, func(x, y *Extender) int {
		switch {
		case x.Ignorable == y.Ignorable:
			return 0
		case x.Ignorable:
			return 1
		}
		return -1
	})
	return list
}

// onNodes returns the pods of a case that are on nodes and have not finished, by key.
func (c *Case) onNodes() map[string]*corev1.Pod {
	all := map[string]*corev1.Pod{}
	for _, p := range c.Pods {
		if p.Spec.NodeName != "" && p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
			all[podKey(p)] = p
		}
	}
	return all
}

// change returns the candidates of a case as the extender changes them. It does not change what it is given.
func (x *Extender) change(c *Case, asked map[string]proposal) (map[string]proposal, error) {
	if x.Fails {
		return nil, errExtender
	}

	left := map[string]proposal{}
	for _, n := range c.Nodes {
		p, there := asked[n.Name]
		how := x.Changes[n.Name]
		if how == uninvited && !there {
			p.victims, there = c.othersOn(n.Name, nil), true
		}
		if !there || how == drops {
			continue
		}

		p.victims = slices.Clone(p.victims)
		switch how {
		case spares:
			p.victims = p.victims[:len(p.victims)-1]
		case emptied:
			p.victims = nil
		case adds:
			p.victims = append(p.victims, c.othersOn(n.Name, p.victims)...)
		case strange:
			p.victims = append(p.victims, c.anyNotOn(n.Name)...)
		case violating:
			p.violations++
		case nowhere:
			left[absentNode] = p
		}

		c.byImportance(p.victims)
		left[n.Name] = p
	}
	return left, nil
}

// namesOthers reports whether an extender names an unknown node, or a victim that is not on its node. The
// scheduler treats both as a failure of the extender.
func (c *Case) namesOthers(left map[string]proposal) bool {
	all := c.onNodes()
	for node, p := range left {
		if node == absentNode || slices.ContainsFunc(p.victims, func(key string) bool { return all[key] == nil || all[key].Spec.NodeName != node }) {
			return true
		}
	}
	return false
}

// othersOn returns the first pod of a node that is not in a list; it is empty if there is none.
func (c *Case) othersOn(node string, but []string) []string {
	for _, p := range c.Pods {
		if key := podKey(p); p.Spec.NodeName == node && c.onNodes()[key] != nil && !slices.Contains(but, key) {
			return []string{key}
		}
	}
	return nil
}

// anyNotOn returns the first pod of another node, or one that does not exist.
func (c *Case) anyNotOn(node string) []string {
	for _, p := range c.Pods {
		if c.onNodes()[podKey(p)] != nil && p.Spec.NodeName != node {
			return []string{podKey(p)}
		}
	}
	return []string{"default/nobody"}
}

// byImportance sorts victims, the most important first. The reference takes the first victim for the most
// important one (rule 10.2.5).
func (c *Case) byImportance(keys []string) {
	all := c.onNodes()
	slices.SortStableFunc(keys, func(a, b string) int {
		p, q := all[a], all[b]
		if p == nil || q == nil {
			return 0
		}
		return cmp.Or(-cmp.Compare(priorityOf(p), priorityOf(q)), compareStarts(p, q))
	})
}

func priorityOf(p *corev1.Pod) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

// compareStarts puts the earlier start first, and pods without a start last.
func compareStarts(p, q *corev1.Pod) int {
	switch a, b := p.Status.StartTime, q.Status.StartTime; {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	default:
		return a.Time.Compare(b.Time)
	}
}

// turn returns the nodes that the extender leaves, and its answers about the others: those that it turns down,
// and those that it turns down for good. Some of the others it leaves out without an answer.
func (x *Extender) turn(nodes []string) (left []string, no, never extenderv1.FailedNodesMap, err error) {
	if x.Fails {
		return nil, nil, nil, errExtender
	}
	no, never = extenderv1.FailedNodesMap{}, extenderv1.FailedNodesMap{}
	left = []string{}
	for _, n := range nodes {
		switch x.Turns[n] {
		case turnsDown:
			no[n] = "an extender says no"
		case turnsForGood:
			never[n] = "an extender says never"
		case leavesOut:
		default:
			left = append(left, n)
		}
	}
	return left, no, never, nil
}
