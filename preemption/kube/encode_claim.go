package kube

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// boundClaim is a claim with the names of the PersistentVolume and of the StorageClass that are written for it. A name
// is empty if none is written.
type boundClaim struct {
	claim         *outrank.VolumeClaim
	volume, class string
}

// someTime stands in for the time at which a claim was deleted, which is not kept.
const someTime = "1970-01-01T00:00:00Z"

// claim returns the wire form of a claim. A bound claim is marked as bound even if its volume is missing.
func (e *encoder) claim(bc *boundClaim) *manifest.Claim {
	vc := bc.claim
	e.subject = "persistentvolumeclaim " + string(vc.Key())
	e.noDisk(&vc.Volume.Disk, &apis.Path{Name: "spec", Index: -1})

	w := &manifest.Claim{APIVersion: "v1", Kind: kindClaim}
	w.Metadata = manifest.Meta{Name: vc.Name, Namespace: vc.Namespace}
	if vc.Volume.OncePod {
		w.Spec.AccessModes = []string{oncePodMode}
	}
	w.Spec.VolumeName, w.Spec.ClassName = bc.volume, bc.class
	switch vc.Volume.State {
	case outrank.ClaimLost:
		w.Status.Phase, w.Spec.VolumeName = phaseLost, vc.Volume.MissingVolume
	case outrank.ClaimVolumeMissing:
		w.Spec.VolumeName = vc.Volume.MissingVolume
	case outrank.ClaimDeleting:
		w.Metadata.DeletionTimestamp = someTime
	}

	if w.Spec.VolumeName != "" && vc.Volume.State != outrank.ClaimUnbound {
		yes := "yes"
		w.Metadata.Annotations.BindCompleted = &yes
	}
	return w
}

// claimVolume records problems of a claim whose volume contradicts its state.
func (e *encoder) claimVolume(vc *outrank.VolumeClaim) {
	e.subject = "persistentvolumeclaim " + string(vc.Key())
	v, spec := &vc.Volume, apis.Path{Name: "spec", Index: -1}
	missing := spec.Field("volumeName")
	gone := v.State == outrank.ClaimLost || v.State == outrank.ClaimVolumeMissing
	switch {
	case v.MissingVolume != "" && !gone:
		e.add(&missing, "%s is said to be missing, but the claim is not in a state of that", apis.Quote(v.MissingVolume))
	case v.State == outrank.ClaimVolumeMissing && v.MissingVolume == "":
		e.add(&missing, "nothing says which volume is missing")
	}

	if gone && hasVolume(v) {
		e.add(&missing, "the claim is %s, but has what only a volume gives", v.State)
	}
	if hasVolume(v) && (v.Driver == "") != (v.Handle == "") {
		at := spec.Field("(volume).csi")
		e.add(&at, "a volume has both or none of Driver and Handle")
	}
}

// hasVolume reports whether a claim has a field that only an existing volume gives. The driver is not such a field: it
// may come from the storage class of a volume that does not exist yet.
func hasVolume(v *outrank.Volume) bool { return v.Handle != "" || v.Node != nil || len(v.Zones) > 0 }

// storageClass returns a storage class, for claims whose volumes are yet to be made.
func (e *encoder) storageClass(name string, c class) *manifest.StorageClass {
	e.subject = "storageclass " + name
	w := &manifest.StorageClass{APIVersion: "storage.k8s.io/v1", Kind: kindStorageClass, Provisioner: c.driver, BindingMode: bindsAtOnce}
	w.Metadata.Name = name
	if c.waits {
		w.BindingMode = waitsForPod
	}
	return w
}

// persistentVolume returns the PersistentVolume that a claim is bound to. Its problems are reported for the claim, in
// which the caller set the values.
func (e *encoder) persistentVolume(vc *outrank.VolumeClaim, name string) *manifest.PersistentVolume {
	e.subject = "persistentvolumeclaim " + string(vc.Key())
	w := &manifest.PersistentVolume{APIVersion: "v1", Kind: kindVolume}
	w.Metadata = manifest.Meta{Name: name, Labels: e.zones(vc.Volume.Zones)}
	if vc.Volume.Driver != "" {
		w.Spec.CSI = &manifest.CSIVolume{Driver: vc.Volume.Driver, Handle: vc.Volume.Handle}
	}
	w.Spec.NodeAffinity.Required = wireNodeSelector(vc.Volume.Node)
	return w
}

// zones returns the zone and region labels of a volume.
func (e *encoder) zones(zones map[string][]string) map[string]string {
	if len(zones) == 0 {
		return nil
	}
	labels := make(map[string]string, len(zones))
	spec := apis.Path{Name: "spec", Index: -1}
	for _, key := range apis.SortedKeys(zones) {
		label, ok := zoneLabelOf(zones[key])
		if !ok {
			at := spec.Field("(volume).labels")
			one := at.Field(key)
			e.add(&one, "no label says %q", zones[key])
		}
		labels[key] = label
	}
	return labels
}

// zoneLabelOf joins values to a label that zoneValues splits into the same values; ok is false if there is none. If a
// value ends with an underscore, spaces around the separator keep it apart; zoneValues trims them.
func zoneLabelOf(values []string) (label string, ok bool) {
	for _, separator := range []string{"__", " __ "} {
		label := strings.Join(values, separator)
		if read := zoneValues(label); read != nil && slices.Equal(read, values) {
			return label, true
		}
	}
	return "", false
}

// className returns the name of the storage class with index i.
func className(i int) string { return fmt.Sprintf("class-%d", i+1) }
