package outrank_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// wholeCluster has one of everything, down to the last field of a word, and is valid.
func wholeCluster() *outrank.Cluster {
	selector := func() *outrank.LabelSelector {
		return &outrank.LabelSelector{Expressions: []outrank.Requirement{{Key: "a", Operator: outrank.In, Values: []string{"b"}}}}
	}
	nodes := func() *outrank.NodeSelector {
		return &outrank.NodeSelector{Terms: []outrank.NodeSelectorTerm{{
			Labels: []outrank.NodeRequirement{{Key: "a", Operator: outrank.In, Values: []string{"b"}}},
			Fields: []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.In, Values: []string{"n"}}},
		}}}
	}
	terms := func() []outrank.PodAffinityTerm {
		return []outrank.PodAffinityTerm{{Selector: selector(), NamespaceSelector: selector(), TopologyKey: "zone"}}
	}
	container := func() []outrank.Container {
		return []outrank.Container{{Name: "c", Ports: []outrank.Port{{HostPort: 1}}}}
	}
	group := func() []outrank.PodGroupTemplate { return []outrank.PodGroupTemplate{{Name: "g"}} }
	return &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n", Taints: []outrank.Taint{{Key: "a", Effect: outrank.NoSchedule}}}},
		Pods: []*outrank.Pod{{
			Name: "p", Containers: container(), InitContainers: container(),
			Affinity:    outrank.Affinity{Node: nodes(), Pods: terms(), AntiPods: terms()},
			Tolerations: []outrank.Toleration{{Key: "a"}}, Volumes: []outrank.Volume{{Node: nodes()}},
			TopologySpread: []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", Selector: selector()}},
		}},
		Budgets:    []*outrank.PodDisruptionBudget{{Name: "b", Selector: selector()}},
		Classes:    []*outrank.PriorityClass{{Name: "c"}},
		Namespaces: []*outrank.Namespace{{Name: "d"}},
		Claims:     []*outrank.VolumeClaim{{Name: "e", Volume: outrank.Volume{Node: nodes()}}},
		Groups:     []*outrank.PodGroup{{Name: "g"}},
		Composites: []*outrank.CompositePodGroup{{Name: "h"}},
		Workloads: []*outrank.Workload{
			{Name: "w", Groups: group()},
			{Name: "x", Composites: []outrank.CompositePodGroupTemplate{{Name: "k", Groups: group(), Composites: []outrank.CompositePodGroupTemplate{{Name: "l"}}}}},
		},
	}
}

// eachWord calls f with every field of a cluster whose type is a word of this module.
func eachWord(v reflect.Value, at string, f func(at string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachWord(v.Elem(), at, f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachWord(v.Index(i), fmt.Sprintf("%s[%d]", at, i), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachWord(v.Field(i), at+"."+v.Type().Field(i).Name, f)
			}
		}
	case reflect.String:
		if t := v.Type(); t != reflect.TypeFor[string]() {
			f(at, v)
		}
	}
}

// anyWord are the types whose words nobody counts: an API server lets any phase in (rule
// 26.1.3), and a selector of a budget or of a spread constraint that cannot be read selects
// nothing.
func anyWord(at string, t reflect.Type) bool {
	return t == reflect.TypeFor[outrank.Phase]() ||
		t == reflect.TypeFor[outrank.Operator]() && (strings.HasPrefix(at, ".Budgets") || strings.Contains(at, "TopologySpread[0].Selector"))
}

// Every field of every object that has a type of words is held to those words, in the case
// that they have (rule 26.1.1).
func TestNoOtherWords(t *testing.T) {
	require.NoError(t, wholeCluster().Validate())
	var places []string
	types := map[string]bool{}
	eachWord(reflect.ValueOf(wholeCluster()), "", func(at string, v reflect.Value) {
		places = append(places, at)
		types[v.Type().Name()] = true
	})
	for _, name := range []string{"TaintEffect", "TolerationOperator", "NodeInclusionPolicy", "UnsatisfiablePolicy", "PreemptionPolicy",
		"UnhealthyPodEvictionPolicy", "QOSClass", "Phase", "Operator", "DiskKind", "ClaimState", "DisruptionMode", "GroupPolicy"} {
		assert.True(t, types[name], "the cluster has no %s", name)
	}
	for _, place := range places {
		for _, word := range []string{"Noschedule", "exists", "honor", "x"} {
			c := wholeCluster()
			open := false
			eachWord(reflect.ValueOf(c), "", func(at string, v reflect.Value) {
				if at == place {
					v.SetString(word)
					open = anyWord(at, v.Type())
				}
			})
			err := c.Validate()
			if open {
				assert.NoError(t, err, "%s %s", place, word)
				continue
			}
			var invalid *outrank.InputError
			if assert.ErrorAs(t, err, &invalid, "%s %s", place, word) {
				assert.Len(t, invalid.Problems, 1, "%s", err)
				p := invalid.Problems[0]
				assert.True(t, p.Object != "" && p.Field != "", "%s", p)
				assert.Contains(t, p.Text, fmt.Sprintf("%q is ", word))
			}
		}
	}
}

