package outrank

// Volume is one volume of a pod, as far as placing the pod depends on it. What
// a claim stands for is filled in by whoever knows the claim: ReadCluster does
// where the dump holds claims and volumes.
type Volume struct {
	// Claim names the persistent volume claim in the pod's namespace; empty for
	// a volume that is none.
	Claim string
	// OncePod is set where the claim allows a single pod in the whole cluster
	// (ReadWriteOncePod).
	OncePod bool
	// Driver is what attaches the volume to a node, and Handle its identity
	// there: a handle counts once per node, however many pods use it. A volume
	// without a driver counts against no limit.
	Driver, Handle string
	// Disk is set for the disks that pods on a node cannot share freely.
	Disk Disk
	// Node is where the volume can be used; nil for everywhere. A selector
	// without terms matches no node.
	Node *NodeSelector
	// Zones are the labels, such as topology.kubernetes.io/zone, that the
	// volume carries, each with the values a node may have of it. A node that
	// has none of these labels takes any volume.
	Zones map[string][]string
}

// Disk is a disk that a pod mounts by itself, without a claim.
type Disk struct {
	// Kind is the sort of disk; empty for none.
	Kind DiskKind
	// ID is what two pods must have in common to be in each other's way: the
	// disk's name, volume ID, or target.
	ID string
	// ReadOnly disks may be shared, except for AWSElasticBlockStore.
	ReadOnly bool
}

// DiskKind is a sort of disk that pods cannot share freely.
type DiskKind string

// The kinds.
const (
	GCEPersistentDisk    DiskKind = "gcePersistentDisk"
	AWSElasticBlockStore DiskKind = "awsElasticBlockStore"
	ISCSI                DiskKind = "iscsi"
	RBD                  DiskKind = "rbd"
)
