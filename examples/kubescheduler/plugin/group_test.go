package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"

	"github.com/outrank-go/outrank/preemption"
)

// gang is a group that needs all of so many pods.
func gang(name string, priority, pods int32) *schedulingv1beta1.PodGroup {
	return &schedulingv1beta1.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: "uid-of-group"},
		Spec: schedulingv1beta1.PodGroupSpec{
			Priority:         &priority,
			SchedulingPolicy: schedulingv1beta1.PodGroupSchedulingPolicy{Gang: &schedulingv1beta1.GangSchedulingPolicy{MinCount: pods}},
		},
	}
}

func in(group string, pod *v1.Pod) *v1.Pod {
	pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &group}
	return pod
}

// A group that has no place together preempts as one: the scheduler places it
// with all pods of lower priority away, and those in its way have to leave.
func TestGroup(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.GenericWorkload, true)
	c := newCluster(t, gang("train", 10, 2), node("n1", "4"), node("n2", "4"), node("n3", "4"),
		running("a", 1, "3", "n1", 0), running("b", 1, "3", "n2", 0), running("top", 100, "3", "n3", 0))
	c.withArgs(`{"planEvents": true}`)
	c.run()
	c.create(in("train", pending("t1", 10, "3")), in("train", pending("t2", 10, "3")))
	for _, name := range []string{"t1", "t2"} {
		c.eventually(name+" has a node", func() bool { return c.pod(name).Spec.NodeName != "" })
	}
	assert.Nil(t, c.pod("a"))
	assert.Nil(t, c.pod("b"))
	assert.NotNil(t, c.pod("top"))
	var plan *preemption.GroupPlan
	for _, d := range c.decided() {
		if d.Group != nil && d.Group.Outcome == preemption.Preempts {
			plan = d.Group
		}
	}
	require.NotNil(t, plan)
	assert.Len(t, plan.Victims, 2)
	assert.Equal(t, []string{"train Normal PreemptionPlanned Preempting: 2 pods have room without 2 of lower priority: default/a, default/b"}, c.recorder.about("train "))
	assert.Equal(t, []string{"a Normal Preempted Preempting: Preempted by podgroup uid-of-group on node cluster"}, c.recorder.about("a "))
	values := c.collector.Counts.Values()
	assert.EqualValues(t, 1, values.GroupAttempts[preemption.Success])
	assert.EqualValues(t, 2, values.GroupVictims.Sum)
	assert.Zero(t, values.PreemptionAttempts, "which counts pods alone")
}

// A group for which nothing helps has the reference's message.
func TestGroupThatNothingHelps(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.GenericWorkload, true)
	c := newCluster(t, gang("train", 10, 2), node("n1", "4"), node("n2", "4"), running("a", 1, "3", "n1", 0), running("top", 100, "3", "n2", 0))
	c.run()
	c.create(in("train", pending("t1", 10, "3")), in("train", pending("t2", 10, "3")))
	var said []metav1.Condition
	c.eventually("told", func() bool {
		group, err := c.api.SchedulingV1beta1().PodGroups("default").Get(t.Context(), "train", metav1.GetOptions{})
		require.NoError(t, err)
		said = group.Status.Conditions
		return len(said) > 0
	})
	assert.Contains(t, said[0].Message, "pod group preemption: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining")
	assert.NotContains(t, said[0].Message, "preemption: pod group")
	assert.NotNil(t, c.pod("a"))
}

// Nominations that the pods of a group have from an earlier attempt take no room from the
// group itself: with t1's own place and its nomination, b would have to leave, too.
func TestGroupThatWasNominated(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.GenericWorkload, true)
	c := newCluster(t, gang("train", 10, 2), node("n1", "6"), running("a", 1, "4", "n1", 0), running("b", 2, "1", "n1", 0))
	c.run()
	for _, name := range []string{"t1", "t2"} {
		pod := in("train", pending(name, 10, "2"))
		pod.Status.NominatedNodeName = "n1"
		c.create(pod)
	}
	c.isOn("t1", "n1")
	c.isOn("t2", "n1")
	assert.Nil(t, c.pod("a"))
	assert.NotNil(t, c.pod("b"))
}

// Such nominations still make the group wait for victims that are leaving these nodes.
func TestGroupThatWaits(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.GenericWorkload, true)
	victim := leaving(running("a", 1, "4", "n1", 0), v1.PodReasonPreemptionByScheduler, "", 1)
	victim.DeletionTimestamp, victim.Finalizers = new(metav1.NewTime(start)), []string{"example.com/slow"}
	c := newCluster(t, gang("train", 10, 2), node("n1", "6"), victim, running("b", 2, "1", "n1", 0))
	c.run()
	for _, name := range []string{"t1", "t2"} {
		pod := in("train", pending(name, 10, "2"))
		pod.Status.NominatedNodeName = "n1"
		c.create(pod)
	}
	c.eventually("decided", func() bool { return len(c.decided()) > 0 })
	d := c.decided()[0]
	require.NoError(t, d.Err)
	assert.Equal(t, preemption.VictimsTerminating, d.Group.Ineligible)
	assert.NotNil(t, c.pod("b"))
}
