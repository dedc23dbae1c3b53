package kube_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/hostile"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/kube"
)

// inVersions has the same groups in the words of each version (rule 22.2.1).
var inVersions = map[string]struct {
	text string
	want *outrank.Cluster
}{
	"v1alpha2": {
		text: `{"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup", "metadata": {"name": "g", "namespace": "ml", "uid": "u"},
			"spec": {"podGroupTemplateRef": {"workload": {"workloadName": "w", "podGroupTemplateName": "t"}},
				"schedulingPolicy": {"gang": {"minCount": 3}}, "schedulingConstraints": {"topology": [{"key": "rack"}]}, "disruptionMode": "PodGroup",
				"priorityClassName": "high", "priority": 7, "resourceClaims": [{"name": "gpu"}], "later": {"x": []}},
			"status": {"conditions": [{"type": "PodGroupScheduled", "status": "True"}]}}`,
		want: &outrank.Cluster{
			Groups: []*outrank.PodGroup{member("", "")},
			Unread: []outrank.Problem{{Object: "podgroup ml/g", Field: "spec.resourceClaims", Text: "devices that are claimed are not looked at"}},
		},
	},
	"v1alpha3": {
		text: later("v1alpha3", "PodGroup", `"gang": {"minCount": 3}`, "PodGroupInitiallyScheduled"),
		want: &outrank.Cluster{Groups: []*outrank.PodGroup{member("c", outrank.PreemptNever)}},
	},
	"v1beta1": {
		text: later("v1beta1", "PodGroup", `"gang": {"minCount": 3}`, "PodGroupInitiallyScheduled"),
		want: &outrank.Cluster{Groups: []*outrank.PodGroup{member("c", outrank.PreemptNever)}},
	},
	"a version to come": {
		text: later("v1", "PodGroup", `"gang": {"minCount": 3}, "basic": null`, "PodGroupInitiallyScheduled"),
		want: &outrank.Cluster{Groups: []*outrank.PodGroup{member("c", outrank.PreemptNever)}},
	},
	"a condition that is not True, and one that comes too late": {
		text: `{"kind": "PodGroup", "metadata": {"name": "g"}, "status": {"conditions": [
			{"type": "PodGroupInitiallyScheduled", "status": "False"}, {"type": "PodGroupInitiallyScheduled", "status": "True"}]}}`,
		want: &outrank.Cluster{Groups: []*outrank.PodGroup{{Name: "g"}}},
	},
	"no version": {
		text: `{"kind": "PodGroup", "metadata": {"name": "g"}}`,
		want: &outrank.Cluster{Groups: []*outrank.PodGroup{{Name: "g"}}},
	},
	"v1alpha3 of a composite group": {
		text: later("v1alpha3", "CompositePodGroup", `"gang": {"minGroupCount": 2}`, "CompositePodGroupInitiallyScheduled"),
		want: &outrank.Cluster{Composites: []*outrank.CompositePodGroup{{
			Name: "g", Namespace: "ml", UID: "u", DisruptionMode: outrank.DisruptPodGroup, Policy: outrank.GangPolicy, MinGroupCount: 2,
			Priority: outrank.Priority(7), PriorityClassName: "high", PreemptionPolicy: outrank.PreemptNever,
			Parent: "c", Topology: []string{"rack"}, Workload: "w", Template: "t", Scheduled: true,
		}}},
	},
	"a composite group with the basic policy": {
		text: `{"kind": "CompositePodGroup", "metadata": {"name": "c"}, "spec": {"schedulingPolicy": {"basic": {}}, "disruptionMode": {"single": {}, "all": null}}}`,
		want: &outrank.Cluster{Composites: []*outrank.CompositePodGroup{{Name: "c", Policy: outrank.BasicPolicy, DisruptionMode: outrank.DisruptPod}}},
	},
	"v1alpha2 of a workload": {
		text: `{"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "Workload", "metadata": {"name": "w", "namespace": "ml"},
			"spec": {"controllerRef": {"apiGroup": "batch", "kind": "Job", "name": "j"}, "podGroupTemplates": [
				{"name": "t", "schedulingPolicy": {"gang": {"minCount": 3}}, "disruptionMode": "Pod", "priority": 7, "priorityClassName": "high"}]}}`,
		want: &outrank.Cluster{Workloads: []*outrank.Workload{{
			Name: "w", Namespace: "ml", Owner: outrank.Owner{Kind: "Job", Name: "j"},
			PodGroupTemplates: []outrank.PodGroupTemplate{{Name: "t", Policy: outrank.GangPolicy, MinCount: 3, DisruptionMode: outrank.DisruptPod, Priority: outrank.Priority(7), PriorityClassName: "high"}},
		}}},
	},
	"v1beta1 of a workload": {
		text: `{"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "Workload", "metadata": {"name": "w"}, "spec": {"compositePodGroupTemplates": [
			{"name": "root", "schedulingPolicy": {"gang": {"minGroupCount": 2}}, "disruptionMode": {"all": {}}, "preemptionPolicy": "Never",
				"podGroupTemplates": [{"name": "t", "schedulingPolicy": {"basic": {}}, "schedulingConstraints": {"topology": [{"key": "rack"}]}}],
				"compositePodGroupTemplates": [{"name": "deeper"}]}]}}`,
		want: &outrank.Cluster{Workloads: []*outrank.Workload{{Name: "w", CompositePodGroupTemplates: []outrank.CompositePodGroupTemplate{{
			Name: "root", Policy: outrank.GangPolicy, MinGroupCount: 2, DisruptionMode: outrank.DisruptPodGroup, PreemptionPolicy: outrank.PreemptNever,
			PodGroupTemplates:          []outrank.PodGroupTemplate{{Name: "t", Policy: outrank.BasicPolicy, Topology: []string{"rack"}}},
			CompositePodGroupTemplates: []outrank.CompositePodGroupTemplate{{Name: "deeper"}},
		}}}}},
	},
	"v1alpha1 of a workload": {
		text: `{"apiVersion": "scheduling.k8s.io/v1alpha1", "kind": "Workload", "metadata": {"name": "w"}, "spec": {"podGroups": [{"name": "g"}]}}`,
		want: &outrank.Cluster{Skipped: map[string]int{"Workload": 1}},
	},
	"kinds of others": {
		text: `{"apiVersion": "apps.example.com/v1", "kind": "CompositePodGroup", "metadata": {"name": "c"}, "spec": 7}
			{"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "metadata": {"name": "w"}, "spec": {"podGroupTemplates": "x"}}`,
		want: &outrank.Cluster{Skipped: map[string]int{"CompositePodGroup": 1, "Workload": 1}},
	},
}

