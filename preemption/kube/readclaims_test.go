package kube_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/kube"
)

// classes are the storage classes of claims.
const classes = `
	{"kind":"StorageClass","metadata":{"name":"late"},"provisioner":"disk.example.com","volumeBindingMode":"WaitForFirstConsumer"}
	{"kind":"StorageClass","metadata":{"name":"soon"},"provisioner":"kubernetes.io/aws-ebs","volumeBindingMode":"Immediate"}
	{"kind":"StorageClass","metadata":{"name":"unsaid"},"provisioner":"disk.example.com"}
	{"kind":"PersistentVolume","metadata":{"name":"there"},"spec":{"csi":{"driver":"disk.example.com","volumeHandle":"h"}}}`

// The claim itself, its volume and its class make its state.
func TestReadClaimStates(t *testing.T) {
	const bound = `"annotations":{"pv.kubernetes.io/bind-completed":"yes"}`
	volume := func(state outrank.ClaimState, driver, handle string) outrank.Volume {
		return outrank.Volume{State: state, Driver: driver, Handle: handle}
	}
	gone := func(state outrank.ClaimState, driver string) outrank.Volume {
		return outrank.Volume{State: state, Driver: driver, MissingVolume: "gone"}
	}
	for name, c := range map[string]struct {
		meta, spec, status string
		want               outrank.Volume
	}{
		"bound":                             {bound, `"volumeName":"there"`, "", volume("", "disk.example.com", "h")},
		"bound, but not for good":           {"", `"volumeName":"there","storageClassName":"late"`, "", volume(outrank.ClaimUnbound, "disk.example.com", "h")},
		"bound to nothing":                  {bound, `"volumeName":"gone"`, "", gone(outrank.ClaimVolumeMissing, "")},
		"bound to nothing, of a class":      {bound, `"volumeName":"gone","storageClassName":"late"`, "", gone(outrank.ClaimVolumeMissing, "disk.example.com")},
		"to be bound to nothing":            {"", `"volumeName":"gone"`, "", volume(outrank.ClaimUnbound, "", "")},
		"waits for a pod":                   {"", `"storageClassName":"late"`, "", volume("", "disk.example.com", "")},
		"waits for a pod, of an old class":  {`"annotations":{"volume.beta.kubernetes.io/storage-class":"late"}`, `"storageClassName":"soon"`, "", volume("", "disk.example.com", "")},
		"not bound, and waits for nobody":   {"", `"storageClassName":"soon"`, "", volume(outrank.ClaimUnbound, "ebs.csi.aws.com", "")},
		"a class that does not say":         {"", `"storageClassName":"unsaid"`, "", volume(outrank.ClaimUnbound, "disk.example.com", "")},
		"a class that is not there":         {"", `"storageClassName":"other"`, "", volume(outrank.ClaimUnbound, "", "")},
		"no class":                          {"", ``, "", volume(outrank.ClaimUnbound, "", "")},
		"being deleted":                     {`"deletionTimestamp":"2026-01-01T00:00:00Z",` + bound, `"volumeName":"there"`, "", volume(outrank.ClaimDeleting, "disk.example.com", "h")},
		"being deleted before it was bound": {`"deletionTimestamp":"2026-01-01T00:00:00Z"`, `"storageClassName":"late"`, "", volume(outrank.ClaimDeleting, "disk.example.com", "")},
		"being deleted, without its volume": {`"deletionTimestamp":"2026-01-01T00:00:00Z",` + bound, `"volumeName":"gone"`, "", volume(outrank.ClaimDeleting, "", "")},
		"lost":                              {bound, `"volumeName":"gone","storageClassName":"late"`, "Lost", gone(outrank.ClaimLost, "disk.example.com")},
		"lost and being deleted":            {`"deletionTimestamp":"2026-01-01T00:00:00Z",` + bound, `"volumeName":"gone"`, "Lost", gone(outrank.ClaimLost, "")},
	} {
		t.Run(name, func(t *testing.T) {
			claim := fmt.Sprintf(`{"kind":"PersistentVolumeClaim","metadata":{"name":"c"%s},"spec":{%s},"status":{"phase":%q}}`, separated(c.meta), c.spec, c.status)
			pod := `{"kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}]}}`
			for _, text := range []string{claim + classes + pod, pod + classes + claim} {
				got, err := kube.ReadCluster(strings.NewReader(text))
				require.NoError(t, err)
				assert.Empty(t, got.Skipped)
				want := c.want
				assert.Empty(t, testdiff.Diff(want, got.Claims[0].Volume))
				want.Claim = "c"
				assert.Empty(t, testdiff.Diff([]outrank.Volume{want}, got.Pods[0].Volumes))
				again := read(t, write(t, got))
				assert.Empty(t, testdiff.Diff(got, again, whatIsWritten), "written and read")
			}
		})
	}
}

