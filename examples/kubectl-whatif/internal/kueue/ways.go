package kueue

import (
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// mostWays bounds how many ways to assign flavors are tried.
const mostWays = 64

// ways lists the ways to assign flavors to pod sets in the order of the queue's resource groups:
// for each what the workload uses then. Where there is none, why says what stands in the way.
func (d *question) ways() (ways []resource.List, why []string) {
	ways = []resource.List{{}}
	for i := range d.asked.sets {
		s := &d.asked.sets[i]
		requests := s.requests()
		d.noteAffinity(s)
		if d.groupOf(resource.Pods) >= 0 {
			requests[resource.Pods] = resource.New(s.count)
		}
		byGroup := map[int][]resource.Name{}
		for _, name := range requests.Names() {
			if requests[name].IsZero() {
				continue
			}
			g := d.groupOf(name)
			if g < 0 {
				return nil, []string{fmt.Sprintf("clusterqueue %s has no quota of %s", d.answer.ClusterQueue, name)}
			}
			byGroup[g] = append(byGroup[g], name)
		}
		for _, g := range slices.Sorted(maps.Keys(byGroup)) {
			var more []resource.List
			for _, uses := range ways {
				for _, f := range d.queue.Spec.Groups[g].Flavors {
					if reason := d.unfit(s, g, f.Name); reason != "" {
						why = append(why, reason)
						continue
					}
					with := uses.Clone()
					for _, name := range byGroup[g] {
						with[flavored(name, f.Name)] = with[flavored(name, f.Name)].Add(requests[name])
					}
					more = append(more, with)
				}
			}
			if len(more) > mostWays {
				d.caveat("clusterqueue "+d.answer.ClusterQueue, "more than %d ways to assign flavors, of which the first are tried", mostWays)
				more = more[:mostWays]
			}
			ways = more
		}
	}
	slices.Sort(why)
	return ways, slices.Compact(why)
}

// covered returns the index of the resource group that has quotas of a resource, -1 without.
func (d *question) groupOf(name resource.Name) int {
	return slices.IndexFunc(d.queue.Spec.Groups, func(g resourceGroup) bool {
		return slices.Contains(g.Covered, name)
	})
}

// unfit says why pods may not have a flavor; empty if they may.
func (d *question) unfit(s *askedSet, group int, name string) string {
	f := d.flavors[name]
	if f == nil {
		return fmt.Sprintf("there is no ResourceFlavor %s in the dump", name)
	}
	for _, taint := range f.Spec.Taints {
		tolerated := s.pod.Tolerates(taint) || slices.ContainsFunc(f.Spec.Tolerations, func(t outrank.Toleration) bool { return t.Tolerates(taint) })
		if taint.Effect != outrank.PreferNoSchedule && !tolerated {
			return fmt.Sprintf("pod set %s does not tolerate the taint %s of the flavor %s", s.name, taint.Key, name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.pod.NodeSelector)) {
		if d.distinguishes(group, key) && f.Spec.Labels[key] != s.pod.NodeSelector[key] {
			return fmt.Sprintf("pod set %s selects nodes with %s=%s, and the flavor %s has others", s.name, key, s.pod.NodeSelector[key], name)
		}
	}
	return ""
}

// tells reports whether a flavor of a group has a label, by which pods then choose among them.
func (d *question) distinguishes(group int, key string) bool {
	for _, f := range d.queue.Spec.Groups[group].Flavors {
		if x := d.flavors[f.Name]; x != nil {
			if _, ok := x.Spec.Labels[key]; ok {
				return true
			}
		}
	}
	return false
}

// affinity names affinity to nodes, by which Kueue chooses among flavors, too.
func (d *question) noteAffinity(s *askedSet) {
	if s.pod.Affinity.NodeAffinity != nil {
		d.caveat(d.asked.object, "the affinity of pod set %s to nodes is not held to the labels of flavors", s.name)
	}
}
