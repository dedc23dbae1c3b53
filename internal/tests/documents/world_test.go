package documents

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

var (
	cases = flag.Int("cases", 200, "cases of each port")
	seed  = flag.Uint64("seed", 1, "seed of the cases")
	only  = flag.Int("only", -1, "show this case alone")
	now   = time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
)

const host, zone = "kubernetes.io/hostname", "topology.kubernetes.io/zone"

// verdict is what a node says of the pod. The worst one counts.
type verdict int

const (
	yes   verdict = iota
	maybe         // it may take the pod once others have left
	never         // it takes the pod whoever leaves
)

// world is a cluster with a pod that no node takes, mostly. Only cordons, taints, node selectors, amounts and pod
// affinity keep the pod away.
type world struct {
	nodes   []*outrank.Node
	pods    []*outrank.Pod // those on nodes, and those that are nominated to one
	budgets []*outrank.PodDisruptionBudget
	pod     *outrank.Pod
	release outrank.Release
}

// on returns the pods of a node.
func (w *world) on(n *outrank.Node) []*outrank.Pod {
	return slices.DeleteFunc(slices.Clone(w.pods), func(p *outrank.Pod) bool { return p.NodeName != n.Name })
}

// nominated returns the pods that are nominated to a node and for which accept holds.
func (w *world) nominated(n *outrank.Node, accept func(*outrank.Pod) bool) []*outrank.Pod {
	return slices.DeleteFunc(slices.Clone(w.pods), func(p *outrank.Pod) bool {
		return p.NodeName != "" || p.NominatedNodeName != n.Name || !accept(p)
	})
}

// counts reports whether a nominated pod counts as placed.
func (w *world) counts(p *outrank.Pod) bool { return rank(p) >= rank(w.pod) }

// nominee returns the node that the pod is nominated to, nil if there is none.
func (w *world) nominee() *outrank.Node {
	for _, n := range w.nodes {
		if n.Name == w.pod.NominatedNodeName {
			return n
		}
	}
	return nil
}

// rank is the priority, 0 without one.
func rank(p *outrank.Pod) int64 {
	if p.Priority == nil {
		return 0
	}
	return int64(*p.Priority)
}

// asks is what the pod requests of a resource. Pods have one container.
func asks(p *outrank.Pod, name resource.Name) int64 { return p.Containers[0].Requests.Amount(name) }

// picks reports whether a selector of labels picks a pod.
func picks(s *outrank.LabelSelector, p *outrank.Pod) bool {
	if s == nil {
		return false
	}
	for key, value := range s.MatchLabels {
		if p.Labels[key] != value {
			return false
		}
	}
	return true
}

// alone is what the node says whoever runs there: it is cordoned, tainted, or not selected.
func (w *world) alone(n *outrank.Node) verdict {
	if n.Unschedulable {
		return never
	}
	for _, t := range n.Taints {
		tolerated := slices.ContainsFunc(w.pod.Tolerations, func(l outrank.Toleration) bool { return l.Key == t.Key })
		if t.Effect != outrank.PreferNoSchedule && !tolerated {
			return never
		}
	}
	for key, value := range w.pod.NodeSelector {
		if n.Labels[key] != value {
			return never
		}
	}
	return yes
}

// room is what the node says about amounts, with these pods there.
func (w *world) room(n *outrank.Node, here []*outrank.Pod) verdict {
	said := yes
	if int64(len(here)) >= n.Allocatable.Amount(resource.Pods) {
		said = maybe
	}
	for _, name := range []resource.Name{resource.CPU, resource.Memory} {
		wanted, whole := asks(w.pod, name), n.Allocatable.Amount(name)
		free := whole
		for _, p := range here {
			free -= asks(p, name)
		}
		switch {
		case wanted > whole:
			return never
		case wanted > 0 && wanted > free:
			said = maybe
		}
	}
	return said
}

// placed is a pod with the node that it is on in some trial.
type placed struct {
	*outrank.Pod
	node *outrank.Node
}

