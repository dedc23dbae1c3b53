package apis

import "strings"

// The CSI drivers that have taken over the volumes that Kubernetes used to attach itself.
const (
	EBS    = "ebs.csi.aws.com"
	GCE    = "pd.csi.storage.gke.io"
	Azure  = "disk.csi.azure.com"
	Cinder = "cinder.csi.openstack.org"

	Portworx = "pxd.portworx.com"
)

// takenOver maps Kubernetes' own provisioners to the CSI drivers that have taken over from them.
var takenOver = map[string]string{
	"kubernetes.io/aws-ebs":    EBS,
	"kubernetes.io/gce-pd":     GCE,
	"kubernetes.io/azure-disk": Azure,
	"kubernetes.io/cinder":     Cinder,

	"kubernetes.io/portworx-volume": Portworx,
}

// DriverOf returns the driver for the volumes of a provisioner: the one that has taken over from it, or else
// the provisioner itself.
func DriverOf(provisioner string) string {
	if driver, ok := takenOver[provisioner]; ok {
		return driver
	}
	return provisioner
}

// EBSHandle returns the volume ID of an EBS disk: the ID in aws://ZONE/ID, or any other text as it is. It is
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

// GCEHandle returns the path of a GCE disk: in its zone, in the region of several zones, or in an unspecified
// zone if it has none. zones is the value of the volume's zone label. The path is empty if the zones are not in
// one region.
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

// gceRegion returns the region of a zone, such as us-east1 for us-east1-b. It is empty for a text that is no
// zone.
func gceRegion(zone string) string {
	parts := strings.Split(zone, "-")
	if len(parts) != 3 {
		return ""
	}
	return parts[0] + "-" + parts[1]
}
