package kubeletadmit_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

func TestCheckAmounts(t *testing.T) {
	full := newPod("full", req("cpu", "1", "memory", "1Gi"))
	resized := newPod("resized", req("cpu", "1"))
	resized.Containers[0].AllocatedResources, resized.Containers[0].Reported = resource.MustList("cpu", "3"), true
	done := newPod("done", req("cpu", "4"))
	done.Phase = outrank.PhaseSucceeded
	for _, tt := range []struct {
		name   string
		node   *outrank.Node
		active []*outrank.Pod
		pod    *outrank.Pod
		want   []kubeletadmit.CheckFailure
	}{
		{"fits to the last unit", newNode("cpu", "2", "memory", "2Gi"), []*outrank.Pod{full}, newPod("p", req("cpu", "1", "memory", "1Gi")), nil},
		{"cpu in thousandths", newNode("cpu", "2"), []*outrank.Pod{full}, newPod("p", req("cpu", "1001m")),
			[]kubeletadmit.CheckFailure{short("cpu", 1001, 1000, 2000)}},
		{"all of them, in order, others by name",
			newNode("pods", "1", "cpu", "1", "memory", "1Gi", "a.example/x", "0", "z.example/x", "0"), []*outrank.Pod{full},
			newPod("p", req("z.example/x", "2", "ephemeral-storage", "5", "memory", "1", "a.example/x", "1", "cpu", "1m")),
			[]kubeletadmit.CheckFailure{
				short("pods", 1, 1, 1), short("cpu", 1, 1000, 1000), short("memory", 1, 1<<30, 1<<30),
				short("ephemeral-storage", 5, 0, 0), short("a.example/x", 1, 0, 0), short("z.example/x", 2, 0, 0),
			}},
		{"what the pod does not ask for is not checked, even where the node is overcommitted",
			newNode("cpu", "500m", "memory", "2Gi"), []*outrank.Pod{full}, newPod("p", req("cpu", "0", "memory", "1Gi")), nil},
		{"overhead counts for the pod, whatever its containers ask for", newNode("cpu", "1"), nil,
			newPod("p", nil, func(p *outrank.Pod) { p.Overhead = resource.MustList("cpu", "2") }),
			[]kubeletadmit.CheckFailure{short("cpu", 2000, 0, 1000)}},
		{"an overcommitted node lacks more than is asked for",
			newNode("cpu", "500m"), []*outrank.Pod{full}, newPod("p", req("cpu", "100m")),
			[]kubeletadmit.CheckFailure{short("cpu", 100, 1000, 500)}},
		{"an extended resource the node does not know is left out", newNode(), nil, newPod("p", req(string(gpu), "1")), nil},
		{"one it knows with 0 is short", newNode(string(gpu), "0"), nil, newPod("p", req(string(gpu), "1")),
			[]kubeletadmit.CheckFailure{short(gpu, 1, 0, 0)}},
		{"a size of huge pages it does not know is short", newNode(), nil, newPod("p", req("hugepages-2Mi", "2Mi")),
			[]kubeletadmit.CheckFailure{short("hugepages-2Mi", 2<<20, 0, 0)}},
		{"a name nobody accounts for is not checked", newNode(), nil, newPod("p", req("storage", "1Gi")), nil},
		{"a request for pods means nothing", newNode(), nil, newPod("p", req("pods", "500")), nil},
		{"a node that does not say how many pods it takes takes none",
			&outrank.Node{Name: "n1"}, nil, newPod("p", nil), []kubeletadmit.CheckFailure{short("pods", 1, 0, 0)}},
		{"a pod being resized holds the largest of spec and status", newNode("cpu", "3"), []*outrank.Pod{resized}, newPod("p", req("cpu", "1")),
			[]kubeletadmit.CheckFailure{short("cpu", 1000, 3000, 3000)}},
		{"finished pods hold nothing", newNode("cpu", "4", "pods", "1"), []*outrank.Pod{done}, newPod("p", req("cpu", "4")), nil},
		{"the pod itself does not stand in its own way", newNode("cpu", "1", "pods", "1"), []*outrank.Pod{full}, newPod("full", req("cpu", "1")), nil},
		{"its namesake with another UID does", newNode("cpu", "1"), []*outrank.Pod{full},
			newPod("full", req("cpu", "1"), func(p *outrank.Pod) { p.UID = "new" }),
			[]kubeletadmit.CheckFailure{short("cpu", 1000, 1000, 1000)}},
		{"sums stay at the end of the range", newNode("memory", "9223372036854775807"),
			[]*outrank.Pod{newPod("a", req("memory", "9e18")), newPod("b", req("memory", "9e18"))}, newPod("p", req("memory", "1")),
			[]kubeletadmit.CheckFailure{short("memory", 1, math.MaxInt64, math.MaxInt64)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := kubeletadmit.Check(tt.node, tt.active, tt.pod, kubeletadmit.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if d := testdiff.Diff(tt.want, got); d != "" {
				t.Errorf("Check (-want +got):\n%s", d)
			}
		})
	}
}

func TestCheckPredicates(t *testing.T) {
	const (
		name     = "node(s) didn't match the requested node name"
		affinity = "node(s) didn't match Pod's node affinity/selector"
		ports    = "node(s) didn't have free ports for the requested pod ports"
		taint    = "node(s) had taints that the pod didn't tolerate"
	)
	node := newNode()
	node.Labels = map[string]string{"disk": "hdd"}
	node.Taints = []outrank.Taint{{Key: "gone", Effect: outrank.NoExecute}}
	quiet := newNode()
	quiet.Taints = []outrank.Taint{{Key: "a", Effect: outrank.NoSchedule}, {Key: "b", Effect: outrank.PreferNoSchedule}}
	quiet.Unschedulable = true
	web := newPod("web", nil, withPorts(outrank.Port{HostPort: 80, HostIP: "10.0.0.1"}))
	done := newPod("done", nil, withPorts(outrank.Port{HostPort: 81}))
	done.Phase = outrank.PhaseFailed
	clash := withPorts(outrank.Port{HostPort: 80})
	ssd := func(p *outrank.Pod) { p.NodeSelector = map[string]string{"disk": "ssd"} }
	tolerates := func(p *outrank.Pod) { p.Tolerations = []outrank.Toleration{{Operator: outrank.TolerationExists}} }
	for _, tt := range []struct {
		name string
		node *outrank.Node
		pod  *outrank.Pod
		want []kubeletadmit.CheckFailure
	}{
		{"all of them, in order, after the amounts", node, newPod("p", req("cpu", "1"), ssd, clash, withNode("n2")), []kubeletadmit.CheckFailure{
			short("cpu", 1000, 0, 0),
			{Predicate: kubeletadmit.NodeAffinity, Text: affinity}, {Predicate: kubeletadmit.NodeName, Text: name},
			{Predicate: kubeletadmit.NodePorts, Text: ports}, {Predicate: kubeletadmit.TaintToleration, Text: taint},
		}},
		{"a static pod does not look at taints", node, newPod("p", nil, static), nil},
		{"a mirror pod does", node, newPod("p", nil, mirror), []kubeletadmit.CheckFailure{{Predicate: kubeletadmit.TaintToleration, Text: taint}}},
		{"a tolerated taint", node, newPod("p", nil, tolerates), nil},
		{"only NoExecute keeps a pod from starting, and a cordon does not", quiet, newPod("p", nil), nil},
		{"the same port on another address", quiet, newPod("p", nil, withPorts(outrank.Port{HostPort: 80, HostIP: "10.0.0.2"})), nil},
		{"a port that a finished pod held", quiet, newPod("p", nil, withPorts(outrank.Port{HostPort: 81})), nil},
		{"a port that the pod itself holds", quiet, newPod("web", nil, clash), nil},
		{"the node named", quiet, newPod("p", nil, withNode("n1")), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := kubeletadmit.Check(tt.node, []*outrank.Pod{done, web}, tt.pod, kubeletadmit.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if d := testdiff.Diff(tt.want, got); d != "" {
				t.Errorf("Check (-want +got):\n%s", d)
			}
		})
	}
}

func TestCheckInput(t *testing.T) {
	negative := newPod("negative", req("memory", "-1Gi"))
	for _, tt := range []struct {
		name   string
		node   *outrank.Node
		active []*outrank.Pod
		pod    *outrank.Pod
		want   string
	}{
		{"nil everywhere, all at once", nil, []*outrank.Pod{newPod("a", nil), nil}, nil, "node: is nil\nactive[1]: is nil\npod: is nil"},
		{"pod without a name", newNode(), nil, &outrank.Pod{}, "pod without a name: metadata.name: missing"},
		{"negative amount of the node", newNode("cpu", "-1"), nil, newPod("p", nil), "node n1: status.allocatable.cpu: -1 is negative"},
		{"negative amount of an active pod", newNode("memory", "1Gi"), []*outrank.Pod{negative}, newPod("p", req("memory", "1")),
			"pod default/negative: spec.containers[0].resources.requests.memory: -1Gi is negative"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := kubeletadmit.Check(tt.node, tt.active, tt.pod, kubeletadmit.Config{})
			if !errors.Is(err, outrank.ErrInvalid) || err.Error() != tt.want || got != nil {
				t.Errorf("Check = %v, %v, want no failures and %q", got, err, tt.want)
			}
			adm, err := kubeletadmit.Admit(tt.node, tt.active, tt.pod, kubeletadmit.Config{})
			if d := testdiff.Diff(kubeletadmit.Admission{}, adm); err == nil || err.Error() != tt.want || d != "" {
				t.Errorf("Admit: error %v, want %q; admission %s", err, tt.want, d)
			}
		})
	}
}

