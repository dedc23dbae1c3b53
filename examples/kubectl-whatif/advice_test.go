package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/preemption"
)

// inAdvice turns names into files of testdata/cases.
func inAdvice(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if out[i] = a; strings.HasSuffix(a, ".yaml") {
			out[i] = "testdata/cases/" + a
		}
	}
	return out
}

// What is advised was tried, and what is denied, too.
func TestAdvice(t *testing.T) {
	const needs = "the pod wants to be near app=friend, and there is none in kubernetes.io/hostname=n1"
	for _, tt := range []struct {
		name    string
		args    []string
		status  int
		says    []string
		saysNot []string
	}{
		{"the taint is not all", []string{"--cluster", "hint.yaml", "--cpu", "100"}, exitStays, []string{
			"Hint for 1 node: with the node uncordoned and with 98 less cpu it fits on small.",
			`with the toleration {key: k, operator: Equal, value: "v", effect: NoSchedule} and with 98 less cpu it fits on tainted.`,
			"the node is cordoned; behind it: cpu is short by 98", "taint k=v:NoSchedule; behind it: cpu is short by 98",
			"No priority would be enough: no eviction changes what keeps the pod out.",
		}, []string{"would help"}},
		{"the taint is all", []string{"--cluster", "hint.yaml", "--cpu", "1"}, exitStays, []string{
			"Hint for 1 node: with the node uncordoned it fits on small.",
		}, []string{"behind it", "less cpu"}},
		{"replicas are not pushed out for a replica", []string{"--cluster", "drain.yaml", "--cluster", "free.yaml", "-f", "sts.yaml", "--replicas", "4"}, exitStays, []string{
			"No priority would be enough: it would have to push out its own copies", "and they have the same priority.",
		}, []string{"Priority 1001"}},
		{"what it wants to be near would leave", []string{"--cluster", "aff2.yaml", "--pending", "default/lone", "--exact"}, exitStays, []string{
			needs, "A lower priority would be enough, 1 and not 2: on node n1 it would push out default/other (priority 0).",
			"With default/other (priority 0, on n1) evicted by hand it fits on node n1.", "It takes default/other.",
		}, []string{"no eviction", "No priority"}},
		{"a pod on another node and those below", []string{"--cluster", "aff2.yaml", "--pending", "default/web"}, exitStays, []string{
			"With default/rival (priority 1, on n2) evicted by hand it pushes out default/friend (priority 1), default/other (priority 0) on node n1.",
		}, []string{"no eviction"}},
		{"a pod on another node", []string{"--cluster", "cross.yaml", "--pending", "default/web"}, exitStays, []string{
			"No priority would be enough.", "With default/rival (priority 1, on n2) evicted by hand it fits on node n1.",
			"without its pod anti-affinity it fits on n1.",
		}, []string{"no eviction", "only a higher priority"}},
		{"that pod gone", []string{"--cluster", "cross2.yaml", "--pending", "default/web"}, exitFits, []string{"1 node takes it as things are: n1."}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, _ := whatif("", append(inAdvice(tt.args), "--exit-status")...)
			assert.Equal(t, tt.status, status)
			text := strings.Join(strings.Fields(stdout), " ")
			for _, want := range tt.says {
				assert.Contains(t, text, want)
			}
			for _, not := range tt.saysNot {
				assert.NotContains(t, text, not)
			}
		})
	}
}

// A pod whose room terminating pods leave behind does not stay pending: the status is that
// of pods that have to leave, whether they were pushed out for it or not.
func TestRoomOfLeavingPods(t *testing.T) {
	for _, tt := range []struct {
		name string
		dump string
		out  preemption.Outcome
		want string
	}{
		{"its own victims", listOf(nodeItem("n", "1"), podItem("x", "n", 1, "1", leaving), podItem("p", "", 9, "1", nominated("n"))),
			preemption.NotEligible, "the pod fits on node n once default/x (priority 1) has left, which is being deleted already."},
		{"a pod that is more important", listOf(nodeItem("m", "1"), nodeItem("n", "1"), podItem("x", "m", 50, "1"), podItem("y", "n", 50, "1", leaving), podItem("p", "", 9, "1")),
			preemption.NothingHelps, "the pod fits on node n once default/y (priority 50) has left, which is being deleted already."},
		{"two of three", listOf(nodeItem("n", "3"), podItem("x", "n", 50, "1500m", leaving), podItem("y", "n", 50, "1400m", leaving), podItem("z", "n", 50, "100m", leaving), podItem("p", "", 9, "2500m")),
			preemption.NothingHelps, "the pod fits on node n once default/x (priority 50), default/y (priority 50) have left, which are being deleted already."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := []string{"--cluster", "-", "--pending", "default/p"}
			a := answerOf(t, tt.dump, args...)
			assert.Equal(t, tt.out, a.Outcome)
			text := strings.Join(strings.Fields(answered(t, tt.dump, args...)), " ")
			assert.Contains(t, text, "Nobody else has to leave: "+tt.want)
			assert.NotContains(t, text, "stays pending")
			status, page, _ := whatif(tt.dump, append(args, "--exit-status", "-o", "html")...)
			assert.Equal(t, exitEvicts, status)
			assert.Contains(t, page, "can run once others have left")
		})
	}
	tooSmall := listOf(nodeItem("n", "2"), podItem("x", "n", 50, "1", leaving), podItem("y", "n", 50, "1"), podItem("p", "", 9, "2"))
	text := answered(t, tooSmall, "--cluster", "-", "--pending", "default/p")
	assert.Contains(t, text, "stays pending")
}

// A class of the system is not offered to a pod of an application.
func TestSystemClassesAreNotAdvised(t *testing.T) {
	class := func(name string, value int) string {
		return item("PriorityClass", name, map[string]any{"value": value})
	}
	dump := listOf(nodeItem("n", "1"), podItem("x", "n", 2000000000, "1"), podItem("p", "", 9, "1"),
		class("high", 1000), class("system-cluster-critical", 2000000000), class("system-node-critical", 2000001000))
	text := strings.Join(strings.Fields(answered(t, dump, "--cluster", "-", "--pending", "default/p")), " ")
	assert.Contains(t, text, "Only a class of the system (system-...) could be enough, with priority 2000000001, and those are not for applications")
	assert.Contains(t, text, "With default/x (priority 2000000000, on n) evicted by hand it fits on node n.")
	assert.NotContains(t, text, "class system-node-critical")
}