// mates is what the node says about pod affinity, with these pods there and all others on their nodes.
func (w *world) mates(n *outrank.Node, here []*outrank.Pod) verdict {
	var all []placed
	for _, m := range w.nodes {
		pods := w.on(m)
		if m == n {
			pods = here
		}
		for _, p := range pods {
			all = append(all, placed{p, m})
		}
	}

	for _, term := range w.pod.Affinity.PodAffinity {
		if !w.meets(n, all, term) {
			return never
		}
	}
	for _, other := range all {
		for _, term := range w.pod.Affinity.PodAntiAffinity {
			if touches(w.pod, term, other.Pod) && together(n, other.node, term.TopologyKey) {
				return maybe
			}
		}
		for _, term := range other.Affinity.PodAntiAffinity {
			if !w.unasked() && touches(other.Pod, term, w.pod) && together(n, other.node, term.TopologyKey) {
				return maybe
			}
		}
	}
	return yes
}

// meets reports whether a term of affinity lets the pod run on a node. The first pod of its kind needs nobody.
func (w *world) meets(n *outrank.Node, all []placed, term outrank.PodAffinityTerm) bool {
	first := picks(term.LabelSelector, w.pod)
	for _, other := range all {
		if !touches(w.pod, term, other.Pod) || other.node.Labels[term.TopologyKey] == "" {
			continue
		}
		if together(n, other.node, term.TopologyKey) {
			return true
		}
		first = false
	}
	return first && n.Labels[term.TopologyKey] != ""
}

// touches reports whether the term of one pod picks another. Terms pick pods of their own namespace.
func touches(of *outrank.Pod, term outrank.PodAffinityTerm, other *outrank.Pod) bool {
	return of.NamespaceName() == other.NamespaceName() && picks(term.LabelSelector, other)
}

// together reports whether two nodes are in one domain.
func together(n, m *outrank.Node, key string) bool {
	return n.Labels[key] != "" && n.Labels[key] == m.Labels[key]
}

// unasked reports whether the filter of pod affinity is left out because no term of a pod that runs, and none of
// the pod's own, gives it anything to ask (rules 7.13.15 and 7.13.16). The texts do not have that.
func (w *world) unasked() bool {
	if len(w.pod.Affinity.PodAffinity)+len(w.pod.Affinity.PodAntiAffinity) > 0 {
		return false
	}
	for _, n := range w.nodes {
		for _, p := range w.on(n) {
			for _, term := range p.Affinity.PodAntiAffinity {
				if touches(p, term, w.pod) && n.Labels[term.TopologyKey] != "" {
					return false
				}
			}
		}
	}
	return true
}

// says is what a node says with these pods there: the first of the filters that fails.
func (w *world) says(n *outrank.Node, here []*outrank.Pod) verdict {
	said := w.alone(n)
	if said == yes {
		said = w.room(n, here)
	}
	if said == yes {
		said = w.mates(n, here)
	}
	return said
}

// twice asks with the nominated pods that count, and if that passes without them.
func (w *world) twice(n *outrank.Node, here []*outrank.Pod, says func(*outrank.Node, []*outrank.Pod) verdict) verdict {
	if more := w.nominated(n, w.counts); len(more) > 0 {
		if said := says(n, slices.Concat(here, more)); said != yes {
			return said
		}
	}
	return says(n, here)
}

// String prints a world for whoever looks for the reason of a difference.
func (w *world) String() string {
	var out strings.Builder
	for _, n := range w.nodes {
		fmt.Fprintf(&out, "  node %s %v cordoned=%v %v %v\n", n.Name, n.Allocatable, n.Unschedulable, n.Taints, n.Labels)
	}
	for _, p := range append(slices.Clone(w.pods), w.pod) {
		fmt.Fprintf(&out, "  pod %s on=%s nominated=%s priority=%d (%v) %v %v started=%v leaves=%v %s %s selects=%v tolerates=%d near=%v far=%v\n",
			p.Key(), p.NodeName, p.NominatedNodeName, rank(p), p.Priority != nil, p.Containers[0].Requests, p.Labels, p.StartTime.Unix(),
			p.Terminating(), p.DisruptionReason, p.PreemptionPolicy, p.NodeSelector, len(p.Tolerations), p.Affinity.PodAffinity, p.Affinity.PodAntiAffinity)
	}
	for _, b := range w.budgets {
		fmt.Fprintf(&out, "  budget %s allows=%d %v counted=%v\n", b.Key(), b.DisruptionsAllowed, b.Selector, b.DisruptedPods)
	}
	return out.String()
}

// one draws one of the values.
func one[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// in reports whether a chance of one in n has come true.
func in(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }
