package outrank

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/internal/intree"
	"github.com/outrank-go/outrank/internal/manifest"
)

// volumes returns the entries of spec.volumes. An ephemeral one has the name that
// its claim is made of; the names of the others, which nothing here keeps, are
// numbers.
func (e *encoder) volumes(p *Pod, spec *fields.Path) []manifest.Volume {
	var out []manifest.Volume
	taken := map[string]bool{}
	list := spec.Field("volumes")
	for i := range p.Volumes {
		at := list.At(i)
		w := e.volume(&p.Volumes[i], &at)
		if w.Ephemeral != nil {
			w.Name = e.ephemeralName(p, &p.Volumes[i], &at)
			taken[w.Name] = true
		}
		out = append(out, w)
	}
	for i, number := 0, 0; i < len(out); i, number = i+1, number+1 {
		if out[i].Ephemeral != nil {
			continue
		}
		for taken[fmt.Sprintf("volume-%d", number)] {
			number++
		}
		out[i].Name = fmt.Sprintf("volume-%d", number)
	}
	return out
}

// ephemeralName is the name of the volume from which the pod's claim has its own.
func (e *encoder) ephemeralName(p *Pod, v *Volume, at *fields.Path) string {
	name, ok := strings.CutPrefix(v.Claim, p.Name+"-")
	if !ok || name == "" {
		e.add(at, "is ephemeral, but its claim %s is not named after the pod", fields.Quote(v.Claim))
	}
	return name
}

func (e *encoder) volume(v *Volume, at *fields.Path) manifest.Volume {
	if v.Claim == "" {
		e.unclaimed(v, at)
		switch {
		case v.Disk.Kind != "":
			return e.disk(&v.Disk, at)
		case attachedInPod(v) && v.Driver == intree.Azure:
			return manifest.Volume{Azure: &manifest.AzureDisk{URI: v.Handle}}
		case attachedInPod(v) && v.Driver == intree.Portworx:
			return manifest.Volume{Portworx: &manifest.PortworxVolume{ID: v.Handle}}
		case attachedInPod(v):
			return manifest.Volume{Cinder: &manifest.CinderDisk{ID: v.Handle}}
		}
	}
	e.noDisk(&v.Disk, at)
	if v.Ephemeral && v.Claim != "" {
		return manifest.Volume{Ephemeral: &manifest.Ephemeral{}}
	}
	return manifest.Volume{Claim: &manifest.ClaimName{Name: v.Claim}}
}

// attachedInPod reports whether a pod can name the volume itself, though it is no
// Disk.
func attachedInPod(v *Volume) bool {
	inPod := v.Driver == intree.Azure || v.Driver == intree.Cinder || v.Driver == intree.Portworx
	return inPod && v.Handle != "" && v.Disk.Kind == ""
}

// unclaimed refuses what a volume can have from its claim alone.
func (e *encoder) unclaimed(v *Volume, at *fields.Path) {
	inPod := attachedInPod(v)
	for _, part := range []struct {
		field string
		set   bool
	}{
		{"Ephemeral", v.Ephemeral}, {"State", v.State != ""}, {"MissingVolume", v.MissingVolume != ""},
		{"OncePod", v.OncePod}, {"Driver", v.Driver != "" && !inPod}, {"Handle", v.Handle != "" && !inPod},
		{"Node", v.Node != nil}, {"Zones", len(v.Zones) > 0},
	} {
		if part.set {
			e.add(at, "has %s but no claim to have it from", part.field)
		}
	}
}

// noDisk refuses a disk beside a claim, and parts of a disk without a kind.
func (e *encoder) noDisk(d *Disk, at *fields.Path) {
	if d.Kind != "" || d.ID != "" || d.ReadOnly || len(d.Monitors) > 0 {
		kind := at.Field("(disk).kind")
		e.add(&kind, "%s does not go with the rest of the volume", fields.Quote(string(d.Kind)))
	}
}

func (e *encoder) disk(d *Disk, at *fields.Path) manifest.Volume {
	if d.Kind != RBD && len(d.Monitors) > 0 {
		monitors := at.Field("(disk).monitors")
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
			id := at.Field("(disk).id")
			e.add(&id, "%s is not of the form pool/image", fields.Quote(d.ID))
		}
		return manifest.Volume{RBD: &manifest.RBDImage{Monitors: d.Monitors, Pool: pool, Image: image, ReadOnly: d.ReadOnly}}
	}
	kind := at.Field("(disk).kind")
	e.add(&kind, "%s is no kind of disk", fields.Quote(string(d.Kind)))
	return manifest.Volume{}
}

// someTime stands in for the time at which a claim was deleted, which nothing
// here keeps.
const someTime = "1970-01-01T00:00:00Z"

// claim returns the claim. One that is bound says so, whether or not its volume
// is there.
func (e *encoder) claim(bc *boundClaim) *manifest.Claim {
	vc := bc.claim
	e.subject = "persistentvolumeclaim " + string(vc.Key())
	e.noDisk(&vc.Volume.Disk, &fields.Path{Name: "spec", Index: -1})
	w := &manifest.Claim{APIVersion: "v1", Kind: kindClaim}
	w.Metadata = manifest.Meta{Name: vc.Name, Namespace: vc.Namespace}
	if vc.Volume.OncePod {
		w.Spec.AccessModes = []string{oncePodMode}
	}
	w.Spec.VolumeName, w.Spec.ClassName = bc.volume, bc.class
	switch vc.Volume.State {
	case ClaimLost:
		w.Status.Phase, w.Spec.VolumeName = phaseLost, vc.Volume.MissingVolume
	case ClaimVolumeMissing:
		w.Spec.VolumeName = vc.Volume.MissingVolume
	case ClaimDeleting:
		w.Metadata.DeletionTimestamp = someTime
	}
	if w.Spec.VolumeName != "" && vc.Volume.State != ClaimUnbound {
		yes := "yes"
		w.Metadata.Annotations.BindCompleted = &yes
	}
	return w
}

