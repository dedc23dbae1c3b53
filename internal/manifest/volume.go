package manifest

import "encoding/json"

// Volume is an entry of spec.volumes of a Pod. For a kind of volume without a field here only the name is kept.
type Volume struct {
	Name  string       `json:"name,omitempty"`
	GCE   *GCEDisk     `json:"gcePersistentDisk,omitempty"`
	AWS   *AWSDisk     `json:"awsElasticBlockStore,omitempty"`
	ISCSI *ISCSITarget `json:"iscsi,omitempty"`
	RBD   *RBDImage    `json:"rbd,omitempty"`
	// Azure, Cinder and Portworx are attached by CSI drivers. Pods may share them.
	Azure    *AzureDisk      `json:"azureDisk,omitempty"`
	Cinder   *CinderDisk     `json:"cinder,omitempty"`
	Portworx *PortworxVolume `json:"portworxVolume,omitempty"`
	Claim    *ClaimName      `json:"persistentVolumeClaim,omitempty"`
	// Ephemeral volumes are claims that are made along with the pod.
	Ephemeral *Ephemeral   `json:"ephemeral,omitempty"`
	Image     *ImageVolume `json:"image,omitempty"`
}

// ImageVolume is image of a volume.
type ImageVolume struct {
	Reference string `json:"reference,omitempty"`
}

// GCEDisk is gcePersistentDisk of a volume.
type GCEDisk struct {
	Name     string `json:"pdName"`
	ReadOnly bool   `json:"readOnly,omitempty"`
}

// AWSDisk is awsElasticBlockStore of a volume.
type AWSDisk struct {
	ID       string `json:"volumeID"`
	ReadOnly bool   `json:"readOnly,omitempty"`
}

// AzureDisk is azureDisk of a volume.
type AzureDisk struct {
	URI string `json:"diskURI"`
}

// CinderDisk is cinder of a volume.
type CinderDisk struct {
	ID string `json:"volumeID"`
}

// PortworxVolume is portworxVolume of a volume.
type PortworxVolume struct {
	ID string `json:"volumeID"`
}

// ISCSITarget is iscsi of a volume.
type ISCSITarget struct {
	IQN      string `json:"iqn"`
	ReadOnly bool   `json:"readOnly,omitempty"`
}

// RBDImage is rbd of a volume.
type RBDImage struct {
	Monitors []string `json:"monitors,omitempty"`
	Pool     string   `json:"pool,omitempty"`
	Image    string   `json:"image"`
	ReadOnly bool     `json:"readOnly,omitempty"`
}

// ClaimName is persistentVolumeClaim of a volume.
type ClaimName struct {
	Name string `json:"claimName"`
}

// Ephemeral is ephemeral of a volume.
type Ephemeral struct {
	Template json.RawMessage `json:"volumeClaimTemplate,omitempty"`
}

// Claim is v1 PersistentVolumeClaim.
type Claim struct {
	APIVersion Written `json:"apiVersion,omitempty"`
	Kind       Written `json:"kind,omitempty"`
	Metadata   Meta    `json:"metadata"`
	Spec       struct {
		AccessModes []string `json:"accessModes,omitempty"`
		VolumeName  string   `json:"volumeName,omitempty"`
		ClassName   string   `json:"storageClassName,omitempty"`
	} `json:"spec,omitzero"`
	Status struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status,omitzero"`
}

// StorageClass is storage.k8s.io/v1 StorageClass.
type StorageClass struct {
	APIVersion  Written `json:"apiVersion,omitempty"`
	Kind        Written `json:"kind,omitempty"`
	Metadata    Meta    `json:"metadata"`
	Provisioner string  `json:"provisioner"`
	BindingMode string  `json:"volumeBindingMode,omitempty"`
	// AllowedTopologies is only read for a warning.
	AllowedTopologies []struct{} `json:"allowedTopologies,omitempty"`
}

// PersistentVolume is v1 PersistentVolume.
type PersistentVolume struct {
	APIVersion Written              `json:"apiVersion,omitempty"`
	Kind       Written              `json:"kind,omitempty"`
	Metadata   Meta                 `json:"metadata"`
	Spec       PersistentVolumeSpec `json:"spec,omitzero"`
}

// PersistentVolumeSpec is spec of a PersistentVolume.
type PersistentVolumeSpec struct {
	CSI          *CSIVolume         `json:"csi,omitempty"`
	AWS          *AWSDisk           `json:"awsElasticBlockStore,omitempty"`
	GCE          *GCEDisk           `json:"gcePersistentDisk,omitempty"`
	Azure        *AzureDisk         `json:"azureDisk,omitempty"`
	Cinder       *CinderDisk        `json:"cinder,omitempty"`
	Portworx     *PortworxVolume    `json:"portworxVolume,omitempty"`
	NodeAffinity VolumeNodeAffinity `json:"nodeAffinity,omitzero"`
}

// CSIVolume is spec.csi of a PersistentVolume.
type CSIVolume struct {
	Driver string `json:"driver,omitempty"`
	Handle string `json:"volumeHandle,omitempty"`
}

// VolumeNodeAffinity is spec.nodeAffinity of a PersistentVolume.
type VolumeNodeAffinity struct {
	Required *NodeSelector `json:"required,omitempty"`
}

// CSINode is storage.k8s.io/v1 CSINode, which has the name of its node.
type CSINode struct {
	APIVersion Written `json:"apiVersion,omitempty"`
	Kind       Written `json:"kind,omitempty"`
	Metadata   Meta    `json:"metadata"`
	Spec       struct {
		Drivers []CSIDriver `json:"drivers,omitempty"`
	} `json:"spec,omitzero"`
}

// DriverObject is storage.k8s.io/v1 CSIDriver, which has the name of its driver.
type DriverObject struct {
	APIVersion Written `json:"apiVersion,omitempty"`
	Kind       Written `json:"kind,omitempty"`
	Metadata   Meta    `json:"metadata"`
	Spec       struct {
		PreventIfMissing bool `json:"preventPodSchedulingIfMissing,omitempty"`
		// StorageCapacity is only read for a warning.
		StorageCapacity bool `json:"storageCapacity,omitempty"`
	} `json:"spec,omitzero"`
}

// CSIDriver is an entry of spec.drivers of a CSINode.
type CSIDriver struct {
	Name        string         `json:"name,omitempty"`
	Allocatable CSIAllocatable `json:"allocatable,omitzero"`
}

// CSIAllocatable is allocatable of an entry of spec.drivers.
type CSIAllocatable struct {
	// Count is nil for no limit.
	Count *int32 `json:"count,omitempty"`
}
