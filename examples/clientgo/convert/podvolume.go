package convert

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
)

// podVolumes converts the volumes that restrict where the pod can run.
func podVolumes(p *corev1.Pod) []outrank.Volume {
	var out []outrank.Volume
	for i := range p.Spec.Volumes {
		if v, ok := podVolume(p, &p.Spec.Volumes[i]); ok {
			out = append(out, v)
		}
	}
	return out
}

func podVolume(p *corev1.Pod, v *corev1.Volume) (outrank.Volume, bool) {
	switch disk := podDisk(v); {
	case v.PersistentVolumeClaim != nil:
		return outrank.Volume{Claim: v.PersistentVolumeClaim.ClaimName}, true
	case v.Ephemeral != nil:
		// The claim gets this name when it is created for the pod.
		return outrank.Volume{Claim: p.Name + "-" + v.Name, Ephemeral: true}, true
	case disk.Kind != "":
		return outrank.Volume{Disk: disk}, true
	case v.AzureDisk != nil && v.AzureDisk.DataDiskURI != "":
		return outrank.Volume{Driver: azureDriver, Handle: v.AzureDisk.DataDiskURI}, true
	case v.Cinder != nil && v.Cinder.VolumeID != "":
		return outrank.Volume{Driver: cinderDriver, Handle: v.Cinder.VolumeID}, true
	case v.PortworxVolume != nil && v.PortworxVolume.VolumeID != "":
		return outrank.Volume{Driver: portworxDriver, Handle: v.PortworxVolume.VolumeID}, true
	}
	return outrank.Volume{}, false
}

// podDisk returns the disk that a volume names directly, without a claim.
func podDisk(v *corev1.Volume) outrank.Disk {
	switch {
	case v.GCEPersistentDisk != nil:
		return outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: v.GCEPersistentDisk.PDName, ReadOnly: v.GCEPersistentDisk.ReadOnly}
	case v.AWSElasticBlockStore != nil:
		return outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: v.AWSElasticBlockStore.VolumeID, ReadOnly: v.AWSElasticBlockStore.ReadOnly}
	case v.ISCSI != nil:
		return outrank.Disk{Kind: outrank.ISCSI, ID: v.ISCSI.IQN, ReadOnly: v.ISCSI.ReadOnly}
	case v.RBD != nil:
		pool := v.RBD.RBDPool
		if pool == "" {
			pool = "rbd" // the API server sets this default
		}
		return outrank.Disk{Kind: outrank.RBD, ID: pool + "/" + v.RBD.RBDImage, Monitors: list(v.RBD.CephMonitors), ReadOnly: v.RBD.ReadOnly}
	}
	return outrank.Disk{}
}
