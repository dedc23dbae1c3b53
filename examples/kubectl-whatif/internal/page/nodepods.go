package page

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// nodePods has the pods on a node before and after a candidate was carried out.
type nodePods struct {
	node *outrank.Node
	// stays are the pods that are there before and after, leaves the victims among the node's pods, and kept
	// the nominated pods for which room is reserved.
	stays, leaves, kept []*outrank.Pod
	// before and after say whether the preemptor is there at that moment.
	before, after bool
}

// nodePodsOf finds the pods on a node before and after. The candidate is nil if nobody leaves.
// takes says that the preemptor is placed on the node. The result is nil if there is no such node.
func (d *maker) nodePodsOf(node string, c *preemption.Candidate, takes bool) *nodePods {
	n, ok := d.snap.Node(node)
	if !ok {
		return nil
	}
	r := &nodePods{node: n, after: takes}

	// A victim that names no node is on the node of the candidate.
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

	// A preemptor that is to be resized is on the node already before.
	for _, p := range d.snap.PodsOn(node) {
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

// keptOn returns the nominated pods for which the node reserves room that the preemptor must not take.
func (d *maker) keptOn(node string) []*outrank.Pod {
	var kept []*outrank.Pod
	for _, p := range d.snap.NominatedTo(node) {
		if p.PriorityValue() >= d.pod.PriorityValue() && p.Key() != d.pod.Key() {
			kept = append(kept, p)
		}
	}
	return kept
}

// parts lists who uses a resource before and after. Pods that stay come first, so that they keep their
// position.
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

// running returns how much of a resource a pod takes on its node.
func (d *maker) running(p *outrank.Pod, name resource.Name) int64 {
	return taken(p.RunningRequests(d.snap.Release()), name)
}

// needed returns how much of a resource the preemptor takes once it is there.
func (d *maker) needed(name resource.Name) int64 { return taken(d.pod.Requests(), name) }

// taken returns how much of a resource a pod with these requests takes. Every pod takes one place for pods.
func taken(requests resource.List, name resource.Name) int64 {
	if name == resource.Pods {
		return 1
	}
	return max(0, requests.Amount(name))
}
