package reference

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// spot is a place that a pod of the group has found.
type spot struct {
	// pod is the pod as it stands on its node.
	pod  *outrank.Pod
	node *outrank.Node
	// attempt has the filters' counts before the first node, when the pods
	// before this one had their spots and those behind it had none.
	attempt *attempt
}

// placing is a group that looks for places, with those found so far.
type placing struct {
	in      *GroupInput
	cluster *outrank.Cluster
	spots   []spot
	// refusal is the first pod without a place.
	refusal Refusal
}

// outcome has the places of the preemptor's pods, and whether they are enough.
type outcome struct {
	spots   []spot
	status  Status
	refusal Refusal
}

// quota is the number of members of a group that need a place: of its pods, or of
// the groups below a composite one (rules 12.9.3 and 12.9.4).
type quota struct {
	of     level
	wanted int
	// there are the pods of the group that run already.
	there int
	pods  []*outrank.Pod
	below []*quota
	// unsaid is set if the group names no number, so that all are wanted.
	unsaid bool
}

// unplaced is the message about a group that names no number.
const unplaced = "pod group is unschedulable"

// place places the pods of a group in their order, each on the first node that takes it
// beside those before it; pods without a place are passed over. Of a composite group it
// places the groups below in turn. Before the first and after each it gives up if no
// longer enough can have a place, and then those that have one lose it (rules 12.9.3 and
// 12.9.4).
func (l *placing) place(q *quota) Status {
	spots, cluster := l.spots, l.cluster
	placed, all := q.there, len(q.pods)+len(q.below)
	for i := range all + 1 {
		if left := all - i; placed+left < q.wanted {
			l.spots, l.cluster = spots, cluster
			return q.missed(placed, left)
		}
		switch {
		case i < len(q.pods) && l.placePod(q.pods[i]):
			placed++
		case i >= len(q.pods) && i < all && l.place(q.below[i-len(q.pods)]).Code == Success:
			placed++
		}
	}
	return Status{}
}

// placePod looks for a place for one pod. Its own nomination ends where it gets one,
// so that it counts once for the pods behind it (rule 12.9.5).
func (l *placing) placePod(p *outrank.Pod) bool {
	a := newAttempt(Input{Cluster: l.cluster, Pod: p, Now: l.in.Now, Setup: l.in.Setup})
	said := map[string]Status{}
	for _, n := range l.cluster.Nodes {
		status := a.status(n)
		said[n.Name] = status
		if status.Code == Success {
			s := spot{pod: onNode(p, n), node: n, attempt: a}
			l.spots = append(l.spots, s)
			l.cluster = withPods(withoutPending(l.cluster, p), []*outrank.Pod{s.pod})
			return true
		}
	}
	if l.refusal.Pod == "" {
		l.refusal = Refusal{Pod: string(p.Key()), Nodes: said}
	}
	return false
}

// onNode is the pod as it stands on the node.
func onNode(p *outrank.Pod, n *outrank.Node) *outrank.Pod {
	bound := *p
	bound.NodeName, bound.NominatedNodeName = n.Name, ""
	return &bound
}

// nodes are the nodes of the pods that have a place.
func (o *outcome) nodes() map[string]string {
	nodes := map[string]string{}
	for _, s := range o.spots {
		nodes[string(s.pod.Key())] = s.node.Name
	}
	return nodes
}

func (q *quota) missed(placed, left int) Status {
	if q.unsaid {
		return unschedulableBy("", unplaced)
	}
	return unschedulableBy("", fmt.Sprintf("minCount (%d) cannot be satisfied: %d scheduled, %d remaining", q.wanted, placed, left))
}
