package kube_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/kube"
)

// A taint with an unknown effect would let every pod in, and an unknown word of a
// bool would count as its opposite: both are refused.
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
		cluster, err := kube.ReadCluster(strings.NewReader(c.text))
		if c.want == "" {
			require.NoError(t, err, c.text)
			continue
		}
		require.Nil(t, cluster)
		require.EqualError(t, err, c.want)
	}
}

// A phase that the API server lets in and that is neither Succeeded nor Failed
// has not ended, as in the reference (rule 26.1.3).
func TestUnknownPhase(t *testing.T) {
	c, err := kube.ReadCluster(strings.NewReader(`{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n"},"status":{"phase":"Lost"}}
		{"kind":"Node","metadata":{"name":"n"}}`))
	require.NoError(t, err)
	require.Len(t, c.Pods, 1)
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	require.Equal(t, "n", snap.NodeOf("default/p"))
}
