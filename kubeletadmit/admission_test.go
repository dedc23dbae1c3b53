package kubeletadmit_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

func TestResolveOutcomes(t *testing.T) {
	victim := newPod("victim", req("cpu", "1", "memory", "1Gi"))
	cpu, memory := lacks("cpu", 500), lacks("memory", 2<<30)
	wrongNode := kubeletadmit.CheckFailure{Predicate: kubeletadmit.NodeName, Text: "not here"}
	labels := kubeletadmit.CheckFailure{Predicate: kubeletadmit.NodeAffinity, Text: "other labels"}
	type failures = []kubeletadmit.CheckFailure
	for _, tt := range []struct {
		name     string
		pod      *outrank.Pod
		failures failures
		outcome  kubeletadmit.Outcome
		reason   string
		returned failures
		evicted  []string
	}{
		{"nothing in the way", newPod("p", nil), nil, kubeletadmit.Admitted, "", nil, []string{}},
		{"not critical: everything comes back, the first is told", newPod("p", nil, withPriority(1_000_000_000)),
			failures{cpu, labels, memory}, kubeletadmit.Rejected, "OutOfcpu", failures{cpu, labels, memory}, []string{}},
		{"not critical: nothing is evicted even for a higher priority", newPod("p", nil, withPriority(10)),
			failures{cpu}, kubeletadmit.Rejected, "OutOfcpu", failures{cpu}, []string{}},
		{"not critical: a shortage of nothing still rejects", newPod("p", nil),
			failures{lacks("cpu", 0)}, kubeletadmit.Rejected, "OutOfcpu", failures{lacks("cpu", 0)}, []string{}},
		{"critical: predicates come back without the shortages", newCritical(nil),
			failures{cpu, labels, memory, wrongNode}, kubeletadmit.Rejected, "NodeAffinity", failures{labels, wrongNode}, []string{}},
		{"critical: room is made", newCritical(nil), failures{cpu}, kubeletadmit.AdmittedAfterEvicting, "", nil, []string{"victim"}},
		{"critical: nothing helps against too large a shortage", newCritical(nil),
			failures{cpu, memory}, kubeletadmit.Rejected, "UnexpectedAdmissionError", nil, []string{}},
		{"critical: shortages of 0 and less need nobody to go", newCritical(nil),
			failures{lacks("cpu", 0), short("memory", 1, 0, 2)}, kubeletadmit.Admitted, "", nil, []string{}},
		{"static is as good as critical", newPod("p", nil, static), failures{cpu}, kubeletadmit.AdmittedAfterEvicting, "", nil, []string{"victim"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := kubeletadmit.Resolve(tt.pod, []*outrank.Pod{victim}, tt.failures, kubeletadmit.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Outcome != tt.outcome || got.Reason != tt.reason || got.OK() != (tt.outcome != kubeletadmit.Rejected) {
				t.Errorf("Resolve: outcome %s (OK %v), reason %q, want %s, %q", got.Outcome, got.OK(), got.Reason, tt.outcome, tt.reason)
			}
			if (got.Message == "") != (tt.reason == "") {
				t.Errorf("Resolve: message %q for reason %q", got.Message, got.Reason)
			}
			if (got.ReferenceMessage() == "") != (tt.reason == "") {
				t.Errorf("ReferenceMessage: %q for reason %q", got.ReferenceMessage(), got.Reason)
			}
			if d := testdiff.Diff(tt.failures, got.Failures); d != "" {
				t.Errorf("failures (-want +got):\n%s", d)
			}
			if d := testdiff.Diff(tt.returned, got.Returned); d != "" {
				t.Errorf("returned (-want +got):\n%s", d)
			}
			if d := testdiff.Diff(tt.evicted, evicted(got)); d != "" {
				t.Errorf("evicted (-want +got):\n%s", d)
			}
		})
	}
}

func TestResolveNotEnough(t *testing.T) {
	active := []*outrank.Pod{
		newPod("small", req("cpu", "250m", "memory", "1Gi")),
		newCritical(req("cpu", "4"), static), // of the same priority: stays
	}
	pod := newPod("dns", nil, withPriority(2_000_001_000))
	got, err := kubeletadmit.Resolve(pod, active, []kubeletadmit.CheckFailure{lacks("cpu", 1000), lacks("memory", 1<<29), lacks(gpu, 1), lacks("pods", 3)}, kubeletadmit.Config{})
	if err != nil {
		t.Fatal(err)
	}
	want := []kubeletadmit.ResourceNeed{{"cpu", 750}, {gpu, 1}, {"pods", 2}}
	if d := testdiff.Diff(want, got.Missing); d != "" {
		t.Errorf("Missing (-want +got):\n%s", d)
	}
	const text = "pod default/dns: not enough to be freed: evicting every pod it may preempt leaves it short of 750m cpu, 1 example.com/gpu, 2 pods"
	if got.Message != text {
		t.Errorf("message %q, want %q", got.Message, text)
	}
	if len(got.Returned) > 0 || len(got.Evictions) > 0 {
		t.Errorf("returned %v, evictions %v, want neither", got.Returned, evicted(got))
	}
}

func TestResolveInput(t *testing.T) {
	negative := newPod("negative", nil)
	negative.Overhead, negative.Containers[0].Requests = newPod("", req("cpu", "-2")).Containers[0].Requests, newPod("", req("cpu", "1")).Containers[0].Requests
	for _, tt := range []struct {
		name     string
		pod      *outrank.Pod
		active   []*outrank.Pod
		failures []kubeletadmit.CheckFailure
		want     string
	}{
		{"all at once", nil, []*outrank.Pod{nil}, []kubeletadmit.CheckFailure{lacks("cpu", 1), {}, {Resource: "cpu", Predicate: "Both"}},
			"pod: is nil\nactive[0]: is nil\n" +
				"failures[1]: Resource: exactly one of Resource and Predicate must be set\n" +
				"failures[2]: Resource: exactly one of Resource and Predicate must be set"},
		{"an active pod that counts with less than nothing", newCritical(nil), []*outrank.Pod{negative}, []kubeletadmit.CheckFailure{lacks("cpu", 1)},
			"pod default/negative: spec.overhead.cpu: -2 is negative"},
		{"one that would need room to go", newCritical(nil), []*outrank.Pod{newPod("need", req(string(gpu), "-1"))},
			[]kubeletadmit.CheckFailure{lacks(gpu, 1)}, "pod default/need: spec.containers[0].resources.requests.example.com/gpu: -1 is negative"},
		{"one that breaks ties with less than nothing", newCritical(nil), []*outrank.Pod{newPod("tie", req("cpu", "1", "memory", "-1"))},
			[]kubeletadmit.CheckFailure{lacks("cpu", 1)}, "pod default/tie: spec.containers[0].resources.requests.memory: -1 is negative"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := kubeletadmit.Resolve(tt.pod, tt.active, tt.failures, kubeletadmit.Config{})
			if !errors.Is(err, outrank.ErrInvalid) || err.Error() != tt.want || got.Outcome != "" {
				t.Errorf("Resolve = %q, %v, want no outcome and %q", got.Outcome, err, tt.want)
			}
		})
	}
}

