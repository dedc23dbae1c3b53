package kubelet

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
)

func bound(name string) *corev1.Pod {
	always := corev1.ContainerRestartPolicyAlways
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name)},
		Spec: corev1.PodSpec{
			NodeName:       "n",
			InitContainers: []corev1.Container{{Name: "setup"}, {Name: "sidecar", RestartPolicy: &always}},
			Containers:     []corev1.Container{{Name: "main"}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
}

func TestKubelets(t *testing.T) {
	leaving := bound("leaving")
	leaving.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	leaving.Finalizers = []string{"test/keep"} // the client of the test wants one
	client := fake.NewClientset(bound("new"), leaving, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	ctx, cancel := context.WithCancel(t.Context())
	f := informers.NewSharedInformerFactory(client, 0)
	k, err := Start(ctx, Config{
		Client: client, Version: "v1.37.1", Spread: time.Hour, Workers: 2, Trouble: func(err error) { t.Log(err) },
	}, f)
	require.NoError(t, err)
	k.Hold(true)
	k.Idle(true)
	f.Start(ctx.Done())
	f.WaitForCacheSync(ctx.Done())

	pod := func(name string) (*corev1.Pod, error) {
		return client.CoreV1().Pods("ns").Get(ctx, name, metav1.GetOptions{})
	}
	soon := func(what func() bool) { t.Helper(); require.Eventually(t, what, 10*time.Second, 10*time.Millisecond) }
	soon(func() bool {
		n, err := client.CoreV1().Nodes().Get(ctx, "n", metav1.GetOptions{})
		return err == nil && n.Status.NodeInfo.KubeletVersion == "v1.37.1" && len(n.Status.Conditions) == 4
	})
	p, err := pod("new")
	require.NoError(t, err)
	assert.Nil(t, p.Status.StartTime, "nothing starts while the kubelets are idle")
	_, err = pod("leaving")
	assert.NoError(t, err, "nothing ends while it is held")

	k.Idle(false)
	soon(func() bool { p, err := pod("new"); return err == nil && p.Status.StartTime != nil })
	k.Hold(false)
	soon(func() bool { _, err := pod("leaving"); return apierrors.IsNotFound(err) })
	cancel()
	k.Wait()
	f.Shutdown()
}

func TestRunning(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)
	asked := bound("p")
	p := running(asked, now, 0)
	assert.Nil(t, asked.Status.StartTime, "the pod itself is left alone")
	assert.Equal(t, corev1.PodRunning, p.Status.Phase)
	assert.Equal(t, now.Truncate(time.Second), p.Status.StartTime.UTC())
	require.Len(t, p.Status.InitContainerStatuses, 2)
	assert.NotNil(t, p.Status.InitContainerStatuses[0].State.Terminated)
	assert.NotNil(t, p.Status.InitContainerStatuses[1].State.Running)
	assert.NotNil(t, p.Status.ContainerStatuses[0].State.Running)
}

func TestStartTimesDifferByWholeSeconds(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)
	seen := map[time.Time]bool{}
	for i := range 100 {
		s := startTime(types.UID(rune('a'+i)), now, 720*time.Hour)
		assert.Zero(t, s.Nanosecond())
		assert.False(t, s.After(now))
		assert.False(t, s.Time.Before(now.Add(-721*time.Hour)))
		seen[s.Time] = true
		assert.Equal(t, s, startTime(types.UID(rune('a'+i)), now, 720*time.Hour))
	}
	assert.Greater(t, len(seen), 95)
}
