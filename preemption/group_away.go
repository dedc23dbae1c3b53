package preemption

// takeAway takes the pods of units off their nodes, before the members are placed.
func (f *fitter) takeAway(units []possibleVictim) {
	f.version++
	for i := range units {
		f.count(&units[i], -1)
		for _, at := range f.positionsOf(&units[i]) {
			f.sites[at].version = f.version
		}
	}
}

// count counts the pods of a unit in (by is 1) or out (by is -1).
func (f *fitter) count(u *possibleVictim, by int32) {
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
func (f *fitter) countSites(u *possibleVictim, by int32) {
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
