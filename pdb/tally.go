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
	places := map[outrank.Owner]int{}
	for _, pod := range in.Pods {
		if pod == nil || pod.Finished() || len(pod.Labels) == 0 ||
			pod.NamespaceName() != namespace || !m.Matches(pod.Labels) {
			continue
		}
		t.covered++
		if in.healthy(pod) {
			t.healthy++
		}
		place, met := places[pod.Owner]
		if !met {
			place = len(t.owners)
			places[pod.Owner] = place
			t.owners = append(t.owners, ownerCount{owner: pod.Owner})
		}
		t.owners[place].pods++
	}
	return t
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

// expected is step 2 of StatusOf.
func (in *StatusInput) expected(t *tally) (int64, error) {
	b := in.Budget
	switch {
	case b.MaxUnavailable == nil && b.MinAvailable == nil:
		return 0, nil
	case b.MinAvailable != nil && !b.MinAvailable.Percent:
		return t.covered, nil
	}
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

// controllers puts owners together that have one controller (rule 6.4.11), in the order in
// which the first of each was met.
func (in *StatusInput) controllers(owners []ownerCount) []ownerCount {
	if in.Controller == nil {
		return owners
	}
	var all []ownerCount
	places := map[outrank.Owner]int{}
	for _, o := range owners {
		if o.owner != (outrank.Owner{}) {
			o.owner = cmp.Or(in.Controller(o.owner, in.Budget.NamespaceName()), o.owner)
		}
		place, met := places[o.owner]
		if !met {
			place = len(all)
			places[o.owner] = place
			all = append(all, ownerCount{owner: o.owner})
		}
		all[place].pods += o.pods
	}
	return all
}

// scaleOf returns how many pods an owner is meant to have, or how many it has
// if that is not known.
func (in *StatusInput) scaleOf(o ownerCount) int64 {
	if in.Scale == nil || o.owner == (outrank.Owner{}) {
		return o.pods
	}
	if scale, ok := in.Scale(o.owner, in.Budget.NamespaceName()); ok {
		return int64(scale)
	}
	return o.pods
}
