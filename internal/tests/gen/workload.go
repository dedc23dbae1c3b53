package gen

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
	"pgregory.net/rapid"
)

// Workload is a group of pods that look for places together, and their cluster. The pods belong to one group,
// or to groups of one tree.
type Workload struct {
	Cluster *outrank.Cluster
	Pods    []*outrank.Pod
}

// Workloads draws a cluster of v1.37 with pod groups enabled, and pods of one group, or of several below the
// same composite group. Mostly the pods agree with each other, and with those of their tree that run, in
// everything that the pods of a group must share. Now and then one differs, the group does not exist, or its
// tree is malformed.
func Workloads(shape Shape) *rapid.Generator[Workload] {
	shape.Units = true
	return rapid.Custom(func(t *rapid.T) Workload {
		s := numbers{t}
		w := Workload{Cluster: Cluster(shape).Draw(t, "cluster"), Pods: PreemptorGroup(shape).Draw(t, "pods")}

		w.setGates(s)
		w.addGroup(s)
		if len(w.Cluster.Groups) > 0 && draw.OneIn(s, "grow trees", 2) {
			w.grow(s)
		}
		w.spread(s)
		if !draw.OneIn(s, "may differ", 8) {
			w.agree(s)
		}
		w.sameGroups()
		return w
	})
}

// setGates gives the cluster a release with drawn feature gates.
func (w *Workload) setGates(s draw.Source) {
	composites := !draw.OneIn(s, "composite groups do not count", 4)
	r, err := outrank.V1_37.With(map[string]bool{
		"GenericWorkload": true, "CompositePodGroup": composites, "TopologyAwareWorkloadScheduling": composites,
		"PodGroupPreemptionPolicy": draw.OneIn(s, "groups have a policy", 2),
	})
	if err != nil {
		panic(err)
	}
	w.Cluster.Release = r
}

// addGroup declares the pods' group, unless the cluster already does. Now and then it leaves it undeclared,
// or the pods without a group.
func (w *Workload) addGroup(s draw.Source) {
	first := w.Pods[0]
	if first.Group == "" {
		if draw.OneIn(s, "no group", 4) {
			return
		}
		for _, p := range w.Pods {
			p.Group = "gang"
		}
	}

	if w.group(first.GroupKey()) != nil || draw.OneIn(s, "group is not known", 8) {
		return
	}

	g := &outrank.PodGroup{
		Name: first.Group, Namespace: first.Namespace, Priority: anyPriority(s),
		Policy: draw.Pick(s, "own policy", outrank.GangPolicy, outrank.BasicPolicy, outrank.GangPolicy, ""),
	}
	if g.Policy == outrank.GangPolicy {
		g.MinCount = int32(s.Int("own min count", 1, 4))
	}
	w.Cluster.Groups = append(w.Cluster.Groups, g)
}

// grow adds two trees of up to three levels of composite groups in the namespace of the pods. It puts most
// groups of the namespace below them, and pods of the cluster into groups.
func (w *Workload) grow(s draw.Source) {
	namespace := w.Pods[0].NamespaceName()
	var names []string
	for _, tree := range []string{"a", "b"} {
		parent := ""
		for level := range s.Int("levels of tree "+tree, 1, outrank.MaxGroupLevels-1) {
			c := &outrank.CompositePodGroup{
				Name: fmt.Sprintf("%s%d", tree, level), Namespace: namespace, Parent: parent, Policy: outrank.BasicPolicy,
				DisruptionMode: draw.Pick(s, "mode in tree", outrank.DisruptPodGroup, outrank.DisruptPodGroup, outrank.DisruptPodGroup, outrank.DisruptPod),
				Priority:       anyPriority(s),
			}

			parent = c.Name
			names = append(names, c.Name)
			w.Cluster.Composites = append(w.Cluster.Composites, c)
		}
	}

	// A parent must be in the namespace of its children, and a group in that of its pods.
	for _, g := range w.Cluster.Groups {
		if g.NamespaceName() == namespace && !draw.OneIn(s, "is no part of it", 6) {
			g.Parent = draw.Pick(s, "parent in tree", names...)
		}
	}

	for _, p := range w.Cluster.Pods {
		if g := draw.Pick(s, "joins", w.Cluster.Groups...); p.NamespaceName() == g.NamespaceName() && !draw.OneIn(s, "stays as it is", 4) {
			p.Group = g.Name
		}
	}
}

