package preemption

// takeAway takes the pods of units off their nodes, before the members are placed.
func (f *fitter) takeAway(units []leaver) {
	f.version++
	for i := range units {
		f.count(&units[i], -1)
		for _, at := range f.positionsOf(&units[i]) {
			f.sites[at].version = f.version
		}
	}
}

// positionsOf returns the positions of the pods of a unit, in their order.
func (f *fitter) positionsOf(u *leaver) []int32 {
	f.at = f.at[:0]
	if u.single() {
		f.at = append(f.at, u.node)
		return f.at
	}
	for _, p := range f.run.podsOf(u) {
		slot, _ := f.snap.Slots.Get(p.At.Name)
		f.at = append(f.at, f.positionOf[slot])
	}
	return f.at
}

// count counts the pods of a unit in (by is 1) or out (by is -1).
func (f *fitter) count(u *leaver, by int32) {
	if !f.lean || f.far && f.counted(u) {
		if by > 0 {
			f.run.giveBack(u)
		} else {
			f.run.take(u)
		}
	}
	if f.lean {
		f.countSites(u, by)
	}
}

// countSites is count for what the sites count.
func (f *fitter) countSites(u *leaver, by int32) {
	switch {
	case u.single() && f.sites[u.node].rows != nil:
		s := &f.sites[u.node]
		s.count += by
		for k, v := range s.rows[u.pod] {
			s.taken.Std[k].Change(v, by)
		}
	default:
		pods := f.run.podsOf(u)
		for i, at := range f.positionsOf(u) {
			s := &f.sites[at]
			if s.count += by; by > 0 {
				s.taken.Add(&pods[i].Takes)
			} else {
				s.taken.Sub(&pods[i].Takes)
			}
		}
	}
}
