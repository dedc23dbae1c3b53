package differential

import (
	"fmt"
	"maps"
	"slices"
)

// Compare returns the differences of two answers, the reference's first. The
// nodes chosen may differ where they tie; [Harness.Run] asks outrank for the plan
// of the reference's node then, so that the rest has to agree.
func Compare(want, got *Answer) []string {
	var out []string
	differ := func(what string, want, got any) {
		out = append(out, fmt.Sprintf("%s: kube-scheduler has %v, outrank %v", what, want, got))
	}
	if want.Fits != got.Fits {
		differ("fits", want.Fits, got.Fits)
		return out
	}
	for _, node := range slices.Sorted(maps.Keys(want.Nodes)) {
		if w, g := want.Nodes[node], got.Nodes[node]; !w.equal(g) {
			differ("node "+node, w, g)
		}
	}
	if want.Fits || want.Waits {
		return out
	}
	if !slices.EqualFunc(want.Candidates, got.Candidates, Candidate.equal) {
		differ("candidates", want.Candidates, got.Candidates)
	}
	for _, node := range slices.Sorted(maps.Keys(want.Unhelpful)) {
		if w, g := want.Unhelpful[node], got.Unhelpful[node]; !w.equal(g) {
			differ("node "+node+" after removal", w, g)
		}
	}
	for node := range got.Unhelpful {
		if _, there := want.Unhelpful[node]; !there {
			differ("node "+node+" tried", false, true)
		}
	}
	if want.Preempts != got.Preempts {
		differ("preempts", want.Preempts, got.Preempts)
	}
	if want.Nominated != got.Nominated {
		differ("nominated node", want.Nominated, got.Nominated)
	}
	if !slices.Equal(want.Evicted, got.Evicted) {
		differ("evicted", want.Evicted, got.Evicted)
	}
	if !slices.Equal(want.Cleared, got.Cleared) {
		differ("nominations cleared", want.Cleared, got.Cleared)
	}
	if !slices.Equal(want.Deallocated, got.Deallocated) {
		differ("claims given up", want.Deallocated, got.Deallocated)
	}
	for _, text := range []struct{ what, want, got string }{
		{"event", want.Event, got.Event}, {"reason", want.Reason, got.Reason}, {"message", want.Message, got.Message}, {"queue", want.Part, got.Part},
	} {
		if text.want != text.got {
			differ(text.what, fmt.Sprintf("%q", text.want), fmt.Sprintf("%q", text.got))
		}
	}
	return out
}