// later is a group in versions from v1alpha3 on.
func later(version, kind, policy, condition string) string {
	return fmt.Sprintf(`{"apiVersion": "scheduling.k8s.io/%s", "kind": %q, "metadata": {"name": "g", "namespace": "ml", "uid": "u"},
		"spec": {"workloadRef": {"workloadName": "w", "templateName": "t"}, "parentCompositePodGroupName": "c",
			"schedulingPolicy": {%s}, "schedulingConstraints": {"topology": [{"key": "rack"}]}, "disruptionMode": {"all": {}},
			"priorityClassName": "high", "priority": 7, "preemptionPolicy": "Never", "later": {"x": []}},
		"status": {"conditions": [{"type": "DisruptionTarget", "status": "False"}, {"type": %q, "status": "True"}]}}`, version, kind, policy, condition)
}

func member(parent string, policy outrank.PreemptionPolicy) *outrank.PodGroup {
	return &outrank.PodGroup{
		Name: "g", Namespace: "ml", UID: "u", DisruptionMode: outrank.DisruptPodGroup, Policy: outrank.GangPolicy, MinCount: 3,
		Priority: outrank.Priority(7), PriorityClassName: "high", PreemptionPolicy: policy,
		Parent: parent, Topology: []string{"rack"}, Workload: "w", Template: "t", Scheduled: true,
	}
}

func TestGroupsInEveryVersion(t *testing.T) {
	for name, test := range inVersions {
		t.Run(name, func(t *testing.T) {
			c, err := kube.ReadCluster(strings.NewReader(test.text))
			require.NoError(t, err)
			assert.Empty(t, testdiff.Diff(test.want, c))
			again := read(t, write(t, c))
			assert.Empty(t, testdiff.Diff(test.want, again, whatIsWritten), "written and read back")
		})
	}
}

