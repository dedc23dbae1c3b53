package kubeletadmit_test

import (
	"math"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// Which pods are evicted, and in which order. Requests without limits make a
// pod Burstable; withClass records another class.
func TestChoice(t *testing.T) {
	be, gu := withClass(outrank.BestEffort), withClass(outrank.Guaranteed)
	podLevel := newPod("podlevel", req("memory", "1Gi", string(gpu), "4"))
	podLevel.Resources = &resource.Requirements{Requests: resource.MustList("cpu", "100m")}
	overhead := newPod("overhead", req("memory", "1Gi"))
	overhead.Overhead = resource.MustList("cpu", "1", "memory", "1Gi")
	done := newPod("done", req("cpu", "1"))
	done.Phase = outrank.PhaseFailed
	terminating := newPod("terminating", req("cpu", "1"))
	terminating.DeletionTimestamp = terminating.DeletionTimestamp.AddDate(2026, 0, 0)
	for _, tt := range []struct {
		name   string
		active []*outrank.Pod
		lacks  []kubeletadmit.CheckFailure
		want   []string
	}{
		{"one that covers it all goes before smaller ones",
			[]*outrank.Pod{newPod("a", req("cpu", "300m")), newPod("b", req("cpu", "600m")), newPod("c", req("cpu", "200m"))},
			[]kubeletadmit.CheckFailure{lacks("cpu", 500)}, []string{"b"}},
		{"of two that cover it, the smaller memory request",
			[]*outrank.Pod{newPod("a", req("cpu", "1", "memory", "2Gi")), newPod("b", req("cpu", "4", "memory", "1Gi")), newPod("c", req("cpu", "1", "memory", "3Gi"))},
			[]kubeletadmit.CheckFailure{lacks("cpu", 500)}, []string{"b"}},
		{"then the smaller cpu request",
			[]*outrank.Pod{newPod("a", req("cpu", "600m", "memory", "1Gi")), newPod("b", req("cpu", "500m", "memory", "1Gi")), newPod("c", req("cpu", "700m", "memory", "1Gi"))},
			[]kubeletadmit.CheckFailure{lacks("cpu", 500)}, []string{"b"}},
		{"then the later in the list",
			[]*outrank.Pod{newPod("a", req("cpu", "1")), newPod("b", req("cpu", "1")), newPod("c", req("cpu", "1"))},
			[]kubeletadmit.CheckFailure{lacks("cpu", 500)}, []string{"c"}},
		{"the list's end takes the place of the one that went: a, then of d, b, c the later ones",
			[]*outrank.Pod{newPod("a", req("cpu", "600m")), newPod("b", req("cpu", "200m")), newPod("c", req("cpu", "200m")), newPod("d", req("cpu", "200m"))},
			[]kubeletadmit.CheckFailure{lacks("cpu", 1000)}, []string{"a", "c", "b"}},
		{"each shortage weighs the same: 1/4 + 0 is nearer than 0 + 1",
			[]*outrank.Pod{newPod("a", req("cpu", "1")), newPod("b", req("cpu", "500m", "memory", "1Gi"))},
			[]kubeletadmit.CheckFailure{lacks("cpu", 1000), lacks("memory", 1<<30)}, []string{"b", "a"}},
		{"a resource listed twice weighs twice: 0 + 0 + 1 is nearer than 1 + 1 + 0, in spite of more memory",
			[]*outrank.Pod{newPod("a", req("cpu", "1")), newPod("b", req("memory", "1Gi"))},
			[]kubeletadmit.CheckFailure{lacks("memory", 1<<30), lacks("cpu", 1000), lacks("memory", 1<<30)}, []string{"b", "a"}},
		{"and one pod covers both, though not with the same bytes",
			[]*outrank.Pod{newPod("a", req("memory", "1Gi"))},
			[]kubeletadmit.CheckFailure{lacks("memory", 1<<30), lacks("memory", 1<<29)}, []string{"a"}},
		{"a shortage of 0 or less does not count",
			[]*outrank.Pod{newPod("a", req("cpu", "1")), newPod("b", req("memory", "1Gi"))},
			[]kubeletadmit.CheckFailure{short("memory", 0, 1, 2), lacks("cpu", 500), lacks("memory", 0)}, []string{"a"}},
		{"each pod frees one of pods",
			[]*outrank.Pod{newPod("a", req("pods", "7")), newPod("b", nil)},
			[]kubeletadmit.CheckFailure{lacks("pods", 2)}, []string{"b", "a"}},

		{"the lower class first, however far",
			[]*outrank.Pod{newPod("g", req(string(gpu), "1"), gu), newPod("b", req(string(gpu), "1")), newPod("e", req(string(gpu), "1"), be)},
			[]kubeletadmit.CheckFailure{lacks(gpu, 1)}, []string{"e"}},
		{"Guaranteed pods find what all others together do not; the answer lists them last",
			[]*outrank.Pod{newPod("g", req(string(gpu), "4"), gu), newPod("b", req(string(gpu), "1")), newPod("e", req(string(gpu), "1"), be)},
			[]kubeletadmit.CheckFailure{lacks(gpu, 3)}, []string{"g"}},
		{"what was chosen above is spared below: g needed for 4, then b is not, but e is",
			[]*outrank.Pod{newPod("g", req(string(gpu), "2"), gu), newPod("b", req(string(gpu), "1")), newPod("e", req(string(gpu), "1"), be)},
			[]kubeletadmit.CheckFailure{lacks(gpu, 3)}, []string{"e", "g"}},
		{"all three classes",
			[]*outrank.Pod{newPod("g", req(string(gpu), "2"), gu), newPod("b", req(string(gpu), "1")), newPod("e", req(string(gpu), "1"), be)},
			[]kubeletadmit.CheckFailure{lacks(gpu, 4)}, []string{"e", "b", "g"}},
		{"a class of its own is none of the three and stays",
			[]*outrank.Pod{newPod("odd", req("cpu", "1"), withClass("Odd")), newPod("b", req("cpu", "1"))},
			[]kubeletadmit.CheckFailure{lacks("cpu", 1000)}, []string{"b"}},

		{"with pod-level cpu the containers count nothing",
			[]*outrank.Pod{podLevel, newPod("b", req(string(gpu), "1", "memory", "8Gi"))},
			[]kubeletadmit.CheckFailure{lacks(gpu, 1)}, []string{"b"}},
		{"overhead counts only where the rest is not zero",
			[]*outrank.Pod{overhead, newPod("b", req("cpu", "1", "memory", "8Gi"))},
			[]kubeletadmit.CheckFailure{lacks("cpu", 1000)}, []string{"b"}},
		{"and there it does",
			[]*outrank.Pod{overhead, newPod("b", req("memory", "1Gi"))},
			[]kubeletadmit.CheckFailure{lacks("memory", 2<<30)}, []string{"overhead"}},

		{"priority protects nobody who may be preempted",
			[]*outrank.Pod{newPod("high", req("cpu", "1"), withPriority(1_000_000_000)), newPod("low", req("cpu", "900m"), withPriority(-1))},
			[]kubeletadmit.CheckFailure{lacks("cpu", 1000)}, []string{"high"}},
		{"critical pods go too, if their priority is lower",
			[]*outrank.Pod{newPod("static", req("cpu", "1"), static, withPriority(0)), newPod("b", req("cpu", "900m"))},
			[]kubeletadmit.CheckFailure{lacks("cpu", 1000)}, []string{"static"}},
		{"those without a priority stay",
			[]*outrank.Pod{newPod("static", req("cpu", "1"), static), newPod("b", req("cpu", "2", "memory", "9Gi"))},
			[]kubeletadmit.CheckFailure{lacks("cpu", 1000)}, []string{"b"}},
		{"finished pods hold nothing",
			[]*outrank.Pod{newPod("b", req("cpu", "2", "memory", "9Gi")), done},
			[]kubeletadmit.CheckFailure{lacks("cpu", 1000)}, []string{"b"}},
		{"terminating ones still do",
			[]*outrank.Pod{newPod("b", req("cpu", "2", "memory", "9Gi")), terminating},
			[]kubeletadmit.CheckFailure{lacks("cpu", 1000)}, []string{"terminating"}},
		{"amounts at the end of the range",
			[]*outrank.Pod{newPod("a", req("memory", "9223372036854775807"), be), newPod("b", req("memory", "1"), be), newPod("c", req("memory", "9223372036854775806"), be)},
			[]kubeletadmit.CheckFailure{lacks("memory", math.MaxInt64), lacks("memory", math.MaxInt64)}, []string{"a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := kubeletadmit.Resolve(newCritical(nil), tt.active, tt.lacks, kubeletadmit.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if d := testdiff.Diff(tt.want, evicted(got)); d != "" {
				t.Errorf("evicted (-want +got):\n%s%v", d, got.Missing)
			}
		})
	}
}

