package main

import (
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// claims gives a pod resource claims.
func claims(names ...string) func(_, spec, _ map[string]any) {
	var list []any
	for _, name := range names {
		list = append(list, map[string]any{"name": name, "resourceClaimName": "made-" + name})
	}
	return withSpec("resourceClaims", list)
}

// ownedBy gives a pod a controller.
func ownedBy(kind string) func(meta, _, _ map[string]any) {
	return func(meta, _, _ map[string]any) {
		meta["ownerReferences"] = []any{map[string]any{"kind": kind, "name": "c", "controller": true}}
	}
}

// claimants is a cluster in which some of these pods claim devices: ask waits and pushes low out;
// next waits, too; low, high and each run.
var claimants = []string{"ask", "next", "low", "high", "each"}

func claimingCluster(which map[string]bool) string {
	pod := func(name, node string, prio int, edits ...func(_, _, _ map[string]any)) string {
		if which[name] {
			edits = append(edits, claims("gpu-"+name))
		}
		return podItem(name, node, prio, "1", edits...)
	}
	return whole(nodeItem("m", "1"), pod("ask", "", 50), pod("next", "", 40), pod("low", "m", 1, ownedBy("ReplicaSet")),
		pod("high", "n", 90, ownedBy("ReplicaSet")), pod("each", "n", 60, ownedBy("DaemonSet")))
}

// everyQuestion asks each question, and says which pods of claimingCluster have a turn in the answer.
var everyQuestion = []struct {
	args  string
	turns string
}{
	{"--pending ask", "ask"},
	{"--pending ask --exact --trace", "ask"},
	{"--pending ask --replacements 2", "ask next low"},
	{"--pending ask --replicas 3", "ask"},
	{"--pending ask --why-not m", "ask"},
	{"--pending ask --on-node m", "ask next low"},
	{"--pending ask --across", "ask"},
	{"--pending ask --least-priority", "ask"},
	{"--pending ask --largest", "ask"},
	{"--pending all", "ask next low"},
	{"--pending all -n other", "ask next low"},
	{"--more-nodes m", "ask next low high each"},
	{"--emptiable all", "ask next low high each"},
	{"--without m", "ask next low high each"},
	{"--without m --pending ask", "ask next low high each"},
	{"--add-node m --pending all", "ask next low high each"},
	{"--delete default/low", "ask next low high each"},
	{"--set-class low=5", "ask next low high each"},
	{"--set-class low=5 --recreate --pending ask", "ask next low high each"},
	{"--report", "ask next low high each"},
	{"--diff %dump", "ask next low high each"},
	{"--why-preempted default/low", "ask next low high each"},
	{"--cpu 1 --priority 70", ""},
	{"--cpu 1 --priority 70 --replacements 1", "ask next low each"},
}

// saysDevices has the parts of an answer about devices, without line breaks.
func saysDevices(text string) string {
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

// Whichever pods claim devices, an answer in which one of them has a turn says that devices are not
// looked at, and names the pod and its claims; no other answer speaks of devices.
func TestNoAnswerIsSilentAboutDevices(t *testing.T) {
	seen := map[inquiry]bool{}
	for bits := range 1 << len(claimants) {
		which := map[string]bool{}
		for i, name := range claimants {
			which[name] = bits&(1<<i) != 0
		}
		dump := claimingCluster(which)
		file := manifest(t, dump)
		for _, q := range everyQuestion {
			args := append([]string{"--cluster", "-"}, strings.Fields(strings.ReplaceAll(q.args, "%dump", file))...)
			status, out, stderr := whatif(dump, append(args, "-o", "json", "--exit-status")...)
			require.NotEqual(t, exitUnusable, status, "%s: %s", q.args, stderr)
			var doc struct {
				Question inquiry
				Caveats  []Warning
			}
			require.NoError(t, json.Unmarshal([]byte(out), &doc))
			seen[doc.Question] = true
			var said []string
			for _, w := range doc.Caveats {
				if w.Object == "devices" || w.Field == "spec.resourceClaims" {
					said = append(said, w.String())
				}
			}
			speaks := strings.Join(said, "\n")
			var due []string
			for _, name := range claimants {
				turn := which[name] && slices.Contains(strings.Fields(q.turns), name)
				if turn {
					due = append(due, name)
				}
				assert.Equal(t, turn, strings.Contains(speaks, "default/"+name) && strings.Contains(speaks, "gpu-"+name), "%s, %s of %v: %s", q.args, name, which, speaks)
			}
			assert.LessOrEqual(t, len(said), 2, q.args)
			if len(due) == 0 {
				assert.Empty(t, said, q.args)
				assert.NotEqual(t, exitUnknown, status, q.args)
				continue
			}
			assert.Contains(t, speaks, "not looked at", q.args)
			assert.Contains(t, speaks, "kubectl whatif-devices", q.args)
			if !slices.Contains([]inquiry{askReport, askDiff, askClasses, askBackward}, doc.Question) {
				assert.Contains(t, []int{exitStays, exitUnknown}, status, q.args)
			}
			if bits != 1<<len(claimants)-1 {
				continue // one cluster is enough to see the other forms
			}
			for _, form := range []string{"text", "wide", "yaml", "html"} {
				status, text, _ := whatif(dump, append(args, "-o", form)...)
				if form == "html" && status != 0 {
					assert.False(t, doc.Question.drawn() && doc.Question != "", "%s has a page", q.args)
					continue
				}
				for _, caveat := range said {
					if form == "yaml" {
						_, caveat, _ = strings.Cut(caveat, "not looked at")
						caveat = caveat[:20]
					}
					assert.Contains(t, saysDevices(text), strings.Join(strings.Fields(caveat), " "), "%s as %s", q.args, form)
				}
			}
		}
	}
	for _, i := range inquiries {
		assert.True(t, seen[i.of], "no question is %s", i.of)
	}
	for _, i := range []inquiry{"", askAll, askClasses, askWithout, askChange} { // a Document names no question
		assert.True(t, seen[i], "no question is %q", i)
	}
}

// Pods of manifests claim devices, too, alone, as replicas and beside other questions; so do groups.
func TestDevicesOfManifests(t *testing.T) {
	dump := manifest(t, claimingCluster(nil))
	of := func(replicas int) string {
		return manifest(t, fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"train"},"spec":{"replicas":%d,"template":{"metadata":{"labels":{"a":"b"}},
			"spec":{"resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"gpus"}],"containers":[{"name":"c","resources":{"requests":{"cpu":"1","memory":"1"}}}]}}}}`, replicas))
	}
	for _, args := range [][]string{
		{"-f", of(1)}, {"-f", of(3)}, {"-f", of(3), "--one"}, {"-f", of(1), "--replicas", "2"}, {"-f", of(2), "--pending", "all"}, {"-f", of(2), "--pending", "ask"},
		{"-f", of(1), "--why-not", "m"}, {"-f", of(3), "--least-priority"}, {"-f", of(1), "--largest"}, {"-f", of(1), "--without", "m"}, {"-f", of(2), "--report"}, {"-f", of(2), "--more-nodes", "m"},
	} {
		status, out, stderr := whatif("", append([]string{"--cluster", dump}, args...)...)
		require.Zero(t, status, stderr)
		assert.Regexp(t, `(?s)Before you rely on this:.*(Deployment/)?train[a-z0-9-]*(: spec.resourceClaims: the devices that it claims \(gpu\)|: gpu).*kubectl whatif-devices`, saysDevices(out), "%s", args)
	}
	group := grouped(true)
	group = strings.Replace(group, `"schedulingGroup"`, `"resourceClaims":[{"name":"gpu"}],"schedulingGroup"`, 2)
	_, out, _ := whatif(group, "--cluster", "-", "--release", groupsOn, "--pending", "t-0", "--exit-status")
	for _, want := range []string{"pod default/t-0: spec.resourceClaims: the devices that it claims (gpu) are not looked at", "devices: 1 pod claims some, which are not looked at: where it waits or is recreated, it counts as if every node had the devices free (default/t-1: gpu)"} {
		assert.Contains(t, saysDevices(out), want)
	}
}

// A node that does not offer an extended resource counts as one without it, whatever class backs it.
func TestExtendedResourcesBehindClasses(t *testing.T) {
	asking := func(name, resource string) string {
		return podItem(name, "", 9, "1", withSpec("containers", []any{map[string]any{"name": "c", "resources": map[string]any{"requests": map[string]any{resource: "1"}}}}))
	}
	class := item("DeviceClass", "gpus", map[string]any{"apiVersion": "resource.k8s.io/v1", "spec": map[string]any{"extendedResourceName": "example.com/gpu"}})
	for _, tt := range []struct {
		name, dump, args string
		want             string // empty for nothing
	}{
		{"backed by name", whole(asking("p", "example.com/gpu"), class), "--pending p", "pod default/p: spec.containers.resources.requests: the devices behind example.com/gpu, which device class gpus backs, are not looked at, and a node that does not offer the resource itself counts as one without"},
		{"backed implicitly", whole(asking("p", "deviceclass.resource.kubernetes.io/nics")), "--pending p", "the devices behind deviceclass.resource.kubernetes.io/nics, which device class nics backs, are not looked at"},
		{"backed by none", whole(asking("p", "example.com/gpu")), "--pending p", ""},
		{"another resource", whole(asking("p", "example.com/nic"), class), "--pending p", ""},
		{"of all that waits", whole(asking("p", "example.com/gpu"), asking("q", "example.com/gpu"), class), "--pending all",
			"devices: 2 pods request some, which are not looked at: where they wait or are recreated, a node that does not offer the resource itself counts as one without (default/p: example.com/gpu, which device class gpus backs; default/q: "},
	} {
		status, out, stderr := whatif(tt.dump, append([]string{"--cluster", "-", "--exit-status"}, strings.Fields(tt.args)...)...)
		require.NotEqual(t, exitUnusable, status, stderr)
		if tt.want == "" {
			assert.NotContains(t, out, "devices", tt.name)
			assert.Equal(t, exitStays, status, tt.name)
			continue
		}
		assert.Contains(t, saysDevices(out), strings.Join(strings.Fields(tt.want), " "), tt.name)
		assert.Equal(t, exitUnknown, status, "%s: the node may have devices", tt.name)
	}
	status, _, stderr := whatif(whole(asking("p", "example.com/gpu"), item("DeviceClass", "gpus", map[string]any{"spec": map[string]any{"extendedResourceName": 5}})), "--cluster", "-", "--pending", "p")
	assert.Equal(t, exitUnusable, status)
	assert.Contains(t, stderr, "deviceclass gpus: spec.extendedResourceName: ")
}

// Of hundreds of pods a sentence has the number and a few names, those that wait first.
func TestManyPodsClaimDevices(t *testing.T) {
	pods := many(300, func(i int) string { return podItem(numbered("a", i), "n", 1, "0", claims("gpu"), ownedBy("Job")) })
	pods = append(pods, podItem("waits", "", 9, "1", claims("gpu", "a", "b", "c", "d", "e", "f")))
	got := answered(t, whole(pods...), "--cluster", "-", "--pending", "all")
	want := "- devices: 301 pods claim some, which are not looked at: where they wait or are recreated, they count as if every node had the devices free " +
		"(default/waits: gpu, a, b, c, d and 2 more; default/a-00: gpu; default/a-01: gpu; default/a-02: gpu; default/a-03: gpu; and 296 more); " +
		"kubectl whatif-devices looks at them, in a dump with resourceclaims,resourceslices,deviceclasses"
	assert.Contains(t, saysDevices(got), want)
	assert.Equal(t, 1, strings.Count(got, "whatif-devices"))
}
