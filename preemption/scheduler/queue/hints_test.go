package queue

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/resource"
)

// A few facts of each kind, and what the filter's hint says of them (rules 5.4.21 to 5.4.33). The module
// examples/kubescheduler judges them by the reference's own hints, over many more.
func TestHintsOfEachFilter(t *testing.T) {
	type pod = outrank.Pod
	labels := func(app string) map[string]string { return map[string]string{"app": app} }
	selects := func(app string) *outrank.LabelSelector { return &outrank.LabelSelector{MatchLabels: labels(app)} }
	near := func(app string) outrank.PodAffinityTerm {
		return outrank.PodAffinityTerm{LabelSelector: selects(app), TopologyKey: "zone"}
	}
	team := near("web")
	team.NamespaceSelector = selects("team")
	anywhere := near("web")
	anywhere.NamespaceSelector = &outrank.LabelSelector{}

	small := &pod{Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
	large := &pod{Containers: []outrank.Container{{Requests: resource.MustList("cpu", "2")}}}
	ssd := &pod{NodeSelector: map[string]string{"disk": "ssd"}}
	web := &pod{Containers: []outrank.Container{{Ports: []outrank.Port{{HostPort: 80}}}}}
	udp := &pod{Containers: []outrank.Container{{Ports: []outrank.Port{{HostPort: 80, Protocol: "UDP"}}}}}
	claims := &pod{Volumes: []outrank.Volume{{Claim: "data"}}}
	ephemeral := &pod{Volumes: []outrank.Volume{{Claim: "data", Ephemeral: true}}}
	elsewhere := &pod{Namespace: "other", Volumes: claims.Volumes}
	ebs := &pod{Volumes: []outrank.Volume{{Disk: outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: "vol-1"}}}}
	spread := &pod{TopologySpreadConstraints: []outrank.TopologySpreadConstraint{{TopologyKey: "zone", LabelSelector: selects("web")}}}
	seeks := &pod{Affinity: outrank.Affinity{PodAffinity: []outrank.PodAffinityTerm{near("web")}}}
	seeksTwo := &pod{Affinity: outrank.Affinity{PodAffinity: []outrank.PodAffinityTerm{near("web"), near("db")}}}
	avoids := &pod{Affinity: outrank.Affinity{PodAntiAffinity: []outrank.PodAffinityTerm{near("web")}}}
	avoidsTeam := &pod{Affinity: outrank.Affinity{PodAntiAffinity: []outrank.PodAffinityTerm{team}}}
	avoidsAll := &pod{Namespace: "other", Affinity: outrank.Affinity{PodAntiAffinity: []outrank.PodAffinityTerm{anywhere}}}
	no := false
	users := &pod{HostNetwork: true, HostUsers: &no}

	node := func(cpu string, pairs ...string) *outrank.Node {
		n := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", cpu, "pods", "9"), Labels: map[string]string{}}
		for i := 0; i < len(pairs); i += 2 {
			n.Labels[pairs[i]] = pairs[i+1]
		}
		return n
	}
	cordoned, tainted, declares, limited, full := node("1"), node("1"), node("1"), node("1"), node("1")
	full.Allocatable = resource.MustList("cpu", "1")
	cordoned.Unschedulable, declares.DeclaredFeatures = true, []string{"a"}
	tainted.Taints = []outrank.Taint{{Key: "gpu", Effect: outrank.NoExecute}}
	limited.AttachLimits = map[string]int64{"csi": 1}
	tolerates := &pod{Tolerations: []outrank.Toleration{{Operator: outrank.TolerationExists}}}

	added := func(n *outrank.Node) ClusterEvent { return ClusterEvent{Kind: EventNodeAdded, Node: n} }
	updated := func(old, new *outrank.Node) ClusterEvent {
		return ClusterEvent{Kind: EventNodeUpdated, NodeBefore: old, Node: new}
	}
	gone := func(p *pod) ClusterEvent { return ClusterEvent{Kind: EventAssignedPodDeleted, Pod: p} }
	came := func(app string) ClusterEvent {
		return ClusterEvent{Kind: EventAssignedPodAdded, Pod: &pod{Labels: labels(app)}}
	}
	other := func(old, new string) ClusterEvent {
		return ClusterEvent{Kind: EventAssignedPodUpdated, Before: &pod{Labels: labels(old)}, Pod: &pod{Labels: labels(new)}}
	}
	itself := func(old, new *pod) ClusterEvent { return ClusterEvent{Kind: EventPodUpdated, Before: old, Pod: new} }
	storage := func(s StorageChange) ClusterEvent { return ClusterEvent{Kind: EventStorageChanged, Storage: &s} }

	for _, c := range []struct {
		filter, what string
		waiting      *pod
		event        ClusterEvent
		want         bool
	}{
		{filter.NodeName, "a node of another name", ssd, added(node("1")), true},
		{filter.NodeUnschedulable, "a node that is cordoned", small, added(cordoned), false},
		{filter.NodeUnschedulable, "and is no longer", small, updated(cordoned, node("1")), true},
		{filter.NodeUnschedulable, "and never was", small, updated(node("1"), node("2")), false},
		{filter.NodeUnschedulable, "it tolerates that now", tolerates, itself(small, tolerates), true},
		{filter.TaintToleration, "a taint", small, added(tainted), false},
		{filter.TaintToleration, "a taint that goes", small, updated(tainted, node("1")), true},
		{filter.TaintToleration, "a taint that it tolerated", tolerates, updated(tainted, node("1")), false},
		{filter.NodeAffinity, "a node of its kind", ssd, added(node("1", "disk", "ssd")), true},
		{filter.NodeAffinity, "of another", ssd, added(node("1", "disk", "hdd")), false},
		{filter.NodeAffinity, "that becomes one", ssd, updated(node("1"), node("1", "disk", "ssd")), true},
		{filter.NodeAffinity, "that was one", ssd, updated(node("1", "disk", "ssd"), node("2", "disk", "ssd")), false},
		{filter.NodePorts, "its port", web, gone(web), true},
		{filter.NodePorts, "of another protocol", web, gone(udp), false},
		{filter.NodeResourcesFit, "a node that is too small", large, added(node("1")), false},
		{filter.NodeResourcesFit, "a node that takes no pods", small, added(full), false},
		{filter.NodeResourcesFit, "that grows", large, updated(node("1"), node("2")), true},
		{filter.NodeResourcesFit, "that was large enough", large, updated(node("2"), node("2", "disk", "ssd")), false},
		{filter.NodeResourcesFit, "it asks for less", small, itself(large, small), true},
		{filter.NodeResourcesFit, "it asks for more", large, itself(small, large), false},
		{filter.NodeDeclaredFeatures, "another feature", users, updated(node("1"), declares), true},
		{filter.NodeDeclaredFeatures, "the same ones", users, updated(declares, declares), false},
		{filter.NodeDeclaredFeatures, "it needs one", users, itself(small, users), true},
		{filter.VolumeRestrictions, "its claim", claims, gone(claims), true},
		{filter.VolumeRestrictions, "one of that name elsewhere", claims, gone(elsewhere), false},
		{filter.VolumeRestrictions, "a disk", ebs, gone(ebs), true},
		{filter.VolumeRestrictions, "its claim is made", claims, storage(StorageChange{Object: StorageClaim, Action: StorageAdded, Claim: "default/data"}), true},
		{filter.VolumeRestrictions, "along with it", ephemeral, storage(StorageChange{Object: StorageClaim, Action: StorageAdded, Claim: "default/data"}), false},
		{filter.NodeVolumeLimits, "a pod without volumes", claims, gone(small), false},
		{filter.NodeVolumeLimits, "a pod with a disk", claims, gone(ebs), true},
		{filter.NodeVolumeLimits, "a node that says nothing of drivers", claims, added(node("1")), false},
		{filter.NodeVolumeLimits, "that has a limit now", claims, updated(node("1"), limited), true},
		{filter.NodeVolumeLimits, "the same limit", claims, updated(limited, limited), false},
		{filter.NodeVolumeLimits, "a limit that fell", claims, storage(StorageChange{Object: StorageNode, Action: StorageUpdated}), false},
		{filter.NodeVolumeLimits, "a disk is detached", ebs, storage(StorageChange{Object: StorageAttachment, Action: StorageDeleted, Driver: "ebs.csi.aws.com"}), true},
		{filter.VolumeBinding, "another taint", claims, updated(node("1"), tainted), false},
		{filter.VolumeBinding, "another zone", claims, updated(node("1"), node("1", "zone", "a")), true},
		{filter.VolumeBinding, "a claim of others", claims, storage(StorageChange{Object: StorageClaim, Action: StorageUpdated, Claim: "default/logs"}), false},
		{filter.VolumeBinding, "something", claims, storage(StorageChange{}), true},
		{filter.VolumeZone, "a volume that stays where it is", claims, storage(StorageChange{Object: StorageVolume, Action: StorageUpdated}), false},
		{filter.VolumeZone, "a class that waits", claims, storage(StorageChange{Object: StorageClass, Action: StorageAdded, WaitsForPod: true}), true},
		{filter.PodTopologySpread, "a pod that counts", spread, came("web"), true},
		{filter.PodTopologySpread, "one that does not", spread, came("db"), false},
		{filter.PodTopologySpread, "comes to count", spread, other("db", "web"), true},
		{filter.PodTopologySpread, "a node in no domain", spread, added(node("1")), false},
		{filter.PodTopologySpread, "that enters one", spread, updated(node("1"), node("1", "zone", "a")), true},
		{filter.PodTopologySpread, "that stays outside", spread, updated(node("1"), node("2")), false},
		{filter.PodTopologySpread, "constraints of the profile", small, came("db"), true},
		{filter.InterPodAffinity, "whom it seeks", seeks, came("web"), true},
		{filter.InterPodAffinity, "one of two whom it seeks", seeksTwo, came("web"), false},
		{filter.InterPodAffinity, "whom it avoids", avoids, gone(&pod{Labels: labels("web")}), true},
		{filter.InterPodAffinity, "in a namespace of that label", avoidsTeam, gone(&pod{Labels: labels("web")}), false},
		{filter.InterPodAffinity, "in any namespace", avoidsAll, gone(&pod{Labels: labels("web")}), true},
		{filter.InterPodAffinity, "a node without the key", seeks, added(node("1")), false},
		{filter.InterPodAffinity, "that avoids others", avoids, added(node("1")), true},
		{filter.InterPodAffinity, "a node that leaves its zone", avoids, updated(node("1", "zone", "a"), node("1")), true},
		{filter.InterPodAffinity, "that seeks others", seeks, updated(node("1", "zone", "a"), node("1")), false},
	} {
		e := &Entry{Pod: c.waiting, FailedFilters: []string{c.filter}}
		assert.Equal(t, c.want, Helps(outrank.V1_37, e, c.event), "%s: %s", c.filter, c.what)
	}
}