// Groups are written in v1.36's version as long as that has words for all, and
// a cluster has them in one version (rule 22.3.1).
func TestVersionThatGroupsAreWrittenIn(t *testing.T) {
	plain := &outrank.PodGroup{Name: "a", DisruptionMode: outrank.DisruptPodGroup, Workload: "w", Template: "t"}
	for _, test := range []struct {
		name string
		c    outrank.Cluster
		want []string
	}{
		{"one that v1.36 can say", outrank.Cluster{Groups: []*outrank.PodGroup{plain}}, []string{
			`{"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"PodGroup","metadata":{"name":"a"},"spec":{"podGroupTemplateRef":{"workload":{"workloadName":"w","podGroupTemplateName":"t"}},"disruptionMode":"PodGroup"}}`,
		}},
		{"one that it cannot", outrank.Cluster{Groups: []*outrank.PodGroup{plain, {Name: "b", PreemptionPolicy: outrank.PreemptNever}}}, []string{
			`{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"name":"a"},"spec":{"workloadRef":{"workloadName":"w","templateName":"t"},"disruptionMode":{"all":{}}}}`,
			`{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"name":"b"},"spec":{"preemptionPolicy":"Never"}}`,
		}},
		{"a parent", outrank.Cluster{Groups: []*outrank.PodGroup{{Name: "b", Parent: "c"}}}, []string{
			`{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"name":"b"},"spec":{"parentCompositePodGroupName":"c"}}`,
		}},
		{"a composite group beside", outrank.Cluster{
			Groups: []*outrank.PodGroup{{Name: "a"}}, Composites: []*outrank.CompositePodGroup{{Name: "c", DisruptionMode: outrank.DisruptPod}},
		}, []string{
			`{"apiVersion":"scheduling.k8s.io/v1alpha3","kind":"CompositePodGroup","metadata":{"name":"c"},"spec":{"disruptionMode":{"single":{}}}}`,
			`{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"name":"a"}}`,
		}},
		{"a workload", outrank.Cluster{Workloads: []*outrank.Workload{{Name: "w", CompositePodGroupTemplates: []outrank.CompositePodGroupTemplate{{Name: "t"}}}}}, []string{
			`{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"Workload","metadata":{"name":"w"},"spec":{"compositePodGroupTemplates":[{"name":"t"}]}}`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := strings.Split(strings.TrimSpace(string(write(t, &test.c))), "\n")
			got := lines[1 : len(lines)-1]
			for i := range got {
				got[i] = strings.TrimSuffix(got[i], ",")
			}
			assert.Empty(t, testdiff.Diff(test.want, got))
		})
	}
}

