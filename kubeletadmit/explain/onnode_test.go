package explain_test

import (
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/kubeletadmit/explain"
	"github.com/outrank-go/outrank/resource"
)

// twoNodes is the node of the examples with its pods, beside one with a pod as large, a
// pending pod and one that has ended.
func twoNodes() (*outrank.Cluster, *outrank.Pod) {
	node, active, pod := crowded()
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n0", Allocatable: resource.MustList("cpu", "4", "pods", "9")}, node}}
	for _, p := range active {
		p.NodeName = node.Name
	}
	large := []outrank.Container{{Requests: resource.MustList("cpu", "4")}}
	c.Pods = append(active,
		&outrank.Pod{Name: "other", NodeName: "n0", Containers: large}, &outrank.Pod{Name: "pending", Containers: large},
		&outrank.Pod{Name: "over", NodeName: node.Name, Phase: outrank.PhaseSucceeded, Containers: large})
	return c, pod
}

// Only the pods on the node count.
func TestOnNodeIsAskOfTheNode(t *testing.T) {
	c, pod := twoNodes()
	got, err := explain.OnNode(kubeletadmit.Admitter{}, c, "n1", pod, explain.Options{})
	require.NoError(t, err)
	node, active, pod := crowded()
	want, err := explain.Ask(kubeletadmit.Admitter{}, node, active, pod, explain.Options{})
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// The cluster's release holds where the admitter has none: for v1.36 a pod with pod-level
// resources that name nothing is BestEffort, whatever its containers ask for (rule 3.12).
func TestOnNodeHasTheReleaseOfTheCluster(t *testing.T) {
	c, pod := twoNodes()
	c.Pods = []*outrank.Pod{{
		Name: "p", NodeName: "n1", Resources: &resource.Requirements{},
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "3")}},
	}}
	var none outrank.Release
	for _, tt := range []struct {
		cluster, admitter outrank.Release
		class             outrank.QOSClass
	}{
		{outrank.V1_36, none, outrank.BestEffort},
		{outrank.V1_37, none, outrank.Burstable},
		{outrank.V1_36, outrank.V1_37, outrank.Burstable},
		{outrank.V1_37, outrank.V1_36, outrank.BestEffort},
	} {
		c.Release = tt.cluster
		r, err := explain.OnNode(kubeletadmit.Admitter{Release: tt.admitter}, c, "n1", pod, explain.Options{})
		require.NoError(t, err)
		for _, tier := range r.Tiers {
			require.Equal(t, tier.Class == tt.class, len(tier.Rounds) == 1, "%+v: %s", tt, tier.Class)
		}
	}
}

func TestOnNodeRefuses(t *testing.T) {
	c, pod := twoNodes()
	for _, tt := range []struct {
		cluster *outrank.Cluster
		node    string
		pod     *outrank.Pod
		want    string
	}{
		{nil, "n1", pod, "cluster: is nil"},
		{c, "n7", pod, "node n7: is not in the cluster"},
		{c, "n1", nil, "pod: is nil"},
	} {
		_, err := explain.OnNode(kubeletadmit.Admitter{}, tt.cluster, tt.node, tt.pod, explain.Options{})
		require.ErrorIs(t, err, outrank.ErrInvalid)
		require.ErrorContains(t, err, tt.want)
	}
}

func ExampleOnNode() {
	cluster, pod := twoNodes()
	r, err := explain.OnNode(kubeletadmit.Admitter{}, cluster, "n1", pod, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Summary())
	fmt.Println(r.Failures[0].Text())
	// Output:
	// kube-system/apiserver (no priority) starts on node n1 once 3 pods have been evicted.
	// cpu is short by 2500m: 2500m needed, 4 of 4 used
}
