package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/preemption"
)

// broken is a claim that no pod can use.
func broken(name string, state outrank.ClaimState) outrank.Volume {
	v := outrank.Volume{Claim: name, State: state}
	if state == outrank.ClaimLost || state == outrank.ClaimVolumeMissing {
		v.MissingVolume = "pv-" + name
	}
	return v
}

func ephemeral(v outrank.Volume) outrank.Volume {
	v.Ephemeral = true
	return v
}

// A claim that cannot be used ends the attempt before any node is looked at: nobody
// is evicted, even where that would make room. Of several such claims, what
// VolumeBinding says comes before what VolumeZone says.
func TestClaimsThatCannotBeUsed(t *testing.T) {
	lost, deleting := broken("lost", outrank.ClaimLost), broken("dying", outrank.ClaimDeleting)
	unbound, missing := broken("early", outrank.ClaimUnbound), broken("astray", outrank.ClaimVolumeMissing)
	const bindingText, zoneText = "VolumeBinding: ", "VolumeZone: "
	const (
		lostText     = bindingText + `persistentvolumeclaim "lost" bound to non-existent persistentvolume "pv-lost"`
		deletingText = bindingText + `persistentvolumeclaim "dying" is being deleted`
		unboundText  = bindingText + "pod has unbound immediate PersistentVolumeClaims"
		missingText  = zoneText + `persistentvolume "pv-astray" not found`
	)
	for name, c := range map[string]struct {
		asks []outrank.Volume
		want string
	}{
		"lost":                                {[]outrank.Volume{lost}, lostText},
		"being deleted":                       {[]outrank.Volume{handle("h"), deleting}, deletingText},
		"not bound":                           {[]outrank.Volume{unbound}, unboundText},
		"bound to nothing":                    {[]outrank.Volume{missing}, missingText},
		"the first claim comes first":         {[]outrank.Volume{deleting, lost}, deletingText},
		"not bound comes after what is worse": {[]outrank.Volume{unbound, lost}, lostText},
		"bound to nothing comes last":         {[]outrank.Volume{missing, unbound}, unboundText},
		"an ephemeral claim":                  {[]outrank.Volume{ephemeral(deleting)}, deletingText},
		"an ephemeral claim, not bound":       {[]outrank.Volume{ephemeral(unbound)}, unboundText},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, yard())
			p := caller(has(c.asks...))
			for range 3 { // the second time it would be worth remembering
				w.agree(t, p, gen.Now)
			}
			ex := explain(t, yard(), p)
			assert.Equal(t, preemption.NothingHelps, ex.Outcome)
			assert.Equal(t, c.want, ex.Refused.String())
			assert.Equal(t, preemption.UnschedulableAndUnresolvable, ex.Refused.Code)
			assert.Equal(t, []preemption.Count{{Status: ex.Refused, Nodes: 3}}, ex.TurnedDown)
			assert.Empty(t, ex.Unhelpful)
			for _, n := range ex.Nodes {
				assert.Equal(t, preemption.NodeReport{Node: n.Node, Status: ex.Refused}, n)
			}
			nodes, err := newEvaluator(t, preemption.Config{}).Feasible(context.Background(), newSnapshot(t, &outrank.Cluster{Nodes: yard().Nodes}), p)
			require.NoError(t, err)
			assert.Empty(t, nodes, "not even an empty cluster takes it")
		})
	}
}

// A pod on a node that has such a claim is one like any other.
func TestClaimsOfOthersDoNotMatter(t *testing.T) {
	runVolumeCases(t, []volumeCase{
		{
			name:  "they run and can be evicted",
			nodes: []*outrank.Node{node("n1", "1", "a")},
			pods:  []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(broken("lost", outrank.ClaimLost), broken("dying", outrank.ClaimDeleting)))},
			asks:  nil, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: preemption.NodeResourcesFit,
		},
	})
}