func TestProblemsOfLaterGroups(t *testing.T) {
	deep := `{"name":"d"}`
	for range outrank.MaxGroupLevels {
		deep = `{"name":"d","compositePodGroupTemplates":[` + deep + `]}`
	}
	of := func(kind, spec string) string {
		return `{"kind":"` + kind + `","metadata":{"name":"x"},"spec":` + spec + `}`
	}
	for _, test := range []struct{ text, want string }{
		{of("PodGroup", `{"disruptionMode":{"single":{},"all":{}}}`), "podgroup default/x: spec.disruptionMode: both single and all"},
		{of("PodGroup", `{"disruptionMode":{}}`), `podgroup default/x: spec.disruptionMode: "{}" is neither Pod nor PodGroup`},
		{of("PodGroup", `{"preemptionPolicy":"Sometimes"}`), `podgroup default/x: spec.preemptionPolicy: "Sometimes" is neither PreemptLowerPriority nor Never`},
		{of("PodGroup", `{"parentCompositePodGroupName":{}}`), "podgroup default/x: spec.parentCompositePodGroupName: an object stands where a string belongs"},
		{of("PodGroup", `{"schedulingPolicy":{"gang":{"minGroupCount":2}}}`), "podgroup default/x: spec.schedulingPolicy.gang.minCount: 0, it has to be at least 1"},
		{of("PodGroup", `{"schedulingConstraints":{"topology":[{"key":"a b"}]}}`), `podgroup default/x: spec.schedulingConstraints.topology[0].key: "a b" is not a label key`},
		{of("CompositePodGroup", `{"disruptionMode":{"none":{}}}`), `compositepodgroup default/x: spec.disruptionMode: "{\"none\":{}}" is neither single nor all`},
		{of("CompositePodGroup", `{"schedulingPolicy":{"gang":{"minCount":2}}}`), "compositepodgroup default/x: spec.schedulingPolicy.gang.minGroupCount: 0, it has to be at least 1"},
		{of("CompositePodGroup", `{"schedulingPolicy":{"gang":{},"basic":{}}}`), "compositepodgroup default/x: spec.schedulingPolicy: both basic and gang"},
		{`{"kind":"CompositePodGroup"}`, "compositepodgroup (document 1): metadata.name: missing"},
		{`{"kind":"Workload"}`, "workload (document 1): metadata.name: missing"},
		{of("Workload", `{"podGroupTemplates":[{}]}`), "workload default/x: spec.podGroupTemplates[0].name: missing"},
		{of("Workload", `{"podGroupTemplates":[{"name":"a"},{"name":"b"},{"name":"a"}]}`), "workload default/x: spec.podGroupTemplates[2].name: there are two of this name"},
		{of("Workload", `{"podGroupTemplates":[{"name":"a"}],"compositePodGroupTemplates":[{"name":"b"}]}`), "workload default/x: spec: both podGroupTemplates and compositePodGroupTemplates"},
		{of("Workload", `{"podGroupTemplates":[`+strings.Repeat("{},", 8)+`{}]}`), "workload default/x: spec.podGroupTemplates: 9 templates, and 8 are the most"},
		{of("Workload", `{"compositePodGroupTemplates":[`+deep+`]}`), "workload default/x: spec" +
			strings.Repeat(".compositePodGroupTemplates[0]", outrank.MaxGroupLevels) + ".compositePodGroupTemplates: below the last of 4 levels"},
		{of("Workload", `{"compositePodGroupTemplates":[`+strings.Replace(deep, `[{"name":"d"}]`, `[],"podGroupTemplates":[{"name":"g"}]`, 1)+`]}`), "workload default/x: spec" +
			strings.Repeat(".compositePodGroupTemplates[0]", outrank.MaxGroupLevels) + ".podGroupTemplates: below the last of 4 levels"},
		{of("Workload", `{"compositePodGroupTemplates":[7]}`), "workload default/x: spec.compositePodGroupTemplates[0]: the number 7 stands where an object belongs\n" +
			"workload default/x: spec.compositePodGroupTemplates[0].name: missing"},
		{of("Workload", `{"compositePodGroupTemplates":[{"name":"a","disruptionMode":{"all":1},"podGroupTemplates":[{"name":"b","schedulingPolicy":{"gang":{}}}]}]}`),
			"workload default/x: spec.compositePodGroupTemplates[0].disruptionMode.all: the number 1 stands where an object belongs\n" +
				"workload default/x: spec.compositePodGroupTemplates[0].podGroupTemplates[0].schedulingPolicy.gang.minCount: 0, it has to be at least 1"},
		{`{"kind":"Node","metadata":{"name":"n"},"spec":{"podPreemptionPolicy":{"disableResizePreemption":"all"}}}`,
			`node n: spec.podPreemptionPolicy.disableResizePreemption: the string "all" stands where an array belongs`},
	} {
		_, err := kube.ReadCluster(strings.NewReader(test.text))
		require.ErrorIs(t, err, outrank.ErrInvalid, test.text)
		assert.Equal(t, test.want, err.Error(), test.text)
	}
}

// Templates that hold themselves are refused, and not followed for ever.
func TestWorkloadWithoutEnd(t *testing.T) {
	endless := make([]outrank.CompositePodGroupTemplate, 1)
	endless[0] = outrank.CompositePodGroupTemplate{Name: "t", CompositePodGroupTemplates: endless}
	w := &outrank.Workload{Name: "w", CompositePodGroupTemplates: endless}
	_, err := json.Marshal(w)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	require.ErrorIs(t, kube.WriteCluster(io.Discard, &outrank.Cluster{Workloads: []*outrank.Workload{w}}), outrank.ErrInvalid)
	for _, c := range []*outrank.Cluster{{Composites: []*outrank.CompositePodGroup{nil}}, {Workloads: []*outrank.Workload{nil}}} {
		require.ErrorContains(t, c.Validate(), "number 1: metadata.name: missing")
		assert.Empty(t, c.Warnings())
	}
}

// The same limit of levels holds for objects written by hand.
func TestLevelsOfTemplates(t *testing.T) {
	last := outrank.CompositePodGroupTemplate{Name: "t"}
	for range outrank.MaxGroupLevels - 1 {
		last = outrank.CompositePodGroupTemplate{Name: "t", CompositePodGroupTemplates: []outrank.CompositePodGroupTemplate{last}}
	}
	c := &outrank.Cluster{Workloads: []*outrank.Workload{{Name: "w", CompositePodGroupTemplates: []outrank.CompositePodGroupTemplate{last}}}}
	require.NoError(t, c.Validate())
	bottom := &c.Workloads[0].CompositePodGroupTemplates[0]
	for len(bottom.CompositePodGroupTemplates) > 0 {
		bottom = &bottom.CompositePodGroupTemplates[0]
	}
	bottom.PodGroupTemplates = []outrank.PodGroupTemplate{{Name: "g"}}
	require.ErrorContains(t, c.Validate(), "].podGroupTemplates: below the last of 4 levels")
}