// spread moves some of the pods into other groups of the same tree.
func (w *Workload) spread(s draw.Source) {
	own := w.group(w.Pods[0].GroupKey())
	if own == nil || own.Parent == "" {
		return
	}
	for _, g := range w.Cluster.Groups {
		if g.NamespaceName() == own.NamespaceName() && draw.OneIn(s, "joins the tree", 3) {
			g.Parent = own.Parent
		}
	}

	for _, p := range w.Pods {
		for _, g := range w.Cluster.Groups {
			if g.NamespaceName() == p.NamespaceName() && w.top(g.Key()) == w.top(own.Key()) && draw.OneIn(s, "joins the group", 3) {
				p.Group = g.Name
			}
		}
	}
}

// agree gives equal values, in everything that they must share, to the pods and to those that run in the same
// tree. The group at the top of the tree gets them, too.
func (w *Workload) agree(s draw.Source) {
	first := w.Pods[0]
	top := w.top(first.GroupKey())
	priority := draw.Pick(s, "priority of all", int32(first.PriorityValue()), 10, 3)
	alike := func(p *outrank.Pod) {
		p.Priority, p.PreemptionPolicy, p.SchedulerName = outrank.Priority(priority), first.PreemptionPolicy, first.SchedulerName
	}

	for _, p := range w.Pods {
		alike(p)
	}
	for _, p := range w.Cluster.Pods {
		if top != "" && w.top(p.GroupKey()) == top {
			alike(p)
		}
	}

	for _, g := range w.Cluster.Groups {
		if "group "+string(g.Key()) == top {
			g.Priority, g.PreemptionPolicy = outrank.Priority(priority), first.PreemptionPolicy
		}
	}
	for _, g := range w.Cluster.Composites {
		if "composite "+string(g.Key()) == top {
			g.Priority, g.PreemptionPolicy = outrank.Priority(priority), first.PreemptionPolicy
		}

		if draw.OneIn(s, "gang of groups", 3) {
			g.Policy, g.MinGroupCount = outrank.GangPolicy, int32(s.Int("min groups", 1, 3))
		}
	}
}

// sameGroups moves the entries that the cluster already has of the pods into the same groups. A pod is in one
// group, wherever it is listed.
func (w *Workload) sameGroups() {
	for _, p := range w.Cluster.Pods {
		for _, q := range w.Pods {
			if p.Key() == q.Key() {
				p.Group = q.Group
			}
		}
	}
}

// group returns the group with this key, or nil if the cluster does not declare it.
func (w *Workload) group(key outrank.Key) *outrank.PodGroup {
	for _, g := range w.Cluster.Groups {
		if g.Key() == key && key != "" {
			return g
		}
	}
	return nil
}

// top returns the kind and the key of the top of the group's tree, such as "composite default/a0". It is
// empty for a group that the cluster does not declare.
func (w *Workload) top(key outrank.Key) string {
	g := w.group(key)
	if g == nil {
		return ""
	}

	release := w.Cluster.Release
	treesCount := release.Gates()["CompositePodGroup"]

	// Each round climbs one level. The number of rounds bounds the way through a circle of parents.
	top, parent := "group "+string(key), g.ParentKey()
	for range outrank.MaxGroupLevels - 1 {
		for _, c := range w.Cluster.Composites {
			if c.Key() == parent && treesCount {
				top, parent = "composite "+string(parent), c.ParentKey()
				break
			}
		}
	}
	return top
}
