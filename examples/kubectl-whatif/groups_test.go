package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// grouped is a cluster in which two pods of a group wait; the group itself is there, or not.
func grouped(there bool) string {
	member := func(_, spec, _ map[string]any) { spec["schedulingGroup"] = map[string]any{"podGroupName": "train"} }
	items := []string{nodeItem("n1", "2"), podItem("low", "n1", 1, "2"), podItem("t-0", "", 100, "1", member), podItem("t-1", "", 100, "1", member)}
	if there {
		items = append(items, `{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"name":"train"},"spec":{"priority":100,"schedulingPolicy":{"gang":{"minCount":2}}}}`)
	}
	return listOf(items...)
}

const groupsOn = "v1.37," + groupGate + "=true"

// A pod that is scheduled with its group alone is not answered about as if it were not.
func TestPodsOfGroups(t *testing.T) {
	for _, question := range [][]string{nil, {"--replicas", "2"}, {"--why-not", "n1"}, {"--exact"}, {"-o", "html"}} {
		args := append([]string{"--cluster", "-", "--pending", "default/t-0", "--release", groupsOn}, question...)
		status, stdout, stderr := whatif(grouped(true), args...)
		assert.Equal(t, 2, status, question)
		assert.Empty(t, stdout, question)
		assert.Contains(t, stderr, "pod default/t-0 is scheduled as a whole with its group default/train, and not by itself; --pending all tells what becomes of the group")
		_, _, stderr = whatif(grouped(false), args...)
		assert.Contains(t, stderr, "with its group default/train, which the dump does not hold; add podgroups,compositepodgroups to kubectl get")
	}
	all := []string{"--cluster", "-", "--pending", "all"}
	_, stdout, _ := whatif(grouped(true), append(all, "--release", groupsOn)...)
	assert.Contains(t, stdout, "default/train (group of 2 pods)")
	assert.NotContains(t, stdout, "each is scheduled by itself")
	_, stdout, _ = whatif(grouped(true), "--cluster", "-", "--pending", "default/t-0", "--release", groupsOn, "--on-node", "n1")
	assert.Contains(t, stdout, "does not start on node n1", "a kubelet takes each pod by itself")
}

// Rules that know no groups are said to know none.
func TestGroupsThatDoNotCount(t *testing.T) {
	_, stdout, _ := whatif(grouped(true), "--cluster", "-", "--pending", "default/t-0", "-o", "json")
	assert.Contains(t, stdout, "by the rules of v1.37 the pod is scheduled by itself, whatever its group default/train; where the cluster has the feature gate "+
		"GenericWorkload, groups are scheduled as a whole: --release v1.37,GenericWorkload=true --pending all")
	_, stdout, _ = whatif(grouped(true), "--cluster", "-", "--pending", "all", "-o", "json")
	assert.Contains(t, stdout, "has 2 pending pods of groups, and by the rules of v1.37 each is scheduled by itself")
	assert.NotContains(t, answered(t, ""), "group")
}

// kubectl is asked for groups where they count.
func TestLiveGroups(t *testing.T) {
	sample, err := filepath.Abs("sample/cluster.json")
	require.NoError(t, err)
	kubectl(t, `case "$*" in *,csidrivers,podgroups,compositepodgroups*) cat '`+sample+`';; *) echo "unexpected $*" >&2; exit 1;; esac`)
	answered(t, "", "--live", "--pending", "all", "--release", groupsOn)
}
