package observe

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
)

func tried(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: "uid"},
		Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "no"}}},
	}
}

func TestPodsAreFollowed(t *testing.T) {
	client := fake.NewClientset()
	ctx, cancel := context.WithCancel(t.Context())
	f := informers.NewSharedInformerFactory(client, 0)
	defer f.Shutdown()
	defer cancel()
	o, err := Follow(f)
	require.NoError(t, err)
	f.Start(ctx.Done())
	f.WaitForCacheSync(ctx.Done())

	p := tried("p")
	p, err = client.CoreV1().Pods("ns").Create(ctx, p, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, o.Wait(ctx, Stillness{For: 50 * time.Millisecond}))
	p.Status.NominatedNodeName = "n"
	_, err = client.CoreV1().Pods("ns").UpdateStatus(ctx, p, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.NoError(t, o.Wait(ctx, Stillness{For: 200 * time.Millisecond, Leaving: true}))
	require.NoError(t, client.CoreV1().Pods("ns").Delete(ctx, "p", metav1.DeleteOptions{}))
	require.Eventually(t, func() bool { return len(o.Moves()) == 3 }, 10*time.Second, 10*time.Millisecond)

	var said []string
	for _, m := range o.Moves() {
		said = append(said, m.String())
	}
	assert.Equal(t, []string{"ns/p was created", `ns/p was nominated to "n"`, "ns/p is gone"}, said)
	assert.Empty(t, o.Moves()[1].Lost)
	h := o.History("uid")
	require.Len(t, h, 3)
	assert.Empty(t, h[0].Pod.Status.NominatedNodeName)
	assert.Equal(t, "n", h[1].Pod.Status.NominatedNodeName)
	assert.True(t, h[2].Gone)
	o.Forget()
	assert.Empty(t, o.Moves())
	assert.Empty(t, o.History("uid"))
}
