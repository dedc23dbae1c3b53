package outrank

import (
	"strings"

	"github.com/outrank-go/outrank/internal/manifest"
)

// Drivers that have taken over volumes which Kubernetes used to attach itself.
const (
	ebsDriver    = "ebs.csi.aws.com"
	gceDriver    = "pd.csi.storage.gke.io"
	azureDriver  = "disk.csi.azure.com"
	cinderDriver = "cinder.csi.openstack.org"

	portworxDriver = "pxd.portworx.com"
)

// takenOver gives the driver that has taken over from a provisioner.
var takenOver = map[string]string{
	"kubernetes.io/aws-ebs":    ebsDriver,
	"kubernetes.io/gce-pd":     gceDriver,
	"kubernetes.io/azure-disk": azureDriver,
	"kubernetes.io/cinder":     cinderDriver,

	"kubernetes.io/portworx-volume": portworxDriver,
}

// driverOf is the driver that makes the volumes of a provisioner.
func driverOf(provisioner string) string {
	if driver, ok := takenOver[provisioner]; ok {
		return driver
	}
	return provisioner
}

// Attachment is what attaches the disk to a node and its identity there, as in
// [Volume]; empty for a disk that counts against no limit. EBS and GCE disks have
// one (NodeVolumeLimits).
func (d *Disk) Attachment() (driver, handle string) {
	switch d.Kind {
	case AWSElasticBlockStore:
		driver, handle = ebsDriver, ebsHandle(d.ID)
	case GCEPersistentDisk:
		driver, handle = gceDriver, gceHandle(d.ID, "")
	}
	if handle == "" {
		return "", ""
	}
	return driver, handle
}

// ebsHandle is the bare volume ID of aws://ZONE/ID, and any other text as it is;
// empty for a URL without a volume ID.
func ebsHandle(id string) string {
	rest, isURL := strings.CutPrefix(id, "aws://")
	if !isURL {
		return id
	}
	_, path, _ := strings.Cut(rest, "/")
	if path = strings.Trim(path, "/"); !strings.HasPrefix(path, "vol-") || strings.Contains(path, "/") {
		return ""
	}
	return path
}

// gceHandle is the path of a GCE disk: in a zone, in the region of several zones,
// or in a place that nobody names. It is empty where the zones are in no single
// region. The zones are those of a volume's label.
func gceHandle(name, zones string) string {
	const path = "projects/UNSPECIFIED/"
	switch all := strings.Split(zones, "__"); {
	case zones == "":
		return path + "zones/UNSPECIFIED/disks/" + name
	case len(all) == 1:
		return path + "zones/" + zones + "/disks/" + name
	default:
		region := gceRegion(all[0])
		for _, zone := range all {
			if region == "" || gceRegion(zone) != region {
				return ""
			}
		}
		return path + "regions/" + region + "/disks/" + name
	}
}

// gceRegion is the region of a zone: us-east1 of us-east1-b.
func gceRegion(zone string) string {
	parts := strings.Split(zone, "-")
	if len(parts) != 3 {
		return ""
	}
	return parts[0] + "-" + parts[1]
}

// attached gives a claim's volume its Driver and Handle.
func (cv *converter) attached(w *manifest.PersistentVolume) (driver, handle string) {
	labels := w.Metadata.Labels
	switch spec := &w.Spec; {
	case spec.CSI != nil:
		driver, handle = cv.text(spec.CSI.Driver), spec.CSI.Handle
	case spec.AWS != nil:
		driver, handle = ebsDriver, ebsHandle(spec.AWS.ID)
	case spec.GCE != nil:
		zones := labels[BetaZoneLabel]
		if zones == "" {
			zones = labels[ZoneLabel]
		}
		driver, handle = gceDriver, gceHandle(spec.GCE.Name, zones)
	case spec.Azure != nil:
		driver, handle = azureDriver, spec.Azure.URI
	case spec.Cinder != nil:
		driver, handle = cinderDriver, spec.Cinder.ID
	case spec.Portworx != nil:
		driver, handle = portworxDriver, spec.Portworx.ID
	}
	if driver == "" || handle == "" {
		return "", "" // it counts against no limit
	}
	return driver, handle
}
