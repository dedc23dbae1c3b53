package tenancy

import (
	"slices"

	"github.com/outrank-go/outrank/resource"
)

// variant is why a workload is a candidate, and on what condition.
type variant uint8

const (
	never variant = iota
	ownQueue
	// advantage: the preemptor has the better claim to the quota, whatever the priorities.
	advantage
	// onlyWithoutBorrowing: as long as the preemptor's queue has no more than its own.
	onlyWithoutBorrowing
	evenBorrowing
)

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
	meet    int // where its queue and the preemptor's meet
	variant variant
}

// candidates are those of the three kinds, each in order.
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

// attempts tells in which order the two ways are tried: with the preemptor's queue
// borrowing in the end, and without (rule 24.3.6).
func (d *decision) attempts(c *candidates) []bool {
	alone := len(c.claims)+len(c.others) == 0
	switch {
	case alone || !d.own.WhileBorrowing && !d.belowNominal():
		return []bool{true}
	case !d.own.WhileBorrowing && len(c.claims) == 0:
		return []bool{false, true}
	}
	return []bool{true, false}
}

// belowNominal reports whether the preemptor's queue has less than its own of everything
// that is wanted.
func (d *decision) belowNominal() bool {
	for r, yes := range d.contested {
		if yes && d.used[d.in.at][r] >= d.nodes[d.in.at].nominal[r] {
			return false
		}
	}
	return true
}

// attempt takes candidates until the preemptor fits, and then puts back every one that it can.
func (d *decision) attempt(all []candidate, borrowing bool) []Taken {
	fits := func() bool {
		return (borrowing || !d.borrowsWith(d.in.at, d.in.uses, d.in.asked)) && d.fits(d.in.at, d.in.uses, d.in.asked)
	}
	var taken []Taken
	var of []*holder
	for i := range all {
		c := &all[i]
		if !d.valid(c, borrowing) {
			continue
		}
		d.add(c.at, c.uses, -1)
		taken, of = append(taken, Taken{*c.Workload, c.variant.rule()}), append(of, c.holder)
		if fits() {
			return d.fillBack(taken, of, fits)
		}
	}
	var found bool
	if taken, of, found = d.widen(taken, of, fits); found {
		return d.fillBack(taken, of, fits)
	}
	for _, h := range of {
		d.add(h.at, h.uses, 1)
	}
	return nil
}

// valid reports whether a candidate still is one after others have been taken: its queue,
// and every cohort up to where it meets the preemptor's, has more than its own.
func (d *decision) valid(c *candidate, borrowing bool) bool {
	if c.at == d.in.at {
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

// candidates finds who could be a victim.
func (d *decision) candidates() *candidates {
	c := &candidates{}
	if d.own.Within != Nobody {
		c.own = d.inQueue(d.in.at, none, false)
	}
	if d.nodes[d.in.at].parent != none && d.own.Reclaim != Nobody {
		d.reclaimable(c)
	}
	for _, list := range [][]candidate{c.own, c.claims, c.others} {
		slices.SortFunc(list, func(a, b candidate) int { return d.before(a.holder, b.holder) })
	}
	return c
}

// reclaimable goes up from the preemptor's queue. Once what it asks for is there in a part
// of the tree that it belongs to, it has a better claim than all outside (rule 24.3.4).
func (d *decision) reclaimable(c *candidates) {
	rest := slices.Clone(d.in.uses)
	claim, skip := d.covers(d.in.at, rest), none
	for at := d.nodes[d.in.at].parent; at != none; at = d.nodes[at].parent {
		found := d.below(at, at, skip, claim)
		if claim {
			c.claims = append(c.claims, found...)
		} else {
			c.others = append(c.others, found...)
		}
		claim, skip = claim || d.covers(at, rest), at
	}
}

// covers reports whether what is there for a node has room for the rest of what is asked
// for, and takes from the rest what the node keeps to itself.
func (d *decision) covers(at int, rest []int64) bool {
	n, covers := &d.nodes[at], true
	for r := range rest {
		if !d.in.asked[r] {
			continue
		}
		if resource.AddSat(d.used[at][r], rest[r]) > n.subtree[r] {
			covers = false
		}
		rest[r] = max(0, rest[r]-max(0, n.local[r]-d.used[at][r]))
	}
	return covers
}

// below lists the candidates below a cohort, in parts that have more than their own.
func (d *decision) below(at, meet, skip int, claim bool) []candidate {
	var out []candidate
	for _, child := range d.nodes[at].children {
		switch {
		case child == skip || child == d.in.at || !d.over(child, d.contested):
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

// variantOf says on what condition a workload is a candidate (rule 24.3.5).
func (d *decision) variantOf(h *holder, claim bool) variant {
	own := h.at == d.in.at
	take := d.own.Reclaim
	if own {
		take = d.own.Within
	}
	v := onlyWithoutBorrowing
	switch {
	case !d.usesContested(h) || !take.allows(d.in.ranked(), h.ranked()):
		return never
	case own:
		v = ownQueue
	case claim:
		v = advantage
	case d.own.whileBorrowing(d.in.ranked(), h.ranked()):
		v = evenBorrowing
	}
	if d.spares(h, v.rule()) {
		return never
	}
	return v
}

// inOrder is the order in which they are taken: those that are leaving already first;
// then those to whose quota the preemptor has the better claim, those of other queues,
// and those of its own (rule 24.3.3).
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
