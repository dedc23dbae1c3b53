package convert

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/outrank-go/outrank"
)

// The CSI drivers that have replaced volume plugins of Kubernetes itself.
const (
	ebsDriver      = "ebs.csi.aws.com"
	gceDriver      = "pd.csi.storage.gke.io"
	azureDriver    = "disk.csi.azure.com"
	cinderDriver   = "cinder.csi.openstack.org"
	portworxDriver = "pxd.portworx.com"
)

// takenOver maps the provisioner of such a plugin to the driver that has replaced it.
var takenOver = map[string]string{
	"kubernetes.io/aws-ebs":         ebsDriver,
	"kubernetes.io/gce-pd":          gceDriver,
	"kubernetes.io/azure-disk":      azureDriver,
	"kubernetes.io/cinder":          cinderDriver,
	"kubernetes.io/portworx-volume": portworxDriver,
}

// Class is a StorageClass: the provisioner of its volumes, and whether they are provisioned only once a pod is
// placed.
type Class struct {
	Name, Driver string
	Waits        bool
}

// StorageClass converts a storage class.
func StorageClass(sc *storagev1.StorageClass) (*Class, error) {
	if err := named("storageclass", sc != nil, func() string { return sc.Name }); err != nil {
		return nil, err
	}
	mode := valueOf(sc.VolumeBindingMode)
	ps := problems{kind: "storageclass", name: sc.Name}
	word(&ps, mode, "volumeBindingMode", storagev1.VolumeBindingImmediate, storagev1.VolumeBindingWaitForFirstConsumer)
	if err := ps.with(nil); err != nil {
		return nil, err
	}
	out := &Class{Name: sc.Name, Driver: sc.Provisioner, Waits: mode == storagev1.VolumeBindingWaitForFirstConsumer}
	if driver, ok := takenOver[sc.Provisioner]; ok {
		out.Driver = driver
	}
	return out, nil
}

// named refuses an object that is nil or has no name.
func named(kind string, there bool, name func() string) error {
	switch {
	case !there:
		return missing(kind)
	case name() == "":
		return &outrank.InputError{Problems: []outrank.Problem{{Object: kind, Field: "metadata.name", Text: "missing"}}}
	}
	return nil
}

// Volume converts the fields of a PersistentVolume that [Bind] passes on to the claim bound to it: the driver,
// the nodes and the zones.
func Volume(pv *corev1.PersistentVolume) (*outrank.Volume, error) {
	if err := named("persistentvolume", pv != nil, func() string { return pv.Name }); err != nil {
		return nil, err
	}
	out := &outrank.Volume{Zones: zones(pv.Labels)}
	if a := pv.Spec.NodeAffinity; a != nil {
		out.Node = nodeSelector(a.Required)
	}
	out.Driver, out.Handle = attached(pv)
	return out, nil
}

// attached returns the driver of a volume and the volume's handle there. Both are empty if the volume counts
// against no limit.
func attached(pv *corev1.PersistentVolume) (driver, handle string) {
	switch s := &pv.Spec; {
	case s.CSI != nil:
		driver, handle = s.CSI.Driver, s.CSI.VolumeHandle
	case s.AWSElasticBlockStore != nil:
		return (&outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: s.AWSElasticBlockStore.VolumeID}).Attachment()
	case s.GCEPersistentDisk != nil:
		zone := pv.Labels[outrank.BetaZoneLabel]
		if zone == "" {
			zone = pv.Labels[outrank.ZoneLabel]
		}
		driver, handle = gceDriver, gceHandle(s.GCEPersistentDisk.PDName, zone)
	case s.AzureDisk != nil:
		driver, handle = azureDriver, s.AzureDisk.DataDiskURI
	case s.Cinder != nil:
		driver, handle = cinderDriver, s.Cinder.VolumeID
	case s.PortworxVolume != nil:
		driver, handle = portworxDriver, s.PortworxVolume.VolumeID
	}
	if driver == "" || handle == "" {
		return "", ""
	}
	return driver, handle
}

// gceHandle returns the path of a GCE disk: in a zone, in the region that several zones share, or in an
// unspecified place. It is empty if the zones are in different regions.
func gceHandle(name, zones string) string {
	const path = "projects/UNSPECIFIED/"
	if zones == "" {
		return path + "zones/UNSPECIFIED/disks/" + name
	}
	all := strings.Split(zones, zoneSeparator)
	if len(all) == 1 {
		return path + "zones/" + zones + "/disks/" + name
	}
	region := gceRegion(all[0])
	for _, zone := range all {
		if region == "" || gceRegion(zone) != region {
			return ""
		}
	}
	return path + "regions/" + region + "/disks/" + name
}

// gceRegion returns the region of a zone, such as us-east1 for us-east1-b.
func gceRegion(zone string) string {
	parts := strings.Split(zone, "-")
	if len(parts) != 3 {
		return ""
	}
	return parts[0] + "-" + parts[1]
}

// zoneSeparator separates several values of a zone label.
const zoneSeparator = "__"

// zones reads the zone labels of a volume. It ignores a label if one of its values is empty.
func zones(labels map[string]string) map[string][]string {
	var out map[string][]string
	for _, key := range []string{outrank.ZoneLabel, outrank.RegionLabel, outrank.BetaZoneLabel, outrank.BetaRegionLabel} {
		label, ok := labels[key]
		if !ok {
			continue
		}
		values := strings.Split(label, zoneSeparator)
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		if slices.Contains(values, "") {
			continue
		}
		if out == nil {
			out = map[string][]string{}
		}
		out[key] = values
	}
	return out
}
