package plugin_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	ktesting "k8s.io/client-go/testing"
)

// holdDeletions keeps deletions from returning until release is called, and so
// all other calls of the clientset; begun is closed once one has begun.
func (c *cluster) holdDeletions() (begun chan struct{}, release func()) {
	begun, gate := make(chan struct{}, 10), make(chan struct{})
	c.api.PrependReactor("delete", "pods", func(ktesting.Action) (bool, apiruntime.Object, error) {
		begun <- struct{}{}
		<-gate
		return false, nil, nil
	})
	c.release = sync.OnceFunc(func() { close(gate) })
	return begun, c.release
}

// A pod is kept out of the queue while room is made for it, and let in when it is there.
func TestKeepsThePodOut(t *testing.T) {
	c := newCluster(t, node("n1", "4"), running("low", 1, "3", "n1", 0))
	begun, release := c.holdDeletions()
	c.run()
	high := pending("high", 10, "2")
	c.create(high)
	<-begun
	said := c.plugin.PreEnqueue(t.Context(), high)
	assert.Equal(t, "waiting for the preemption for this pod to be finished", said.Message())
	assert.True(t, said.IsRejected())
	assert.Nil(t, c.plugin.PreEnqueue(t.Context(), pending("other", 10, "2")))
	assert.True(t, c.plugin.Busy())
	release()
	c.isOn("high", "n1")
	c.eventually("over", func() bool { return c.plugin.PreEnqueue(t.Context(), high) == nil })
	c.eventually("carried out", func() bool { return !c.plugin.Busy() })
	assert.Len(t, c.decided(), 1, "it was not tried again meanwhile")
}

// A victim that cannot be deleted ends the preemption: the pod is tried again at once, and
// preempts again.
func TestTriesAgainAfterAFailure(t *testing.T) {
	c := newCluster(t, node("n1", "4"), running("low", 1, "3", "n1", 0))
	fail := true
	c.api.PrependReactor("delete", "pods", func(ktesting.Action) (bool, apiruntime.Object, error) {
		if fail {
			fail = false
			return true, nil, apierrors.NewServiceUnavailable("not now")
		}
		return false, nil, nil
	})
	c.run()
	c.create(pending("high", 10, "2"))
	c.isOn("high", "n1")
	assert.Len(t, c.decided(), 2)
	c.eventually("counted", func() bool {
		done := c.collector.Counts.Values().Executions
		return done["error"] == 1 && done["success"] == 1
	})
	values := c.collector.Counts.Values()
	assert.EqualValues(t, 2, values.PreemptionAttempts)
	assert.EqualValues(t, 2, values.PreemptionVictims.Count())
}

// A scheduler that ends leaves nothing behind, even in the middle of a preemption.
func TestEndsWithTheScheduler(t *testing.T) {
	c := newCluster(t, node("n1", "8"), running("a", 1, "3", "n1", 0), running("b", 1, "3", "n1", 1))
	begun, release := c.holdDeletions()
	c.run()
	c.create(pending("high", 10, "7"))
	<-begun
	c.stop()
	time.AfterFunc(50*time.Millisecond, release)
	<-c.stopped
	c.informers.Shutdown()
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for _, one := range strings.Split(string(stacks), "\n\n") {
		assert.False(t, strings.Contains(one, "kubescheduler/plugin.") || strings.Contains(one, "preemption/scheduler/execution."), one)
	}
	require.NotNil(t, c.pod("b"), "what had not begun was left alone")
}

// Synchronous: the victims are told to go before the attempt ends, and no pod is kept out.
func TestSynchronous(t *testing.T) {
	c := newCluster(t, node("n1", "4"), running("low", 1, "3", "n1", 0))
	c.options.Synchronous = new(true)
	begun, release := c.holdDeletions()
	c.run()
	high := pending("high", 10, "2")
	c.create(high)
	<-begun
	assert.Empty(t, c.recorder.about("high Warning FailedScheduling"), "the attempt has not ended")
	assert.Nil(t, c.plugin.PreEnqueue(t.Context(), high))
	release()
	c.isOn("high", "n1")
	hints, err := c.plugin.EventsToRegister(t.Context())
	require.NoError(t, err)
	assert.Empty(t, hints)
}

// Where carrying out fails before the attempt ends, the pod keeps its nomination.
func TestSynchronousFailure(t *testing.T) {
	c := newCluster(t, node("n1", "4"), running("low", 1, "3", "n1", 0))
	c.options.Synchronous = new(true)
	c.api.PrependReactor("delete", "pods", func(ktesting.Action) (bool, apiruntime.Object, error) {
		return true, nil, apierrors.NewServiceUnavailable("not now")
	})
	c.run()
	c.create(pending("high", 10, "2"))
	c.eventually("told", func() bool { return len(c.recorder.about("high Warning FailedScheduling")) > 0 })
	assert.Contains(t, c.recorder.about("high Warning FailedScheduling")[0], "not now")
	assert.Empty(t, c.pod("high").Status.NominatedNodeName)
}
