package outrank_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
)

// Objects of every kind agree on what a namespace and a name are called.
func TestKeys(t *testing.T) {
	for _, test := range []struct {
		namespace, name string
		want            outrank.Key
	}{
		{"shop", "web", "shop/web"},
		{"", "web", "default/web"},
		{"default", "web", "default/web"},
	} {
		assert.Equal(t, test.want, outrank.NewKey(test.namespace, test.name))
		assert.Equal(t, test.want, (&outrank.Pod{Namespace: test.namespace, Name: test.name}).Key())
		assert.Equal(t, test.want, (&outrank.Pod{Namespace: test.namespace, Name: "p", Group: test.name}).GroupKey())
		assert.Equal(t, test.want, (&outrank.PodGroup{Namespace: test.namespace, Name: test.name}).Key())
		assert.Equal(t, test.want, (&outrank.PodDisruptionBudget{Namespace: test.namespace, Name: test.name}).Key())
		assert.Equal(t, test.want, (&outrank.VolumeClaim{Namespace: test.namespace, Name: test.name}).Key())
		assert.Equal(t, test.want, (&outrank.CompositePodGroup{Namespace: test.namespace, Name: test.name}).Key())
		assert.Equal(t, test.want, (&outrank.PodGroup{Namespace: test.namespace, Name: "g", Parent: test.name}).ParentKey())
		assert.Equal(t, test.want, (&outrank.CompositePodGroup{Namespace: test.namespace, Name: "g", Parent: test.name}).ParentKey())

		namespace, _, _ := strings.Cut(string(test.want), "/")
		assert.Equal(t, namespace, (&outrank.Pod{Namespace: test.namespace}).NamespaceName())
		assert.Equal(t, namespace, (&outrank.PodDisruptionBudget{Namespace: test.namespace}).NamespaceName())
		assert.Equal(t, namespace, (&outrank.PodGroup{Namespace: test.namespace}).NamespaceName())
		assert.Equal(t, namespace, (&outrank.CompositePodGroup{Namespace: test.namespace}).NamespaceName())
		assert.Equal(t, namespace, (&outrank.Workload{Namespace: test.namespace}).NamespaceName())
	}
	assert.Empty(t, (&outrank.Pod{Name: "alone"}).GroupKey())
	assert.Empty(t, (&outrank.PodGroup{Name: "top"}).ParentKey())
	assert.Empty(t, (&outrank.CompositePodGroup{Name: "top"}).ParentKey())
}

// A cluster finds a pod by both its names, and a namespace that is empty is "default".
func TestPodOfCluster(t *testing.T) {
	web, inShop := &outrank.Pod{Name: "web"}, &outrank.Pod{Name: "web", Namespace: "shop"}
	c := &outrank.Cluster{Pods: []*outrank.Pod{nil, {Name: "db", Namespace: "shop"}, inShop, web}}
	assert.Same(t, web, c.Pod("", "web"))
	assert.Same(t, web, c.Pod("default", "web"))
	assert.Same(t, inShop, c.Pod("shop", "web"))
	assert.Nil(t, c.Pod("shop", "mail"))
	assert.Nil(t, c.Pod("ops", "web"))
}

// What a pod says of itself in fields that may be empty.
func TestPodAnswers(t *testing.T) {
	for phase, finished := range map[outrank.Phase]bool{
		"": false, outrank.PhasePending: false, outrank.PhaseRunning: false, outrank.PhaseSucceeded: true, outrank.PhaseFailed: true,
	} {
		assert.Equal(t, finished, (&outrank.Pod{Phase: phase}).Finished(), "%q", phase)
	}

	assert.False(t, (&outrank.Pod{}).Gated())
	assert.True(t, (&outrank.Pod{SchedulingGates: []string{"quota"}}).Gated(), "one gate is enough")

	assert.False(t, (&outrank.Pod{}).Terminating())
	assert.True(t, (&outrank.Pod{DeletionTimestamp: time.Unix(0, 0)}).Terminating(), "whatever the time is")

	assert.Equal(t, "default-scheduler", (&outrank.Pod{}).Scheduler())
	assert.Equal(t, "mine", (&outrank.Pod{SchedulerName: "mine"}).Scheduler())

	assert.Zero(t, (&outrank.Pod{}).PriorityValue(), "a pod without a priority counts as 0")
	assert.Equal(t, int32(-7), (&outrank.Pod{Priority: outrank.Priority(-7)}).PriorityValue())
}

