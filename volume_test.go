package outrank_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// storageDump are the objects of a small cluster with volumes.
var storageDump = []string{
	`{"kind":"Node","metadata":{"name":"n1"}}`,
	`{"kind":"Node","metadata":{"name":"n2"}}`,
	`{"kind":"CSINode","metadata":{"name":"n1"},"spec":{"drivers":[
		{"name":"ebs.csi.aws.com","nodeID":"i-1","allocatable":{"count":25}},
		{"name":"nfs.csi.k8s.io","nodeID":"n1"}]}}`,
	`{"kind":"CSINode","metadata":{"name":"gone"},"spec":{"drivers":null}}`,
	`{"kind":"Pod","metadata":{"name":"db-0","namespace":"shop"},"spec":{"nodeName":"n1","volumes":[
		{"name":"token","projected":{"sources":[]}},
		{"name":"data","persistentVolumeClaim":{"claimName":"data-db-0"}},
		{"name":"tmp","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"]}}}},
		{"name":"new","persistentVolumeClaim":{"claimName":"unbound"}},
		{"name":"odd","persistentVolumeClaim":{"claimName":"not-in-the-dump"}}]}}`,
	`{"kind":"Pod","metadata":{"name":"db-0"},"spec":{"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data-db-0"}}]}}`,
	`{"kind":"PersistentVolumeClaim","metadata":{"name":"data-db-0","namespace":"shop","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},
		"spec":{"accessModes":["ReadWriteOncePod"],"volumeName":"pv-1"}}`,
	`{"kind":"PersistentVolumeClaim","metadata":{"name":"db-0-tmp","namespace":"shop","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},
		"spec":{"accessModes":["ReadWriteOnce"],"volumeName":"pv-2"}}`,
	`{"kind":"PersistentVolumeClaim","metadata":{"name":"unbound","namespace":"shop"},"spec":{"accessModes":["ReadWriteOncePod"]}}`,
	`{"kind":"PersistentVolume","metadata":{"name":"pv-1","labels":{
			"topology.kubernetes.io/zone":"a__b","failure-domain.beta.kubernetes.io/region":"r","app":"x",
			"topology.kubernetes.io/region":"r__"}},
		"spec":{"csi":{"driver":"ebs.csi.aws.com","volumeHandle":"vol-1"},"nodeAffinity":{"required":{"nodeSelectorTerms":[
			{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}}}}`,
	`{"kind":"PersistentVolume","metadata":{"name":"pv-2"},"spec":{"local":{"path":"/x"}}}`,
}

func TestReadVolumes(t *testing.T) {
	data := outrank.Volume{
		Claim: "data-db-0", OncePod: true, Driver: "ebs.csi.aws.com", Handle: "vol-1",
		Node: &outrank.NodeSelector{Terms: []outrank.NodeSelectorTerm{{
			Labels: []outrank.NodeRequirement{{Key: "zone", Operator: outrank.In, Values: []string{"a"}}},
		}}},
		// A label with an empty value in it says nothing.
		Zones: map[string][]string{outrank.ZoneLabel: {"a", "b"}, outrank.BetaRegionLabel: {"r"}},
	}
	want := []outrank.Volume{data, {Claim: "db-0-tmp", Ephemeral: true}, {Claim: "unbound", State: outrank.ClaimUnbound, OncePod: true}, {Claim: "not-in-the-dump"}}
	// Whatever the order of the objects.
	for seed := range 20 {
		objects := append([]string(nil), storageDump...)
		rand.New(rand.NewPCG(uint64(seed), 0)).Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
		c, err := outrank.ReadCluster(strings.NewReader(strings.Join(objects, "\n")))
		require.NoError(t, err)
		assert.Empty(t, c.Skipped)
		assert.Len(t, c.Claims, 3)
		if diff := cmp.Diff(want, c.Pod("shop", "db-0").Volumes); diff != "" {
			t.Errorf("volumes (-want +got):\n%s", diff)
		}
		assert.Equal(t, []outrank.Volume{{Claim: "data-db-0"}}, c.Pod("default", "db-0").Volumes, "a claim of another namespace")
		for _, n := range c.Nodes {
			want := map[string]map[string]int64{"n1": {"ebs.csi.aws.com": 25}}[n.Name]
			assert.Equal(t, want, n.AttachLimits, "%s: a driver without a count has no limit", n.Name)
		}
	}
}

