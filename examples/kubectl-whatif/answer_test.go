package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outrank-go/outrank/preemption"
)

// preempts is a pod of priority 9 that needs a whole core.
var preempts = podItem("p", "", 9, "1")

// Two nodes, each with victims for the pod; the reason between them has both
// figures.
func TestWhyThisNode(t *testing.T) {
	a, b := nodeItem("a", "1"), nodeItem("b", "1")
	for _, tt := range []struct {
		name      string
		pods      []string
		decidedBy string
		why       string
	}{
		{"budgets", []string{podItem("x", "a", 1, "1"), podItem("y", "b", 5, "1"), budgetItem("keep", "x", 0)},
			preemption.ByViolations.Name, "Why b? Fewer budget violations: 0 against 1 on a, where default/keep would break."},
		{"top priority", []string{podItem("x", "a", 3, "1"), podItem("y", "b", 2, "1")},
			preemption.ByTopPriority.Name, "Why b? Lower priority of the most important victim: 2 against 3 on a."},
		{"sum", []string{podItem("x", "a", 3, "500m"), podItem("x2", "a", 2, "500m"), podItem("y", "b", 3, "500m"), podItem("y2", "b", -1, "500m")},
			preemption.ByPrioritySum.Name, "Why b? Lower sum of victim priorities: 2 against 5 on a."},
		{"sum of fewer", []string{podItem("x", "a", 3, "500m"), podItem("x2", "a", -7, "500m"), podItem("y", "b", 3, "1")},
			preemption.ByPrioritySum.Name, "Why b? Lower sum of victim priorities: 1 × 2^31 +3 against 2 × 2^31 -4 on a."},
		{"start", []string{podItem("x", "a", 3, "1"), podItem("y", "b", 3, "1", started("2026-01-01T00:00:01Z"))},
			preemption.ByStart.Name, "Why b? Its most important victims started later: 2026-01-01 00:00:01 against 2026-01-01 00:00:00 on a."},
		{"nothing", []string{podItem("x", "a", 3, "1"), podItem("y", "b", 3, "1")},
			"", "Why a? It equals b in every rank and comes first in the order of the nodes."},
		{"no other", []string{podItem("x", "a", 3, "1"), podItem("y", "b", 9, "1")},
			"", "Why a? It is the only node on which pushing pods out makes room."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dump := listOf(append([]string{a, b, preempts}, tt.pods...)...)
			args := []string{"-cluster", "-", "-pending", "default/p"}
			if got := answerOf(t, dump, args...).DecidedBy; got != tt.decidedBy {
				t.Errorf("decided by %v, want %v", got, tt.decidedBy)
			}
			if got := answered(t, dump, args...); !strings.Contains(got, tt.why+"\n") {
				t.Errorf("no line\n%s in\n%s", tt.why, got)
			}
		})
	}
}