// kindOfDisk is the class of all pods that want a disk.
type kindOfDisk string

func (kindOfDisk) Known() ([]string, bool)               { return []string{filter.NodeAffinity}, true }
func (kindOfDisk) Refuses(*outrank.Pod) ([]string, bool) { return nil, false }
func (kindOfDisk) Refused(int)                           {}

// Pods that were refused together part, class by class, where a node takes some of them.
func TestCrowdPartsByClass(t *testing.T) {
	q, err := New(Config{})
	require.NoError(t, err)
	for name, disk := range map[string]string{"a": "ssd", "b": "ssd", "c": "hdd", "d": "hdd"} {
		require.NoError(t, q.Add(&outrank.Pod{Name: name, NodeSelector: map[string]string{"disk": disk}}, noon))
	}
	all := Refusing{Class: func(p *outrank.Pod) Class { return kindOfDisk(p.NodeSelector["disk"]) }, MostFresh: 9}
	require.Equal(t, 4, q.refuse(noon, all).attempts)
	require.Len(t, q.pools[unschedulable].items, 1, "they are a batch")

	none := ClusterEvent{Kind: EventNodeAdded, Node: &outrank.Node{Name: "n"}}
	require.Zero(t, q.MoveAll(none, noon))
	require.Len(t, q.pools[unschedulable].items, 1, "they agree")
	some := ClusterEvent{Kind: EventNodeAdded, Node: &outrank.Node{Name: "n", Labels: map[string]string{"disk": "ssd"}}}
	require.Equal(t, 2, q.MoveAll(some, noon))
	require.Equal(t, Parts[int]{Backoff: 2, Unschedulable: 2}, q.Counts())
}
