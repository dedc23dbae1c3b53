package report

import (
	"maps"
	"slices"
	"strings"
)

// Kubelets counts the actions of all kubelets.
type Kubelets struct {
	// Started counts the pods that kubelets started.
	Started int `json:"started"`
	// Rejected counts the pods that kubelets have rejected, by reason, sorted by name.
	Rejected []Reason `json:"rejected"`
	// ForCritical counts the pods that were evicted so that a critical pod could start. UnderMemory and
	// UnderDisk count the pods that were evicted because the pods of a node used more than it can allocate.
	ForCritical int `json:"evictedForCriticalPods"`
	UnderMemory int `json:"evictedUnderMemoryPressure"`
	UnderDisk   int `json:"evictedUnderDiskPressure"`
	// Evicted says what happened after these evictions.
	Evicted Fates `json:"evicted"`
	// Pressures counts how often a node came under pressure.
	Pressures int `json:"pressures"`
	// GivenUp counts the pods that controllers no longer recreate, because kubelets have rejected or evicted
	// them too often.
	GivenUp int `json:"givenUp"`
}

// Reason counts the pods that were rejected for one reason.
type Reason struct {
	Reason string `json:"reason"`
	Pods   int    `json:"pods"`
}

// Fates counts evictions by kubelets by what happened afterwards. A pod counts once for each eviction.
type Fates struct {
	// Elsewhere: the pod's successor started on another node. SameNode: it started on the same node.
	Elsewhere int `json:"startedElsewhere"`
	SameNode  int `json:"startedOnSameNode"`
	// Waiting: the successor has not started by the end of the run.
	Waiting int `json:"waiting"`
	// Leaving: the pod itself still terminates. Finished: it finished within its grace period.
	Leaving  int `json:"leaving"`
	Finished int `json:"finished"`
	// Over: the pod has no successor.
	Over int `json:"notMadeAnew"`
}

// ReasonsOf returns counts by reason as a list, sorted by reason.
func ReasonsOf(counts map[string]int) []Reason {
	out := []Reason{}
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, Reason{reason, counts[reason]})
	}
	return out
}

// rejected returns the number of rejected pods, and a text with the reasons.
func (k *Kubelets) rejected() (n int, text string) {
	var parts []string
	for _, r := range k.Rejected {
		n += r.Pods
		parts = append(parts, Count(r.Pods)+" "+r.Reason)
	}
	return n, strings.Join(parts, ", ")
}

// write adds the rows of the kubelets.
func (k *Kubelets) write(t *Table) {
	t.Add("kubelets", "", "")
	t.Add("  started", Count(k.Started), "pods")
	n, reasons := k.rejected()
	t.Add("  rejected", Count(n), reasons)

	t.Add("  evicted", Count(k.ForCritical+k.UnderMemory+k.UnderDisk), list(
		amount{k.ForCritical, "so that a critical pod can start"}, amount{k.UnderMemory, "under memory pressure"}, amount{k.UnderDisk, "under disk pressure"}))
	f := &k.Evicted
	t.Add("  of these", Count(f.Elsewhere), "started again on another node"+after(list(
		amount{f.SameNode, "on the same one"}, amount{f.Waiting, "waiting at the end"}, amount{f.Leaving, "still leaving"},
		amount{f.Finished, "finished first"}, amount{f.Over, "not made anew"})))

	t.Add("  pressures", Count(k.Pressures), "how often a node came under pressure")
	t.Add("  given up", Count(k.GivenUp), "pods that kubelets rejected or evicted too often")
}

// amount is a number with the words that follow it.
type amount struct {
	n    int
	what string
}

// list joins the amounts that are not 0.
func list(amounts ...amount) string {
	var parts []string
	for _, a := range amounts {
		if a.n > 0 {
			parts = append(parts, Count(a.n)+" "+a.what)
		}
	}
	return strings.Join(parts, ", ")
}

// after returns a text with a comma in front, or nothing for an empty text.
func after(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}