// Terms that contradict each other are the affair of NodeAffinity, which comes
// before the filters of volumes.
func TestFirstRefusalCounts(t *testing.T) {
	p := caller(has(broken("dying", outrank.ClaimDeleting)), func(p *outrank.Pod) {
		p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{MatchFields: []outrank.NodeRequirement{
			requirement(outrank.FieldName, outrank.In, "a"), requirement(outrank.FieldName, outrank.In, "b"),
		}}}}
	})
	newWorld(t, yard()).agree(t, p, gen.Now)
	ex := explain(t, yard(), p)
	assert.Equal(t, "NodeAffinity: pod affinity terms conflict", ex.Refused.String())
	assert.Equal(t, preemption.NothingHelps, ex.Outcome)
	p.Affinity.NodeAffinity.NodeSelectorTerms[0].MatchFields = p.Affinity.NodeAffinity.NodeSelectorTerms[0].MatchFields[:1]
	newWorld(t, yard()).agree(t, p, gen.Now)
	ex = explain(t, yard(), p)
	assert.Equal(t, `VolumeBinding: persistentvolumeclaim "dying" is being deleted`, ex.Refused.String())
	assert.Equal(t, ex.Refused, ex.Nodes[2].Status, "and nodes that are not named say so, too")
}

// Whether the pod may preempt is asked all the same. A victim that is leaving its
// nominated node is not waited for: that node cannot be helped.
func TestRefusedPodsMayOrMayNotPreempt(t *testing.T) {
	for _, c := range []struct {
		volumes []outrank.Volume
		policy  outrank.PreemptionPolicy
		outcome preemption.Outcome
		want    preemption.Ineligibility
	}{
		{nil, "", preemption.NotEligible, preemption.VictimsTerminating},
		{[]outrank.Volume{broken("early", outrank.ClaimUnbound)}, "", preemption.NothingHelps, ""},
		{[]outrank.Volume{broken("early", outrank.ClaimUnbound)}, outrank.PreemptNever, preemption.NotEligible, preemption.PolicyNever},
	} {
		w := newWorld(t, halfYardLeaving())
		p := caller(has(c.volumes...), nominated("a"), func(p *outrank.Pod) { p.PreemptionPolicy = c.policy })
		w.agree(t, p, gen.Now)
		plan, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), newSnapshot(t, halfYardLeaving()), preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, c.outcome, plan.Outcome)
		assert.Equal(t, c.want, plan.Ineligible)
	}
}

func halfYardLeaving() *outrank.Cluster {
	leaves := lowly("low-a", 1, "a")
	leaving(outrank.PreemptionByScheduler)(leaves)
	return halfYard(leaves)
}

// A caller that has filtered the nodes itself has gone beyond what ends an attempt.
func TestRefusalOfFilteredNodes(t *testing.T) {
	p := caller(has(broken("early", outrank.ClaimUnbound)))
	req := preemption.Request{Pod: p, Now: gen.Now, Statuses: plantest.ByName(map[string]preemption.Status{
		"a": {Code: preemption.Unschedulable, Filter: "mine"}, "b": {Code: preemption.UnschedulableAndUnresolvable}, "c": {Code: preemption.UnschedulableAndUnresolvable},
	})}
	plan, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), newSnapshot(t, yard()), req)
	require.NoError(t, err)
	assert.Equal(t, preemption.Preempts, plan.Outcome)
	assert.Equal(t, preemption.Status{}, plan.Refused)
}