func TestKeySplit(t *testing.T) {
	for _, test := range []struct {
		key             outrank.Key
		namespace, name string
	}{
		{"shop/web", "shop", "web"},
		{"web", "default", "web"},
		{"", "default", ""},
		{"shop/", "shop", ""},
		{"/web", "", "web"},
		{"a/b/c", "a", "b/c"},
	} {
		namespace, name := test.key.Split()
		assert.Equal(t, [2]string{test.namespace, test.name}, [2]string{namespace, name}, "%q.Split()", test.key)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z0-9.-]{1,9}`)
		namespace, name := text.Draw(t, "namespace"), text.Draw(t, "name")
		if gotNamespace, gotName := outrank.NewKey(namespace, name).Split(); gotNamespace != namespace || gotName != name {
			t.Fatalf("NewKey(%q, %q).Split() = %q, %q", namespace, name, gotNamespace, gotName)
		}
	})
}

func TestKeyInJSON(t *testing.T) {
	text, err := json.Marshal(map[outrank.Key]outrank.Key{"a/b": "c/d"})
	require.NoError(t, err)
	assert.Equal(t, `{"a/b":"c/d"}`, string(text))
}

func ExampleNewKey() {
	fmt.Println(outrank.NewKey("shop", "web"), outrank.NewKey("", "web"))
	// Output: shop/web default/web
}

func ExampleKey_Split() {
	pod := &outrank.Pod{Namespace: "shop", Name: "web"}
	namespace, name := pod.Key().Split()
	fmt.Println(namespace, name)
	// Output: shop web
}

func ExamplePod_GracePeriod() {
	own := 5 * time.Second
	fmt.Println((&outrank.Pod{Name: "quick", Grace: &own}).GracePeriod(outrank.DefaultGracePeriod))
	fmt.Println((&outrank.Pod{Name: "silent"}).GracePeriod(outrank.DefaultGracePeriod))
	// Output:
	// 5s
	// 30s
}

func TestTolerates(t *testing.T) {
	taint := outrank.Taint{Key: "k", Value: "v", Effect: outrank.NoSchedule}
	for _, test := range []struct {
		name string
		t    outrank.Toleration
		want bool
	}{
		{"equal, in full", outrank.Toleration{Key: "k", Operator: outrank.TolerationEqual, Value: "v", Effect: outrank.NoSchedule}, true},
		{"no operator means Equal", outrank.Toleration{Key: "k", Value: "v"}, true},
		{"other value", outrank.Toleration{Key: "k", Value: "w"}, false},
		{"other key", outrank.Toleration{Key: "l", Value: "v"}, false},
		{"other effect", outrank.Toleration{Key: "k", Value: "v", Effect: outrank.NoExecute}, false},
		{"no effect means all", outrank.Toleration{Key: "k", Operator: outrank.TolerationExists}, true},
		{"Exists looks at the key", outrank.Toleration{Key: "l", Operator: outrank.TolerationExists}, false},
		{"no key with Exists means every taint", outrank.Toleration{Operator: outrank.TolerationExists}, true},
		{"no key with Exists, but another effect", outrank.Toleration{Operator: outrank.TolerationExists, Effect: outrank.NoExecute}, false},
		{"no key without Exists means none", outrank.Toleration{Value: "v"}, false},
		{"unknown operator", outrank.Toleration{Key: "k", Operator: "Near", Value: "v"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, test.t.Tolerates(taint), "%+v.Tolerates(%+v)", test.t, taint)
			pod := outrank.Pod{Tolerations: []outrank.Toleration{{Key: "other"}, test.t}}
			assert.Equal(t, test.want, pod.Tolerates(taint), "Pod.Tolerates")
		})
	}
	assert.False(t, (&outrank.Pod{}).Tolerates(taint))
}
