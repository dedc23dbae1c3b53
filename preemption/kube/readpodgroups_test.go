package kube_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/kube"
)

func TestReadClusterReadsGroups(t *testing.T) {
	group := func(spec string) string {
		return `{"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup", "metadata": {"name": "g", "namespace": "ml"}, "spec": ` + spec + `}`
	}
	want := func(mode outrank.DisruptionMode, priority *int32) []*outrank.PodGroup {
		return []*outrank.PodGroup{{Name: "g", Namespace: "ml", DisruptionMode: mode, Priority: priority}}
	}
	for _, test := range []struct {
		name, text string
		want       []*outrank.PodGroup
		skipped    map[string]int
	}{
		{name: "nothing said", text: group(`{}`), want: want("", nil)},
		{name: "null", text: group(`{"disruptionMode": null, "priority": null}`), want: want("", nil)},
		{name: "each pod by itself", text: group(`{"disruptionMode": "Pod", "priority": 7}`), want: want(outrank.DisruptPod, outrank.Priority(7))},
		{name: "all or none", text: group(`{"disruptionMode": "PodGroup", "priority": -1}`), want: want(outrank.DisruptPodGroup, outrank.Priority(-1))},
		{name: "the later form of all or none", text: group(`{"disruptionMode": {"all": {}}}`), want: want(outrank.DisruptPodGroup, nil)},
		{name: "the later form of each by itself", text: group(`{"disruptionMode": {"single": {}}}`), want: want(outrank.DisruptPod, nil)},
		{
			name: "a gang", text: group(`{"schedulingPolicy": {"gang": {"minCount": 3}}}`),
			want: []*outrank.PodGroup{{Name: "g", Namespace: "ml", Policy: outrank.GangPolicy, MinCount: 3}},
		},
		{
			name: "the basic policy", text: group(`{"schedulingPolicy": {"basic": {}, "gang": null}}`),
			want: []*outrank.PodGroup{{Name: "g", Namespace: "ml", Policy: outrank.BasicPolicy}},
		},
		{name: "no policy", text: group(`{"schedulingPolicy": {}}`), want: want("", nil)},
		{
			name:    "a kind of the same name that is none of ours",
			text:    `{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"priority": "high"}}`,
			skipped: map[string]int{"PodGroup": 1},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := kube.ReadCluster(strings.NewReader(test.text))
			require.NoError(t, err)
			assert.Empty(t, testdiff.Diff(test.want, c.Groups))
			assert.Empty(t, testdiff.Diff(test.skipped, c.Skipped))
		})
	}
}

func TestReadPodReadsItsGroup(t *testing.T) {
	p, err := kube.ReadPod(strings.NewReader(
		`{"kind": "Pod", "metadata": {"name": "p", "namespace": "ml"}, "spec": {"schedulingGroup": {"podGroupName": "g"}}}`))
	require.NoError(t, err)
	assert.Equal(t, "g", p.Group)
	assert.EqualValues(t, "ml/g", p.GroupKey())
	assert.Empty(t, (&outrank.Pod{Name: "alone"}).GroupKey())
}

func TestGroupProblems(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
	}{
		{
			"two of a name",
			`{"kind": "PodGroup", "metadata": {"name": "g"}} {"kind": "PodGroup", "metadata": {"name": "g", "namespace": "default"}}`,
			"podgroup default/g: metadata.name: there are two of this name",
		},
		{
			"a mode that nobody knows",
			`{"kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"disruptionMode": "Half"}}`,
			`podgroup default/g: spec.disruptionMode: "Half" is neither Pod nor PodGroup`,
		},
		{
			"a mode of neither form",
			`{"kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"disruptionMode": {"none": {}}}}`,
			`podgroup default/g: spec.disruptionMode: "{\"none\": {}}" is neither Pod nor PodGroup`,
		},
		{
			"two policies",
			`{"kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"schedulingPolicy": {"basic": {}, "gang": {"minCount": 1}}}}`,
			"podgroup default/g: spec.schedulingPolicy: both basic and gang",
		},
		{
			"a gang of nobody",
			`{"kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"schedulingPolicy": {"gang": {}}}}`,
			"podgroup default/g: spec.schedulingPolicy.gang.minCount: 0, it has to be at least 1",
		},
		{
			"no name",
			`{"kind": "PodGroup", "spec": {}}`,
			"podgroup (document 1): metadata.name: missing",
		},
		{
			"a priority that is none",
			`{"kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"priority": "high"}}`,
			`podgroup default/g: spec.priority: the string "high" stands where a whole number of 32 bits belongs`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := kube.ReadCluster(strings.NewReader(test.text))
			require.ErrorIs(t, err, outrank.ErrInvalid)
			assert.Equal(t, test.want, err.Error())
		})
	}
	err := (&outrank.Cluster{Groups: []*outrank.PodGroup{{Name: "g", Policy: "loose"}, {Name: "h", MinCount: 2}}}).Validate()
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Equal(t, `podgroup default/g: spec.schedulingPolicy: "loose" is neither basic nor gang
podgroup default/h: spec.schedulingPolicy.gang.minCount: 2, and the policy is not gang`, err.Error())
	err = (&outrank.Cluster{Groups: []*outrank.PodGroup{nil}}).Validate()
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Equal(t, "podgroup number 1: metadata.name: missing", err.Error())
}

func TestPodGroupUnmarshalRefusesOthers(t *testing.T) {
	var g outrank.PodGroup
	err := json.Unmarshal([]byte(`{"apiVersion": "scheduling.x-k8s.io/v1alpha1", "metadata": {"name": "g"}}`), &g)
	require.ErrorIs(t, err, outrank.ErrInvalid)
}