func TestFailureTexts(t *testing.T) {
	for _, tt := range []struct {
		failure               kubeletadmit.CheckFailure
		reason, text, message string
		shortage              int64
	}{
		{short("cpu", 500, 1350, 1400), "OutOfcpu", "Insufficient cpu", "Insufficient cpu: 500m requested, 1350m of 1400m in use", 450},
		{short("memory", 1<<30, 1<<30, 1<<29), "OutOfmemory", "Insufficient memory", "Insufficient memory: 1Gi requested, 1Gi of 512Mi in use", 3 << 29},
		{short("ephemeral-storage", 5, 0, 0), "OutOfephemeral-storage", "Insufficient ephemeral-storage", "Insufficient ephemeral-storage: 5 requested, 0 of 0 in use", 5},
		{short("pods", 1, 110, 110), "OutOfpods", "Insufficient pods", "Insufficient pods: 1 requested, 110 of 110 in use", 1},
		{short(gpu, 2, 1, 2), "OutOfexample.com/gpu", "Insufficient example.com/gpu", "Insufficient example.com/gpu: 2 requested, 1 of 2 in use", 1},
		{kubeletadmit.CheckFailure{Predicate: kubeletadmit.NodePorts, Text: "taken"}, "NodePorts", "taken", "NodePorts: taken", 0},
	} {
		f := tt.failure
		if f.Reason() != tt.reason || f.String() != tt.text || messageOf(t, f) != tt.message || f.Shortage() != tt.shortage {
			t.Errorf("%#v:\n got %q, %q, %q, %d\nwant %q, %q, %q, %d", f,
				f.Reason(), f.String(), messageOf(t, f), f.Shortage(), tt.reason, tt.text, tt.message, tt.shortage)
		}
	}
}