// Whatever choosing depends on may not be negative: what is short, and the
// memory and the cpu that break ties.
func TestNegativeFiguresOfChoosing(t *testing.T) {
	critical := &outrank.Pod{Name: "critical", Static: true}
	for _, c := range []struct {
		short    resource.Name
		negative resource.Name
		refused  bool
	}{
		{resource.Memory, resource.CPU, true},
		{resource.CPU, resource.Memory, true},
		{resource.CPU, resource.CPU, true},
		{"example.com/gpu", resource.CPU, true},
		{"example.com/gpu", resource.Memory, true},
		{"example.com/gpu", "example.com/gpu", true},
		{resource.CPU, "example.com/gpu", false},
	} {
		requests := resource.MustList("cpu", "1", "memory", "1Gi", "example.com/gpu", "1")
		requests[c.negative] = resource.New(-1)
		odd := &outrank.Pod{Name: "odd", NodeName: "n", Containers: []outrank.Container{{Requests: requests}}}
		_, err := kubeletadmit.Resolve(critical, []*outrank.Pod{odd}, []kubeletadmit.CheckFailure{{Resource: c.short, Requested: 1}}, kubeletadmit.Config{})
		if !c.refused {
			assert.NoError(t, err, "%s short, %s negative", c.short, c.negative)
			continue
		}
		assert.EqualError(t, err, "pod default/odd: spec.containers[0].resources.requests."+string(c.negative)+": -1 is negative",
			"%s short, %s negative", c.short, c.negative)
	}
}

