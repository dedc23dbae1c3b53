package plugin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	ktesting "k8s.io/client-go/testing"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"

	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
	"github.com/outrank-go/outrank/preemption"
)

// second is the name of another profile of the scheduler.
const second = "second-scheduler"

// withSecond gives the scheduler another profile with the plugin.
func (c *cluster) withSecond() {
	other := profile()
	other.SchedulerName = new(second)
	c.others = append(c.others, other)
}

// ofSecond hands a pod to the other profile.
func ofSecond(pod *v1.Pod) *v1.Pod {
	pod.Spec.SchedulerName = second
	return pod
}

// acceptDeletions makes the API accept deletions and report nothing of them until
// release is called.
func (c *cluster) acceptDeletions() (release func()) {
	var accepted []ktesting.DeleteAction
	c.api.PrependReactor("delete", "pods", func(action ktesting.Action) (bool, apiruntime.Object, error) {
		accepted = append(accepted, action.(ktesting.DeleteAction))
		return true, nil, nil
	})
	return func() {
		for _, d := range accepted {
			_ = c.api.Tracker().Delete(v1.SchemeGroupVersion.WithResource("pods"), d.GetNamespace(), d.GetName())
		}
	}
}

// deletions counts the requests to the API.
func (c *cluster) deletions() (n int) {
	for _, action := range c.api.Actions() {
		if action.Matches("delete", "pods") {
			n++
		}
	}
	return n
}

// A victim that pods of two profiles need away is told to go once: all profiles
// of a scheduler have one executor, which knows its victims.
func TestVictimsOfTwoProfilesAreToldOnce(t *testing.T) {
	c := newCluster(t, node("n1", "8"), running("low", 1, "6", "n1", 0))
	c.withSecond()
	release := c.acceptDeletions()
	c.run()
	c.create(pending("a", 10, "4"))
	carriedOut := func(n uint64) func() bool {
		return func() bool { return c.collector.Counts.Values().Executions["success"] == n }
	}
	c.eventually("a's plan carried out", carriedOut(1))
	c.create(ofSecond(pending("b", 10, "4")))
	c.eventually("b's plan carried out", carriedOut(2))
	for _, d := range c.decided() {
		assert.Equal(t, "low", d.Plan.Victims[0].Pod.Name, "each has to have it away")
	}
	assert.Equal(t, 1, c.deletions())
	assert.Len(t, c.recorder.about("low Normal Preempted"), 1)
	assert.Empty(t, c.recorderOf(second).about("low"))
	release()
	c.isOn("a", "n1")
	c.isOn("b", "n1")
}

// Room that is being made for a pod of one profile is not there for a pod of another.
func TestProfilesShareNominations(t *testing.T) {
	c := newCluster(t, node("n1", "4"), running("low", 1, "4", "n1", 0))
	c.withSecond()
	c.api.PrependReactor("delete", "pods", c.graceful)
	c.run()
	c.create(pending("a", 10, "4"))
	c.nominated("a", "n1")
	c.preempted(1)
	c.create(ofSecond(pending("b", 10, "4")))
	c.eventually("told", func() bool { return len(c.recorderOf(second).about("b Warning FailedScheduling")) > 0 })
	decided := c.decided()
	assert.Equal(t, preemption.NothingHelps, decided[len(decided)-1].Plan.Outcome)
	assert.Equal(t, 1, c.deletions())
}

// The event about a victim is posted as the profile of the preemptor, whichever came first.
func TestEventsAreOfThePreemptorsProfile(t *testing.T) {
	for _, synchronous := range []bool{false, true} {
		c := newCluster(t, node("n1", "4"), running("low", 1, "3", "n1", 0))
		c.options.Synchronous = &synchronous
		c.withSecond()
		c.run()
		c.create(ofSecond(pending("b", 10, "2")))
		c.isOn("b", "n1")
		assert.Equal(t, []string{"low Normal Preempted Preempting: Preempted by pod uid-b on node n1"}, c.recorderOf(second).about("low"))
		assert.Empty(t, c.recorder.about("low"))
	}
}

// The same holds for a group.
func TestEventsOfAGroupAreOfItsProfile(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.GenericWorkload, true)
	c := newCluster(t, gang("train", 10, 2), node("n1", "4"), node("n2", "4"), running("x", 1, "3", "n1", 0), running("y", 1, "3", "n2", 0))
	c.withSecond()
	c.run()
	c.create(ofSecond(in("train", pending("t1", 10, "3"))), ofSecond(in("train", pending("t2", 10, "3"))))
	for _, name := range []string{"t1", "t2"} {
		c.eventually(name+" has a node", func() bool { return c.pod(name).Spec.NodeName != "" })
	}
	for _, victim := range []string{"x", "y"} {
		assert.Len(t, c.recorderOf(second).about(victim+" Normal Preempted"), 1)
		assert.Empty(t, c.recorder.about(victim))
	}
}

// The shared part of a scheduler's plugins exists from the first of them to the
// last, or until the context ends. Another scheduler has its own.
func TestProcessEndsWithItsPlugins(t *testing.T) {
	begun := plugin.Processes()
	open := func(ctx context.Context, c *cluster) *plugin.Plugin {
		p, err := plugin.New(ctx, nil, &handle{c: c})
		require.NoError(t, err)
		return p.(*plugin.Plugin)
	}
	c := newCluster(t)
	first, other := open(t.Context(), c), open(t.Context(), c)
	assert.Equal(t, begun+1, plugin.Processes())
	elsewhere := open(t.Context(), newCluster(t))
	assert.Equal(t, begun+2, plugin.Processes())
	require.NoError(t, elsewhere.Close())
	require.NoError(t, first.Close())
	require.NoError(t, first.Close(), "which counts once")
	assert.Equal(t, begun+1, plugin.Processes())
	require.NoError(t, other.Close())
	assert.Equal(t, begun, plugin.Processes())

	ctx, cancel := context.WithCancel(t.Context())
	left := open(ctx, c)
	cancel()
	c.eventually("forgotten", func() bool { return plugin.Processes() == begun })
	again := open(t.Context(), c)
	assert.Equal(t, begun+1, plugin.Processes())
	require.NoError(t, left.Close())
	assert.Equal(t, begun+1, plugin.Processes(), "the later one is another")
	require.NoError(t, again.Close())
}

// Profiles that would count elsewhere or take other steps cannot share an
// executor, and are refused.
func TestProfilesAgree(t *testing.T) {
	c := newCluster(t)
	p, err := plugin.Factory(plugin.Options{})(t.Context(), nil, &handle{c: c})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.(*plugin.Plugin).Close()) }()
	_, err = plugin.Factory(plugin.Options{Synchronous: new(true)})(t.Context(), nil, &handle{c: c})
	require.EqualError(t, err, "Outrank: profile default-scheduler differs from an earlier one in release, order, metrics or draPreemption, which the profiles of a scheduler share")
}
