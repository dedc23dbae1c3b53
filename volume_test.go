package outrank_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/kube"
)

func TestValidateVolumes(t *testing.T) {
	p := &outrank.Pod{Name: "p", Volumes: []outrank.Volume{
		{Claim: "fine", Zones: map[string][]string{outrank.ZoneLabel: {"a"}}},
		{Disk: outrank.Disk{Kind: "floppy"}},
		{Node: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{MatchExpressions: []outrank.NodeRequirement{{Key: "a", Operator: outrank.In}}}}}},
		{Zones: map[string][]string{"rack": {"r1"}}},
	}}
	assert.EqualError(t, p.Validate(), `pod default/p: spec.volumes[1].(disk).kind: "floppy" is none of gcePersistentDisk, awsElasticBlockStore, iscsi, rbd
pod default/p: spec.volumes[2].(volume).nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0]: In needs values
pod default/p: spec.volumes[3].(volume).labels: "rack" is no label of a zone or region`)
	n := &outrank.Node{Name: "n", AttachLimits: map[string]int64{"b": -1, "a": -2, "c": 0}}
	assert.EqualError(t, n.Validate(), `node n: (csinode).spec.drivers[a].allocatable.count: -2 is negative
node n: (csinode).spec.drivers[b].allocatable.count: -1 is negative`)
	c := &outrank.Cluster{Claims: []*outrank.VolumeClaim{nil}}
	assert.EqualError(t, c.Validate(), "persistentvolumeclaim number 1: metadata.name: missing")
}

func TestResolveVolumes(t *testing.T) {
	c := &outrank.Cluster{Claims: []*outrank.VolumeClaim{
		{Name: "c", Volume: outrank.Volume{Claim: "of no interest", OncePod: true, Driver: "d", Handle: "h"}},
		{Name: "c", Namespace: "shop"},
	}}
	before := []outrank.Volume{{Claim: "c"}, {Claim: "unknown", OncePod: true}, {Disk: outrank.Disk{Kind: outrank.ISCSI, ID: "i"}}}
	p := &outrank.Pod{Name: "p", Volumes: before}
	c.ResolveVolumes(p, &outrank.Pod{Name: "none"})
	want := []outrank.Volume{{Claim: "c", OncePod: true, Driver: "d", Handle: "h"}, before[1], before[2]}
	assert.Equal(t, want, p.Volumes)
	assert.Equal(t, outrank.Volume{Claim: "c"}, before[0], "the old slice is left alone")
	c.ResolveVolumes(p)
	assert.Equal(t, want, p.Volumes, "once more changes nothing")
}

func TestDiskConflicts(t *testing.T) {
	a := outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: "a"}
	assert.True(t, a.Conflicts(&a), "with itself")
	none := outrank.Disk{}
	assert.False(t, none.Conflicts(&none), "what is no disk is in nobody's way")
}

// Disks that a driver has taken over count against its limit (rules 7.9.4 and 7.9.7).
func TestDiskAttachment(t *testing.T) {
	const ebs, gce, somewhere = "ebs.csi.aws.com", "pd.csi.storage.gke.io", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/"
	for _, test := range []struct {
		disk           outrank.Disk
		driver, handle string
	}{
		{outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: "vol-1"}, ebs, "vol-1"},
		{outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: "aws://us-east-1a/vol-1"}, ebs, "vol-1"},
		{outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: "aws://us-east-1a/disk"}, "", ""},
		{outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: "d"}, gce, somewhere + "d"},
		{outrank.Disk{Kind: outrank.ISCSI, ID: "d"}, "", ""},
		{outrank.Disk{Kind: outrank.RBD, ID: "d"}, "", ""},
		{outrank.Disk{}, "", ""},
	} {
		driver, handle := test.disk.Attachment()
		assert.Equal(t, [2]string{test.driver, test.handle}, [2]string{driver, handle}, "%+v", test.disk)
	}
}

// A manifest names a claim, and the dump has the volume behind it.
func ExampleCluster_ResolveVolumes() {
	cluster, err := kube.ReadCluster(strings.NewReader(`
		{"kind": "PersistentVolumeClaim", "metadata": {"name": "data", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, "spec": {"accessModes": ["ReadWriteOncePod"], "volumeName": "pv-1"}}
		{"kind": "PersistentVolume", "metadata": {"name": "pv-1"}, "spec": {"csi": {"driver": "ebs.csi.aws.com", "volumeHandle": "vol-1"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	pod, err := kube.ReadPod(strings.NewReader(`{"kind": "Pod", "metadata": {"name": "db"}, "spec": {
		"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	cluster.ResolveVolumes(pod)
	v := pod.Volumes[0]
	fmt.Println(v.Claim, v.OncePod, v.Driver, v.Handle)
	// Output: data true ebs.csi.aws.com vol-1
}

// Two that only read share a disk; one that writes shares it with no other.
func ExampleDisk_Conflicts() {
	writer := outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: "d"}
	reader := outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: "d", ReadOnly: true}
	fmt.Println(reader.Conflicts(&reader), reader.Conflicts(&writer))
	// Output: false true
}

func TestUnknownStateOfAClaim(t *testing.T) {
	c := &outrank.Cluster{Claims: []*outrank.VolumeClaim{{Name: "c", Volume: outrank.Volume{State: "Sleepy"}}}}
	assert.EqualError(t, c.Validate(), `persistentvolumeclaim default/c: spec.(claim).state: "Sleepy" is none of Deleting, Lost, Unbound, VolumeMissing`)
}
