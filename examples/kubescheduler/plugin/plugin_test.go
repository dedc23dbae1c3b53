package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	ktesting "k8s.io/client-go/testing"

	"github.com/outrank-go/outrank/preemption"
)

// A pod that fits nowhere gets room: the victim has its condition and is deleted,
// the preemptor is nominated and scheduled, and both have events.
func TestPreempts(t *testing.T) {
	c := newCluster(t, node("n1", "4"), node("n2", "4"),
		running("low", 1, "3", "n1", 0), running("mid", 5, "3", "n2", 1))
	c.withArgs(`{"planEvents": true}`)
	c.run()
	c.create(pending("high", 10, "2"))
	c.isOn("high", "n1")
	assert.Nil(t, c.pod("low"))
	assert.NotNil(t, c.pod("mid"))

	assert.Equal(t, []string{"low Normal Preempted Preempting: Preempted by pod uid-high on node n1"}, c.recorder.about("low "))
	assert.Equal(t, []string{"high Normal PreemptionPlanned Preempting: Node n1 has room without a pod of priority 1: default/low"}, c.recorder.about("high Normal PreemptionPlanned"))
	failed := c.recorder.about("high Warning FailedScheduling")
	require.NotEmpty(t, failed)
	assert.Equal(t, "high Warning FailedScheduling Scheduling: 0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node n1, preempting 1 victims", failed[0])

	var patches, deletions int
	for _, action := range c.api.Actions() {
		switch a := action.(type) {
		case ktesting.PatchAction:
			if a.GetName() == "low" && a.GetSubresource() == "status" {
				patches++
				assert.Zero(t, deletions, "the condition comes first")
				assert.Contains(t, string(a.GetPatch()), `"uid":"uid-low"`)
				for _, part := range []string{
					`"type":"DisruptionTarget"`, `"status":"True"`, `"reason":"PreemptionByScheduler"`, `"observedGeneration":1`,
					`"message":"default-scheduler: preempting to accommodate a higher priority pod"`,
				} {
					assert.Contains(t, string(a.GetPatch()), part)
				}
			}
		case ktesting.DeleteAction:
			deletions++
			assert.Equal(t, "low", a.GetName())
			assert.Equal(t, "uid-low", string(*a.GetDeleteOptions().Preconditions.UID))
		}
	}
	assert.Equal(t, 1, patches)
	assert.Equal(t, 1, deletions)

	decided := c.decided()
	require.Len(t, decided, 1)
	assert.Equal(t, preemption.Preempts, decided[0].Plan.Outcome)
	assert.Equal(t, "n1", decided[0].Plan.Node)
}

// A pod for which nothing helps has the message of DefaultPreemption, and an earlier
// nomination is cleared.
func TestNothingHelps(t *testing.T) {
	c := newCluster(t, node("n1", "4"), node("n2", "1"), running("top", 100, "3", "n1", 0))
	c.run()
	pod := pending("high", 10, "2")
	pod.Status.NominatedNodeName = "n1"
	c.create(pod)
	c.eventually("told", func() bool { return len(c.recorder.about("high Warning FailedScheduling")) > 0 })
	assert.Equal(t, "high Warning FailedScheduling Scheduling: 0/2 nodes are available: 2 Insufficient cpu. "+
		"preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.", c.recorder.about("high Warning FailedScheduling")[0])
	c.eventually("cleared", func() bool { return c.pod("high").Status.NominatedNodeName == "" })
	assert.Equal(t, v1.PodReasonUnschedulable, c.pod("high").Status.Conditions[0].Reason)
}
