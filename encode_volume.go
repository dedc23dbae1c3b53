package outrank

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/manifest"
)

// volumes returns the entries of spec.volumes. Their names, which nothing here
// keeps, are numbers.
func (e *encoder) volumes(vs []Volume, spec *path) []manifest.Volume {
	var out []manifest.Volume
	list := spec.field("volumes")
	for i := range vs {
		at := list.at(i)
		w := e.volume(&vs[i], &at)
		w.Name = fmt.Sprintf("volume-%d", i)
		out = append(out, w)
	}
	return out
}

func (e *encoder) volume(v *Volume, at *path) manifest.Volume {
	if v.Claim == "" {
		e.unclaimed(v, at)
		if v.Disk.Kind != "" {
			return e.disk(&v.Disk, at)
		}
	}
	e.noDisk(&v.Disk, at)
	return manifest.Volume{Claim: &manifest.ClaimName{Name: v.Claim}}
}

// unclaimed refuses what a volume can have from its claim alone.
func (e *encoder) unclaimed(v *Volume, at *path) {
	for _, part := range []struct {
		field string
		set   bool
	}{
		{"OncePod", v.OncePod}, {"Driver", v.Driver != ""}, {"Handle", v.Handle != ""},
		{"Node", v.Node != nil}, {"Zones", len(v.Zones) > 0},
	} {
		if part.set {
			e.add(at, "has %s but no claim to have it from", part.field)
		}
	}
}

// noDisk refuses a disk beside a claim, and parts of a disk without a kind.
func (e *encoder) noDisk(d *Disk, at *path) {
	if d.Kind != "" || d.ID != "" || d.ReadOnly || len(d.Monitors) > 0 {
		kind := at.field("(disk).kind")
		e.add(&kind, "%s does not go with the rest of the volume", quote(string(d.Kind)))
	}
}

func (e *encoder) disk(d *Disk, at *path) manifest.Volume {
	if d.Kind != RBD && len(d.Monitors) > 0 {
		monitors := at.field("(disk).monitors")
		e.add(&monitors, "a disk of kind %s has none", d.Kind)
	}
	switch d.Kind {
	case GCEPersistentDisk:
		return manifest.Volume{GCE: &manifest.GCEDisk{Name: d.ID, ReadOnly: d.ReadOnly}}
	case AWSElasticBlockStore:
		return manifest.Volume{AWS: &manifest.AWSDisk{ID: d.ID, ReadOnly: d.ReadOnly}}
	case ISCSI:
		return manifest.Volume{ISCSI: &manifest.ISCSITarget{IQN: d.ID, ReadOnly: d.ReadOnly}}
	case RBD:
		pool, image, ok := strings.Cut(d.ID, "/")
		if !ok || pool == "" {
			id := at.field("(disk).id")
			e.add(&id, "%s is not of the form pool/image", quote(d.ID))
		}
		return manifest.Volume{RBD: &manifest.RBDImage{Monitors: d.Monitors, Pool: pool, Image: image, ReadOnly: d.ReadOnly}}
	}
	kind := at.field("(disk).kind")
	e.add(&kind, "%s is no kind of disk", quote(string(d.Kind)))
	return manifest.Volume{}
}

// claim returns the claim, bound to the volume of that name, if any.
func (e *encoder) claim(vc *VolumeClaim, bound string) *manifest.Claim {
	e.subject = "persistentvolumeclaim " + vc.Key()
	e.noDisk(&vc.Volume.Disk, &path{name: "spec", index: -1})
	w := &manifest.Claim{APIVersion: "v1", Kind: kindClaim}
	w.Metadata = manifest.Meta{Name: vc.Name, Namespace: vc.Namespace}
	if vc.Volume.OncePod {
		w.Spec.AccessModes = []string{"ReadWriteOncePod"}
	}
	w.Spec.VolumeName = bound
	return w
}

// persistentVolume returns the volume that a claim is bound to. Problems are
// those of the claim, which the volume belongs to.
func (e *encoder) persistentVolume(vc *VolumeClaim, name string) *manifest.PersistentVolume {
	e.subject = "persistentvolumeclaim " + vc.Key()
	w := &manifest.PersistentVolume{APIVersion: "v1", Kind: kindVolume}
	w.Metadata = manifest.Meta{Name: name, Labels: e.zones(vc.Volume.Zones)}
	w.Spec.CSI = manifest.CSIVolume{Driver: vc.Volume.Driver, Handle: vc.Volume.Handle}
	w.Spec.NodeAffinity.Required = wireNodeSelector(vc.Volume.Node)
	return w
}

// zones returns the labels of a volume that say where it is.
func (e *encoder) zones(zones map[string][]string) map[string]string {
	if len(zones) == 0 {
		return nil
	}
	labels := make(map[string]string, len(zones))
	spec := path{name: "spec", index: -1}
	for _, key := range sortedKeys(zones) {
		label, ok := zoneLabelOf(zones[key])
		if !ok {
			at := spec.field("(volume).labels")
			one := at.field(key)
			e.add(&one, "no label says %q", zones[key])
		}
		labels[key] = label
	}
	return labels
}

// zoneLabelOf joins values such that zoneValues takes them apart again. Spaces,
// which do not count, set off a value that has an underscore at its end.
func zoneLabelOf(values []string) (string, bool) {
	for _, separator := range []string{"__", " __ "} {
		label := strings.Join(values, separator)
		if read := zoneValues(label); read != nil && slices.Equal(read, values) {
			return label, true
		}
	}
	return "", false
}

// csiNode returns the limits of a node, nil for one without.
func (e *encoder) csiNode(n *Node) *manifest.CSINode {
	e.subject = "node " + n.Name
	if len(n.AttachLimits) == 0 {
		return nil
	}
	w := &manifest.CSINode{APIVersion: "storage.k8s.io/v1", Kind: kindCSINode}
	w.Metadata.Name = n.Name
	for _, driver := range sortedKeys(n.AttachLimits) {
		limit := n.AttachLimits[driver]
		if limit < 0 || limit > math.MaxInt32 {
			e.add(limitPath(driver), "%d is not between 0 and %d", limit, math.MaxInt32)
		}
		count := int32(limit)
		w.Spec.Drivers = append(w.Spec.Drivers, manifest.CSIDriver{
			Name: driver, Allocatable: manifest.CSIAllocatable{Count: &count},
		})
	}
	return w
}