// Volumes that are made along with the pod may be in any zone, and nobody else
// uses their claims. Where their volume is missing, every node says so for itself,
// after its resources.
func TestEphemeralVolumes(t *testing.T) {
	zoned := labelled(node("n1", "4", "a"), outrank.ZoneLabel, "a")
	elsewhere := outrank.Volume{Claim: "p-v", Zones: map[string][]string{outrank.ZoneLabel: {"b"}}}
	astray := ephemeral(broken("p-v", outrank.ClaimVolumeMissing))
	runVolumeCases(t, []volumeCase{
		{
			name: "a claim is where its volume is", nodes: []*outrank.Node{zoned}, pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"))},
			asks: []outrank.Volume{elsewhere}, outcome: preemption.NothingHelps, filter: preemption.VolumeZone,
		},
		{
			name: "an ephemeral volume is anywhere", nodes: []*outrank.Node{zoned},
			asks: []outrank.Volume{ephemeral(elsewhere)}, outcome: preemption.Fits,
		},
		{
			name: "but only where its node affinity allows", pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"))},
			asks: []outrank.Volume{{Claim: "p-v", Ephemeral: true, Node: usedIn("b").Node}}, outcome: preemption.NothingHelps, filter: preemption.VolumeBinding,
		},
		{
			name: "it is attached like any other", nodes: []*outrank.Node{limited(node("n1", "4", "a"), 1)},
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(ephemeral(handle("one"))))},
			asks: []outrank.Volume{ephemeral(handle("two"))}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: preemption.NodeVolumeLimits,
		},
		{
			name: "its claim for a single pod is not in use by others", pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(alone("c")))},
			asks: []outrank.Volume{ephemeral(alone("c"))}, outcome: preemption.Fits,
		},
		{
			name: "nor does it use the claim of others", pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(ephemeral(alone("c"))))},
			asks: []outrank.Volume{alone("c")}, outcome: preemption.Fits,
		},
		{
			name: "nor frees it when it goes",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(ephemeral(alone("c")))), pod("hi", 9, "1", on("n1"), has(alone("c")))},
			asks: []outrank.Volume{alone("c")}, outcome: preemption.NothingHelps, filter: preemption.VolumeRestrictions,
		},
		{
			name: "one whose volume is missing keeps the pod from every node", nodes: []*outrank.Node{zoned}, pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"))},
			asks: []outrank.Volume{astray}, outcome: preemption.NothingHelps, filter: preemption.VolumeBinding,
		},
		{
			name: "which shows once there is room", nodes: []*outrank.Node{node("n1", "1", "a")}, pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"))},
			asks: []outrank.Volume{astray}, outcome: preemption.NothingHelps, filter: preemption.NodeResourcesFit,
		},
	})
	n := explain(t, &outrank.Cluster{Nodes: []*outrank.Node{zoned}}, pod("p", 5, "1", has(astray, usedIn("b")))).Nodes[0]
	assert.Equal(t, "VolumeBinding: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)", n.Status.String())
	n = explain(t, &outrank.Cluster{Nodes: []*outrank.Node{zoned}}, pod("p", 5, "1", has(usedIn("b"), astray))).Nodes[0]
	assert.Equal(t, "VolumeBinding: node(s) didn't match PersistentVolume's node affinity", n.Status.String(), "the first volume comes first")
}

// Disks that a CSI driver has taken over count against the limit of that driver,
// together with the claims that it attaches.
func TestDisksCountAgainstLimits(t *testing.T) {
	ebs := func(id string) outrank.Volume {
		return outrank.Volume{Disk: outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: id}}
	}
	gce := func(id string) outrank.Volume {
		return reads(outrank.Volume{Disk: outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: id}})
	}
	claim := func(driver, handle string) outrank.Volume {
		return outrank.Volume{Claim: "c", Driver: driver, Handle: handle}
	}
	limit := func(driver string) []*outrank.Node {
		n := node("n1", "4", "a")
		n.AttachLimits = map[string]int64{driver: 1}
		return []*outrank.Node{n}
	}
	const ebsDriver, gceDriver, filter = "ebs.csi.aws.com", "pd.csi.storage.gke.io", preemption.NodeVolumeLimits
	runVolumeCases(t, []volumeCase{
		{
			name: "one EBS volume too many", nodes: limit(ebsDriver), pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(ebs("vol-1")))},
			asks: []outrank.Volume{ebs("vol-2")}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "beside one of a claim", nodes: limit(ebsDriver), pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(claim(ebsDriver, "vol-1")))},
			asks: []outrank.Volume{ebs("vol-2")}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "which may be the same volume", nodes: limit(ebsDriver), pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(claim(ebsDriver, "vol-1")))},
			asks: []outrank.Volume{ebs("aws://eu-1a/vol-1")}, outcome: preemption.Fits,
		},
		{
			name: "one GCE disk too many", nodes: limit(gceDriver), pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(gce("d1")))},
			asks: []outrank.Volume{gce("d2")}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "the same one", nodes: limit(gceDriver), pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(gce("d1")))},
			asks: []outrank.Volume{gce("d1")}, outcome: preemption.Fits,
		},
		{
			name: "an iSCSI target is attached by no driver", nodes: limit(""), pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"))},
			asks: []outrank.Volume{mounts(outrank.ISCSI)}, outcome: preemption.Fits,
		},
	})
}