func TestFieldsOfResizes(t *testing.T) {
	conditions := func(reasons ...string) string {
		var parts []string
		for _, r := range reasons {
			parts = append(parts, `{"type":"PodResizePending","status":"False","reason":"`+r+`"}`)
		}
		return hostile.InPod(`"metadata":{"name":"p"},"status":{"conditions":[` + strings.Join(parts, ",") + `]}`)
	}
	for _, test := range []struct {
		text                 string
		deferred, infeasible bool
	}{
		{conditions(), false, false},
		{conditions("Deferred"), true, false},
		{conditions("Infeasible"), false, true},
		{conditions("Other", "Deferred"), false, false}, // the first counts
		{conditions("Deferred", "Infeasible"), true, false},
		{conditions("Infeasible", "Deferred"), false, true},
	} {
		p, err := kube.ReadPod(strings.NewReader(test.text))
		require.NoError(t, err)
		assert.Equal(t, [2]bool{test.deferred, test.infeasible}, [2]bool{p.ResizeDeferred, p.ResizeInfeasible}, test.text)
	}
	c := readList(t, `{"kind":"Node","metadata":{"name":"n"},"spec":{"podPreemptionPolicy":{"disableResizePreemption":["b","a"],"later":1}}}
		{"kind":"Node","metadata":{"name":"m"},"spec":{"podPreemptionPolicy":{"disableResizePreemption":[]}}}`)
	assert.Equal(t, []string{"b", "a"}, c.Nodes[0].DisableResizePreemption)
	assert.Empty(t, c.Nodes[1].DisableResizePreemption)
}

// All documents of recorded cases with groups of v1.37 are read, and can be
// written and read back.
func TestRecordedGroupsAreRead(t *testing.T) {
	count := map[string]int{}
	for _, seed := range recordedGroups(t) {
		c := read(t, seed)
		count["pods"] += len(c.Pods)
		count["groups"] += len(c.Groups)
		count["composite groups"] += len(c.Composites)
		for _, g := range c.Groups {
			if g.Parent != "" {
				count["parents"]++
			}
			if g.DisruptionMode == outrank.DisruptPodGroup {
				count["whole groups"]++
			}
		}
		require.Empty(t, c.Skipped)
		again := read(t, write(t, c))
		require.Empty(t, testdiff.Diff(c, again, whatIsWritten))
	}
	want := map[string]int{"pods": 879, "groups": 206, "composite groups": 25, "parents": 27, "whole groups": 76}
	assert.Equal(t, want, count)
}

// recordedGroups are the objects of the recorded cases with groups.
func recordedGroups(t require.TestingT) [][]byte {
	text, err := os.ReadFile("../../internal/manifest/testdata/groups.cases.jsonl.gz")
	require.NoError(t, err)
	unzipped, err := gzip.NewReader(bytes.NewReader(text))
	require.NoError(t, err)
	text, err = io.ReadAll(unzipped)
	require.NoError(t, err)
	var seeds [][]byte
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var c struct{ Nodes, Pods, PDBs, Namespaces, PriorityClasses, PodGroups, CompositePodGroups []json.RawMessage }
		require.NoError(t, json.Unmarshal(line, &c))
		seeds = append(seeds, slices.Concat(
			asList("NodeList", c.Nodes), asList("PodList", c.Pods), asList("PodDisruptionBudgetList", c.PDBs), asList("NamespaceList", c.Namespaces),
			asList("PriorityClassList", c.PriorityClasses), asList("PodGroupList", c.PodGroups), asList("CompositePodGroupList", c.CompositePodGroups)))
	}
	return seeds
}

// asList is a list of one kind, whose items need not name it.
func asList(kind string, items []json.RawMessage) []byte {
	text := `{"kind":"` + kind + `","items":[`
	for i, item := range items {
		if i > 0 {
			text += ","
		}
		text += string(item)
	}
	return []byte(text + "]}\n")
}
