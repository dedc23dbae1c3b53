package kube

import (
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// volumes converts the volumes that limit where the pod can run.
func (cv *converter) volumes(w *manifest.Pod) []outrank.Volume {
	var out []outrank.Volume
	for i := range w.Spec.Volumes {
		if v, ok := cv.podVolume(w, &w.Spec.Volumes[i]); ok {
			out = append(out, v)
		}
	}
	return out
}

// podVolume converts a volume of a pod. ok is false for a kind of volume that does not limit where the pod can run.
func (cv *converter) podVolume(p *manifest.Pod, w *manifest.Volume) (v outrank.Volume, ok bool) {
	// A claim is resolved to its volume later. Disks may conflict with disks of other pods, and the rest counts against
	// the limit of a CSI driver.
	switch {
	case w.Claim != nil:
		return outrank.Volume{Claim: cv.text(w.Claim.Name)}, true
	case w.Ephemeral != nil:
		// The controller names the claim after the pod and the volume.
		return outrank.Volume{Claim: p.Metadata.Name + "-" + w.Name, Ephemeral: true}, true

	case w.GCE != nil:
		return outrank.Volume{Disk: outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: w.GCE.Name, ReadOnly: w.GCE.ReadOnly}}, true
	case w.AWS != nil:
		return outrank.Volume{Disk: outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: w.AWS.ID, ReadOnly: w.AWS.ReadOnly}}, true
	case w.ISCSI != nil:
		return outrank.Volume{Disk: outrank.Disk{Kind: outrank.ISCSI, ID: w.ISCSI.IQN, ReadOnly: w.ISCSI.ReadOnly}}, true
	case w.RBD != nil:
		pool := w.RBD.Pool
		if pool == "" {
			pool = "rbd" // the default of the API server
		}
		return outrank.Volume{Disk: outrank.Disk{Kind: outrank.RBD, ID: pool + "/" + w.RBD.Image, Monitors: cv.list(w.RBD.Monitors), ReadOnly: w.RBD.ReadOnly}}, true

	case w.Azure != nil && w.Azure.URI != "":
		return outrank.Volume{Driver: apis.Azure, Handle: w.Azure.URI}, true
	case w.Cinder != nil && w.Cinder.ID != "":
		return outrank.Volume{Driver: apis.Cinder, Handle: w.Cinder.ID}, true
	case w.Portworx != nil && w.Portworx.ID != "":
		return outrank.Volume{Driver: apis.Portworx, Handle: w.Portworx.ID}, true
	}
	return outrank.Volume{}, false
}

// accessModes records a problem for each access mode that does not exist.
func (cv *converter) accessModes(modes []string) {
	for i, mode := range modes {
		if !apis.IsWord(mode, accessModes) {
			list := apis.Path{Name: "spec.accessModes", Index: -1}
			at := list.At(i)
			cv.add(&at, "%s", apis.NoWord(mode, accessModes))
		}
	}
}

// attached returns the driver and the handle by which a PersistentVolume counts against the attach limits of nodes. Both
// are empty for a volume that does not count.
func (cv *converter) attached(w *manifest.PersistentVolume) (driver, handle string) {
	labels := w.Metadata.Labels
	switch spec := &w.Spec; {
	case spec.CSI != nil:
		driver, handle = cv.text(spec.CSI.Driver), spec.CSI.Handle
	case spec.AWS != nil:
		driver, handle = apis.EBS, apis.EBSHandle(spec.AWS.ID)
	case spec.GCE != nil:
		zones := labels[outrank.BetaZoneLabel]
		if zones == "" {
			zones = labels[outrank.ZoneLabel]
		}
		driver, handle = apis.GCE, apis.GCEHandle(spec.GCE.Name, zones)
	case spec.Azure != nil:
		driver, handle = apis.Azure, spec.Azure.URI
	case spec.Cinder != nil:
		driver, handle = apis.Cinder, spec.Cinder.ID
	case spec.Portworx != nil:
		driver, handle = apis.Portworx, spec.Portworx.ID
	}

	if driver == "" || handle == "" {
		return "", ""
	}
	return driver, handle
}

// zones converts the zone and region labels of a volume. A label that cannot be split counts as missing
// (cloud-provider LabelZonesToSet).
func (cv *converter) zones(labels map[string]string) map[string][]string {
	var zones map[string][]string
	for _, key := range zoneLabels {
		value, ok := labels[key]
		if !ok {
			continue
		}
		values := zoneValues(value)
		if values == nil {
			continue
		}

		if zones == nil {
			zones = map[string][]string{}
		}
		zones[key] = cv.list(values)
	}
	return zones
}

// zoneValues splits the value of a zone or region label at two underscores. It returns nil if one of the values is
// empty.
func zoneValues(label string) []string {
	values := strings.Split(label, "__")
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	if slices.Contains(values, "") {
		return nil
	}
	return values
}
