package pdb

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// Budgets is a list of budgets, prepared for finding those that cover a pod. It
// never changes, and any number of goroutines may use it as long as none writes
// the budgets. The zero value and nil hold no budgets.
type Budgets struct {
	budgets []*outrank.PodDisruptionBudget
	// matchers has the selector of each budget. It is the zero Matcher for a
	// budget that covers nothing.
	matchers []outrank.Matcher
	// scopes has the scope of each namespace with budgets. A budget that covers nothing
	// is in no scope.
	scopes map[string]*scope
}

// scope holds the budgets of one namespace, by their indexes. A budget that
// covers anything at all is in exactly one of its two parts.
type scope struct {
	// byLabel lists each of its budgets under all labels of one anchor, so that a
	// pod which the budget covers has exactly one of these labels.
	byLabel map[label][]int32
	// rest lists the budgets without an anchor: their selectors ask for no label to be
	// there.
	rest []int32
}

// New prepares budgets. It never fails: a budget that is nil or has a nil,
// empty or invalid selector covers nothing (rules 6.2.2 and 6.2.3).
//
// The pointers are kept, the slice is not. DisruptionsAllowed and DisruptedPods may be
// written between two calls of methods, and the next call sees it. Name, namespace and
// selector must not change. Time and memory are linear in the size of the
// selectors.
func New(budgets []*outrank.PodDisruptionBudget) *Budgets {
	b := &Budgets{
		budgets:  slices.Clone(budgets),
		matchers: make([]outrank.Matcher, len(budgets)),
		scopes:   map[string]*scope{},
	}

	// The budgets are inserted in a second pass: how many of them share a label is known only
	// once all have been read.
	shared := map[namespacedLabel]int{}
	var covering []int
	for i, budget := range budgets {
		m, ok := compile(budget)
		if !ok {
			continue
		}

		// Each budget counts under every label of every anchor that it could be listed under.
		b.matchers[i] = m
		covering = append(covering, i)
		for _, anchor := range anchorsOf(budget) {
			for _, l := range anchor {
				shared[namespacedLabel{budget.NamespaceName(), l}]++
			}
		}
	}

	for _, i := range covering {
		b.insert(int32(i), shared)
	}
	return b
}

// namespacedLabel is a label in a namespace.
type namespacedLabel struct {
	namespace string
	label
}

// insert puts a budget in its scope. Of its anchors it chooses the one that the
// fewest budgets share, so that few budgets have to be checked for a pod.
func (b *Budgets) insert(i int32, shared map[namespacedLabel]int) {
	ns, anchors := b.budgets[i].NamespaceName(), anchorsOf(b.budgets[i])
	s := b.scopes[ns]
	if s == nil {
		s = &scope{byLabel: map[label][]int32{}}
		b.scopes[ns] = s
	}

	if len(anchors) == 0 {
		s.rest = append(s.rest, i)
		return
	}
	for _, l := range rarest(anchors, func(l label) int { return shared[namespacedLabel{ns, l}] }) {
		s.byLabel[l] = append(s.byLabel[l], i)
	}
}

// Len returns the number of budgets, including those that cover nothing.
func (b *Budgets) Len() int {
	if b == nil {
		return 0
	}
	return len(b.budgets)
}

// At returns the i-th budget as it was passed to [New], nil if there is none.
func (b *Budgets) At(i int) *outrank.PodDisruptionBudget {
	if i < 0 || i >= b.Len() {
		return nil
	}
	return b.budgets[i]
}

// Covering returns the indexes of the budgets that cover the pod, in the order
// in which they were passed to [New]. A pod without labels is covered by none,
// whatever the selectors say (rule 6.2.4). The slice is the caller's, and nil
// if no budget covers the pod.
//
// Time is linear in the number of the pod's labels, and in the size of the
// selectors that ask for one of them or for none to be there. To ask about many
// pods, use a [Finder].
func (b *Budgets) Covering(pod *outrank.Pod) []int {
	var buf [16]int32
	var out []int
	for _, i := range b.AppendCovering(buf[:0], pod) {
		out = append(out, int(i))
	}
	return out
}

// AppendCovering appends the result of [Budgets.Covering] to dst. It allocates
// only if dst is too small.
func (b *Budgets) AppendCovering(dst []int32, pod *outrank.Pod) []int32 {
	if b == nil || pod == nil || len(pod.Labels) == 0 {
		return dst
	}
	s := b.scopes[pod.NamespaceName()]
	if s == nil {
		return dst
	}

	// No budget is found twice: it is in one part of the scope, and of the labels under which
	// it is listed the pod has at most one.
	start := len(dst)
	dst = b.appendMatching(dst, s.rest, pod)
	if len(s.byLabel) > 0 {
		for k, v := range pod.Labels {
			dst = b.appendMatching(dst, s.byLabel[label{key: k, value: v}], pod)
			dst = b.appendMatching(dst, s.byLabel[label{key: k, any: true}], pod)
		}
	}

	// The map gave its labels in any order.
	slices.Sort(dst[start:])
	return dst
}

// appendMatching appends the candidates whose selectors match the pod.
func (b *Budgets) appendMatching(dst, candidates []int32, pod *outrank.Pod) []int32 {
	for _, i := range candidates {
		if b.matchers[i].Matches(pod.Labels) {
			dst = append(dst, i)
		}
	}
	return dst
}

// Split divides possible victims into pods whose eviction violates a budget and
// the others (group 6.3; filterPodsWithPDBViolation). Both parts keep the order
// of pods. That order decides which pods are violating: every pod is charged, also a
// violating one, so that the first pods of a list use up the allowance.
//
// The release says which of the budgets that cover a pod are charged: in v1.36 all
// of them (rule 6.3.6), and from v1.37 on only up to the first one that the pod
// violates, in the order in which the budgets were given (rule 6.3.8). An unknown
// release counts as the default.
//
// The slices are the caller's and together hold all of pods. A nil pod violates nothing.
//
// To do the same repeatedly without allocating, use [Budgets.AppendCovering]
// and a [Ledger].
func (b *Budgets) Split(r outrank.Release, pods []*outrank.Pod) (violating, ok []*outrank.Pod) {
	ledger := b.Ledger()
	charge := ledger.Charge
	if release.Of(release.Release(r)).BudgetsStopAtFirst {
		charge = ledger.ChargeToFirst
	}

	var covering []int32
	for _, pod := range pods {
		covering = b.AppendCovering(covering[:0], pod)
		if len(charge(pod, covering)) > 0 {
			violating = append(violating, pod)
		} else {
			ok = append(ok, pod)
		}
	}
	return violating, ok
}
