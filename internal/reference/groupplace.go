package reference

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// seat is a place that a pod of the group has found.
type seat struct {
	// pod is the pod as it stands on its node.
	pod  *outrank.Pod
	node *outrank.Node
	// attempt has what the filters counted before the first node, when the pods
	// before this one had their seats and those behind it had none.
	attempt *attempt
}

// placing is a group that looks for places, with what it has found so far.
type placing struct {
	in      *GroupInput
	cluster *outrank.Cluster
	seats   []seat
	// refusal is the first pod without a place.
	refusal Refusal
}

// placeGroup places the pods of one group in the given order, each on the first node
// that takes it beside those before it; pods without a place are passed over. Before
// the first and after each it gives up if no longer enough pods can have a place.
func (l *placing) placeGroup(key outrank.Key, pods []*outrank.Pod) Status {
	wanted, there, placed := l.wanted(key, pods), l.running(key), 0
	for i, p := range pods {
		if left := len(pods) - i; there+placed+left < wanted {
			return cannot(wanted, there+placed, left)
		}
		if l.placePod(p) {
			placed++
		}
	}
	if there+placed < wanted || placed == 0 {
		return cannot(wanted, there+placed, 0)
	}
	return Status{}
}

func cannot(wanted, there, left int) Status {
	return unschedulableBy("", fmt.Sprintf("minCount (%d) cannot be satisfied: %d scheduled, %d remaining", wanted, there, left))
}

// wanted is how many pods of the group have to run: of a gang so many as it says, of
// others one. A group that is not known, or that says nothing, needs all its pods.
func (l *placing) wanted(key outrank.Key, pods []*outrank.Pod) int {
	for _, g := range l.cluster.Groups {
		switch {
		case g.Key() != key || g.Policy == "":
		case g.Policy == outrank.GangPolicy:
			return int(g.MinCount)
		default:
			return 1
		}
	}
	return l.running(key) + len(pods)
}

// running counts the pods of the group that were on nodes before.
func (l *placing) running(key outrank.Key) int {
	count := 0
	for _, p := range l.in.Cluster.Pods {
		if !p.Finished() && l.in.node(p.NodeName) != nil && p.GroupKey() == key && key != "" {
			count++
		}
	}
	return count
}

// placePod looks for a place for one pod. Its own nomination ends where it gets one,
// so that it counts once for the pods behind it.
func (l *placing) placePod(p *outrank.Pod) bool {
	a := newAttempt(Input{Cluster: l.cluster, Pod: p, Now: l.in.Now})
	said := map[string]Status{}
	for _, n := range l.cluster.Nodes {
		status := a.status(n)
		said[n.Name] = status
		if status.Code == Success {
			s := seat{pod: onNode(p, n), node: n, attempt: a}
			l.seats = append(l.seats, s)
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
	bound.NodeName, bound.NominatedNode = n.Name, ""
	return &bound
}

// withoutPending is the cluster without the entry of the pod that waits.
func withoutPending(c *outrank.Cluster, p *outrank.Pod) *outrank.Cluster {
	other := *c
	other.Pods = slices.DeleteFunc(slices.Clone(c.Pods), func(q *outrank.Pod) bool { return q.NodeName == "" && q.Key() == p.Key() })
	return &other
}

// node is the node of this name, nil for none.
func (in *GroupInput) node(name string) *outrank.Node {
	for _, n := range in.Cluster.Nodes {
		if n.Name == name {
			return n
		}
	}
	return nil
}