func separated(s string) string {
	if s == "" {
		return ""
	}
	return "," + s
}

func TestReadClassesListsEveryProblem(t *testing.T) {
	_, err := kube.ReadCluster(strings.NewReader(classes + `{"kind":"StorageClass","metadata":{"name":"late"},"provisioner":7}{"kind":"StorageClass","metadata":{}}`))
	assert.EqualError(t, err, `storageclass late: provisioner: the number 7 stands where a string belongs
storageclass late: metadata.name: there are two of this name
storageclass (document 6): metadata.name: missing`)
}

// Volumes that a CSI driver has taken over have its name and its handle for them.
func TestVolumesTakenOver(t *testing.T) {
	const ebs, gce = "ebs.csi.aws.com", "pd.csi.storage.gke.io"
	for source, want := range map[string]outrank.Volume{
		`"awsElasticBlockStore":{"volumeID":"vol-1"}`:             {Driver: ebs, Handle: "vol-1"},
		`"awsElasticBlockStore":{"volumeID":"aws://eu-1a/vol-1"}`: {Driver: ebs, Handle: "vol-1"},
		`"awsElasticBlockStore":{"volumeID":"aws:///vol-1"}`:      {Driver: ebs, Handle: "vol-1"},
		`"awsElasticBlockStore":{"volumeID":"aws://vol-1"}`:       {},
		`"awsElasticBlockStore":{"volumeID":"aws://a/b/vol-1"}`:   {},
		`"awsElasticBlockStore":{"volumeID":"aws:///disk"}`:       {},
		`"gcePersistentDisk":{"pdName":"d"}`:                      {Driver: gce, Handle: "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"},
		`"azureDisk":{"diskName":"d","diskURI":"/disks/d"}`:       {Driver: "disk.csi.azure.com", Handle: "/disks/d"},
		`"cinder":{"volumeID":"d"}`:                               {Driver: "cinder.csi.openstack.org", Handle: "d"},
		`"portworxVolume":{"volumeID":"d"}`:                       {Driver: "pxd.portworx.com", Handle: "d"},
		`"portworxVolume":{"volumeID":""}`:                        {},
		`"csi":{"driver":"x","volumeHandle":""}`:                  {},
		`"nfs":{"server":"s"}`:                                    {},
	} {
		assert.Equal(t, want, claimed(t, source, ""), source)
	}
	const disk = `"gcePersistentDisk":{"pdName":"d"}`
	for labels, handle := range map[string]string{
		`"topology.kubernetes.io/zone":"us-east1-b"`:                                                    "zones/us-east1-b",
		`"failure-domain.beta.kubernetes.io/zone":"us-east1-c","topology.kubernetes.io/zone":"us-a1-b"`: "zones/us-east1-c",
		`"topology.kubernetes.io/zone":"us-east1-b__us-east1-c"`:                                        "regions/us-east1",
		`"topology.kubernetes.io/zone":"us-east1-b__us-west1-c"`:                                        "",
		`"topology.kubernetes.io/zone":"a__b"`:                                                          "",
	} {
		got := claimed(t, disk, labels)
		want := outrank.Volume{Zones: got.Zones}
		if handle != "" {
			want.Driver, want.Handle = gce, "projects/UNSPECIFIED/"+handle+"/disks/d"
		}
		assert.Equal(t, want, got, labels)
	}
}