// A negative amount is found wherever the spec of an active pod has it, beside others that are not negative.
func TestNegativeAmountsOfAnyPart(t *testing.T) {
	negative := resource.MustList("cpu", "-1", "memory", "1")
	for _, tt := range []struct {
		name string
		odd  outrank.Pod
		want string
	}{
		{"a container", outrank.Pod{Containers: []outrank.Container{{Requests: negative}}}, "containers[0].resources.requests.cpu"},
		{"an init container", outrank.Pod{InitContainers: []outrank.Container{{Requests: negative}}}, "initContainers[0].resources.requests.cpu"},
		{"the overhead", outrank.Pod{Overhead: negative}, "overhead.cpu"},
		{"the pod as a whole", outrank.Pod{Resources: &resource.Requirements{Requests: negative}}, "resources.requests.cpu"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			odd := tt.odd
			odd.Name, odd.Phase = "odd", outrank.PhaseRunning
			_, err := kubeletadmit.Check(newNode("cpu", "1", "memory", "1"), []*outrank.Pod{&odd}, newPod("p", req("cpu", "1", "memory", "1")), kubeletadmit.Config{})
			assert.ErrorContains(t, err, "pod default/odd: spec."+tt.want+": -1 is negative")
		})
	}

	// What only a status has is no fault of the pod (rule 2.2.19).
	good := newPod("good", nil)
	good.Resources = &resource.Requirements{Requests: resource.MustList("cpu", "1")}
	_, err := kubeletadmit.Check(newNode("cpu", "1"), []*outrank.Pod{good}, newPod("p", req("cpu", "1")), kubeletadmit.Config{})
	assert.NoError(t, err)
}

// A full node from end to end: the check says what is short, and the pods that
// go hold as much.
func TestAdmit(t *testing.T) {
	node := newNode("cpu", "4", "memory", "8Gi")
	active := []*outrank.Pod{
		newPod("batch", req("cpu", "1", "memory", "1Gi"), withPriority(5)),
		newPod("web", req("cpu", "2", "memory", "4Gi"), withPriority(1000)),
		newPod("log", req("cpu", "1", "memory", "512Mi"), static, withPriority(2_000_001_000)),
	}
	got, err := kubeletadmit.Admit(node, active, newCritical(req("cpu", "1", "memory", "1Gi")), kubeletadmit.Config{})
	if err != nil {
		t.Fatal(err)
	}
	want := kubeletadmit.Admission{
		Outcome:  kubeletadmit.AdmittedAfterEvicting,
		Failures: []kubeletadmit.CheckFailure{short("cpu", 1000, 4000, 4000)},
		Evictions: []kubeletadmit.EvictedPod{{
			Pod:           active[0],
			Tier:          outrank.Burstable,
			Contributions: []kubeletadmit.Contribution{{Resource: "cpu", Needed: 1000, Frees: 1000}},
		}},
	}
	if d := testdiff.Diff(want, got); d != "" {
		t.Errorf("Admit (-want +got):\n%s", d)
	}
}