// A pod with a victim still on its way out waits for the room that it leaves.
func TestWaitsForVictims(t *testing.T) {
	dump := listOf(nodeItem("n", "1"), podItem("x", "n", 1, "1", leaving), podItem("p", "", 9, "1", nominated("n")))
	args := []string{"-cluster", "-", "-pending", "default/p"}
	a := answerOf(t, dump, args...)
	if a.Outcome != preemption.NotEligible || a.Ineligible != preemption.VictimsTerminating || a.CandidateCount != 1 || a.Node != "" {
		t.Errorf("outcome %s, ineligible %q, %d candidates, node %q; want not eligible, victims terminating, 1 and none",
			a.Outcome, a.Ineligible, a.CandidateCount, a.Node)
	}
	text := answered(t, dump, args...)
	for _, want := range []string{
		"nominated  to n, by an earlier preemption",
		"Nobody else has to leave: the pod fits on node n once default/x (priority 1) has left, which is being deleted already.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestVictimNotes(t *testing.T) {
	dump := listOf(nodeItem("n", "1"), podItem("x", "n", 1, "500m", leaving), podItem("y", "n", 1, "500m"), budgetItem("keep", "x", 0), preempts,
		podItem("q", "", 3, "0", nominated("n")))
	text := answered(t, dump, "-cluster", "-", "-pending", "default/p")
	for _, want := range []string{
		"     no owner; if it stayed: cpu is short by 500m: 1 needed, 500m free of 1\n",
		"     breaks budget default/keep, which allows 0 disruptions\n",
		"     already terminating: nothing needs to be done about it\n",
		"  default/q (priority 3) was promised room on n and loses that claim.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The figures of a node: room kept for others is counted, and the number of
// pods is drawn only where it is short.
func TestRoom(t *testing.T) {
	dump := listOf(nodeItem("n", "4"), podItem("stays", "n", 20, "1"), podItem("x", "n", 1, "2"),
		podItem("first", "", 30, "1", nominated("n")), podItem("p", "", 9, "1500m"))
	a := answerOf(t, dump, "-cluster", "-", "-pending", "default/p")
	var got []string
	for _, r := range a.Room {
		got = append(got, strings.Join([]string{string(r.Resource), r.Allocatable.String(), r.Used.String(),
			r.Freed.String(), r.Needed.String(), r.Reserved.String(), r.After.String()}, " "))
	}
	want := []string{"cpu 4 3 2 1500m 1 2500m", "pods 10 2 1 1 1 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("room (-want +got):\n%s", diff)
	}
	text := answered(t, dump, "-cluster", "-", "-pending", "default/p")
	for _, want := range []string{
		"[##########xxxxxxxxxxxxxxxxxxxx..........]    3  of 4  freed 2\n",
		"[##########+++++++++++++++oooooooooo.....]  2.5  of 4  needed 1.5, o kept for nominated pods 1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "pods  before") {
		t.Errorf("the number of pods is drawn, though it is not short:\n%s", text)
	}
}

func TestCrowdedNode(t *testing.T) {
	pods := many(10, func(i int) string { return podItem(numbered("x", i), "n", i, "1m") })
	text := answered(t, listOf(append(pods, nodeItem("n", "4"))...), "-cluster", "-", "-priority", "5", "-cpu", "1m")
	for _, want := range []string{"if it stayed: the node holds 10 pods already, of at most 10", "pods  before  [####################################xxxx]    10  of 10  freed 1\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Every node is accounted for exactly once, in figures and in names.
func TestNodesAddUp(t *testing.T) {
	for _, args := range [][]string{nil, {"-cpu", "100m", "-class", "batch"}, {"-pending", "ml/train-2"}, {"-cpu", "1", "-node-selector", "a=b"}} {
		a := answerOf(t, "", append(args, "-list", "100")...)
		sum := a.FeasibleNodes.Count + a.CandidateCount
		names := slices.Clone(a.FeasibleNodes.Names)
		for _, c := range a.Candidates {
			names = append(names, c.Node)
		}
		for _, r := range otherReasons(a) {
			sum += r.Nodes.Count
			names = append(names, r.Nodes.Names...)
		}
		slices.Sort(names)
		if sum != a.Cluster.Nodes || len(slices.Compact(names)) != a.Cluster.Nodes {
			t.Errorf("whatif %q: %d nodes and names %q, want each of %d once", args, sum, names, a.Cluster.Nodes)
		}
	}
}

// -list limits the lists and leaves the figures alone.
func TestListLimits(t *testing.T) {
	all, one := answerOf(t, "", "-list", "100"), answerOf(t, "", "-list", "1")
	if len(one.Candidates) != 1 || one.CandidateCount != all.CandidateCount || len(all.Candidates) != all.CandidateCount {
		t.Errorf("-list 1 keeps %d of %d candidates, want 1 of %d", len(one.Candidates), one.CandidateCount, len(all.Candidates))
	}
	if diff := cmp.Diff(all.Victims, one.Victims); diff != "" {
		t.Errorf("-list changes the victims:\n%s", diff)
	}
	fits := answerOf(t, "", "-cpu", "100m", "-class", "batch", "-list", "2").FeasibleNodes
	if fits.Count != 5 || !slices.Equal(fits.Names, []string{"apps-a1", "apps-a2"}) {
		t.Errorf("feasible nodes %+v, want the first two of 5", fits)
	}
}

// Time is an argument: it moves ages, and nothing else by itself.
func TestNow(t *testing.T) {
	text := answered(t, "", "-now", "2026-03-02T12:00:00+01:00")
	for _, want := range []string{"as of      2026-03-02 11:00:00 UTC", "2026-03-02 01:00  10h00m"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	timeless := strings.ReplaceAll(listOf(nodeItem("n", "1"), podItem("x", "n", 1, "1", startedAt("")), preempts), "creationTimestamp", "created")
	text = answered(t, timeless, "-cluster", "-", "-pending", "default/p")
	if strings.Contains(text, "as of") || !strings.Contains(text, "not started  ") {
		t.Errorf("a dump without times has none in\n%s", text)
	}
}

func TestHints(t *testing.T) {
	full := []string{nodeItem("n", "2"), podItem("x", "n", 5, "1500m"), podItem("y", "n", 1, "100m")}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-cpu", "1", "-priority", "1"}, "with 600m less cpu it fits on n."},
		{[]string{"-cpu", "1", "-priority", "2"}, "with 500m less cpu it fits on n once default/y (priority 1) has left."},
		{[]string{"-cpu", "3", "-priority", "6"}, "with 1 less cpu it fits on n once default/x (priority 5), default/y (priority 1) have left."},
		{[]string{"-cpu", "1", "-node-selector", "a=b", "-priority", "2"}, "without its node selector for a and with 500m less cpu it fits on n once default/y (priority 1) has left."},
	} {
		text := answered(t, listOf(full...), append([]string{"-cluster", "-"}, tt.args...)...)
		if want := "  Hint for 1 node: " + tt.want; !strings.Contains(strings.Join(strings.Fields(text), " "), strings.TrimSpace(want)) {
			t.Errorf("whatif %q: no %q in\n%s", tt.args, want, text)
		}
	}
}

// Limits of the pod to some nodes are shown with the question, because a
// manifest that kubectl printed may carry a node's name unnoticed.
func TestNodeLimitsAreShown(t *testing.T) {
	pod := podItem("p", "b", 9, "1", created, func(_, spec, _ map[string]any) { spec["nodeSelector"] = map[string]any{"name": "b"} })
	dump := manifest(t, listOf(nodeItem("a", "1"), nodeItem("b", "1"), podItem("x", "b", 1, "1")))
	text := answered(t, pod, "-cluster", dump, "-pod", "-")
	for _, want := range []string{
		"  nodes      only b (spec.nodeName), only with label name=b\n",
		"1 pod has to leave node b;",
		"  1  preemption cannot help  node(s) didn't satisfy plugin(s) [NodeName]  a\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
