package outrank

import (
	"github.com/outrank-go/outrank/internal/intree"
	"github.com/outrank-go/outrank/internal/manifest"
)

// Attachment is what attaches the disk to a node and its identity there, as in
// [Volume]; empty for a disk that counts against no limit. EBS and GCE disks have
// one (NodeVolumeLimits).
func (d *Disk) Attachment() (driver, handle string) {
	switch d.Kind {
	case AWSElasticBlockStore:
		driver, handle = intree.EBS, intree.EBSHandle(d.ID)
	case GCEPersistentDisk:
		driver, handle = intree.GCE, intree.GCEHandle(d.ID, "")
	}
	if handle == "" {
		return "", ""
	}
	return driver, handle
}

// attached gives a claim's volume its Driver and Handle.
func (cv *converter) attached(w *manifest.PersistentVolume) (driver, handle string) {
	labels := w.Metadata.Labels
	switch spec := &w.Spec; {
	case spec.CSI != nil:
		driver, handle = cv.text(spec.CSI.Driver), spec.CSI.Handle
	case spec.AWS != nil:
		driver, handle = intree.EBS, intree.EBSHandle(spec.AWS.ID)
	case spec.GCE != nil:
		zones := labels[BetaZoneLabel]
		if zones == "" {
			zones = labels[ZoneLabel]
		}
		driver, handle = intree.GCE, intree.GCEHandle(spec.GCE.Name, zones)
	case spec.Azure != nil:
		driver, handle = intree.Azure, spec.Azure.URI
	case spec.Cinder != nil:
		driver, handle = intree.Cinder, spec.Cinder.ID
	case spec.Portworx != nil:
		driver, handle = intree.Portworx, spec.Portworx.ID
	}
	if driver == "" || handle == "" {
		return "", "" // it counts against no limit
	}
	return driver, handle
}
