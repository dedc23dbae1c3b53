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

func TestWhatMoves(t *testing.T) {
	bound, unstarted, untried, nominated, leaving := tried("a"), tried("b"), tried("c"), tried("d"), tried("e")
	now := metav1.Now()
	bound.Spec.NodeName, bound.Status.StartTime = "n", &now
	unstarted.Spec.NodeName = "n"
	untried.Status.Conditions = nil
	nominated.Status.NominatedNodeName = "n"
	leaving.DeletionTimestamp = &now
	for _, c := range []struct {
		pod     *corev1.Pod
		strict  string
		lenient string
	}{
		{tried("p"), "", ""},
		{bound, "", ""},
		{unstarted, "has not started", ""},
		{untried, "has not been tried", "has not been tried"},
		{nominated, "is nominated", ""},
		{leaving, "is being deleted", ""},
	} {
		assert.Equal(t, c.strict, Stillness{}.moves(c.pod), c.pod.Name)
		assert.Equal(t, c.lenient, Stillness{Leaving: true, Unstarted: true}.moves(c.pod), c.pod.Name)
	}
}

func TestWaitNamesWhatMoves(t *testing.T) {
	untried := tried("p")
	untried.Status.Conditions = nil
	f := informers.NewSharedInformerFactory(fake.NewClientset(untried), 0)
	o, err := Follow(f)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer f.Shutdown()
	defer cancel()
	f.Start(ctx.Done())
	f.WaitForCacheSync(ctx.Done())
	err = o.Wait(ctx, Stillness{})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.ErrorContains(t, err, "ns/p has not been tried")
}

func TestCount(t *testing.T) {
	p := tried("p")
	p.Labels = map[string]string{"app": "a"}
	f := informers.NewSharedInformerFactory(fake.NewClientset(p), 0)
	o, err := Follow(f)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer f.Shutdown()
	defer cancel()
	f.Start(ctx.Done())
	f.WaitForCacheSync(ctx.Done())
	assert.NoError(t, o.Count(ctx, nil))
	assert.NoError(t, o.Count(ctx, map[string]int{"ns/a": 1, "ns/b": 0}))
	assert.ErrorContains(t, o.Count(ctx, map[string]int{"ns/a": 2}), "there are 1 of ns/a, not 2")
}
