package fit

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// few is the largest number of tolerations that are searched one by one for each taint. More are indexed, so
// that time is linear in taints plus tolerations, and not in their product.
const few = 16

// Tolerations answers which taints a pod tolerates. The zero value tolerates nothing. It never changes.
type Tolerations struct {
	list []outrank.Toleration
	// exists and equal are the index; both are nil for few tolerations. exists maps the key of tolerations with
	// Exists to their effects, where the key "" stands for any key. equal maps key and value of tolerations
	// with Equal to their effects.
	exists map[string]effects
	equal  map[[2]string]effects
}

// effects are the effects that some tolerations cover. "" stands for every effect (rule 7.4.4).
type effects []outrank.TaintEffect

// cover reports whether an effect is covered.
func (e effects) cover(effect outrank.TaintEffect) bool {
	return slices.Contains(e, "") || slices.Contains(e, effect)
}

// with returns the effects with one more, unless it is covered already. There are at most four effects, apart
// from unknown ones.
func (e effects) with(effect outrank.TaintEffect) effects {
	if e.cover(effect) {
		return e
	}
	return append(e, effect)
}

// NewTolerations returns the Tolerations of a list, which must not change afterwards. It allocates nothing for
// a list as short as that of most pods.
func NewTolerations(list []outrank.Toleration) Tolerations {
	t := Tolerations{list: list}
	if len(list) <= few {
		return t
	}

	// An empty key with Equal covers no taint (rule 7.4.5).
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

// Untolerated returns the first of the node's taints that has one of the effects and is not covered.
func (t *Tolerations) Untolerated(node *outrank.Node, effects ...outrank.TaintEffect) (outrank.Taint, bool) {
	for _, taint := range node.Taints {
		if slices.Contains(effects, taint.Effect) && !t.Cover(taint) {
			return taint, true
		}
	}
	return outrank.Taint{}, false
}

// Unschedulable reports whether the node is cordoned and the tolerations do not cover that.
func (t *Tolerations) Unschedulable(node *outrank.Node) bool {
	return node.Unschedulable && !t.Cover(cordon)
}
