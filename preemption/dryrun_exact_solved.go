package preemption

// solvedSet is what a search has found. The best one of an attempt is wanted once more in
// the end.
type solvedSet struct {
	n      *nodeState
	victim []bool // by possible victim
	score  Score
	bound  Score
	steps  int
	out    bool
}

// remember keeps the set that was found, if it is the best one of the attempt.
func (x *setSearch) remember(victim []bool) {
	s := &x.solved
	if s.n != nil {
		if order, _ := x.score.compareBy(&s.score, x.ranks); order >= 0 {
			return
		}
	}
	s.n, s.victim = x.n, append(s.victim[:0], victim...)
	s.score, s.bound, s.steps, s.out = x.score, x.bound, x.steps, x.out
}

// recall marks the victims that were found on the node before, if it is remembered.
func (x *setSearch) recall(n *nodeState, victim []bool) bool {
	s := &x.solved
	if s.n != n {
		return false
	}
	copy(victim, s.victim)
	x.bound, x.steps, x.out = s.bound, s.steps, s.out
	return true
}
