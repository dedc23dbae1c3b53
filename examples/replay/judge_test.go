package main

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

// compare lists the differences between an answer and the recorded one. Where
// the real answer rests on something that no object tells, the parts that the
// record marks as ambiguous may differ.
func compare(want *recorded, got *Decision) []string {
	if got.Error != "" || got.ID != want.ID || got.Mode != want.Mode {
		return []string{fmt.Sprintf("id %q, mode %q, error %q", got.ID, got.Mode, got.Error)}
	}
	var d differences
	switch want.Mode {
	case "scheduler":
		d.scheduler(want.Scheduler, got.Scheduler)
	case "group":
		d.group(want.Group, got.Group)
	case "kubelet":
		d.kubelet(want.Kubelet, got.Kubelet)
	case "requests":
		d.facts(want.Facts, got.Facts)
	case "quantity":
		d.quantities(want.Quantities, got.Quantities)
	case "selector":
		d.add("error", want.Selector.Error != "", got.Selector.Error != "")
		if want.Selector.Error == "" {
			d.add("selector", want.Selector, got.Selector)
		}
	case "priority":
		d.priorities(want.Priorities, got.Priorities)
	default:
		d = append(d, "no such mode: "+want.Mode)
	}
	return d
}

type differences []string

func (d *differences) add(what string, want, got any) {
	if diff := testdiff.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		*d = append(*d, what+" (-want +got):\n"+diff)
	}
}

func (d *differences) scheduler(want *recordedScheduler, got *Scheduler) {
	d.add("feasible", sorted(want.Feasible), sorted(got.Feasible))
	d.add("eligible", want.Eligible, got.Eligible)
	d.add("message", want.EligibleMessage, got.EligibleMessage)
	d.add("potential nodes", sorted(want.PotentialNodes), sorted(got.PotentialNodes))
	d.add("filters", statuses(want.Filter), statuses(got.Filter))
	d.candidates(want, got)
	if want.SampledBest != nil && len(want.Ambiguous) == 0 {
		d.add("sampled candidates", byNode(want.Sampled), byNode(got.Sampled))
		if want.Eligible && len(want.Feasible) == 0 && !slices.Contains(want.SampledBest, got.SampledNode) {
			*d = append(*d, fmt.Sprintf("chosen node of the sample %q is none of %q", got.SampledNode, want.SampledBest))
		}
	}
	if want.Eligible && len(want.Feasible) == 0 {
		d.chosen(want, got)
	}
}

func statuses(ss map[string]Status) map[string]Status {
	out := map[string]Status{}
	for node, s := range ss {
		s.Reasons = sorted(s.Reasons)
		out[node] = s
	}
	return out
}

func (d *differences) candidates(want *recordedScheduler, got *Scheduler) {
	wc, gc := byNode(want.Candidates), byNode(got.Candidates)
	for node := range wc {
		if _, ok := gc[node]; !ok && !isAlternative(want, node, nil) {
			*d = append(*d, "no candidate: "+node)
		}
	}
	for node, g := range gc {
		if w, ok := wc[node]; !(ok && reflect.DeepEqual(w, g)) && !isAlternative(want, node, &g) {
			*d = append(*d, fmt.Sprintf("candidate %+v, want %+v", g, w))
		}
	}
	for node, w := range want.NonCandidates {
		g, ok := got.NonCandidates[node]
		if !ok && len(want.Alternatives[node]) == 0 {
			*d = append(*d, "no non-candidate: "+node)
		} else if ok {
			d.add("non-candidate "+node, w.Code, g.Code)
		}
	}
}

// isAlternative reports whether an outcome was seen when the pods came in
// another order, or only exchanges pods that nothing tells apart.
func isAlternative(want *recordedScheduler, node string, got *Candidate) bool {
	for _, alt := range want.Alternatives[node] {
		if reflect.DeepEqual(alt, got) {
			return true
		}
	}
	if _, ambiguous := want.Ambiguous[node]; !ambiguous || got == nil {
		return false
	}
	if c := want.Canonical; c != nil && !slices.Contains(c.Unsure, node) {
		return reflect.DeepEqual(byNode(c.Candidates)[node], *got)
	}
	if want.Canonical == nil && want.Ambiguous[node].UnstableSort {
		return len(got.Victims) > 0 // nothing settled was recorded
	}
	w, ok := byNode(want.Candidates)[node]
	return ok && w.NumPDBViolations == got.NumPDBViolations && len(got.Victims) > 0
}

func byNode(cs []Candidate) map[string]Candidate {
	out := map[string]Candidate{}
	for _, c := range cs {
		out[c.Node] = c
	}
	return out
}

func (d *differences) chosen(want *recordedScheduler, got *Scheduler) {
	best := want.Best
	if len(want.BestUnion) > 0 {
		best = want.BestUnion
	}
	if want.Canonical != nil {
		best = slices.Concat(best, want.Canonical.Best)
	}
	node := *got.PostFilter.NominatedNode
	if len(best) == 0 {
		d.add("chosen node", "", node)
		return
	}
	if want.bestIsRandom {
		return
	}
	if !slices.Contains(best, node) {
		*d = append(*d, fmt.Sprintf("chosen node %q is none of %q", node, best))
		return
	}
	_, ambiguous := want.Ambiguous[node]
	if *want.PostFilter.NominatedNode == node && !ambiguous && len(want.Alternatives[node]) == 0 {
		d.add("preempted", sorted(want.PostFilter.Preempted), sorted(got.PostFilter.Preempted))
		d.add("cleared", sorted(want.PostFilter.ClearedNominations), sorted(got.PostFilter.ClearedNominations))
	}
}

