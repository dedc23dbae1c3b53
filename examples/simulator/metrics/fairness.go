package metrics

import "time"

// balance measures how equally groups are served over time.
type balance struct {
	groups []*account
	// jain is the index of the present dominant shares. It holds from since on.
	jain  Figure
	since time.Duration
	// sum is the integral of the index, and known the length of the time in which it is defined.
	sum, known *line
}

// add adds a group.
func (b *balance) add(a *account) { b.groups = append(b.groups, a) }

func newBalance(t *timeline) *balance {
	return &balance{jain: Undefined(), sum: t.line(), known: t.line()}
}

// advance adds the present index to the lines, up to a time.
func (b *balance) advance(to time.Duration) {
	if to > b.since && b.jain.Defined() {
		b.sum.spread(b.since, to, float64(b.jain))
		b.known.spread(b.since, to, 1)
	}
	b.since = max(b.since, to)
}

// renew computes the index again, over the groups that have a pod. Time is linear in the groups.
func (b *balance) renew() {
	var shares []float64
	for _, a := range b.groups {
		if a.present() {
			shares = append(shares, a.now.dominant)
		}
	}
	b.jain = Jain(shares)
}

// whole returns the fairness over the whole time up to an end.
func (b *balance) whole(t *timeline, end time.Duration) Fairness {
	var shares, slowdowns []float64
	for _, a := range b.groups {
		shares = append(shares, a.dominant.total())
		if a.finished > 0 {
			slowdowns = append(slowdowns, a.slowdown.total()/float64(a.finished))
		}
	}
	return Fairness{Shares: Jain(shares), Slowdowns: Jain(slowdowns), Series: t.series(end, b.sum, b.known)}
}
