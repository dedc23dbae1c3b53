package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var taintTolerationEntry = Entry{
	Name: TaintToleration,
	Reads: Reads{Node: func(node *outrank.Node) bool {
		return slices.ContainsFunc(node.Taints, func(t outrank.Taint) bool {
			return t.Effect == outrank.NoSchedule || t.Effect == outrank.NoExecute
		})
	}},
	Fails:     IncurableFailure,
	Signature: writeTolerations,
	Helped: Hints{
		EventNodeAdded:   comes(tolerated),
		EventNodeUpdated: becomes(tolerated),
		EventPodUpdated:  itself(func(p *outrank.Pod) []any { return []any{p.Tolerations} }),
	},
	Draw: Draw{
		Topic: Taints,
		Asking: func(s draw.Source, _ draw.Nodes, p *outrank.Pod) {
			p.Tolerations = draw.List(s, "tolerations", draw.Between(0, 3), drawToleration)
		},
		Node: func(s draw.Source, n *outrank.Node) {
			if draw.OneIn(s, "tainted", 4) {
				n.Taints = draw.List(s, "taints", draw.Between(1, 2), drawTaint)
			}
		},
	},
}

func drawTaint(s draw.Source) outrank.Taint {
	return outrank.Taint{
		Key:    draw.Pick(s, "taint key", "dedicated", "dedicated", "gpu"),
		Value:  draw.Pick(s, "taint value", "a", "a", "b", ""),
		Effect: draw.Pick(s, "taint effect", outrank.NoSchedule, outrank.NoSchedule, outrank.NoExecute, outrank.PreferNoSchedule),
	}
}

// drawToleration draws a toleration that covers a drawn taint, or is close to covering one.
func drawToleration(s draw.Source) outrank.Toleration {
	if draw.OneIn(s, "tolerates all", 6) {
		return outrank.Toleration{Operator: outrank.TolerationExists}
	}

	t := outrank.Toleration{
		Key:      draw.Pick(s, "tolerated key", "dedicated", "dedicated", "gpu", outrank.UnschedulableTaint),
		Operator: draw.Pick(s, "operator", outrank.TolerationExists, outrank.TolerationEqual, outrank.TolerationEqual, ""),
		Effect:   draw.Pick(s, "tolerated effect", "", outrank.NoSchedule, outrank.NoSchedule, outrank.NoExecute),
	}
	if t.Operator != outrank.TolerationExists {
		t.Value = draw.Pick(s, "tolerated value", "a", "a", "b", "")
	}
	return t
}

// writeTolerations writes the tolerations of a pod, for Signature.
func writeTolerations(w Writer, pod *outrank.Pod) {
	w.Number(len(pod.Tolerations))
	for i := range pod.Tolerations {
		t := &pod.Tolerations[i]
		w.Text(t.Key)
		w.Text(string(t.Operator))
		w.Text(t.Value)
		w.Text(string(t.Effect))
	}
}

// tolerated reports whether the pod tolerates each taint of a node that keeps pods off.
func tolerated(w *Waiting, n *outrank.Node) bool {
	_, untolerated := fit.UntoleratedTaint(w.Pod, n, outrank.NoSchedule, outrank.NoExecute)
	return !untolerated
}