func TestChoiceReasons(t *testing.T) {
	active := []*outrank.Pod{
		newPod("g", req("cpu", "1", "memory", "2Gi"), withClass(outrank.Guaranteed)),
		newPod("b1", req("cpu", "500m", "memory", "512Mi")),
		newPod("b2", req("cpu", "250m")),
	}
	got, err := kubeletadmit.Resolve(newCritical(nil), active, []kubeletadmit.CheckFailure{lacks("cpu", 750), lacks("pods", 0), lacks("memory", 2<<30)}, kubeletadmit.Config{})
	if err != nil {
		t.Fatal(err)
	}
	// After every Burstable pod 1.5 Gi of memory are missing, which g frees;
	// after g nothing is.
	want := []kubeletadmit.EvictedPod{
		{Pod: active[0], Tier: outrank.Guaranteed, Distance: 0, Contributions: []kubeletadmit.Contribution{{Resource: "memory", Needed: 3 << 29, Frees: 2 << 30}}},
	}
	if d := testdiff.Diff(want, got.Evictions); d != "" {
		t.Errorf("with g (-want +got):\n%s", d)
	}
	got, err = kubeletadmit.Resolve(newCritical(nil), active[1:], []kubeletadmit.CheckFailure{lacks("cpu", 750), lacks("pods", 0), lacks("memory", 1<<29)}, kubeletadmit.Config{})
	if err != nil {
		t.Fatal(err)
	}
	want = []kubeletadmit.EvictedPod{
		{Pod: active[1], Tier: outrank.Burstable, Distance: float64(1) / 3 * (float64(1) / 3), Contributions: []kubeletadmit.Contribution{
			{Resource: "cpu", Needed: 750, Frees: 500}, {Resource: "memory", Needed: 1 << 29, Frees: 1 << 29}}},
		{Pod: active[2], Tier: outrank.Burstable, Distance: 0, Contributions: []kubeletadmit.Contribution{{Resource: "cpu", Needed: 250, Frees: 250}}},
	}
	if d := testdiff.Diff(want, got.Evictions); d != "" {
		t.Errorf("without g (-want +got):\n%s", d)
	}
}
