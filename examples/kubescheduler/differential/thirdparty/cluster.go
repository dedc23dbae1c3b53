package thirdparty

import (
	"cmp"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
)

// Cluster holds the objects of a case that extenders look at.
type Cluster struct {
	Nodes     []*corev1.Node
	Pods      []*corev1.Pod // all but the preemptor
	Preemptor *corev1.Pod
}

// onNodes returns the pods that are on nodes and have not finished, by key.
func (c *Cluster) onNodes() map[string]*corev1.Pod {
	all := map[string]*corev1.Pod{}
	for _, p := range c.Pods {
		if p.Spec.NodeName != "" && p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
			all[podKey(p)] = p
		}
	}
	return all
}

// namesOthers reports whether an extender names an unknown node, or a victim that is not on its node. The
// scheduler treats both as a failure of the extender.
func (c *Cluster) namesOthers(left map[string]proposal) bool {
	all := c.onNodes()
	for node, p := range left {
		if node == absentNode || slices.ContainsFunc(p.victims, func(key string) bool { return all[key] == nil || all[key].Spec.NodeName != node }) {
			return true
		}
	}
	return false
}

// oneMoreOn returns the first pod of a node that is not in the list; nothing if there is none.
func (c *Cluster) oneMoreOn(node string, list []string) []string {
	for _, p := range c.Pods {
		if key := podKey(p); p.Spec.NodeName == node && c.onNodes()[key] != nil && !slices.Contains(list, key) {
			return []string{key}
		}
	}
	return nil
}

// oneNotOn returns the first pod of another node, or the name of a pod that does not exist.
func (c *Cluster) oneNotOn(node string) []string {
	for _, p := range c.Pods {
		if c.onNodes()[podKey(p)] != nil && p.Spec.NodeName != node {
			return []string{podKey(p)}
		}
	}
	return []string{"default/nobody"}
}

// sortByImportance sorts victims, the most important first. The reference takes the first victim for the most
// important one (rule 10.2.5).
func (c *Cluster) sortByImportance(keys []string) {
	all := c.onNodes()
	slices.SortStableFunc(keys, func(a, b string) int {
		p, q := all[a], all[b]
		if p == nil || q == nil {
			return 0
		}
		return cmp.Or(-cmp.Compare(corev1helpers.PodPriority(p), corev1helpers.PodPriority(q)), compareStarts(p, q))
	})
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

func podKey(p *corev1.Pod) string { return p.Namespace + "/" + p.Name }

func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// oneIn returns true once in n times, on average.
func oneIn(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }
