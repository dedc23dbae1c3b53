package tenancy

import (
	"slices"

	"github.com/outrank-go/outrank/resource"
)

// variant says why a workload is a candidate, and on what condition.
type variant uint8

const (
	// never marks a workload that is no candidate.
	never variant = iota
	// ownQueue marks one of the preemptor's queue.
	ownQueue
	// advantage marks one to whose quota the preemptor has the better claim, whatever the priorities.
	advantage
	// onlyWithoutBorrowing marks one that goes only if the preemptor's queue ends with no more than its own.
	onlyWithoutBorrowing
	// evenBorrowing marks one that goes also if it ends with more.
	evenBorrowing
)

// rule returns the name of the rule that plans have for a victim.
func (v variant) rule() string {
	switch v {
	case ownQueue:
		return ruleWithin
	case evenBorrowing:
		return ruleBorrowing
	}
	return ruleReclaimed
}

// candidate is a workload that could be a victim.
type candidate struct {
	*holder
	meet    int // the node where its queue and the preemptor's meet
	variant variant
}

// candidates has the three kinds of rule 24.3.3, each in order: those of the preemptor's queue, those to whose
// quota it has the better claim, and the others.
type candidates struct{ own, claims, others []candidate }

// classical decides by the nominal amounts of the queues (group 24.3).
func (d *decision) classical() []Taken {
	c := d.candidates()
	all := c.inOrder()
	for _, borrowing := range d.attempts(c) {
		if victims := d.attempt(all, borrowing); victims != nil {
			return victims
		}
	}
	return nil
}

// attempts says in which order the two ways are tried (rule 24.3.6): true for the one in which the preemptor's
// queue may borrow in the end.
func (d *decision) attempts(c *candidates) []bool {
	alone := len(c.claims)+len(c.others) == 0
	switch {
	case alone || !d.policy.WhileBorrowing && !d.belowNominal():
		return []bool{true}
	case !d.policy.WhileBorrowing && len(c.claims) == 0:
		return []bool{false, true}
	}
	return []bool{true, false}
}

// belowNominal reports whether the preemptor's queue has less than its own of everything
// that is contested.
func (d *decision) belowNominal() bool {
	queue := d.incoming.at
	for r, yes := range d.contested {
		if yes && d.used[queue][r] >= d.nodes[queue].nominal[r] {
			return false
		}
	}
	return true
}

// attempt takes candidates until the preemptor fits, and then puts back every one that it can. Where it does not
// fit in the end it returns nil, and the usage is as before.
func (d *decision) attempt(all []candidate, borrowing bool) []Taken {
	in := &d.incoming
	fits := func() bool {
		return (borrowing || !d.borrowsWith(in.at, in.uses, in.asked)) && d.fits(in.at, in.uses, in.asked)
	}

	// A queue that has lost what it had beyond its own is passed over (rule 24.3.7).
	var taken []Taken
	var holders []*holder // of taken
	for i := range all {
		c := &all[i]
		if !d.valid(c, borrowing) {
			continue
		}
		d.add(c.at, c.uses, -1)
		taken = append(taken, Taken{*c.Workload, c.variant.rule()})
		holders = append(holders, c.holder)
		if fits() {
			return d.fillBack(taken, holders, fits)
		}
	}

	// Further rules go on where these candidates are not enough (rule 24.9.2). Otherwise the other way is tried
	// from the usage as it was.
	var found bool
	if taken, holders, found = d.takeFurther(taken, holders, fits); found {
		return d.fillBack(taken, holders, fits)
	}
	for _, h := range holders {
		d.add(h.at, h.uses, 1)
	}
	return nil
}

// valid reports whether a candidate still is one after others have been taken: its queue,
// and every cohort up to where it meets the preemptor's, has more than its own.
func (d *decision) valid(c *candidate, borrowing bool) bool {
	if c.at == d.incoming.at {
		return true
	}
	if borrowing && c.variant == onlyWithoutBorrowing {
		return false
	}
	for at := c.at; at != c.meet; at = d.nodes[at].parent {
		if !d.over(at, d.contested) {
			return false
		}
	}
	return true
}

