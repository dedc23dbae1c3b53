package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// has adds volumes to a pod.
func has(vs ...outrank.Volume) with { return func(p *outrank.Pod) { p.Volumes = vs } }

func ofNamespace(namespace string) with { return func(p *outrank.Pod) { p.Namespace = namespace } }

func mounts(kind outrank.DiskKind, monitors ...string) outrank.Volume {
	return outrank.Volume{Disk: outrank.Disk{Kind: kind, ID: "d", Monitors: monitors}}
}

func reads(v outrank.Volume) outrank.Volume {
	v.Disk.ReadOnly = true
	return v
}

// alone is a claim that only a single pod may use.
func alone(name string) outrank.Volume { return outrank.Volume{Claim: name, OncePod: true} }

func handle(id string) outrank.Volume {
	return outrank.Volume{Claim: id, Driver: "csi", Handle: id}
}

func limited(n *outrank.Node, limit int64) *outrank.Node {
	n.AttachLimits = map[string]int64{"csi": limit}
	return n
}

func labelled(n *outrank.Node, pairs ...string) *outrank.Node {
	for i := 0; i < len(pairs); i += 2 {
		n.Labels[pairs[i]] = pairs[i+1]
	}
	return n
}

func usedWhere(terms ...outrank.NodeSelectorTerm) outrank.Volume {
	return outrank.Volume{Node: &outrank.NodeSelector{NodeSelectorTerms: terms}}
}

func inZone(label string, values ...string) outrank.Volume {
	return outrank.Volume{Zones: map[string][]string{label: values}}
}

// usedIn is a volume that only nodes of a zone can use.
func usedIn(zone string) outrank.Volume {
	return usedWhere(outrank.NodeSelectorTerm{MatchExpressions: []outrank.NodeRequirement{{Key: "zone", Operator: outrank.In, Values: []string{zone}}}})
}

// volumeCase is a preemptor of priority 5 with volumes, on nodes with room.
type volumeCase struct {
	name    string
	nodes   []*outrank.Node
	pods    []*outrank.Pod
	asks    []outrank.Volume
	outcome preemption.Outcome
	want    string // node and victims
	filter  string // which one turns the first node down at first
}

func (v *volumeCase) run(t *testing.T) {
	c := &outrank.Cluster{Nodes: v.nodes, Pods: v.pods}
	if c.Nodes == nil {
		c.Nodes = []*outrank.Node{node("n1", "4", "a")}
	}
	p := pod("p", 5, "1", has(v.asks...))
	ex := explain(t, c, p)
	got := ""
	if ex.Outcome == preemption.Preempts {
		got = fmt.Sprint(ex.Node, " ", ex.Victims)
	}
	assert.Equal(t, v.outcome, ex.Outcome, "%v %v", ex.TurnedDown, ex.Unhelpful)
	assert.Equal(t, v.want, got)
	assert.Equal(t, v.filter, ex.Nodes[0].Status.Filter)
	sameAsBook(t, c, preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{}, ex)
	newWorld(t, c).agree(t, p, gen.Now)
}

func runVolumeCases(t *testing.T, cases []volumeCase) {
	for _, v := range cases {
		t.Run(v.name, v.run)
	}
}

