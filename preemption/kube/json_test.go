package kube_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

// An object read by itself names the fields that could not be read.
func TestUnmarshalNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		to         any
		text, want string
	}{
		{&outrank.Pod{}, `{"metadata":{"name":"x"},"spec":{"priority":"high"}}`, `pod default/x: spec.priority: the string "high" stands where a whole number of 32 bits belongs`},
		{&outrank.Pod{}, `{"metadata":{"name":"x"},"status":{"startTime":"now"}}`, `pod default/x: status.startTime: "now" is not a time such as 2026-01-10T12:00:00Z`},
		{&outrank.Node{}, `{"metadata":{"name":"x"},"spec":{"unschedulable":1}}`, "node x: spec.unschedulable: the number 1 stands where true or false belongs"},
		{&outrank.PodDisruptionBudget{}, `{"metadata":{"name":"x"},"status":{"disruptionsAllowed":"1"}}`, `poddisruptionbudget default/x: status.disruptionsAllowed: the string "1" stands where a whole number of 32 bits belongs`},
		{&outrank.PodDisruptionBudget{}, `{"metadata":{"name":"x"},"spec":{"maxUnavailable":"half"}}`, `poddisruptionbudget default/x: spec.maxUnavailable: "half" is neither a whole number nor a percentage`},
		{&outrank.PriorityClass{}, `{"metadata":{"name":"x"},"value":[]}`, "priorityclass x: value: an array stands where a whole number of 32 bits belongs"},
		{&outrank.Namespace{}, `{"metadata":{"name":"x","labels":[]}}`, "namespace x: metadata.labels: an array stands where an object belongs"},
		{&outrank.PodGroup{}, `{"metadata":{"name":"x"},"spec":{"priority":true}}`, "podgroup default/x: spec.priority: true stands where a whole number of 32 bits belongs"},
		{&outrank.PodGroup{}, `{"metadata":{"name":"x"},"spec":{"disruptionMode":{"all":true}}}`, "podgroup default/x: spec.disruptionMode.all: true stands where an object belongs"},
		{&outrank.CompositePodGroup{}, `{"metadata":{"name":"x"},"spec":{"disruptionMode":"Pod"}}`, `compositepodgroup default/x: spec.disruptionMode: the string "Pod" stands where an object belongs`},
		{&outrank.CompositePodGroup{}, `{"metadata":{"name":"x"},"spec":{"schedulingPolicy":{"gang":{"minGroupCount":"1"}}}}`, `compositepodgroup default/x: spec.schedulingPolicy.gang.minGroupCount: the string "1" stands where a whole number of 32 bits belongs`},
		{&outrank.Workload{}, `{"metadata":{"name":"x"},"spec":{"compositePodGroupTemplates":[{"name":"a","podGroupTemplates":[{"name":7}]}]}}`,
			"workload default/x: spec.compositePodGroupTemplates[0].podGroupTemplates[0].name: the number 7 stands where a string belongs"},
		{&outrank.LabelSelector{}, `{"matchLabels":7}`, "label selector: matchLabels: the number 7 stands where an object belongs"},
	} {
		err := json.Unmarshal([]byte(c.text), c.to)
		assert.ErrorIs(t, err, outrank.ErrInvalid, c.text)
		assert.EqualError(t, err, c.want)
	}
}

// The rules for a cluster hold for a single object, and an error changes nothing.
func TestUnmarshalRefuses(t *testing.T) {
	for _, test := range []struct {
		name string
		to   any
		text string
		want string
	}{
		{"another kind", &outrank.Pod{}, `{"kind": "Deployment", "metadata": {"name": "a"}}`, `input: kind: "Deployment" where a Pod is wanted`},
		{"a list", &outrank.Node{}, `{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "n"}}]}`, `input: kind: "List" where a Node is wanted`},
		{"a kind that is none", &outrank.Pod{}, `{"kind": 7, "metadata": {"name": "a"}}`, `input: kind: the number 7 stands where a string belongs`},
		{"no object", &outrank.Pod{}, `[]`, `input: an array stands where an object belongs`},
		{"no name", &outrank.Pod{}, `{"spec": {"priority": "high"}}`,
			"pod (input): spec.priority: the string \"high\" stands where a whole number of 32 bits belongs\npod (input): metadata.name: missing"},
		{"an invalid pod", &outrank.Pod{}, `{"metadata": {"name": "a"}, "spec": {"overhead": {"cpu": "-1", "memory": "lots"}}}`,
			"pod default/a: spec.overhead.memory: resource: not a quantity: \"lots\": unknown suffix\npod default/a: spec.overhead.cpu: -1 is negative"},
		{"an invalid node", &outrank.Node{}, `{"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "-1"}}}`, `node n: status.allocatable.cpu: -1 is negative`},
		{"an invalid budget", &outrank.PodDisruptionBudget{}, `{"metadata": {"name": "b"}, "status": {"disruptionsAllowed": -1}}`,
			`poddisruptionbudget default/b: status.disruptionsAllowed: -1 is negative`},
		{"an invalid group", &outrank.PodGroup{}, `{"metadata": {"name": "g"}, "spec": {"disruptionMode": "Half"}}`,
			`podgroup default/g: spec.disruptionMode: "Half" is neither Pod nor PodGroup`},
		{"a group of others", &outrank.PodGroup{}, `{"apiVersion": "scheduling.x-k8s.io/v1", "kind": "PodGroup", "metadata": {"name": "g"}}`,
			`input: apiVersion: this PodGroup is of an unknown API group`},
		{"a pod for a cluster", &outrank.Cluster{}, `{"kind": "Pod", "metadata": {"name": "a"}}`, `input: kind: "Pod" where a List is wanted`},
		{"an empty object for a cluster", &outrank.Cluster{}, `{}`, `input: kind: "" where a List is wanted`},
		{"a cluster of what is invalid", &outrank.Cluster{}, `{"kind": "PodList", "items": [{"metadata": {}}]}`, `pod (items[0]): metadata.name: missing`},
		{"a selector", &outrank.LabelSelector{}, `{"matchLabels": 7, "matchExpressions": [{"values": "a"}]}`,
			"label selector: matchLabels: the number 7 stands where an object belongs\nlabel selector: matchExpressions[0].values: the string \"a\" stands where an array belongs"},
		{"an affinity", &outrank.Affinity{}, `{"podAffinity": 7}`, `affinity: podAffinity: the number 7 stands where an object belongs`},
		{"a container", &outrank.Container{}, `{"name": "c", "resources": {"requests": {"cpu": "lots"}}}`, `container c: resources.requests.cpu: resource: not a quantity: "lots": unknown suffix`},
		{"a number of pods", &outrank.IntOrPercent{}, `"half"`, `number or percentage: "half" is neither a whole number nor a percentage`},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := json.Unmarshal([]byte(test.text), test.to)
			require.ErrorIs(t, err, outrank.ErrInvalid)
			assert.EqualError(t, err, test.want)
			assert.True(t, reflect.ValueOf(test.to).Elem().IsZero(), "an error changes nothing")
		})
	}
}