// claimVolume refuses what a claim in its state cannot stand for.
func (e *encoder) claimVolume(vc *VolumeClaim) {
	e.subject = "persistentvolumeclaim " + string(vc.Key())
	v, spec := &vc.Volume, fields.Path{Name: "spec", Index: -1}
	missing := spec.Field("volumeName")
	gone := v.State == ClaimLost || v.State == ClaimVolumeMissing
	switch {
	case v.MissingVolume != "" && !gone:
		e.add(&missing, "%s is said to be missing, but the claim is not in a state of that", fields.Quote(v.MissingVolume))
	case v.State == ClaimVolumeMissing && v.MissingVolume == "":
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

// hasVolume reports whether a claim stands for more than a volume that has yet to
// be made.
func hasVolume(v *Volume) bool { return v.Handle != "" || v.Node != nil || len(v.Zones) > 0 }

// storageClass returns a class of volumes that are yet to be made.
func (e *encoder) storageClass(name string, c class) *manifest.StorageClass {
	e.subject = "storageclass " + name
	w := &manifest.StorageClass{APIVersion: "storage.k8s.io/v1", Kind: kindStorageClass, Provisioner: c.driver, BindingMode: bindsAtOnce}
	w.Metadata.Name = name
	if c.waits {
		w.BindingMode = waitsForPod
	}
	return w
}

// persistentVolume returns the volume that a claim is bound to. Problems are
// those of the claim, which the volume belongs to.
func (e *encoder) persistentVolume(vc *VolumeClaim, name string) *manifest.PersistentVolume {
	e.subject = "persistentvolumeclaim " + string(vc.Key())
	w := &manifest.PersistentVolume{APIVersion: "v1", Kind: kindVolume}
	w.Metadata = manifest.Meta{Name: name, Labels: e.zones(vc.Volume.Zones)}
	if vc.Volume.Driver != "" {
		w.Spec.CSI = &manifest.CSIVolume{Driver: vc.Volume.Driver, Handle: vc.Volume.Handle}
	}
	w.Spec.NodeAffinity.Required = wireNodeSelector(vc.Volume.Node)
	return w
}

// zones returns the labels of a volume that say where it is.
func (e *encoder) zones(zones map[string][]string) map[string]string {
	if len(zones) == 0 {
		return nil
	}
	labels := make(map[string]string, len(zones))
	spec := fields.Path{Name: "spec", Index: -1}
	for _, key := range fields.SortedKeys(zones) {
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

// requiredDrivers lists the drivers that are missing on any node, sorted.
func (e *encoder) requiredDrivers(c *Cluster) []string {
	required := map[string]bool{}
	for _, n := range c.Nodes {
		for _, driver := range n.MissingDrivers {
			required[driver] = true
		}
	}
	if len(required) > mostRequired {
		e.problems = append(e.problems, Problem{"cluster", "Nodes",
			fmt.Sprintf("%d drivers are missing on nodes, and no more than %d are read back", len(required), mostRequired)})
		return nil
	}
	return fields.SortedKeys(required)
}

// csiDriver returns the object of a driver that has to be on a node.
func (e *encoder) csiDriver(name string) *manifest.DriverObject {
	w := &manifest.DriverObject{APIVersion: "storage.k8s.io/v1", Kind: kindCSIDriver}
	w.Metadata.Name, w.Spec.PreventIfMissing = name, true
	return w
}

// csiNode returns the limits of a node and the required drivers that it has, nil where
// there is nothing to say.
func (e *encoder) csiNode(n *Node, required []string) *manifest.CSINode {
	e.subject = "node " + n.Name
	if len(n.AttachLimits)+len(required) == 0 {
		return nil
	}
	w := &manifest.CSINode{APIVersion: "storage.k8s.io/v1", Kind: kindCSINode}
	w.Metadata.Name = n.Name
	for _, driver := range fields.SortedKeys(n.AttachLimits) {
		limit := n.AttachLimits[driver]
		if limit < 0 || limit > math.MaxInt32 {
			e.add(fields.LimitPath(driver), "%d is not between 0 and %d", limit, math.MaxInt32)
		}
		if len(required) > 0 && slices.Contains(n.MissingDrivers, driver) {
			e.add(fields.LimitPath(driver), "the driver is among those that are missing")
		}
		count := int32(limit)
		w.Spec.Drivers = append(w.Spec.Drivers, manifest.CSIDriver{
			Name: driver, Allocatable: manifest.CSIAllocatable{Count: &count},
		})
	}
	for _, driver := range required {
		if _, limited := n.AttachLimits[driver]; !limited && !slices.Contains(n.MissingDrivers, driver) {
			w.Spec.Drivers = append(w.Spec.Drivers, manifest.CSIDriver{Name: driver})
		}
	}
	return w
}