func TestDisksThatPodsCannotShare(t *testing.T) {
	gce, ebs, rbd := mounts(outrank.GCEPersistentDisk), mounts(outrank.AWSElasticBlockStore), outrank.RBD
	const filter = preemption.VolumeRestrictions
	runVolumeCases(t, []volumeCase{
		{
			name: "whoever holds the disk has to leave",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(gce)), pod("other", 0, "1", on("n1"))},
			asks: []outrank.Volume{gce}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "a more important holder stays",
			pods: []*outrank.Pod{pod("hi", 9, "1", on("n1"), has(gce)), pod("lo", 1, "1", on("n1"))},
			asks: []outrank.Volume{gce}, outcome: preemption.NothingHelps, filter: filter,
		},
		{
			name: "two that only read share it",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(reads(gce)))},
			asks: []outrank.Volume{reads(gce)}, outcome: preemption.Fits,
		},
		{
			name: "one that writes shares it with nobody",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(reads(gce)))},
			asks: []outrank.Volume{gce}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "an EBS volume is not shared even by readers",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(reads(ebs)))},
			asks: []outrank.Volume{reads(ebs)}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "an iSCSI target is, by readers",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(reads(mounts(outrank.ISCSI))))},
			asks: []outrank.Volume{reads(mounts(outrank.ISCSI))}, outcome: preemption.Fits,
		},
		{
			name: "and is not, by writers",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(mounts(outrank.ISCSI)))},
			asks: []outrank.Volume{mounts(outrank.ISCSI)}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "the same name of another kind is another disk",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(ebs))},
			asks: []outrank.Volume{gce}, outcome: preemption.Fits,
		},
		{
			name: "an RBD image is the same where one monitor is",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(mounts(rbd, "m1", "m2")))},
			asks: []outrank.Volume{mounts(rbd, "m2", "m3")}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "and is another one where none is: that is another Ceph cluster",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(mounts(rbd, "m1")))},
			asks: []outrank.Volume{mounts(rbd, "m2")}, outcome: preemption.Fits,
		},
		{
			name: "without monitors it may be the same",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(mounts(rbd)))},
			asks: []outrank.Volume{mounts(rbd, "m2")}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "readers share an RBD image",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(reads(mounts(rbd, "m"))))},
			asks: []outrank.Volume{reads(mounts(rbd, "m"))}, outcome: preemption.Fits,
		},
		{
			name:  "what another node mounts does not matter",
			nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "0", "a")},
			pods:  []*outrank.Pod{pod("far", 9, "0", on("n2"), has(gce))},
			asks:  []outrank.Volume{gce}, outcome: preemption.Fits,
		},
		{
			name: "all that hold it have to leave, and one that cannot holds it still",
			pods: []*outrank.Pod{pod("hi", 9, "1", on("n1"), has(reads(gce))), pod("lo", 1, "1", on("n1"), has(reads(gce)))},
			asks: []outrank.Volume{gce}, outcome: preemption.NothingHelps, filter: filter,
		},
		{
			name: "the disk of a nominated pod is as good as taken",
			pods: []*outrank.Pod{pod("coming", 9, "1", nominated("n1"), has(gce)), pod("lo", 1, "1", on("n1"))},
			asks: []outrank.Volume{gce}, outcome: preemption.NothingHelps, filter: filter,
		},
	})
}

