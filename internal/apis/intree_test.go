package apis_test

import (
	"testing"

	"github.com/outrank-go/outrank/internal/apis"
)

// An EBS volume is known by its bare ID; a URL without one names no volume.
func TestEBSHandle(t *testing.T) {
	for id, want := range map[string]string{
		"vol-1": "vol-1", "anything": "anything", "": "",
		"aws://us-east-1a/vol-1": "vol-1", "aws:///vol-1": "vol-1", "aws://us-east-1a/vol-1/": "vol-1",
		"aws://us-east-1a/disk-1": "", "aws://vol-1": "", "aws://us-east-1a/vol-1/part": "", "aws://": "",
	} {
		if got := apis.EBSHandle(id); got != want {
			t.Errorf("EBSHandle(%q) = %q, want %q", id, got, want)
		}
	}
}

// A GCE disk is in a zone, or in the one region of several zones.
func TestGCEHandle(t *testing.T) {
	for _, test := range []struct{ zones, want string }{
		{"", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"},
		{"us-east1-b", "projects/UNSPECIFIED/zones/us-east1-b/disks/d"},
		{"anywhere", "projects/UNSPECIFIED/zones/anywhere/disks/d"},
		{"us-east1-b__us-east1-c", "projects/UNSPECIFIED/regions/us-east1/disks/d"},
		{"us-east1-b__us-east1-c__us-east1-d", "projects/UNSPECIFIED/regions/us-east1/disks/d"},
		{"us-east1-b__us-west1-b", ""},
		{"us-east1-b__us-east1-c__us-west1-b", ""},
		{"us-east1-b__", ""},
		{"east__west", ""},
		{"us-east1-b-x__us-east1-b-y", ""},
	} {
		if got := apis.GCEHandle("d", test.zones); got != test.want {
			t.Errorf("GCEHandle(d, %q) = %q, want %q", test.zones, got, test.want)
		}
	}
}

// A provisioner that no driver has taken over is a driver itself.
func TestDriverOf(t *testing.T) {
	for provisioner, want := range map[string]string{
		"kubernetes.io/aws-ebs": "ebs.csi.aws.com", "kubernetes.io/gce-pd": "pd.csi.storage.gke.io", "kubernetes.io/azure-disk": "disk.csi.azure.com",
		"kubernetes.io/cinder": "cinder.csi.openstack.org", "kubernetes.io/portworx-volume": "pxd.portworx.com", "example.com/d": "example.com/d", "": "",
	} {
		if got := apis.DriverOf(provisioner); got != want {
			t.Errorf("DriverOf(%q) = %q, want %q", provisioner, got, want)
		}
	}
}
