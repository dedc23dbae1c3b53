package filtertest

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// orders returns three orders of the same pods: as they are, reversed, and with the second half first.
func orders(pods []*outrank.Pod) [][]*outrank.Pod {
	reversed := slices.Clone(pods)
	slices.Reverse(reversed)
	half := len(pods) / 2
	return [][]*outrank.Pod{pods, reversed, slices.Concat(pods[half:], pods[:half])}
}

// checkClone changes a clone and then its original, and compares the answers of both and of further clones.
func checkClone(s *scene) *Violation {
	for n := range s.here.nodes() {
		victims := s.victims(n, s.here.pod)
		for count := range len(victims) + 1 {
			a := s.begin()
			if a == nil {
				return nil
			}
			before := a.checkAll()
			clone, later := a.clone("clone"), a.clone("later")

			// A change of a clone does not show in its original.
			clone.removeAll(victims[:count], n)
			if _, differ := firstDifference(a.checkAll(), before); differ {
				return s.violation(ruleClone, "the state says something else since its clone was changed")
			}

			// After the same change both give the same answers. A clone that was not changed gives the answers
			// from before.
			a.removeAll(victims[:count], n)
			after := a.checkAll()
			if _, differ := firstDifference(clone.checkAll(), after); differ {
				return s.violation(ruleClone, "after the same removals the state and its clone differ")
			}
			if i, differ := firstDifference(later.checkAll(), before); differ {
				return s.violation(ruleClone, "the clone said %s before its original was changed", textOf(before[i]))
			}

			if i, differ := firstDifference(a.clone("last").checkAll(), after); differ {
				return s.violation(ruleClone, "the state that the last clone was made of said %s", textOf(after[i]))
			}
		}
	}
	return nil
}

// checkRestore removes pods and adds them back in several orders.
func checkRestore(s *scene) *Violation {
	for n := range s.here.nodes() {
		victims := s.victims(n, s.here.pod)
		for count := 1; count <= len(victims); count++ {
			for _, back := range orders(victims[:count]) {
				a := s.begin()
				if a == nil {
					return nil
				}
				before := a.checkAll()
				a.removeAll(victims[:count], n)
				a.addAll(back, n)
				if i, differ := firstDifference(a.checkAll(), before); differ {
					return s.violation(ruleRestore, "it said %s before the removals", textOf(before[i]))
				}
			}
		}
	}
	return nil
}

// checkOrder removes pods in several orders, and adds some of them back in several orders.
func checkOrder(s *scene) *Violation {
	for n := range s.here.nodes() {
		victims := s.victims(n, s.here.pod)
		for count := 2; count <= len(victims); count++ {
			for _, order := range orders(victims[:count])[1:] {
				if v := s.compareOrders(n, victims[:count], order); v != nil {
					return v
				}
			}
		}
	}
	return nil
}

// compareOrders compares two orders of removing the same pods, and then of adding all but one of them.
func (s *scene) compareOrders(n *outrank.Node, pods, order []*outrank.Pod) *Violation {
	a, b := s.begin(), s.start("other", s.here.pod, s.here.snap)
	if a == nil || b == nil {
		return nil
	}
	a.removeAll(pods, n)
	b.removeAll(order, n)
	if want, got := a.check(n), b.check(n); !same(got, want) {
		return s.violation(ruleOrder, "with removals in the first order it said %s", textOf(want))
	}

	for _, p := range pods[1:] {
		a.add(p, n)
	}
	for _, p := range order {
		if p != pods[0] {
			b.add(p, n)
		}
	}
	if want, got := a.check(n), b.check(n); !same(got, want) {
		return s.violation(ruleOrder, "with additions in the first order it said %s", textOf(want))
	}
	return nil
}

// checkFollow compares a state that was told of changes with one that is started on a snapshot after these
// changes.
func checkFollow(s *scene) *Violation {
	for n := range s.here.nodes() {
		victims, nominated := s.victims(n, s.here.pod), s.nominated(n)
		for count := range len(victims) + 1 {
			if v := s.compareFollowed(n, victims[:count], nil); v != nil {
				return v
			}
			if len(nominated) > 0 {
				if v := s.compareFollowed(n, victims[:count], nominated); v != nil {
					return v
				}
			}
		}
	}
	return nil
}

// compareFollowed compares two states: one was told that pods left a node and nominated pods came to it, the
// other is started on a snapshot with these changes.
func (s *scene) compareFollowed(n *outrank.Node, away, nominated []*outrank.Pod) *Violation {
	a := s.begin()
	if a == nil {
		return nil
	}

	// The state follows the changes. Nominated pods are added to a clone, as in a decision.
	a.removeAll(away, n)
	if len(nominated) > 0 {
		a = a.clone("clone")
		a.addAll(nominated, n)
	}
	got := a.check(n)

	// The same changes are made to a snapshot. If one cannot be made, there is nothing to compare.
	changed := s.here.clone()
	for _, p := range away {
		if err := changed.RemovePod(p.Key()); err != nil {
			return nil
		}
	}
	for _, p := range nominated {
		if err := changed.Bind(p.Key(), n.Name); err != nil {
			return nil
		}
	}

	fresh := s.start("fresh", s.here.pod, changed)
	if fresh == nil {
		return nil
	}
	if want := fresh.check(n); !same(got, want) {
		return s.violation(ruleFollow, "the state that was told of the changes said %s, the one that was started on them %s",
			textOf(got), textOf(want))
	}
	return nil
}
