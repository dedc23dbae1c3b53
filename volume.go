package outrank

import (
	"slices"

	"github.com/outrank-go/outrank/internal/apis"
)

// Volume is one volume of a pod, as far as placing the pod depends on it. A claim
// leads to other objects: kube.ReadCluster fills in the fields from the claims
// and volumes of a dump, and [Cluster.ResolveVolumes] does so for other pods.
// Kubernetes has no single object for all of it, so that a Volume by itself has
// the JSON of a plain struct.
type Volume struct {
	// Claim names the persistent volume claim in the pod's namespace; empty for
	// a volume without one.
	Claim string
	// Ephemeral is set if the claim is made along with the pod and for it alone
	// (a generic ephemeral volume). Such a volume may be in any zone and in use by
	// any number of pods: VolumeZone and VolumeRestrictions pass it over.
	Ephemeral bool
	// State says why the claim cannot be used; empty if it can. While State is set,
	// no preemption helps a pod that waits with this claim.
	State ClaimState
	// MissingVolume names the volume that the claim is bound to and that does
	// not exist, for ClaimLost and ClaimVolumeMissing.
	MissingVolume string
	// OncePod is set if the claim allows a single pod in the whole cluster
	// (ReadWriteOncePod).
	OncePod bool
	// Driver attaches the volume to a node, and Handle is its identity there: a
	// handle counts once per node, however many pods use it. If there is a Driver and
	// no Handle, the driver has yet to make the volume; it counts as a volume of its
	// own. Without a Driver, a volume counts against no limit, unless it is a Disk: see
	// Disk.Attachment.
	Driver, Handle string
	// Disk is set for the disks that pods on a node cannot share freely.
	Disk Disk
	// Node selects the nodes on which the volume can be used; nil for all. A selector
	// without terms matches no node. Only labels are looked at, even if a
	// term names fields, as in the reference (CheckNodeAffinity).
	Node *NodeSelector
	// Zones has the zone and region labels of the volume, each with the values that a
	// node may have. The keys are the four constants below. A node that has none of the
	// four labels takes any volume. A node that has any of them must have each label of
	// the volume. Where a node lacks BetaZoneLabel, its ZoneLabel counts, and likewise
	// for the region.
	Zones map[string][]string
}

// Unresolved reports whether nothing is known of the volume's claim but its name (rule 7.10.4). It is false for an
// ephemeral volume, whose claim is made along with the pod.
func (v *Volume) Unresolved() bool {
	return v.Claim != "" && !v.Ephemeral && v.State == "" && !v.OncePod && v.Driver == "" && v.Handle == "" && v.Node == nil && len(v.Zones) == 0
}

// Labels that say where a node or a volume is.
const (
	ZoneLabel       = "topology.kubernetes.io/zone"
	RegionLabel     = "topology.kubernetes.io/region"
	BetaZoneLabel   = "failure-domain.beta.kubernetes.io/zone"
	BetaRegionLabel = "failure-domain.beta.kubernetes.io/region"
)

// zoneLabels are the keys that Volume.Zones may have.
var zoneLabels = []string{ZoneLabel, RegionLabel, BetaZoneLabel, BetaRegionLabel}

// Disk is a disk that a pod names itself, without a claim.
type Disk struct {
	// Kind is the sort of disk; empty for none.
	Kind DiskKind
	// ID identifies the disk: two pods conflict only over the same one. It is, by kind,
	// the disk's name, its volume ID, the target's IQN, or an RBD's pool/image.
	ID string
	// Monitors are the addresses of an RBD image: two images are the same only
	// if they share one. An image without monitors shares one with every other.
	Monitors []string
	// ReadOnly is set for a disk that is mounted read-only. Pods may share such a disk,
	// unless its kind is AWSElasticBlockStore.
	ReadOnly bool
}

// DiskKind is a sort of disk that pods cannot share freely.
type DiskKind string

// The kinds of disks that pods cannot share freely.
const (
	GCEPersistentDisk    DiskKind = "gcePersistentDisk"
	AWSElasticBlockStore DiskKind = "awsElasticBlockStore"
	ISCSI                DiskKind = "iscsi"
	RBD                  DiskKind = "rbd"
)

// Conflicts reports whether two pods cannot have these disks on one node
// (VolumeRestrictions, isVolumeConflict). A nil disk and a disk without a kind never conflict.
func (d *Disk) Conflicts(o *Disk) bool {
	if o == nil || d.Kind == "" || d.Kind != o.Kind || d.ID != o.ID {
		return false
	}
	switch d.Kind {
	case AWSElasticBlockStore:
		return true
	case RBD:
		return !(d.ReadOnly && o.ReadOnly) && d.sharesMonitor(o)
	}
	return !(d.ReadOnly && o.ReadOnly)
}

// sharesMonitor reports whether two RBD images may be the same by their monitors.
func (d *Disk) sharesMonitor(o *Disk) bool {
	return len(d.Monitors) == 0 || len(o.Monitors) == 0 ||
		slices.ContainsFunc(d.Monitors, func(m string) bool { return slices.Contains(o.Monitors, m) })
}

// Attachment returns the driver that attaches the disk to a node and the disk's
// identity there, as in [Volume]. Both are empty for a disk that counts against no
// limit: only EBS and GCE disks do (NodeVolumeLimits).
func (d *Disk) Attachment() (driver, handle string) {
	switch d.Kind {
	case AWSElasticBlockStore:
		driver, handle = apis.EBS, apis.EBSHandle(d.ID)
	case GCEPersistentDisk:
		driver, handle = apis.GCE, apis.GCEHandle(d.ID, "")
	}
	if handle == "" {
		return "", ""
	}
	return driver, handle
}

// VolumeClaim is a persistent volume claim together with the volume bound to
// it. Only [Cluster.ResolveVolumes] looks at claims; a decision uses what
// stands in Pod.Volumes.
type VolumeClaim struct {
	// Name and Namespace identify the claim; an empty Namespace is "default".
	Name, Namespace string
	// Volume is the volume of every pod that uses the claim. Its fields Claim and
	// Ephemeral are not looked at. While no volume is bound, only OncePod, State
	// and Driver are set, and MissingVolume if a bound volume is gone.
	Volume Volume
}

// ClaimState says why a claim cannot be used. If there are several reasons, the first
// of the constants counts.
type ClaimState string

// The states of a claim that cannot be used, in the order in which they count.
const (
	// ClaimLost means that the bound volume is gone, as the claim's status says.
	ClaimLost ClaimState = "Lost"
	// ClaimDeleting means that the claim is being deleted.
	ClaimDeleting ClaimState = "Deleting"
	// ClaimUnbound means that no volume is bound yet, and that the claim does not wait
	// for its first pod to get one.
	ClaimUnbound ClaimState = "Unbound"
	// ClaimVolumeMissing means that the volume that the claim is bound to does not exist.
	ClaimVolumeMissing ClaimState = "VolumeMissing"
)

// Key returns the claim's key, "namespace/name".
func (vc *VolumeClaim) Key() Key { return NewKey(vc.Namespace, vc.Name) }
