package trial

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/outrank-go/outrank/examples/realcluster/internal/observe"
)

func podOf(name, node, nominated string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name), Finalizers: []string{"test/keep"}},
		Spec:       corev1.PodSpec{NodeName: node}, Status: corev1.PodStatus{NominatedNodeName: nominated},
	}
}

func preempted(victim, by string) *corev1.Event {
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: victim + by}, Reason: "Preempted", Message: "Preempted by pod uid-" + by + " on node n",
		InvolvedObject: corev1.ObjectReference{Namespace: "ns", Name: victim, UID: types.UID("uid-" + victim)},
	}
}

// The author of an eviction, that of a lost nomination, and the disturbances of a trial.
func TestLookTellsCausesApart(t *testing.T) {
	client := fake.NewClientset(podOf("mine", "n", ""), podOf("others", "n", ""), podOf("outranked", "", "n"), podOf("elsewhere", "", "m"),
		preempted("mine", "p"), preempted("others", "q"))
	ctx, cancel := context.WithCancel(t.Context())
	f := informers.NewSharedInformerFactory(client, 0)
	defer f.Shutdown()
	defer cancel()
	pods, err := observe.Follow(f)
	require.NoError(t, err)
	f.Start(ctx.Done())
	f.WaitForCacheSync(ctx.Done())
	require.Eventually(t, func() bool { return len(pods.Moves()) == 4 }, 10*time.Second, 10*time.Millisecond)
	pods.Forget()

	c := client.CoreV1().Pods("ns")
	update := func(p *corev1.Pod) {
		_, err := c.Update(ctx, p, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	for _, name := range []string{"mine", "others"} {
		p := podOf(name, "n", "")
		p.DeletionTimestamp = new(metav1.Now())
		update(p)
	}
	update(podOf("outranked", "", ""))
	update(podOf("elsewhere", "", ""))
	require.Eventually(t, func() bool { return len(pods.Moves()) == 4 }, 10*time.Second, 10*time.Millisecond)

	o := &Observed{UID: "uid-p", Nominated: "n"}
	require.NoError(t, o.look(ctx, pods, client))
	assert.Contains(t, o.Evicted, "ns/mine")
	assert.Len(t, o.Evicted, 1)
	assert.Equal(t, []string{"ns/outranked"}, o.Cleared)
	assert.Equal(t, 1, o.Others)
	assert.Equal(t, []string{"ns/others is being deleted", `ns/elsewhere was nominated to ""`}, o.Before)
}
