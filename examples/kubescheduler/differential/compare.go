package differential

import (
	"fmt"
	"maps"
	"slices"
)

// Compare returns the differences of two answers, the reference's first. If several nodes are equal in every
// rank, the two may choose different ones. [Harness.Run] then asks outrank for the plan of the reference's node,
// so that the rest must agree.
func Compare(want, got *Answer) []string {
	var d differences
	if want.Fits != got.Fits {
		d.add("fits", want.Fits, got.Fits)
		return d
	}

	d.compareNodes(want, got)
	if want.Fits || want.Waits {
		return d
	}

	d.compareTried(want, got)
	d.compareOutcome(want, got)
	return d
}

// differences lists the differences of two answers, a line each.
type differences []string

func (d *differences) add(what string, want, got any) {
	*d = append(*d, fmt.Sprintf("%s: kube-scheduler has %v, outrank %v", what, want, got))
}

// compareNodes compares what the filters say of each node. Outrank answers about every node, the reference only
// about those that it asked.
func (d *differences) compareNodes(want, got *Answer) {
	for _, node := range slices.Sorted(maps.Keys(want.Nodes)) {
		if w, g := want.Nodes[node], got.Nodes[node]; !w.equal(g) {
			d.add("node "+node, w, g)
		}
	}
}

// compareTried compares the candidates, and the nodes that were tried in vain. Both sides must have tried the
// same nodes.
func (d *differences) compareTried(want, got *Answer) {
	if !slices.EqualFunc(want.Candidates, got.Candidates, Candidate.equal) {
		d.add("candidates", want.Candidates, got.Candidates)
	}
	for _, node := range slices.Sorted(maps.Keys(want.Unhelpful)) {
		if w, g := want.Unhelpful[node], got.Unhelpful[node]; !w.equal(g) {
			d.add("node "+node+" after removal", w, g)
		}
	}
	for node := range got.Unhelpful {
		if _, there := want.Unhelpful[node]; !there {
			d.add("node "+node+" tried", false, true)
		}
	}
}

// compareOutcome compares what the attempt did, and what was said of it.
func (d *differences) compareOutcome(want, got *Answer) {
	if want.Preempts != got.Preempts {
		d.add("preempts", want.Preempts, got.Preempts)
	}
	if want.Nominated != got.Nominated {
		d.add("nominated node", want.Nominated, got.Nominated)
	}

	for _, list := range []struct {
		what      string
		want, got []string
	}{
		{"evicted", want.Evicted, got.Evicted}, {"nominations cleared", want.Cleared, got.Cleared}, {"claims given up", want.Deallocated, got.Deallocated},
	} {
		if !slices.Equal(list.want, list.got) {
			d.add(list.what, list.want, list.got)
		}
	}
	for _, text := range []struct{ what, want, got string }{
		{"event", want.Event, got.Event}, {"reason", want.Reason, got.Reason}, {"message", want.Message, got.Message}, {"queue", want.Part, got.Part},
	} {
		if text.want != text.got {
			d.add(text.what, fmt.Sprintf("%q", text.want), fmt.Sprintf("%q", text.got))
		}
	}
}