// A node whose taint has an effect that there is not took every pod. Words of a bool are
// held to theirs, too: read as anything else they would count as the opposite.
func TestReadWords(t *testing.T) {
	const node = `{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":%s}]}}`
	const pod = `{"kind":"Pod","metadata":{"name":"p"},"spec":{%s},"status":{%s}}`
	for _, c := range []struct{ text, want string }{
		{fmt.Sprintf(node, `"NoSchedule"`), ""},
		{fmt.Sprintf(node, `"Noschedule"`), `node n: spec.taints[0].effect: "Noschedule" is none of NoSchedule, PreferNoSchedule, NoExecute`},
		{fmt.Sprintf(node, `""`), "node n: spec.taints[0].effect: missing"},
		{fmt.Sprintf(pod, `"tolerations":[{"key":"a","operator":"Gt","value":"3"}]`, ""), ""},
		{fmt.Sprintf(pod, `"tolerations":[{"key":"b"},{"key":"a","operator":"equal","effect":"all"}]`, ""),
			"pod default/p: spec.tolerations[1].operator: \"equal\" is none of Equal, Exists, Lt, Gt\n" +
				`pod default/p: spec.tolerations[1].effect: "all" is none of NoSchedule, PreferNoSchedule, NoExecute`},
		{fmt.Sprintf(pod, `"os":{"name":"Linux"}`, ""), `pod default/p: spec.os.name: "Linux" is neither linux nor windows`},
		{fmt.Sprintf(pod, `"securityContext":{"supplementalGroupsPolicy":"strict"}`, ""), `pod default/p: spec.securityContext.supplementalGroupsPolicy: "strict" is neither Merge nor Strict`},
		{fmt.Sprintf(pod, `"containers":[{"name":"c","ports":[{"hostPort":1,"protocol":"tcp"}]}]`, ""), `pod default/p: spec.containers[0].ports[0].protocol: "tcp" is none of TCP, UDP, SCTP`},
		{fmt.Sprintf(pod, `"initContainers":[{"name":"c","restartPolicy":"always"}]`, ""), `pod default/p: spec.initContainers[0].restartPolicy: "always" is none of Always, OnFailure, Never`},
		{fmt.Sprintf(pod, `"containers":[{"name":"c","restartPolicyRules":[{"action":"Restart"},{"action":"All"}]}]`, ""), `pod default/p: spec.containers[0].restartPolicyRules[1].action: "All" is neither Restart nor RestartAllContainers`},
		{fmt.Sprintf(pod, "", `"qosClass":"Best"`), `pod default/p: status.qosClass: "Best" is none of BestEffort, Burstable, Guaranteed`},
		{fmt.Sprintf(pod, "", `"phase":"Unknown","conditions":[{"type":"Ready","status":"true"}]`), ""},
		{`{"kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"unhealthyPodEvictionPolicy":"Always"}}`,
			`poddisruptionbudget default/b: spec.unhealthyPodEvictionPolicy: "Always" is neither IfHealthyBudget nor AlwaysAllow`},
		{`{"kind":"PriorityClass","metadata":{"name":"c"},"preemptionPolicy":"never"}`, `priorityclass c: preemptionPolicy: "never" is neither PreemptLowerPriority nor Never`},
		{`{"kind":"PersistentVolumeClaim","metadata":{"name":"d"},"spec":{"accessModes":["ReadWriteOnce","ReadWriteOncePods"]}}`,
			`persistentvolumeclaim default/d: spec.accessModes[1]: "ReadWriteOncePods" is none of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod`},
		{`{"kind":"StorageClass","metadata":{"name":"s"},"volumeBindingMode":"Wait"}`, `storageclass s: volumeBindingMode: "Wait" is neither Immediate nor WaitForFirstConsumer`},
	} {
		cluster, err := outrank.ReadCluster(strings.NewReader(c.text))
		if c.want == "" {
			require.NoError(t, err, c.text)
			continue
		}
		require.Nil(t, cluster)
		require.EqualError(t, err, c.want)
	}
}

// What an API server lets in is taken as the reference takes it: a phase that is neither
// Succeeded nor Failed has not ended (rule 26.1.3).
func TestUnknownPhase(t *testing.T) {
	c, err := outrank.ReadCluster(strings.NewReader(`{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n"},"status":{"phase":"Lost"}}
		{"kind":"Node","metadata":{"name":"n"}}`))
	require.NoError(t, err)
	require.Len(t, c.Pods, 1)
	snap, err := preemption.NewSnapshot(c)
	require.NoError(t, err)
	require.Equal(t, "n", snap.NodeOf("default/p"))
}

// Objects that a snapshot takes one by one are held to the same words.
func TestSnapshotRefusesWords(t *testing.T) {
	snap, err := preemption.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("pods", "9")}}})
	require.NoError(t, err)
	for i, err := range []error{
		snap.PutNode(&outrank.Node{Name: "n", Taints: []outrank.Taint{{Key: "a", Effect: "Noschedule"}}}),
		snap.PutPod(&outrank.Pod{Name: "p", NodeName: "n", QOSClass: "Best"}),
		snap.PutPod(&outrank.Pod{Name: "p", NodeName: "n", OS: "beos"}),
		snap.PutPod(&outrank.Pod{Name: "p", NodeName: "n", Tolerations: []outrank.Toleration{{Operator: "All"}}}),
		snap.PutPod(&outrank.Pod{Name: "p", NodeName: "n", Containers: []outrank.Container{{Ports: []outrank.Port{{Protocol: "tcp"}}}}}),
		snap.PutBudget(&outrank.PodDisruptionBudget{Name: "b", UnhealthyPodEvictionPolicy: "Never"}),
	} {
		require.True(t, errors.Is(err, outrank.ErrInvalid), "%d: %v", i, err)
	}
	require.Empty(t, slices.Collect(snap.Pods()))
}
