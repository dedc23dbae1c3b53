package pdb

import (
	"cmp"
	"fmt"

	"github.com/outrank-go/outrank"
)

// tally counts the pods that one budget covers.
type tally struct {
	// covered and healthy are numbers of pods.
	covered, healthy int64
	// owners are the controllers of the covered pods, each with its number of
	// pods, in the order in which they were met. The empty owner stands for
	// pods without a controller.
	owners []ownerCount
}

// ownerCount is a controller with the number of covered pods that it owns.
type ownerCount struct {
	owner outrank.Owner
	pods  int64
}

// count goes through the pods once (step 1 of StatusOf).
func (in *StatusInput) count() tally {
	var t tally
	m, ok := compile(in.Budget)
	if !ok {
		return t
	}

	namespace := in.Budget.NamespaceName()
	owners := newOwnerCounts()
	for _, pod := range in.Pods {
		// The same pods count that a ledger charges for (rules 6.4.6 and 6.4.7).
		if pod == nil || pod.Finished() || len(pod.Labels) == 0 ||
			pod.NamespaceName() != namespace || !m.Matches(pod.Labels) {
			continue
		}

		t.covered++
		if in.healthy(pod) {
			t.healthy++
		}
		owners.add(pod.Owner, 1)
	}
	t.owners = owners.list
	return t
}

// ownerCounts counts pods by owner. It keeps the owners in the order of their first pods.
type ownerCounts struct {
	list []ownerCount
	// places has the place of each owner in list.
	places map[outrank.Owner]int
}

// newOwnerCounts returns an empty count.
func newOwnerCounts() *ownerCounts { return &ownerCounts{places: map[outrank.Owner]int{}} }

// add counts pods of an owner.
func (c *ownerCounts) add(owner outrank.Owner, pods int64) {
	place, met := c.places[owner]
	if !met {
		place = len(c.list)
		c.places[owner] = place
		c.list = append(c.list, ownerCount{owner: owner})
	}
	c.list[place].pods += pods
}

// healthy reports whether a covered pod is ready and not about to leave
// (countHealthyPods).
func (in *StatusInput) healthy(pod *outrank.Pod) bool {
	if !pod.Ready || pod.Terminating() {
		return false
	}
	at, disrupted := in.Budget.DisruptedPods[pod.Name]
	return !disrupted || !at.Add(disruptedFor).After(in.Now)
}

// expected returns the number of pods that there should be (step 2 of StatusOf).
func (in *StatusInput) expected(t *tally) (int64, error) {
	b := in.Budget
	switch {
	case b.MaxUnavailable == nil && b.MinAvailable == nil:
		return 0, nil
	case b.MinAvailable != nil && !b.MinAvailable.Percent:
		return t.covered, nil
	}

	// The error lists every negative scale, so all scales are asked for first.
	sum := int64(0)
	var ps []outrank.Problem
	for _, o := range in.controllers(t.owners) {
		scale := in.scaleOf(o)
		if scale < 0 {
			ps = append(ps, outrank.Problem{Object: subject(b), Text: fmt.Sprintf("the scale of its pods' controller %s is %d", o.owner, scale)})
		}
		sum += scale
	}
	return sum, refuse(ps)
}

// controllers merges the owners that have the same controller (rule 6.4.11), in the order in
// which the first owner of each was met.
func (in *StatusInput) controllers(owners []ownerCount) []ownerCount {
	if in.Controller == nil {
		return owners
	}

	merged := newOwnerCounts()
	for _, o := range owners {
		if o.owner != (outrank.Owner{}) {
			o.owner = cmp.Or(in.Controller(o.owner, in.Budget.NamespaceName()), o.owner)
		}
		merged.add(o.owner, o.pods)
	}
	return merged.list
}

// scaleOf returns how many pods an owner is meant to have, or how many it has
// if that is not known (rules 6.4.8 and 6.4.9).
func (in *StatusInput) scaleOf(o ownerCount) int64 {
	if in.Scale == nil || o.owner == (outrank.Owner{}) {
		return o.pods
	}
	if scale, ok := in.Scale(o.owner, in.Budget.NamespaceName()); ok {
		return int64(scale)
	}
	return o.pods
}
