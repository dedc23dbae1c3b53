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
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// wholeCluster has one of everything, down to the last field of a word, and is valid.
func wholeCluster() *outrank.Cluster {
	selector := func() *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "a", Operator: outrank.In, Values: []string{"b"}}}}
	}
	nodes := func() *outrank.NodeSelector {
		return &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
			MatchExpressions: []outrank.NodeRequirement{{Key: "a", Operator: outrank.In, Values: []string{"b"}}},
			MatchFields:      []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.In, Values: []string{"n"}}},
		}}}
	}
	terms := func() []outrank.PodAffinityTerm {
		return []outrank.PodAffinityTerm{{LabelSelector: selector(), NamespaceSelector: selector(), TopologyKey: "zone"}}
	}
	container := func() []outrank.Container {
		return []outrank.Container{{Name: "c", Ports: []outrank.Port{{HostPort: 1}}}}
	}
	group := func() []outrank.PodGroupTemplate { return []outrank.PodGroupTemplate{{Name: "g"}} }
	return &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n", Taints: []outrank.Taint{{Key: "a", Effect: outrank.NoSchedule}}}},
		Pods: []*outrank.Pod{{
			Name: "p", Containers: container(), InitContainers: container(),
			Affinity:    outrank.Affinity{NodeAffinity: nodes(), PodAffinity: terms(), PodAntiAffinity: terms()},
			Tolerations: []outrank.Toleration{{Key: "a"}}, Volumes: []outrank.Volume{{Node: nodes()}},
			TopologySpreadConstraints: []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", LabelSelector: selector()}},
		}},
		Budgets:    []*outrank.PodDisruptionBudget{{Name: "b", Selector: selector()}},
		Classes:    []*outrank.PriorityClass{{Name: "c"}},
		Namespaces: []*outrank.Namespace{{Name: "d"}},
		Claims:     []*outrank.VolumeClaim{{Name: "e", Volume: outrank.Volume{Node: nodes()}}},
		Groups:     []*outrank.PodGroup{{Name: "g"}},
		Composites: []*outrank.CompositePodGroup{{Name: "h"}},
		Workloads: []*outrank.Workload{
			{Name: "w", PodGroupTemplates: group()},
			{Name: "x", CompositePodGroupTemplates: []outrank.CompositePodGroupTemplate{{Name: "k", PodGroupTemplates: group(), CompositePodGroupTemplates: []outrank.CompositePodGroupTemplate{{Name: "l"}}}}},
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

// anyWord are the types that take any word: an API server lets any phase in (rule
// 26.1.3), and a selector of a budget or of a spread constraint that cannot be
// read selects nothing.
func anyWord(at string, t reflect.Type) bool {
	return t == reflect.TypeFor[outrank.Phase]() ||
		t == reflect.TypeFor[outrank.Operator]() && (strings.HasPrefix(at, ".Budgets") || strings.Contains(at, "TopologySpreadConstraints[0].LabelSelector"))
}

// Every field whose type is a set of words takes those words alone, in their case
// (rule 26.1.1).
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

// The words of each set, in the spelling of Kubernetes (rule 26.1.1). Those that are empty stand for one of
// the others.
func TestEachWordIsTaken(t *testing.T) {
	for name, words := range map[string][]string{
		"TaintEffect":                {"NoSchedule", "PreferNoSchedule", "NoExecute"},
		"TolerationOperator":         {"", "Equal", "Exists", "Lt", "Gt"},
		"NodeInclusionPolicy":        {"", "Honor", "Ignore"},
		"UnsatisfiablePolicy":        {"", "DoNotSchedule", "ScheduleAnyway"},
		"PreemptionPolicy":           {"", "PreemptLowerPriority", "Never"},
		"UnhealthyPodEvictionPolicy": {"", "IfHealthyBudget", "AlwaysAllow"},
		"QOSClass":                   {"", "BestEffort", "Burstable", "Guaranteed"},
	} {
		for _, word := range words {
			c, found := wholeCluster(), false
			eachWord(reflect.ValueOf(c), "", func(_ string, v reflect.Value) {
				if v.Type().Name() == name {
					v.SetString(word)
					found = true
				}
			})
			require.True(t, found, "the cluster has no %s", name)
			assert.NoError(t, c.Validate(), "%s %q", name, word)
		}
	}

	for _, protocol := range []string{"", "TCP", "UDP", "SCTP"} {
		p := outrank.Pod{Name: "p", Containers: []outrank.Container{{Name: "c", Ports: []outrank.Port{{HostPort: 1, Protocol: protocol}}}}}
		assert.NoError(t, p.Validate(), "%q", protocol)
	}
	for _, system := range []string{"", "linux", "windows"} {
		assert.NoError(t, (&outrank.Pod{Name: "p", OS: system}).Validate(), "%q", system)
	}
	for _, label := range []string{"topology.kubernetes.io/zone", "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"} {
		p := outrank.Pod{Name: "p", Volumes: []outrank.Volume{{Claim: "c", Zones: map[string][]string{label: {"a"}}}}}
		assert.NoError(t, p.Validate(), label)
	}
}

// Objects that a snapshot takes one by one are held to the same words.
func TestSnapshotRefusesWords(t *testing.T) {
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("pods", "9")}}})
	require.NoError(t, err)
	for i, err := range []error{
		snap.PutNode(&outrank.Node{Name: "n", Taints: []outrank.Taint{{Key: "a", Effect: "Noschedule"}}}),
		errOf(snap.PutPod(&outrank.Pod{Name: "p", NodeName: "n", QOSClass: "Best"})),
		errOf(snap.PutPod(&outrank.Pod{Name: "p", NodeName: "n", OS: "beos"})),
		errOf(snap.PutPod(&outrank.Pod{Name: "p", NodeName: "n", Tolerations: []outrank.Toleration{{Operator: "All"}}})),
		errOf(snap.PutPod(&outrank.Pod{Name: "p", NodeName: "n", Containers: []outrank.Container{{Ports: []outrank.Port{{Protocol: "tcp"}}}}})),
		snap.PutBudget(&outrank.PodDisruptionBudget{Name: "b", UnhealthyPodEvictionPolicy: "Never"}),
	} {
		require.True(t, errors.Is(err, outrank.ErrInvalid), "%d: %v", i, err)
	}
	require.Empty(t, slices.Collect(snap.Pods()))
}

// errOf is the error of a call that returns something beside it.
func errOf[T any](_ T, err error) error { return err }
