package joint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// inZone keeps a pod to a node of [cluster].
func inZone(p *outrank.Pod, node string) *outrank.Pod {
	p.NodeSelector = map[string]string{"zone": node}
	return p
}

// withPort has a pod take port 80 of its node.
func withPort(p *outrank.Pod) *outrank.Pod {
	p.Containers[0].Ports = []outrank.Port{{HostPort: 80}}
	return p
}

// In the second round, too, the pods have their turns in the order of the queue, also one that
// preempted in vain after others found nothing: a dry run takes a port for free that a second
// pod holds (rule 25.3.3).
func TestOrderOfTheSecondRound(t *testing.T) {
	never := inZone(pod("never", "", 95, "3"), "n2")
	never.PreemptionPolicy = outrank.PreemptNever
	snap := cluster(t, []string{"n1", "n2"}, withPort(pod("low", "n1", 1, "3")), withPort(pod("agent", "n1", 2000, "1")), pod("large", "n2", 50, "4"))
	plan := preempt(t, snap, preemption.Config{}, withPort(pod("first", "", 100, "3")), never, inZone(pod("last", "", 90, "1"), "n2"))
	require.Equal(t, "low", plan.Placements[0].OneByOne.Victims[0].Name, "in vain: %v", plan)
	assert.Equal(t, "n2", plan.Placements[0].OneByOne.Node)
	assert.Empty(t, plan.Placements[1].OneByOne.Node)
	assert.Equal(t, "n2", plan.Placements[2].OneByOne.Node)
}

// A pod that was bound in the first round is spared in the second, though it would be the
// cheapest victim (rule 25.3.3).
func TestBoundPodsAreSparedInTheSecondRound(t *testing.T) {
	near := pod("near", "", 100, "4")
	near.Affinity.PodAffinity = []outrank.PodAffinityTerm{{
		LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "db"}}, TopologyKey: "rack"}}
	db := inZone(pod("db", "", 90, "1"), "n1")
	db.Labels = map[string]string{"app": "db"}
	c := &outrank.Cluster{Pods: []*outrank.Pod{pod("a", "n3", 60, "4")}}
	for _, name := range []string{"n1", "n2", "n3"} {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "4", "pods", "10"), Labels: map[string]string{"rack": "1", "zone": name}})
	}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	plan := preempt(t, snap, preemption.Config{}, near, db, inZone(pod("other", "", 50, "4"), "n2"))
	require.Len(t, plan.Placements[0].OneByOne.Victims, 1, "%v", plan)
	assert.Equal(t, "a", plan.Placements[0].OneByOne.Victims[0].Name)
}

// leftover is a cluster in which two pods evict one small pod each, one by one, and together a
// large one, so that "room" has a node to itself that it does not have one by one. Another pod
// is nominated there.
func leftover(t *testing.T, change func(*outrank.Pod) *outrank.Pod) (*engine.Snapshot, preemption.Config, []*outrank.Pod) {
	promised := pod("promised", "", 3, "1")
	promised.NominatedNodeName = "n1"
	snap := cluster(t, []string{"n1", "n2", "n3"}, change(pod("s1", "n1", 10, "1")), change(pod("a1", "n1", 2000, "3")),
		pod("s2", "n2", 10, "1"), pod("a2", "n2", 2000, "3"), pod("large", "n3", 10, "2"), pod("a3", "n3", 2000, "2"), promised)
	spares := preemption.Config{Eligibility: preemption.Eligibility{Take: func(p, v *outrank.Pod) (rule string, ok bool) { return "", p.Name != "room" || v.Name == "s1" }}}
	return snap, spares, []*outrank.Pod{pod("w1", "", 1000, "1"), pod("w2", "", 1000, "1"), change(pod("room", "", 15, "500m")), pod("last", "", 2, "500m")}
}

func same(p *outrank.Pod) *outrank.Pod { return p }

// A further pod takes the room of a nomination that another further pod has cleared (rule
// 25.1.6).
func TestMorePodsInClearedRoom(t *testing.T) {
	snap, config, pods := leftover(t, same)
	plan := preempt(t, snap, config, pods...)
	require.Equal(t, "large", plan.Victims[0].Pod.Name, "%v", plan)
	for _, at := range plan.Placements[2:] {
		assert.Empty(t, at.OneByOne.Node, "%v", plan)
		assert.True(t, further(&at), "%v", plan)
		assert.Equal(t, "n1", at.Node)
	}
	require.Len(t, plan.Placements[2].ClearedNominations, 1)
	assert.Equal(t, "promised", plan.Placements[2].ClearedNominations[0].Name)
}

// Where a further pod would evict another in vain, no further pod has a place (rule 25.1.6).
func TestNoMorePodsInVain(t *testing.T) {
	snap, config, pods := leftover(t, withPort)
	plan := preempt(t, snap, config, pods...)
	require.Equal(t, "large", plan.Victims[0].Pod.Name, "%v", plan)
	assert.Zero(t, plan.More.Victims, "%v", plan)
	for _, at := range plan.Placements[2:] {
		assert.Empty(t, at.Node, "%v", plan)
	}
}