func TestClaimsForASinglePod(t *testing.T) {
	claim := alone("c")
	shared := outrank.Volume{Claim: "c"}
	twoNodes := []*outrank.Node{node("n1", "4", "a"), node("n2", "4", "a")}
	const filter = preemption.VolumeRestrictions
	runVolumeCases(t, []volumeCase{
		{
			name:  "only where its user runs does preemption help",
			nodes: twoNodes,
			pods:  []*outrank.Pod{pod("lo", 0, "1", on("n1")), pod("user", 3, "1", on("n2"), has(claim))},
			asks:  []outrank.Volume{claim}, outcome: preemption.Preempts, want: "n2 [default/user]", filter: filter,
		},
		{
			name: "a claim of the same name in another namespace is another claim",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(claim), ofNamespace("elsewhere"))},
			asks: []outrank.Volume{claim}, outcome: preemption.Fits,
		},
		{
			name: "it is the preemptor's claim that counts: others may share theirs",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(claim))},
			asks: []outrank.Volume{shared}, outcome: preemption.Fits,
		},
		{
			name: "a pod on a node that is not there uses nothing",
			pods: []*outrank.Pod{pod("lost", 9, "1", on("gone"), has(claim))},
			asks: []outrank.Volume{claim}, outcome: preemption.Fits,
		},
		{
			name: "a claim in use counts 1: of two users on a node one is let off",
			pods: []*outrank.Pod{pod("hi", 3, "1", on("n1"), has(claim)), pod("lo", 1, "1", on("n1"), has(claim))},
			asks: []outrank.Volume{claim}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name:  "and of two users on two nodes, one node is enough",
			nodes: twoNodes,
			pods:  []*outrank.Pod{pod("a", 3, "1", on("n1"), has(claim)), pod("b", 9, "1", on("n2"), has(claim))},
			asks:  []outrank.Volume{claim}, outcome: preemption.Preempts, want: "n1 [default/a]", filter: filter,
		},
		{
			name: "but each of two claims in use counts",
			pods: []*outrank.Pod{pod("hi", 9, "1", on("n1"), has(alone("d"))), pod("lo", 1, "1", on("n1"), has(claim))},
			asks: []outrank.Volume{claim, alone("d")}, outcome: preemption.NothingHelps, filter: filter,
		},
		{
			name: "a claim that the preemptor mounts twice counts 1",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(claim))},
			asks: []outrank.Volume{claim, claim}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "a pod that mounts a claim twice counts 2 when it goes and when it comes back",
			pods: []*outrank.Pod{pod("twice", 3, "1", on("n1"), has(claim, claim)), pod("lo", 1, "1", on("n1"), has(alone("d")))},
			asks: []outrank.Volume{claim, alone("d")}, outcome: preemption.Preempts, want: "n1 [default/twice]", filter: filter,
		},
		{
			name:  "pods that leave count whatever their namespace",
			nodes: twoNodes,
			pods:  []*outrank.Pod{pod("x", 1, "1", on("n1"), has(claim), ofNamespace("elsewhere")), pod("user", 9, "1", on("n2"), has(claim))},
			asks:  []outrank.Volume{claim}, outcome: preemption.Preempts, want: "n1 [elsewhere/x]", filter: filter,
		},
		{
			name: "a nominated user is not seen where no claim was in use at the start",
			pods: []*outrank.Pod{pod("coming", 9, "1", nominated("n1"), has(claim))},
			asks: []outrank.Volume{claim}, outcome: preemption.Fits,
		},
		{
			name: "it is seen where the filter is at work anyway",
			pods: []*outrank.Pod{pod("coming", 9, "1", nominated("n1"), has(claim)), pod("lo", 1, "1", on("n1"))},
			asks: []outrank.Volume{claim, mounts(outrank.ISCSI)}, outcome: preemption.NothingHelps, filter: filter,
		},
	})
}

