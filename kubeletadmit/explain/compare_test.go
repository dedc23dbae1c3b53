package explain_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/kubeletadmit/explain"
	"github.com/outrank-go/outrank/resource"
)

// Who is spared and who goes instead is the difference of the two answers.
func TestPropertyDifferencesAreTheDifference(t *testing.T) {
	overScenes(t, func(t *rapid.T, s *scene) {
		config := kubeletadmit.Config{
			Release:       rapid.SampledFrom(outrank.Releases()).Draw(t, "release"),
			PriorityFirst: rapid.Bool().Draw(t, "priority first"),
			Exact:         rapid.Bool().Draw(t, "exact"),
		}
		q := explain.Question{Node: s.node, Active: s.active, Pod: s.pod, Config: config, Most: 1 << 20}
		r, err := explain.Ask(context.Background(), q)
		require.NoError(t, err)
		chosen, err := kubeletadmit.Admit(s.node, s.active, s.pod, config)
		require.NoError(t, err)
		faithful, err := kubeletadmit.Admit(s.node, s.active, s.pod, kubeletadmit.Config{Release: config.Release})
		require.NoError(t, err)
		if len(chosen.Evictions) == 0 || !config.PriorityFirst && !config.Exact {
			require.Nil(t, r.Kubelet)
			return
		}

		require.Equal(t, len(faithful.Evictions), r.Kubelet.Evicts)
		goes := keysOf(faithful.Evictions)
		for _, p := range r.Kubelet.Spared.Items {
			i := slices.Index(goes, p.Key)
			require.GreaterOrEqual(t, i, 0)
			goes = slices.Delete(goes, i, i+1)
		}
		for _, p := range r.Kubelet.Instead.Items {
			goes = append(goes, p.Key)
		}
		require.ElementsMatch(t, goes, keysOf(chosen.Evictions))
	})
}

func keysOf(evictions []kubeletadmit.EvictedPod) []outrank.Key {
	var keys []outrank.Key
	for _, e := range evictions {
		keys = append(keys, e.Pod.Key())
	}
	return keys
}

// What makes no sense is the error of the decision.
func TestAskRefusesWhatAdmitRefuses(t *testing.T) {
	_, err := explain.Ask(context.Background(), explain.Question{Config: kubeletadmit.Config{Limit: -1}})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	require.ErrorContains(t, err, "config: Limit: -1 is negative")
}

// A search ends with the context of the question.
func TestQuestionsEndWithTheirContext(t *testing.T) {
	node, active, pod := crowded()
	q := explain.Question{Node: node, Active: active, Pod: pod}
	var none context.Context
	_, err := explain.Ask(none, q)
	require.ErrorContains(t, err, "context: is nil")

	// So many pods of any size that the search cannot end by itself within its limit.
	sizes := rand.New(rand.NewPCG(1, 2))
	active = nil
	for i := range 110 {
		requests := resource.List{}
		for _, name := range []resource.Name{"cpu", "memory", "example.com/a", "example.com/b"} {
			requests[name] = resource.New(1 + sizes.Int64N(1000))
		}
		active = append(active, &outrank.Pod{Name: fmt.Sprintf("p%d", i), Containers: []outrank.Container{{Requests: requests}}})
	}
	node.Allocatable = resource.MustList("cpu", "60k", "memory", "60k", "example.com/a", "60k", "example.com/b", "60k", "pods", "200")
	pod.Containers = []outrank.Container{{Requests: resource.MustList("cpu", "30k", "memory", "30k", "example.com/a", "30k", "example.com/b", "30k")}}
	q = explain.Question{Node: node, Active: active, Pod: pod, Config: kubeletadmit.Config{Exact: true}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := explain.Ask(ctx, q)
	require.NoError(t, err)
	require.Equal(t, kubeletadmit.AdmittedAfterEvicting, r.Outcome)
	whole, err := explain.Ask(context.Background(), q)
	require.NoError(t, err)
	require.Less(t, r.Search.Steps, whole.Search.Steps)
}

// The best set of pods is smaller than the one that the kubelet chooses pod by pod.
func ExampleAsk_exact() {
	pod := func(name string, requests ...string) *outrank.Pod {
		return &outrank.Pod{Name: name, Containers: []outrank.Container{{Requests: resource.MustList(requests...)}}}
	}
	static := pod("static", "cpu", "4", "memory", "4Gi")
	static.Static = true
	q := explain.Question{
		Node:   &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "7", "memory", "7Gi", "pods", "110")},
		Active: []*outrank.Pod{pod("a", "cpu", "3", "memory", "3Gi"), pod("b", "cpu", "4"), pod("c", "memory", "4Gi")},
		Pod:    static,
		Config: kubeletadmit.Config{Exact: true},
	}

	r, err := explain.Ask(context.Background(), q)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Summary())
	fmt.Printf("the kubelet evicts %d, and %s among them\n", r.Kubelet.Evicts, r.Kubelet.Spared.Items[0].Key)
	// Output:
	// default/static (no priority) starts on node n1 once 2 pods have been evicted.
	// the kubelet evicts 3, and default/a among them
}
