package fit

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// few is how many tolerations are gone through for each taint. Of more there is an index, so that many taints
// and many tolerations take the time of both and not of one times the other.
const few = 16

// Tolerations answers which taints a pod tolerates. The zero one tolerates nothing. It never changes.
type Tolerations struct {
	list []outrank.Toleration
	// By what a toleration asks of a taint: its key, "" for any, and its value for Equal; the effects are
	// those that it covers, "" for all.
	exists map[string]effects
	equal  map[[2]string]effects
}

// effects are those that some tolerations cover.
type effects []outrank.TaintEffect

func (e effects) cover(effect outrank.TaintEffect) bool {
	return slices.Contains(e, "") || slices.Contains(e, effect)
}

// with adds an effect. There are four of them at most, but for words that nobody knows.
func (e effects) with(effect outrank.TaintEffect) effects {
	if e.cover(effect) {
		return e
	}
	return append(e, effect)
}

// NewTolerations looks at the tolerations of a pod, which must not change meanwhile. It allocates nothing for
// the few that most pods have.
func NewTolerations(list []outrank.Toleration) Tolerations {
	t := Tolerations{list: list}
	if len(list) <= few {
		return t
	}
	t.exists, t.equal = map[string]effects{}, map[[2]string]effects{}
	for i := range list {
		switch x := &list[i]; x.Operator {
		case outrank.TolerationExists:
			t.exists[x.Key] = t.exists[x.Key].with(x.Effect)
		case outrank.TolerationEqual, "":
			if x.Key != "" {
				at := [2]string{x.Key, x.Value}
				t.equal[at] = t.equal[at].with(x.Effect)
			}
		}
	}
	return t
}

// Cover reports whether any of the tolerations covers a taint (rules 7.4.3 to 7.4.5).
func (t *Tolerations) Cover(taint outrank.Taint) bool {
	if t.equal == nil {
		return slices.ContainsFunc(t.list, func(x outrank.Toleration) bool { return x.Tolerates(taint) })
	}
	return t.exists[""].cover(taint.Effect) || t.exists[taint.Key].cover(taint.Effect) || t.equal[[2]string{taint.Key, taint.Value}].cover(taint.Effect)
}

// Untolerated returns the first of the node's taints that has one of the effects and that is not covered.
func (t *Tolerations) Untolerated(node *outrank.Node, effects ...outrank.TaintEffect) (outrank.Taint, bool) {
	for _, taint := range node.Taints {
		if slices.Contains(effects, taint.Effect) && !t.Cover(taint) {
			return taint, true
		}
	}
	return outrank.Taint{}, false
}

// Unschedulable is the function of that name for the pod of the tolerations.
func (t *Tolerations) Unschedulable(node *outrank.Node) bool {
	return node.Unschedulable && !t.Cover(cordon)
}
