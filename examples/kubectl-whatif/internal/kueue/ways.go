package kueue

import (
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// mostWays is the most ways to assign flavors that are tried.
const mostWays = 64

// ways lists the ways to assign flavors to the pod sets, in the order in which the queue names its resource
// groups and their flavors. A way is the list of amounts that the workload then uses. If there is no way, why
// says what is in the way.
func (d *question) ways() (ways []resource.List, why []string) {
	ways = []resource.List{{}}
	for i := range d.asked.sets {
		s := &d.asked.sets[i]
		d.noteAffinity(s)

		// Kueue counts pods only if the queue has a quota for them.
		requests := s.requests()
		if d.groupOf(resource.Pods) >= 0 {
			requests[resource.Pods] = resource.New(s.count)
		}
		byGroup, problem := d.byGroup(requests)
		if problem != "" {
			return nil, []string{problem}
		}

		for _, g := range slices.Sorted(maps.Keys(byGroup)) {
			more, problems := d.assign(ways, s, g, byGroup[g])
			why = append(why, problems...)
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

// byGroup divides requests among the resource groups that have quotas for them, by the index of the group. If a
// resource has no quota, problem says so.
func (d *question) byGroup(requests resource.List) (out map[int]resource.List, problem string) {
	out = map[int]resource.List{}
	for _, name := range requests.Names() {
		if requests[name].IsZero() {
			continue
		}
		g := d.groupOf(name)
		if g < 0 {
			return nil, fmt.Sprintf("clusterqueue %s has no quota of %s", d.answer.ClusterQueue, name)
		}
		if out[g] == nil {
			out[g] = resource.List{}
		}
		out[g][name] = requests[name]
	}
	return out, ""
}

// assign continues each way with each flavor of a group. All resources of a group are assigned the same flavor.
// why says why the remaining flavors do not qualify.
func (d *question) assign(ways []resource.List, s *askedSet, group int, requests resource.List) (more []resource.List, why []string) {
	g := &d.queue.groups()[group]
	for _, uses := range ways {
		for _, f := range g.Flavors {
			if reason := d.unfit(s, group, f.Name); reason != "" {
				why = append(why, reason)
				continue
			}

			with := uses.Clone()
			for name, q := range requests {
				with[flavored(name, f.Name)] = with[flavored(name, f.Name)].Add(q)
			}
			more = append(more, with)
		}
	}
	return more, why
}

// groupOf returns the index of the resource group that has the quotas of a resource, or -1 if there is none.
func (d *question) groupOf(name resource.Name) int {
	return slices.IndexFunc(d.queue.groups(), func(g resourceGroup) bool {
		return slices.Contains(g.Covered, name)
	})
}

// unfit says why pods may not have a flavor. It is empty if they may.
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

	// A label that no flavor of the group has does not distinguish them. The scheduler looks at it later.
	for _, key := range slices.Sorted(maps.Keys(s.pod.NodeSelector)) {
		if d.distinguishes(group, key) && f.Spec.Labels[key] != s.pod.NodeSelector[key] {
			return fmt.Sprintf("pod set %s selects nodes with %s=%s, and the flavor %s has others", s.name, key, s.pod.NodeSelector[key], name)
		}
	}
	return ""
}

// distinguishes reports whether any flavor of a group has a label, so that pods choose among the flavors by it.
func (d *question) distinguishes(group int, key string) bool {
	g := &d.queue.groups()[group]
	for _, f := range g.Flavors {
		if x := d.flavors[f.Name]; x != nil {
			if _, ok := x.Spec.Labels[key]; ok {
				return true
			}
		}
	}
	return false
}

// noteAffinity adds a caveat about node affinity, by which Kueue also chooses among flavors.
func (d *question) noteAffinity(s *askedSet) {
	affinity := &s.pod.Affinity
	if affinity.NodeAffinity != nil {
		d.caveat(d.asked.object, "the affinity of pod set %s to nodes is not held to the labels of flavors", s.name)
	}
}
