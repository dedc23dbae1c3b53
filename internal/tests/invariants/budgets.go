package invariants

import "slices"

// charges has the budgets that each pod breaks.
type charges map[*Pod][]string

// breaks says which budgets the pods break if these units leave of all that could, both in order of importance. It
// depends on the caller's rules whose loss is charged: that of all who could leave (rule 6.3.7), or that of those who
// leave alone (rules 13.4.2 and 13.5.5), in the simplified form in the order in which they leave (rule 13.3.5), and by
// v1.13 nobody's (rule 13.2.2).
func (w *World) breaks(could, victims []*unit) charges {
	switch w.Policy {
	case simplified:
		inTurn := slices.Clone(victims)
		slices.Reverse(inTurn)
		return w.charge(inTurn)
	case exact, victimsAlone:
		return w.charge(victims)
	}
	return w.firstBack(could)
}

// firstBack says which budgets the units break that are put back first: all who could leave are charged, whatever is
// counted in the end (rules 6.3.7 and 13.5.5).
func (w *World) firstBack(could []*unit) charges {
	if w.Policy == v113 {
		return w.exhausted(could)
	}
	return w.charge(could)
}

// exhausted says which budgets each pod breaks if none is charged: those that allow nothing.
func (w *World) exhausted(units []*unit) charges {
	out := charges{}
	for _, p := range podsOf(units) {
		for i := range w.Budgets {
			if b := &w.Budgets[i]; w.covers(b, p) && b.Allowed <= 0 {
				out[p] = append(out[p], b.Name)
			}
		}
	}
	return out
}

// charge charges the budgets for units, in this order (rules 6.3.2 to 6.3.8, 12.8.4 and 13.3.5 to 13.3.11).
func (w *World) charge(units []*unit) charges {
	left := map[string]int32{}
	for _, b := range w.Budgets {
		left[b.Name] = b.Allowed
	}

	out := charges{}
	for _, p := range podsOf(units) {
		for i := range w.Budgets {
			b := &w.Budgets[i]
			counted := b.Disrupted == p.Name && w.Policy != simplified
			if !w.covers(b, p) || counted {
				continue
			}
			left[b.Name]--
			if left[b.Name] >= 0 {
				continue
			}
			out[p] = append(out[p], b.Name)
			if w.Release != v136 && w.Policy != simplified {
				break // the budgets behind it are not charged
			}
		}
	}
	return out
}

// covers reports whether a budget covers a pod. One whose selector is empty covers nobody, and in the simplified form
// everybody (group 6.2, rule 13.3.6).
func (w *World) covers(b *Budget, p *Pod) bool {
	switch {
	case b.Elsewhere:
		return false
	case b.Label == "":
		return w.Policy == simplified
	}
	return p.labels()[b.Label] == b.Value
}

// any reports whether a unit breaks a budget: the loss of one of its pods does.
func (c charges) any(u *unit) bool {
	return slices.ContainsFunc(u.pods, func(p *Pod) bool { return len(c[p]) > 0 })
}

// count is how many violations these pods are: one for each that breaks a budget, and in the simplified form one for each
// budget that it breaks (rules 9.7 and 13.3.5).
func (w *World) count(c charges, victims []*Pod) (violations int64) {
	for _, v := range victims {
		if n := int64(len(c[v])); w.Policy == simplified {
			violations += n
		} else {
			violations += min(1, n)
		}
	}
	return violations
}
