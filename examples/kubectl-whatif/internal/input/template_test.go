package input

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/kube"
)

// templates are those of a text in YAML.
func templates(text string) (out []*Template, err error) {
	r, err := JSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return out, Each(r, func(o Object) error {
		t, err := TemplateOf(o)
		out = append(out, t)
		return err
	})
}

const podSpec = `
      metadata: {labels: {app: web}, name: ignored, annotations: {a: b}}
      spec:
        priorityClassName: high
        containers:
        - name: c
          resources: {requests: {cpu: 0.1, memory: 12345678901}}
`

func TestTemplates(t *testing.T) {
	for _, tt := range []struct {
		name, text        string
		replicas, ordinal int
	}{
		{"Deployment", "apiVersion: apps/v1\nspec:\n    replicas: 3\n    template:" + podSpec, 3, -1},
		{"Deployment", "apiVersion: apps/v1\nspec:\n    template:" + podSpec, 1, -1},
		{"ReplicaSet", "apiVersion: apps/v1\nspec:\n    replicas: 0\n    template:" + podSpec, 0, -1},
		{"ReplicationController", "apiVersion: v1\nspec:\n    replicas: 2\n    template:" + podSpec, 2, -1},
		{"StatefulSet", "apiVersion: apps/v1\nspec:\n    ordinals: {start: 5}\n    replicas: 2\n    template:" + podSpec, 2, 5},
		{"DaemonSet", "apiVersion: apps/v1\nspec:\n    template:" + podSpec, 0, -1},
		{"Job", "apiVersion: batch/v1\nspec:\n    parallelism: 5\n    completions: 3\n    template:" + podSpec, 3, -1},
		{"Job", "apiVersion: batch/v1\nspec:\n    completions: 3\n    template:" + podSpec, 1, -1},
		{"CronJob", "apiVersion: batch/v1\nspec:\n  jobTemplate:\n   spec:\n    parallelism: 4\n    template:" + podSpec, 4, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := templates("kind: " + tt.name + "\nmetadata: {name: web, namespace: shop}\n" + tt.text)
			require.NoError(t, err)
			require.Len(t, got, 1)
			one := got[0]
			assert.Equal(t, []any{tt.name, "shop", "web", tt.replicas, tt.ordinal, tt.name + "/web"},
				[]any{one.Kind, one.Namespace, one.Name, one.Replicas, one.Ordinal, one.String()})
			pod, _, err := kube.ReadManifest(strings.NewReader(string(one.Pod)))
			require.NoError(t, err)
			assert.Equal(t, outrank.Key("shop/web"), pod.Key())
			assert.Equal(t, tt.name+"/web", pod.Owner.String())
			assert.Equal(t, map[string]string{"app": "web"}, pod.Labels)
			assert.Equal(t, "high", pod.PriorityClassName)
			requests := pod.Requests()
			assert.Equal(t, "100m 12345678901", requests["cpu"].String()+" "+requests["memory"].String())
			assert.Equal(t, tt.name == "DaemonSet", len(pod.Tolerations) == 6, "%v", pod.Tolerations)
		})
	}
}

// The additions of controllers to their pods.
func TestTemplatesHaveWhatControllersAdd(t *testing.T) {
	got, err := templates(`
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec: {template: {spec: {hostNetwork: yes, tolerations: [{key: a, operator: Exists}], containers: [{name: c}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  template: {spec: {volumes: [{name: data, emptyDir: {}}, {name: tmp, emptyDir: {}}], containers: [{name: c}]}}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {storageClassName: fast}}]
`)
	require.NoError(t, err)
	pods := make([]*outrank.Pod, 2)
	for i := range pods {
		pods[i], _, err = kube.ReadManifest(strings.NewReader(string(got[i].Pod)))
		require.NoError(t, err)
	}
	var keys []string
	for _, tol := range pods[0].Tolerations {
		keys = append(keys, strings.TrimPrefix(tol.Key, "node.kubernetes.io/")+":"+string(tol.Effect))
	}
	assert.Equal(t, "a: not-ready:NoExecute unreachable:NoExecute disk-pressure:NoSchedule memory-pressure:NoSchedule "+
		"pid-pressure:NoSchedule unschedulable:NoSchedule network-unavailable:NoSchedule", strings.Join(keys, " "))
	want := []outrank.Volume{{Claim: "db-data", Ephemeral: true}}
	assert.Empty(t, cmp.Diff(want, pods[1].Volumes))
}

func TestTemplatesThatCannotBeUsed(t *testing.T) {
	const head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"
	for text, want := range map[string]string{
		head + "spec: {replicas: many, template: {spec: {}}}":                                    "deployment shop/web: spec.replicas: string where a whole number is wanted",
		head + "spec: {replicas: -1, template: {spec: {}}}":                                      "deployment shop/web: spec.replicas: -1 is negative",
		head + "spec: {template: {spec: 1}}":                                                     "deployment shop/web: spec.template.spec: number where an object is wanted",
		head + "spec: {template: {metadata: {}}}":                                                "deployment shop/web: spec.template.spec: missing",
		"apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: {template: {spec: {}}}": "cronjob a: spec.jobTemplate: missing",
		"kind: Deployment\nspec: {template: {spec: {}}}":                                         "deployment has no metadata.name",
	} {
		_, err := templates(text)
		assert.EqualError(t, err, want)
	}
}

func TestMakesPods(t *testing.T) {
	for text, want := range map[string]bool{
		`{"kind":"Pod","apiVersion":"v1"}`: true, `{"kind":"Pod"}`: true, `{"kind":"Deployment","apiVersion":"apps/v1"}`: true,
		`{"kind":"Job","apiVersion":"batch.volcano.sh/v1alpha1"}`: false, `{"kind":"Service","apiVersion":"v1"}`: false, `{"kind":"Pod","apiVersion":"x/v1"}`: false,
	} {
		var h head
		require.NoError(t, json.Unmarshal([]byte(text), &h))
		o := objectOf(h, nil)
		assert.Equal(t, want, o.MakesPods(), text)
	}
}
