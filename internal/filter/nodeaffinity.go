package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var nodeAffinityEntry = Entry{
	Name:  NodeAffinity,
	Reads: Reads{Pod: func(pod *outrank.Pod) bool { return len(pod.NodeSelector) > 0 || pod.Affinity.NodeAffinity != nil }},
	Fails: IncurableFailure,
	Signature: func(w Writer, pod *outrank.Pod) {
		w.Labels(pod.NodeSelector)
		w.NodeSelector(pod.Affinity.NodeAffinity)
	},
	Names: NamesOf{Member: "wantedNodes", Text: "the pod's node affinity names %s alone"},
	Helped: Hints{
		EventNodeAdded:   comes(wanted),
		EventNodeUpdated: becomesWanted,
		EventPodUpdated:  itself(nodeDemands),
	},
	Draw: Draw{Topic: Selectors, Asking: drawNodeAffinity},
}

func drawNodeAffinity(s draw.Source, nodes draw.Nodes, p *outrank.Pod) {
	if draw.OneIn(s, "node selector", 10) {
		p.NodeSelector = map[string]string{draw.DiskKey: "ssd"}
	}
	if draw.OneIn(s, "node affinity", 6) {
		p.Affinity.NodeAffinity = drawNodeSelector(s, nodes, 1, 3)
	}
}

// drawNodeSelector draws a selector with least to most terms.
func drawNodeSelector(s draw.Source, nodes draw.Nodes, least, most int) *outrank.NodeSelector {
	term := func(s draw.Source) outrank.NodeSelectorTerm { return draw.NodeTerm(s, nodes) }
	return &outrank.NodeSelector{NodeSelectorTerms: draw.List(s, "node terms", draw.Between(least, most), term)}
}

// wanted reports whether the node meets the demands of the pod, or the reference cannot tell because it cannot
// read them (rule 5.4.24). What a profile demands besides is not known here.
func wanted(w *Waiting, n *outrank.Node) bool {
	return fit.NodeAffinity(w.Pod, n) || unreadable(w.Pod, n)
}

// becomesWanted is the hint about an update of a node. Demands that cannot be read make any change of its labels
// one that may help.
func becomesWanted(w *Waiting, c *Change) bool {
	if fit.NodeAffinity(w.Pod, c.Node) {
		return !fit.NodeAffinity(w.Pod, c.NodeBefore)
	}
	return unreadable(w.Pod, c.Node) && relabelled(w, c)
}

// unreadable reports whether the reference fails to read the required node affinity of a pod, in a node that no
// term of it matches. It reads the affinity only where the node meets the node selector.
func unreadable(p *outrank.Pod, n *outrank.Node) bool {
	if p.Affinity.NodeAffinity == nil {
		return false
	}
	selects := outrank.Pod{NodeSelector: p.NodeSelector}
	return fit.NodeAffinity(&selects, n) && slices.ContainsFunc(p.Affinity.NodeAffinity.NodeSelectorTerms, func(t outrank.NodeSelectorTerm) bool {
		return fit.TermProblem(&t) != ""
	})
}

// nodeDemands returns what a pod demands of its node.
func nodeDemands(p *outrank.Pod) []any { return []any{p.NodeSelector, p.Affinity.NodeAffinity} }