// A finished pod by itself is read like any other.
func TestUnmarshalKeepsFinishedPods(t *testing.T) {
	var p outrank.Pod
	require.NoError(t, json.Unmarshal([]byte(`{"metadata": {"name": "a"}, "status": {"phase": "Failed"}}`), &p))
	assert.True(t, p.Finished())
}

func TestMarshalRefuses(t *testing.T) {
	_, err := json.Marshal(outrank.PodGroup{Name: "g", DisruptionMode: "Half"})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, `podgroup default/g: spec.disruptionMode: "Half" is neither Pod nor PodGroup`)
	_, err = json.Marshal(volumePods([]outrank.Volume{{Disk: outrank.Disk{Kind: "floppy"}}}).Pods[0])
	assert.ErrorContains(t, err, `pod default/a: spec.volumes[0].(disk).kind: "floppy" is no kind of disk`)
	_, err = json.Marshal(outrank.Cluster{Pods: []*outrank.Pod{nil}})
	assert.ErrorContains(t, err, `pod number 1: metadata.name: missing`)
}

// One object in JSON has all its fields but those that Kubernetes keeps in
// others.
func TestEveryKindInJSON(t *testing.T) {
	c := fullCluster()
	pod, node, claim := *c.Pods[0], *c.Nodes[0], *c.Claims[0]
	pod.Value, node.Value = nil, nil
	pod.Volumes = []outrank.Volume{{Claim: "data"}, pod.Volumes[1], {Claim: "web-1-scratch", Ephemeral: true}}
	node.AttachLimits, node.MissingDrivers = nil, nil
	claim.Volume = outrank.Volume{OncePod: true}
	lost := *c.Claims[1]
	lost.Volume.Driver = ""
	container := fullContainer("a")
	container.Actual, container.AllocatedResources = nil, nil
	for _, test := range []struct{ object, want any }{
		{*c.Pods[0], pod}, {*c.Nodes[0], node}, {*c.Claims[0], claim}, {*c.Claims[1], lost},
		{*c.Budgets[0], nil}, {*c.Classes[0], nil}, {*c.Namespaces[0], nil}, {*c.Groups[0], nil},
		{*c.Composites[0], nil}, {*c.Workloads[0], nil}, {outrank.Workload{Name: "flat", PodGroupTemplates: c.Workloads[0].CompositePodGroupTemplates[0].PodGroupTemplates}, nil},
		{*fullSelector(), nil}, {outrank.LabelSelector{}, nil}, {fullSelector().MatchExpressions[0], nil},
		{*fullNodeSelector(), nil}, {c.Pods[0].Affinity, nil}, {outrank.Affinity{}, nil}, {fullTerm(), nil}, {fullContainer("a"), container},
		{c.Pods[0].Tolerations[0], nil}, {c.Pods[0].TopologySpreadConstraints[0], nil}, {c.Nodes[0].Taints[0], nil},
		{*c.Budgets[0].MinAvailable, nil}, {*c.Budgets[1].MaxUnavailable, nil}, {c.Pods[0].Volumes[0], nil},
		{*c.Pods[0].Resources, nil}, {container.Ports[0], nil}, {*c, nil},
	} {
		t.Run(fmt.Sprintf("%T", test.object), func(t *testing.T) {
			if test.want == nil {
				test.want = test.object
			}
			text, err := json.Marshal(test.object)
			require.NoError(t, err)
			got := reflect.New(reflect.TypeOf(test.object))
			got.Elem().Set(reflect.ValueOf(test.object)) // no earlier value may stay
			require.NoError(t, json.Unmarshal(text, got.Interface()), "%s", text)
			if diff := testdiff.Diff(test.want, got.Elem().Interface(), whatIsWritten); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, text)
			}
			again, err := json.Marshal(got.Interface())
			require.NoError(t, err)
			assert.Equal(t, string(text), string(again), "the pointer is written like the value")
			before := reflect.New(reflect.TypeOf(test.object))
			require.NoError(t, json.Unmarshal([]byte(" null"), before.Interface()))
			assert.True(t, before.Elem().IsZero(), "null changes nothing")
		})
	}
}