func TestLimitsOfVolumes(t *testing.T) {
	one, two := handle("one"), handle("two")
	limit := func(n int64) []*outrank.Node { return []*outrank.Node{limited(node("n1", "4", "a"), n)} }
	const filter = preemption.NodeVolumeLimits
	runVolumeCases(t, []volumeCase{
		{
			name: "one volume too many", nodes: limit(1),
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(one)), pod("other", 0, "1", on("n1"))},
			asks: []outrank.Volume{two}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "up to the limit", nodes: limit(2),
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(one))},
			asks: []outrank.Volume{two}, outcome: preemption.Fits,
		},
		{
			name: "what is attached already is not attached again", nodes: limit(1),
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(one))},
			asks: []outrank.Volume{one}, outcome: preemption.Fits,
		},
		{
			name: "nor looked at where the node is beyond its limit", nodes: limit(1),
			pods: []*outrank.Pod{pod("hi", 9, "1", on("n1"), has(one, two))},
			asks: []outrank.Volume{one}, outcome: preemption.Fits,
		},
		{
			name: "a volume stays attached until the last of its pods leaves", nodes: limit(1),
			pods: []*outrank.Pod{pod("hi", 4, "1", on("n1"), has(one)), pod("lo", 1, "1", on("n1"), has(one))},
			asks: []outrank.Volume{two}, outcome: preemption.Preempts, want: "n1 [default/hi default/lo]", filter: filter,
		},
		{
			name: "which may be one that cannot be pushed out", nodes: limit(1),
			pods: []*outrank.Pod{pod("hi", 9, "1", on("n1"), has(one)), pod("lo", 1, "1", on("n1"), has(one))},
			asks: []outrank.Volume{two}, outcome: preemption.NothingHelps, filter: filter,
		},
		{
			name: "a volume that the preemptor names twice is one", nodes: limit(1),
			asks: []outrank.Volume{one, one}, outcome: preemption.Fits,
		},
		{
			name: "several new ones are added up", nodes: limit(1),
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"))},
			asks: []outrank.Volume{one, two}, outcome: preemption.NothingHelps, filter: filter,
		},
		{
			name: "the same handle of another driver is another volume", nodes: limit(1),
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(outrank.Volume{Driver: "nfs", Handle: "one"}))},
			asks: []outrank.Volume{one}, outcome: preemption.Fits,
		},
		{
			name: "and what another driver attaches takes nothing of the limit", nodes: limit(1),
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(outrank.Volume{Driver: "nfs", Handle: "one"}))},
			asks: []outrank.Volume{two}, outcome: preemption.Fits,
		},
		{
			name: "one new beside one that is there", nodes: limit(2),
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(one))},
			asks: []outrank.Volume{one, two}, outcome: preemption.Fits,
		},
		{
			name: "a limit of none", nodes: limit(0),
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"))},
			asks: []outrank.Volume{one}, outcome: preemption.NothingHelps, filter: filter,
		},
		{
			name: "no limit",
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(one))},
			asks: []outrank.Volume{two}, outcome: preemption.Fits,
		},
		{
			name: "a volume without a handle or a claim counts nothing", nodes: limit(0),
			asks: []outrank.Volume{{Driver: "csi"}, {Handle: "h"}, {Claim: "c", Handle: "h"}}, outcome: preemption.Fits,
		},
		{
			name: "a volume that is yet to be made counts", nodes: limit(1),
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(one))},
			asks: []outrank.Volume{{Claim: "c", Driver: "csi"}}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "once, whoever names its claim", nodes: limit(1),
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(outrank.Volume{Claim: "c", Driver: "csi"}))},
			asks: []outrank.Volume{{Claim: "c", Driver: "csi"}}, outcome: preemption.Fits,
		},
		{
			name: "and for each namespace that has a claim of the name", nodes: limit(1),
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(outrank.Volume{Claim: "c", Driver: "csi"}), ofNamespace("elsewhere"))},
			asks: []outrank.Volume{{Claim: "c", Driver: "csi"}}, outcome: preemption.Preempts, want: "n1 [elsewhere/lo]", filter: filter,
		},
		{
			name: "its claim is no handle", nodes: limit(1),
			pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(handle("c")))},
			asks: []outrank.Volume{{Claim: "c", Driver: "csi"}}, outcome: preemption.Preempts, want: "n1 [default/lo]", filter: filter,
		},
		{
			name: "a nominated pod attaches nothing yet: it may never come (second pass)", nodes: limit(1),
			pods: []*outrank.Pod{
				pod("hi", 9, "1", on("n1"), has(two)), pod("coming", 9, "1", nominated("n1"), has(one)), pod("lo", 1, "1", on("n1")),
			},
			asks: []outrank.Volume{one}, outcome: preemption.NothingHelps, filter: filter,
		},
		{
			name: "room is kept for the volumes of a nominated pod", nodes: limit(1),
			pods: []*outrank.Pod{pod("coming", 9, "1", nominated("n1"), has(one)), pod("lo", 1, "1", on("n1"))},
			asks: []outrank.Volume{two}, outcome: preemption.NothingHelps, filter: filter,
		},
	})
}

// A node is compared with others by all of its victims, also where those share a volume.
func TestSharedVolumesCompared(t *testing.T) {
	one, two, three := handle("one"), handle("two"), handle("three")
	earlier := func(p *outrank.Pod) { p.StartTime = p.StartTime.Add(-time.Hour) }
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{limited(node("n1", "4", "a"), 1), limited(node("n2", "4", "a"), 1)},
		Pods: []*outrank.Pod{
			pod("hi1", 4, "1", on("n1"), has(one)), pod("lo1", 1, "1", on("n1"), has(one)),
			pod("hi2", 4, "1", on("n2"), has(three), earlier),
		},
	}
	got := newWorld(t, c).agree(t, pod("p", 5, "1", has(two)), gen.Now)
	assert.Equal(t, "preempt n2[default/hi2]", got.String(), "one victim that started earlier is less than two")
}

