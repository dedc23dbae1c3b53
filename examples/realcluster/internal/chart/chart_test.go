package chart

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
)

func pod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "trial", Name: name, UID: types.UID("uid-" + name)}, Spec: corev1.PodSpec{NodeName: node},
	}
}

func waits(name, why string) *corev1.Pod {
	p := pod(name, "")
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: why}}
	return p
}

func preempted(victim, by string) corev1.Event {
	return corev1.Event{
		InvolvedObject: corev1.ObjectReference{Namespace: "a", Name: victim, UID: types.UID("uid-" + victim)}, Message: "Preempted by pod uid-" + by + " on node n",
	}
}

// Nothing is lost where every pod has a node or a reason to wait, and whoever had to leave left
// for a pod that runs.
func TestAccount(t *testing.T) {
	created := []*corev1.Pod{pod("p", ""), pod("q", "")}
	good := []corev1.Event{preempted("v", "p"), preempted("v", "p"), preempted("w", "p"), preempted("x", "another")}
	a := account(created, []*corev1.Pod{pod("p", "n"), waits("q", "no room")}, good)
	assert.Equal(t, Account{Created: 2, Bound: 1, Pending: 1, Victims: 2}, a)

	leaving := pod("q", "n")
	leaving.DeletionTimestamp = &metav1.Time{}
	for name, test := range map[string]struct {
		now    []*corev1.Pod
		events []corev1.Event
		lost   string
	}{
		"gone":             {[]*corev1.Pod{pod("p", "n")}, good, "q is gone"},
		"leaving":          {[]*corev1.Pod{pod("p", "n"), leaving}, good, "q is gone"},
		"no reason":        {[]*corev1.Pod{pod("p", "n"), waits("q", "")}, good, "q waits without a reason"},
		"never tried":      {[]*corev1.Pod{pod("p", "n"), pod("q", "")}, good, "q waits without a reason"},
		"left for nothing": {[]*corev1.Pod{pod("p", "n"), waits("q", "no room")}, append(good, preempted("y", "q")), "a/y had to leave for q, which does not run"},
	} {
		assert.Equal(t, []string{test.lost}, account(created, test.now, test.events).Lost, name)
	}
}

// A right that the cluster's scheduler does not have is named.
func TestBeyond(t *testing.T) {
	role := func(name string, rules ...rbacv1.PolicyRule) *rbacv1.ClusterRole {
		return &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}
	}
	rule := func(group, resource string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
	}
	one := rule("", "secrets", "get")
	one.ResourceNames = []string{"mine"}
	client := fake.NewClientset(
		role(builtIn[0], rule("", "pods", "get", "delete"), one), role(builtIn[1], rule("apps", "*", "*")), role(builtIn[2]),
		role(Release, rule("", "pods", "get", "patch"), rule("apps", "statefulsets", "watch"), rule("", "secrets", "get"), rbacv1.PolicyRule{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}),
	)
	got, err := Beyond(t.Context(), client)
	require.NoError(t, err)
	assert.Equal(t, []string{"patch /pods", "get /secrets", "/metrics"}, got)
	_, err = Beyond(t.Context(), fake.NewClientset())
	assert.Error(t, err)
}

// Helm is run with the release's namespace, the values and folders of its own, and its words are
// in the error.
func TestHelm(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "helm")
	require.NoError(t, os.WriteFile(program, fmt.Appendf(nil, "#!/bin/sh\necho $HELM_DATA_HOME $@ >>%s/calls\ncase $1 in rollback) echo no such revision; exit 1;; esac\n", dir), 0o700))
	h := &Helm{Program: program, Chart: "chart", Kubeconfig: "k", Home: "home"}
	require.NoError(t, h.Upgrade(context.Background(), "a=b", "c=d"))
	assert.ErrorContains(t, h.Rollback(context.Background(), 7), "no such revision")
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	require.NoError(t, err)
	assert.Equal(t, "home/DATA upgrade outrank-scheduler chart --install --create-namespace --wait --timeout 3m --set a=b --set c=d --namespace outrank-system --kubeconfig k\n"+
		"home/DATA rollback outrank-scheduler 7 --wait --timeout 3m --namespace outrank-system --kubeconfig k\n", string(text))
}
