package page

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// nodePods are the pods on a node before and after a candidate was carried out.
type nodePods struct {
	node *outrank.Node
	// stays are there before and after, leaves are the victims among the node's
	// pods, and kept the pods that room is kept for.
	stays, leaves, kept []*outrank.Pod
	// before and after tell whether the preemptor is there.
	before, after bool
}

// nodePodsOf finds the pods on a node. The candidate is nil where nobody leaves;
// takes is set where the preemptor comes to the node.
func (d *maker) nodePodsOf(node string, c *preemption.Candidate, takes bool) *nodePods {
	n, ok := d.in.Snapshot.Node(node)
	if !ok {
		return nil
	}
	r := &nodePods{node: n, after: takes}
	gone := map[outrank.Key]bool{}
	if c != nil {
		for i := range c.Victims {
			v := &c.Victims[i]
			if on := v.Node; on == node || on == "" && c.Node == node {
				r.leaves = append(r.leaves, v.Pod)
				gone[v.Pod.Key()] = true
			}
		}
	}
	for _, p := range d.in.Snapshot.PodsOn(node) {
		switch {
		case p.Key() == d.pod.Key():
			r.before, r.after = true, true
		case !gone[p.Key()]:
			r.stays = append(r.stays, p)
		}
	}
	if takes {
		r.kept = d.keptOn(node)
	}
	return r
}

// keptOn are the nominated pods that keep their room on the node against the
// preemptor.
func (d *maker) keptOn(node string) []*outrank.Pod {
	var kept []*outrank.Pod
	for _, p := range d.in.Snapshot.NominatedTo(node) {
		if p.PriorityValue() >= d.pod.PriorityValue() && p.Key() != d.pod.Key() {
			kept = append(kept, p)
		}
	}
	return kept
}

// parts lists the users of a resource before and after. Those that stay come
// first, so that they keep their place.
func (d *maker) parts(r *nodePods, name resource.Name) (before, after []part) {
	for _, p := range r.stays {
		q := part{pod: p, role: stays, amount: d.running(p, name)}
		before, after = append(before, q), append(after, q)
	}
	if r.before {
		before = append(before, part{pod: d.pod, role: comes, amount: d.running(d.pod, name)})
	}
	if r.after {
		after = append(after, part{pod: d.pod, role: comes, amount: d.needed(name)})
	}
	for i, p := range r.leaves {
		number := d.numbers[p.Key()]
		if d.numbers == nil {
			number = i + 1
		}
		before = append(before, part{pod: p, role: leaves, amount: d.running(p, name), number: number})
	}
	for _, p := range r.kept {
		after = append(after, part{role: kept, amount: taken(p.Requests(), name), text: "kept for " + isolated(string(p.Key())) + ", which is nominated"})
	}
	return before, after
}

// running is a pod's amount of a resource on its node.
func (d *maker) running(p *outrank.Pod, name resource.Name) int64 {
	return taken(p.RunningRequests(d.in.Snapshot.Release()), name)
}

// needed is the preemptor's amount of a resource once it is there.
func (d *maker) needed(name resource.Name) int64 { return taken(d.pod.Requests(), name) }

// taken is the amount in a pod's requests; in the number of pods, every pod is one.
func taken(requests resource.List, name resource.Name) int64 {
	if name == resource.Pods {
		return 1
	}
	return max(0, requests.Amount(name))
}