func TestWhereVolumesCanBeUsed(t *testing.T) {
	lo := pod("lo", 1, "1", on("n1"))
	named := outrank.NodeRequirement{Key: outrank.FieldName, Operator: outrank.In, Values: []string{"n9"}}
	placed := func(pairs ...string) []*outrank.Node {
		return []*outrank.Node{labelled(node("n1", "4", "a"), pairs...)}
	}
	const bound, zone = preemption.VolumeBinding, preemption.VolumeZone
	runVolumeCases(t, []volumeCase{
		{
			name:  "victims elsewhere do not help, however unimportant",
			nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "b")},
			pods:  []*outrank.Pod{pod("a", 0, "1", on("n1")), pod("b", 4, "1", on("n2"))},
			asks:  []outrank.Volume{usedIn("b")}, outcome: preemption.Preempts, want: "n2 [default/b]", filter: preemption.NodeResourcesFit,
		},
		{
			name: "every volume must be usable", pods: []*outrank.Pod{lo},
			asks: []outrank.Volume{usedIn("a"), usedIn("b")}, outcome: preemption.NothingHelps, filter: bound,
		},
		{
			name: "any of its terms will do",
			asks: []outrank.Volume{usedWhere(append(usedIn("b").Node.NodeSelectorTerms, usedIn("a").Node.NodeSelectorTerms...)...)}, outcome: preemption.Fits,
		},
		{
			name: "a selector without terms matches no node", pods: []*outrank.Pod{lo},
			asks: []outrank.Volume{usedWhere()}, outcome: preemption.NothingHelps, filter: bound,
		},
		{
			name: "nor does an empty term", pods: []*outrank.Pod{lo},
			asks: []outrank.Volume{usedWhere(outrank.NodeSelectorTerm{})}, outcome: preemption.NothingHelps, filter: bound,
		},
		{
			name: "the name of the node is not looked at: the reference knows it by its labels alone",
			asks: []outrank.Volume{usedWhere(outrank.NodeSelectorTerm{MatchFields: []outrank.NodeRequirement{named}})}, outcome: preemption.Fits,
		},
		{
			name: "a volume of another zone", nodes: placed(outrank.ZoneLabel, "a"), pods: []*outrank.Pod{lo},
			asks: []outrank.Volume{inZone(outrank.ZoneLabel, "b")}, outcome: preemption.NothingHelps, filter: zone,
		},
		{
			name: "of several zones, this one among them", nodes: placed(outrank.ZoneLabel, "a"),
			asks: []outrank.Volume{inZone(outrank.ZoneLabel, "b", "a")}, outcome: preemption.Fits,
		},
		{
			name: "a node that does not say where it is takes any",
			asks: []outrank.Volume{inZone(outrank.ZoneLabel, "b")}, outcome: preemption.Fits,
		},
		{
			name: "one that says its region alone is in no zone", nodes: placed(outrank.RegionLabel, "r"), pods: []*outrank.Pod{lo},
			asks: []outrank.Volume{inZone(outrank.ZoneLabel, "a")}, outcome: preemption.NothingHelps, filter: zone,
		},
		{
			name: "every label must agree", nodes: placed(outrank.ZoneLabel, "a", outrank.RegionLabel, "r"), pods: []*outrank.Pod{lo},
			asks:    []outrank.Volume{{Zones: map[string][]string{outrank.ZoneLabel: {"a"}, outrank.RegionLabel: {"s"}}}},
			outcome: preemption.NothingHelps, filter: zone,
		},
		{
			name: "the new label of a node will do for the old one of a volume", nodes: placed(outrank.ZoneLabel, "a", outrank.RegionLabel, "r"),
			asks:    []outrank.Volume{{Zones: map[string][]string{outrank.BetaZoneLabel: {"a"}, outrank.BetaRegionLabel: {"r"}}}},
			outcome: preemption.Fits,
		},
		{
			name: "but not the old one of a node for the new one of a volume", nodes: placed(outrank.BetaZoneLabel, "a"), pods: []*outrank.Pod{lo},
			asks: []outrank.Volume{inZone(outrank.ZoneLabel, "a")}, outcome: preemption.NothingHelps, filter: zone,
		},
	})
}