// messageOf is what a pod that nobody is evicted for is told of a failure.
func messageOf(t *testing.T, f kubeletadmit.CheckFailure) string {
	t.Helper()
	adm, err := kubeletadmit.Resolve(newPod("asks", nil), nil, []kubeletadmit.CheckFailure{f}, kubeletadmit.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return adm.Message
}

// A shortage is written in the form in which objects write the resource.
func TestTextOfAShortage(t *testing.T) {
	for name, want := range map[resource.Name]string{
		resource.CPU:              "Insufficient cpu: 1024m requested, 2048m of 3072m in use",
		resource.Memory:           "Insufficient memory: 1Ki requested, 2Ki of 3Ki in use",
		resource.EphemeralStorage: "Insufficient ephemeral-storage: 1Ki requested, 2Ki of 3Ki in use",
		resource.Pods:             "Insufficient pods: 1024 requested, 2048 of 3072 in use",
		"example.com/gpu":         "Insufficient example.com/gpu: 1024 requested, 2048 of 3072 in use",
	} {
		f := kubeletadmit.CheckFailure{Resource: name, Requested: 1 << 10, Used: 2 << 10, Capacity: 3 << 10}
		assert.Equal(t, want, messageOf(t, f))
	}
}

// A pod does not count beside itself. It is known by namespace, name and UID,
// all three.
func TestWhoCountsBesideThePod(t *testing.T) {
	half := []outrank.Container{{Requests: resource.MustList("cpu", "500m"), Ports: []outrank.Port{{HostPort: 80}}}}
	node := &outrank.Node{Name: "n", Allocatable: resource.MustList("cpu", "700m", "pods", "1")}
	pod := &outrank.Pod{Name: "p", UID: "1", Containers: half}
	for _, c := range []struct {
		name   string
		active *outrank.Pod
		counts bool
	}{
		{"the pod", pod, false},
		{"a copy of it", &outrank.Pod{Name: "p", UID: "1", Containers: half}, false},
		{"with its namespace spelt out", &outrank.Pod{Name: "p", Namespace: "default", UID: "1", Containers: half}, false},
		{"in another namespace", &outrank.Pod{Name: "p", Namespace: "ops", UID: "1", Containers: half}, true},
		{"of another name", &outrank.Pod{Name: "q", UID: "1", Containers: half}, true},
		{"with another UID", &outrank.Pod{Name: "p", UID: "2", Containers: half}, true},
		{"one that has ended", &outrank.Pod{Name: "q", UID: "2", Phase: outrank.PhaseFailed, Containers: half}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			failures, err := kubeletadmit.Check(node, []*outrank.Pod{c.active}, pod, kubeletadmit.Config{})
			require.NoError(t, err)
			var reasons []string
			for _, f := range failures {
				reasons = append(reasons, f.Reason())
			}
			var want []string
			if c.counts {
				want = []string{"OutOfpods", "OutOfcpu", "NodePorts"}
			}
			assert.Equal(t, want, reasons)
		})
	}
}
