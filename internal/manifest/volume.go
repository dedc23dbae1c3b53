package manifest

import "encoding/json"

// Volume is an entry of spec.volumes of a Pod. Of a volume of another kind
// nothing but the name is kept.
type Volume struct {
	Name string `json:"name"`
	GCE  *struct {
		Name     string `json:"pdName"`
		ReadOnly bool   `json:"readOnly"`
	} `json:"gcePersistentDisk"`
	AWS *struct {
		ID       string `json:"volumeID"`
		ReadOnly bool   `json:"readOnly"`
	} `json:"awsElasticBlockStore"`
	ISCSI *struct {
		IQN      string `json:"iqn"`
		ReadOnly bool   `json:"readOnly"`
	} `json:"iscsi"`
	RBD *struct {
		Monitors []string `json:"monitors"`
		Pool     string   `json:"pool"`
		Image    string   `json:"image"`
		ReadOnly bool     `json:"readOnly"`
	} `json:"rbd"`
	Claim *struct {
		Name string `json:"claimName"`
	} `json:"persistentVolumeClaim"`
	// Ephemeral volumes are claims that are made along with the pod.
	Ephemeral *struct {
		Template json.RawMessage `json:"volumeClaimTemplate"`
	} `json:"ephemeral"`
}

// Claim is v1 PersistentVolumeClaim.
type Claim struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		AccessModes []string `json:"accessModes"`
		VolumeName  string   `json:"volumeName"`
	} `json:"spec"`
}

// PersistentVolume is v1 PersistentVolume.
type PersistentVolume struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		CSI struct {
			Driver string `json:"driver"`
			Handle string `json:"volumeHandle"`
		} `json:"csi"`
		NodeAffinity struct {
			Required *NodeSelector `json:"required"`
		} `json:"nodeAffinity"`
	} `json:"spec"`
}

// CSINode is storage.k8s.io/v1 CSINode; it is named after its node.
type CSINode struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		Drivers []struct {
			Name        string `json:"name"`
			Allocatable struct {
				Count *int32 `json:"count"`
			} `json:"allocatable"`
		} `json:"drivers"`
	} `json:"spec"`
}