// The volume filters stand between those of resources and of other pods, and
// the first that fails decides whether preemption is tried.
func TestOrderOfVolumeFilters(t *testing.T) {
	far, taken, many, full := usedIn("b"), mounts(outrank.ISCSI), handle("new"), "9"
	away := inZone(outrank.ZoneLabel, "b")
	for _, test := range []struct {
		cpu    string
		asks   []outrank.Volume
		filter string
		code   preemption.Code
	}{
		{full, []outrank.Volume{taken, many, far, away}, preemption.NodeResourcesFit, preemption.UnschedulableAndUnresolvable},
		{"1", []outrank.Volume{taken, many, far, away}, preemption.VolumeRestrictions, preemption.Unschedulable},
		{"1", []outrank.Volume{many, far, away}, preemption.NodeVolumeLimits, preemption.Unschedulable},
		{"1", []outrank.Volume{far, away}, preemption.VolumeBinding, preemption.UnschedulableAndUnresolvable},
		{"1", []outrank.Volume{away}, preemption.VolumeZone, preemption.UnschedulableAndUnresolvable},
		{"1", nil, preemption.PodTopologySpread, preemption.UnschedulableAndUnresolvable},
	} {
		c := &outrank.Cluster{
			Nodes: []*outrank.Node{labelled(limited(node("n1", "4", "a"), 1), outrank.ZoneLabel, "a")},
			Pods:  []*outrank.Pod{pod("lo", 1, "1", on("n1"), has(taken, handle("old")))},
		}
		p := pod("p", 5, test.cpu, has(test.asks...))
		p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "rack"}}
		s := explain(t, c, p).Nodes[0].Status
		assert.Equal(t, test.filter, s.Filter)
		assert.Equal(t, test.code, s.Code, test.filter)
	}
}

// A node that is short of resources may turn out to be out of the volume's
// reach once all pods of lower priority are removed.
func TestOutOfReachOnceThereIsRoom(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a")}, Pods: []*outrank.Pod{pod("lo", 1, "1", on("n1"))},
	}
	n := explain(t, c, pod("p", 5, "1", has(usedIn("b")))).Nodes[0]
	assert.Equal(t, "NodeResourcesFit: Insufficient cpu", n.Status.String())
	assert.Equal(t, "VolumeBinding: node(s) didn't match PersistentVolume's node affinity", n.AfterRemoval.String())
	assert.Equal(t, preemption.UnschedulableAndUnresolvable, n.AfterRemoval.Code)
}

// Claims in use follow the snapshot: pods are added, removed and bound, and
// nodes are removed and come back.
func TestClaimsInUseFollowTheSnapshot(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "4", "a")},
		Pods:  []*outrank.Pod{pod("user", 9, "1", has(alone("c")))},
	}
	snap := newSnapshot(t, c)
	e := newEvaluator(t, preemption.Config{})
	fits := func() bool {
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod("p", 5, "1", has(alone("c"))), Now: gen.Now})
		require.NoError(t, err)
		return plan.Outcome == preemption.Fits
	}
	assert.True(t, fits(), "a pending pod uses nothing")
	mark := snap.Mark()
	require.NoError(t, snap.Bind("default/user", "n2"))
	assert.False(t, fits(), "the user runs now")
	clone := snap.Clone()
	require.NoError(t, snap.RemoveNode("n2"))
	assert.True(t, fits(), "its node is gone")
	require.NoError(t, snap.PutNode(c.Nodes[1]))
	assert.False(t, fits(), "and back")
	require.NoError(t, snap.RemovePod("default/user"))
	assert.True(t, fits(), "the user is gone")
	require.NoError(t, snap.Undo(mark))
	assert.True(t, fits(), "it never ran")
	snap = clone
	assert.False(t, fits(), "but in the clone it does")
}
