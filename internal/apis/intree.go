package apis

import "strings"

// Drivers that have taken over volumes which Kubernetes used to attach itself.
const (
	EBS    = "ebs.csi.aws.com"
	GCE    = "pd.csi.storage.gke.io"
	Azure  = "disk.csi.azure.com"
	Cinder = "cinder.csi.openstack.org"

	Portworx = "pxd.portworx.com"
)

// takenOver gives the driver that has taken over from a provisioner.
var takenOver = map[string]string{
	"kubernetes.io/aws-ebs":    EBS,
	"kubernetes.io/gce-pd":     GCE,
	"kubernetes.io/azure-disk": Azure,
	"kubernetes.io/cinder":     Cinder,

	"kubernetes.io/portworx-volume": Portworx,
}

// DriverOf is the driver that makes the volumes of a provisioner.
func DriverOf(provisioner string) string {
	if driver, ok := takenOver[provisioner]; ok {
		return driver
	}
	return provisioner
}

// EBSHandle is the bare volume ID of aws://ZONE/ID, and any other text as it is;
// empty for a URL without a volume ID.
func EBSHandle(id string) string {
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

// GCEHandle is the path of a GCE disk: in a zone, in the region of several zones,
// or in a place that nobody names. It is empty where the zones are in no single
// region. The zones are those of a volume's label.
func GCEHandle(name, zones string) string {
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
