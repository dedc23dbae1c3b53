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
	// ownQueue marks a candidate in the preemptor's queue.
	ownQueue
	// advantage marks a candidate that uses quota to which the preemptor has the better claim.
	advantage
	// onlyWithoutBorrowing marks a candidate that may leave only if the preemptor's queue ends within its quota.
	onlyWithoutBorrowing
	// evenBorrowing marks a candidate that may leave even if the preemptor's queue borrows in the end.
	evenBorrowing
)

// rule returns the name of the rule for victims of this variant.
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
	meet    int // the lowest common cohort of its queue and the preemptor's, none in the preemptor's queue
	variant variant
}

// candidates has the three kinds of rule 24.3.3, each in order: candidates in the preemptor's queue, candidates that use
// quota to which the preemptor has the better claim, and the others.
type candidates struct{ own, claims, others []candidate }

// classical decides by quotas (group 24.3), and returns the victims, or nil if nothing helps.
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

// attempts returns the attempts to make, in their order (rule 24.3.6). In a true one the preemptor's queue may borrow in
// the end, in a false one it may not.
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

// belowNominal reports whether the preemptor's queue uses less than its nominal quota of every contested resource.
func (d *decision) belowNominal() bool {
	queue := d.incoming.at
	for r, yes := range d.contested {
		if yes && d.used[queue][r] >= d.nodes[queue].nominal[r] {
			return false
		}
	}
	return true
}

// attempt chooses candidates until the preemptor fits, and then puts back those that are not needed. If the preemptor
// does not fit with all of them gone, it returns nil and restores the usage.
func (d *decision) attempt(all []candidate, borrowing bool) []Taken {
	in := &d.incoming
	fits := func() bool {
		return (borrowing || !d.borrowsWith(in.at, in.uses, in.asked)) && d.fits(in.at, in.uses, in.asked)
	}

	// Candidates of a queue that has come down to its quota are skipped (rule 24.3.7).
	var taken []Taken
	var holders []*holder // the holders of taken, in the same order
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

	// If these candidates are not enough, the further rules add theirs (rule 24.9.2). If that is not enough either,
	// the usage is restored for the other attempt.
	var found bool
	if taken, holders, found = d.takeFurther(taken, holders, fits); found {
		return d.fillBack(taken, holders, fits)
	}
	for _, h := range holders {
		d.add(h.at, h.uses, 1)
	}
	return nil
}

// valid reports whether a candidate may still be chosen after others: its queue, and every cohort up to the meeting
// point, still uses more than its quota. In an attempt with borrowing, candidates of the variant onlyWithoutBorrowing
// are not valid.
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

// candidates finds all workloads that could be victims, each kind in the order in which they are preempted.
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

// reclaimable adds the candidates in other queues, going up from the preemptor's queue. Once a node on the way has quota
// for what the preemptor asks for, the preemptor has a better claim than everyone outside of that node (rule 24.3.4).
func (d *decision) reclaimable(c *candidates) {
	rest := slices.Clone(d.incoming.uses)
	claim := d.covers(d.incoming.at, rest)
	skip := none // the child that was searched in the previous step
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

// covers reports whether a node has unused quota for the rest of the preemptor's amounts. It subtracts from rest what
// the node's local quota provides, so that the next node above is asked about the remainder.
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

// below lists the candidates below a cohort, except in the child skip and in the preemptor's queue. It only goes into
// children that use more than their quota.
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

// inQueue lists the candidates in a queue that meets the preemptor's at the node meet.
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

// variantOf returns on what condition a workload is a candidate (rules 24.3.4 and 24.3.5). claim says that the preemptor
// has the better claim to its quota.
func (d *decision) variantOf(h *holder, claim bool) variant {
	// One policy is for the preemptor's own queue, another for all other queues.
	own := h.at == d.incoming.at
	take := d.policy.Reclaim
	if own {
		take = d.policy.Within
	}

	// The policy decides whether the workload is a candidate at all, and the claim decides on what condition.
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

	// Windows are checked last: the end of a window only matters if the workload would be a candidate without it
	// (rule 24.8.4).
	if d.spares(h, v.rule()) {
		return never
	}
	return v
}

// inOrder returns all candidates in the order in which they are preempted (rule 24.3.3). Those that are leaving already
// come first. Both among these and among the rest, the kinds are in the order claims, others, own.
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