func TestReadDisks(t *testing.T) {
	p, err := outrank.ReadPod(strings.NewReader(`{"kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[
		{"name":"a","gcePersistentDisk":{"pdName":"pd","partition":1,"readOnly":true}},
		{"name":"b","awsElasticBlockStore":{"volumeID":"vol"}},
		{"name":"c","iscsi":{"targetPortal":"10.0.0.1:3260","iqn":"iqn.x","lun":0}},
		{"name":"d","rbd":{"monitors":["m1","m2"],"image":"i","readOnly":true}},
		{"name":"e","rbd":{"monitors":["m1"],"pool":"p","image":"i"}},
		{"name":"f","emptyDir":{}},{"name":"g","configMap":{"name":"cm"}},{"name":"h","csi":{"driver":"inline"}}]}}`))
	require.NoError(t, err)
	want := []outrank.Volume{
		{Disk: outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: "pd", ReadOnly: true}},
		{Disk: outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: "vol"}},
		{Disk: outrank.Disk{Kind: outrank.ISCSI, ID: "iqn.x"}},
		{Disk: outrank.Disk{Kind: outrank.RBD, ID: "rbd/i", Monitors: []string{"m1", "m2"}, ReadOnly: true}},
		{Disk: outrank.Disk{Kind: outrank.RBD, ID: "p/i", Monitors: []string{"m1"}}},
	}
	if diff := cmp.Diff(want, p.Volumes); diff != "" {
		t.Errorf("volumes (-want +got):\n%s", diff)
	}
}

func TestReadVolumesListsEveryProblem(t *testing.T) {
	_, err := outrank.ReadCluster(strings.NewReader(`
		{"kind":"Node","metadata":{"name":"n"}}
		{"kind":"CSINode","metadata":{"name":"n"},"spec":{"drivers":[{"name":"d","allocatable":{"count":-1}}]}}
		{"kind":"CSINode","metadata":{"name":"n"},"spec":{"drivers":[{"name":"d","allocatable":{"count":-1}}]}}
		{"kind":"CSINode","metadata":{}}
		{"kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}},{"name":"w","iscsi":7}]}}
		{"kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{"volumeName":"v"}}
		{"kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{"accessModes":"all"}}
		{"kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Near"}]}]}}}}
		{"kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Near"}]}]}}}}
	`))
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Equal(t, strings.Split(`csinode n: metadata.name: there are two of this name
csinode (document 4): metadata.name: missing
pod default/p: spec.volumes[1].iscsi: the number 7 stands where an object belongs
persistentvolumeclaim default/c: spec.accessModes: the string "all" stands where an array belongs
persistentvolume v: metadata.name: there are two of this name
node n: (csinode).spec.drivers[d].allocatable.count: -1 is negative
persistentvolumeclaim default/c: spec.(volume).nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0]: "Near" is none of In, NotIn, Exists, DoesNotExist, Gt, Lt
persistentvolumeclaim default/c: metadata.name: there are two of this name`, "\n"), strings.Split(err.Error(), "\n"))
}

func TestValidateVolumes(t *testing.T) {
	p := &outrank.Pod{Name: "p", Volumes: []outrank.Volume{
		{Claim: "fine", Zones: map[string][]string{outrank.ZoneLabel: {"a"}}},
		{Disk: outrank.Disk{Kind: "floppy"}},
		{Node: &outrank.NodeSelector{Terms: []outrank.NodeSelectorTerm{{Labels: []outrank.NodeRequirement{{Key: "a", Operator: outrank.In}}}}}},
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

// A manifest names a claim; the dump knows what it stands for.
func ExampleCluster_ResolveVolumes() {
	cluster, err := outrank.ReadCluster(strings.NewReader(`
		{"kind": "PersistentVolumeClaim", "metadata": {"name": "data", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, "spec": {"accessModes": ["ReadWriteOncePod"], "volumeName": "pv-1"}}
		{"kind": "PersistentVolume", "metadata": {"name": "pv-1"}, "spec": {"csi": {"driver": "ebs.csi.aws.com", "volumeHandle": "vol-1"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	pod, err := outrank.ReadPod(strings.NewReader(`{"kind": "Pod", "metadata": {"name": "db"}, "spec": {
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