// candidates finds who could be a victim, each kind in order.
func (d *decision) candidates() *candidates {
	c := &candidates{}
	queue := d.incoming.at
	if d.policy.Within != Nobody {
		c.own = d.inQueue(queue, none, false)
	}
	if d.nodes[queue].parent != none && d.policy.Reclaim != Nobody {
		d.reclaimable(c)
	}
	for _, list := range [][]candidate{c.own, c.claims, c.others} {
		slices.SortFunc(list, func(a, b candidate) int { return d.before(a.holder, b.holder) })
	}
	return c
}

// reclaimable adds the candidates of other queues, going up from the preemptor's. Once a part of the tree that
// this belongs to covers what it asks for, it has a better claim than all outside of that part (rule 24.3.4).
func (d *decision) reclaimable(c *candidates) {
	rest := slices.Clone(d.incoming.uses)
	claim := d.covers(d.incoming.at, rest)
	skip := none // the part that was looked at
	for at := d.nodes[d.incoming.at].parent; at != none; at = d.nodes[at].parent {
		found := d.below(at, at, skip, claim)
		if claim {
			c.claims = append(c.claims, found...)
		} else {
			c.others = append(c.others, found...)
		}
		claim = claim || d.covers(at, rest)
		skip = at
	}
}

// covers reports whether what is there for a node has room for the rest of what is asked
// for. It takes from the rest what the node has left of what it keeps to itself.
func (d *decision) covers(at int, rest []int64) bool {
	n, covers := &d.nodes[at], true
	for r := range rest {
		if !d.incoming.asked[r] {
			continue
		}
		if resource.AddSat(d.used[at][r], rest[r]) > n.subtree[r] {
			covers = false
		}
		rest[r] = max(0, rest[r]-max(0, n.local[r]-d.used[at][r]))
	}
	return covers
}

// below lists the candidates below a cohort, but for a part that is skipped and the preemptor's queue. It goes
// into the parts alone that have more than their own.
func (d *decision) below(at, meet, skip int, claim bool) []candidate {
	var out []candidate
	for _, child := range d.nodes[at].children {
		switch {
		case child == skip || child == d.incoming.at || !d.over(child, d.contested):
		case d.nodes[child].queue:
			out = append(out, d.inQueue(child, meet, claim)...)
		default:
			out = append(out, d.below(child, meet, skip, claim)...)
		}
	}
	return out
}

// inQueue lists the candidates in a queue.
func (d *decision) inQueue(queue, meet int, claim bool) []candidate {
	var out []candidate
	for i := range d.admitted {
		h := &d.admitted[i]
		if h.at != queue {
			continue
		}
		if v := d.variantOf(h, claim); v != never {
			out = append(out, candidate{h, meet, v})
		}
	}
	return out
}

// variantOf says on what condition a workload is a candidate (rules 24.3.4 and 24.3.5).
func (d *decision) variantOf(h *holder, claim bool) variant {
	own := h.at == d.incoming.at
	take := d.policy.Reclaim
	if own {
		take = d.policy.Within
	}

	// The policy decides whether it is a candidate at all, and the claim on what condition.
	preemptor, victim := d.incoming.ranked(), h.ranked()
	v := onlyWithoutBorrowing
	switch {
	case !d.usesContested(h) || !take.allows(preemptor, victim):
		return never
	case own:
		v = ownQueue
	case claim:
		v = advantage
	case d.policy.whileBorrowing(preemptor, victim):
		v = evenBorrowing
	}

	// Last, since the end of a window counts for those alone that would be candidates (rule 24.8.4).
	if d.spares(h, v.rule()) {
		return never
	}
	return v
}

// inOrder returns the candidates in the order in which they are taken (rule 24.3.3): those that are leaving
// already first. Then come those to whose quota the preemptor has the better claim, those of other queues,
// and those of its own.
func (c *candidates) inOrder() []candidate {
	var out []candidate
	for _, leaving := range []bool{true, false} {
		for _, list := range [][]candidate{c.claims, c.others, c.own} {
			for _, x := range list {
				if x.Leaving == leaving {
					out = append(out, x)
				}
			}
		}
	}
	return out
}