// group compares with the record, or with any other observed answer.
func (d *differences) group(want *recordedGroup, got *Group) {
	g := *got
	slices.Sort(g.Preempted)
	if want.UnitsUnknown {
		g.Units, g.NumPDBViolations, g.NumPodGroupDisruptions = nil, want.NumPDBViolations, want.NumPodGroupDisruptions
	}
	for _, other := range want.Alternatives {
		other.Fits, other.Placed = want.Fits, want.Placed
		slices.Sort(other.Preempted)
		if cmp.Equal(other.Group, g, cmpopts.EquateEmpty()) {
			return
		}
	}
	w := want.Group
	slices.Sort(w.Preempted)
	d.add("group", w, g)
}

func (d *differences) kubelet(want *recordedKubelet, got *Kubelet) {
	// The real code takes several extended resources from a map.
	order := func(rs []FailureReason) []FailureReason {
		if want.RequirementOrderRandom {
			slices.SortFunc(rs, func(a, b FailureReason) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		return rs
	}
	d.add("failure reasons", order(want.FailureReasons), order(got.FailureReasons))
	d.add("returned reasons", order(want.ReturnedReasons), order(got.ReturnedReasons))
	d.add("error", want.Error != "", got.Error != "")
	if want.RequirementOrderRandom {
		d.add("killed", sorted(want.Killed), sorted(got.Killed))
	} else {
		d.add("killed", want.Killed, got.Killed)
		d.add("kills", want.Kills, got.Kills)
	}
	if want.Admit != nil {
		d.add("admit", want.Admit.Admit, got.Admit.Admit)
		if !want.RequirementOrderRandom {
			d.add("admit reason", want.Admit.Reason, got.Admit.Reason)
		}
	}
	d.facts(want.Pods, got.Pods)
}

func (d *differences) facts(want, got []PodFacts) {
	// A missing amount and 0 are the same, and each pod takes one of "pods".
	amounts := cmpopts.IgnoreMapEntries(func(name string, v int64) bool { return v == 0 || name == "pods" })
	if diff := testdiff.Diff(want, got, amounts, cmpopts.EquateEmpty()); diff != "" {
		*d = append(*d, "facts (-want +got):\n"+diff)
	}
}

func (d *differences) priorities(want, got []PriorityFact) {
	for i := range want {
		w, g := want[i], got[i]
		d.add("rejected "+w.Pod, w.Error != "", g.Error != "")
		if w.Error == "" {
			d.add("priority", w, g)
		}
	}
}

// quantities compares with the record, but for Value and MilliValue: the real
// ones wrap beyond int64 and are off by one for some negative fractions. The
// amount that was read must be that of the text in plain arithmetic.
func (d *differences) quantities(want, got []QuantityFact) {
	for i := range want {
		w, g := want[i], got[i]
		d.add("ok "+w.In, w.OK, g.OK)
		if !w.OK || !g.OK {
			continue
		}
		d.add("sign "+w.In, w.Sign, g.Sign)
		// The real printer drops the suffix of decimals that end in 21 zeros.
		if !strings.HasPrefix(g.Canonical, w.Canonical) {
			d.add("canonical "+w.In, w.Canonical, g.Canonical)
		}
		if exact := plainAmount(g.Canonical); exact != nil {
			d.add("value "+w.In, awayFromZero(exact, 1), g.Value)
			d.add("milliValue "+w.In, awayFromZero(exact, 1000), g.MilliValue)
		}
	}
}

// plainAmount reads a canonical text; nil for one with an exponent.
func plainAmount(text string) *big.Rat {
	factors := map[string]string{
		"n": "1/1000000000", "u": "1/1000000", "m": "1/1000", "k": "1000", "M": "1000000", "G": "1000000000",
		"T": "1000000000000", "P": "1000000000000000", "E": "1000000000000000000",
		"Ki": "1024", "Mi": "1048576", "Gi": "1073741824", "Ti": "1099511627776",
		"Pi": "1125899906842624", "Ei": "1152921504606846976",
	}
	digits := strings.TrimRight(text, "numkMGTPEi")
	if strings.ContainsAny(digits, "eE") {
		return nil
	}
	amount, ok := new(big.Rat).SetString(digits)
	if !ok {
		return nil
	}
	if suffix := text[len(digits):]; suffix != "" {
		factor, _ := new(big.Rat).SetString(factors[suffix])
		amount.Mul(amount, factor)
	}
	return amount
}

// awayFromZero rounds a multiple of an amount to the int64 that is no nearer
// to zero, as far as there is one.
func awayFromZero(amount *big.Rat, times int64) int64 {
	scaled := new(big.Rat).Mul(amount, new(big.Rat).SetInt64(times))
	whole, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	whole.Add(whole, big.NewInt(int64(rest.Sign())))
	if whole.IsInt64() {
		return whole.Int64()
	}
	if whole.Sign() < 0 {
		return -1 << 63
	}
	return 1<<63 - 1
}

func sorted(ss []string) []string {
	out := slices.Clone(ss)
	slices.Sort(out)
	return out
}