// claimed is the volume of a claim that is bound to this source.
func claimed(t *testing.T, source, labels string) outrank.Volume {
	t.Helper()
	c, err := kube.ReadCluster(strings.NewReader(fmt.Sprintf(`{"kind":"PersistentVolume","metadata":{"name":"v","labels":{%s}},"spec":{%s}}
		{"kind":"PersistentVolumeClaim","metadata":{"name":"c","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"v"}}`, labels, source)))
	require.NoError(t, err)
	return c.Claims[0].Volume
}

// A waiting claim counts for the driver that has taken over from its class's
// provisioner.
func TestProvisionersTakenOver(t *testing.T) {
	for provisioner, driver := range map[string]string{
		"kubernetes.io/aws-ebs": "ebs.csi.aws.com", "kubernetes.io/gce-pd": "pd.csi.storage.gke.io", "kubernetes.io/azure-disk": "disk.csi.azure.com",
		"kubernetes.io/cinder": "cinder.csi.openstack.org", "kubernetes.io/portworx-volume": "pxd.portworx.com", "x": "x",
	} {
		c := read(t, []byte(fmt.Sprintf(`{"kind":"StorageClass","metadata":{"name":"s"},"provisioner":%q,"volumeBindingMode":"WaitForFirstConsumer"}
			{"kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{"storageClassName":"s"}}`, provisioner)))
		assert.Equal(t, outrank.Volume{Driver: driver}, c.Claims[0].Volume)
	}
}

// A pod that names such a disk itself has it attached as well.
func TestDisksTakenOver(t *testing.T) {
	for kind, want := range map[outrank.DiskKind][2]string{
		outrank.AWSElasticBlockStore: {"ebs.csi.aws.com", "vol-1"},
		outrank.GCEPersistentDisk:    {"pd.csi.storage.gke.io", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/vol-1"},
		outrank.ISCSI:                {}, outrank.RBD: {}, "": {},
	} {
		driver, handle := (&outrank.Disk{Kind: kind, ID: "vol-1"}).Attachment()
		assert.Equal(t, want, [2]string{driver, handle}, kind)
	}
	driver, _ := (&outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: "aws://nowhere"}).Attachment()
	assert.Empty(t, driver, "a text that names no volume is attached to nothing")
	pod, err := kube.ReadPod(strings.NewReader(`{"kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[
		{"name":"a","azureDisk":{"diskName":"d","diskURI":"/disks/d"}},{"name":"b","cinder":{"volumeID":"d"}},{"name":"c","azureDisk":{"diskName":"d"}},
		{"name":"d","portworxVolume":{"volumeID":"d"}},{"name":"e","portworxVolume":{}}]}}`))
	require.NoError(t, err)
	want := []outrank.Volume{{Driver: "disk.csi.azure.com", Handle: "/disks/d"}, {Driver: "cinder.csi.openstack.org", Handle: "d"}, {Driver: "pxd.portworx.com", Handle: "d"}}
	assert.Equal(t, want, pod.Volumes)
	again := read(t, write(t, &outrank.Cluster{Pods: []*outrank.Pod{pod}}))
	assert.Equal(t, want, again.Pods[0].Volumes, "written and read")
}

// The written names of a pod's volumes do not collide.
func TestNamesOfVolumes(t *testing.T) {
	p := &outrank.Pod{Name: "p", Volumes: []outrank.Volume{{Claim: "a"}, {Claim: "p-volume-0", Ephemeral: true}, {Claim: "b"}}}
	text := string(write(t, &outrank.Cluster{Pods: []*outrank.Pod{p}}))
	for _, name := range []string{"volume-0", "volume-1", "volume-3"} {
		assert.Equal(t, 1, strings.Count(text, fmt.Sprintf("%q", name)), "%s in %s", name, text)
	}
}
