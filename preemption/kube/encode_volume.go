package kube

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// volumes returns the wire form of a pod's volumes. The name of an ephemeral volume follows from the name of its claim.
// The names of other volumes are not kept, so they are numbered.
func (e *encoder) volumes(p *outrank.Pod, spec *apis.Path) []manifest.Volume {
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
	out = append(out, imageVolumes(p.Preferences)...)

	// Numbers whose names ephemeral volumes have taken are skipped.
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

// ephemeralName returns the name of an ephemeral volume. Its claim is named after the pod and the volume, joined by a
// dash.
func (e *encoder) ephemeralName(p *outrank.Pod, v *outrank.Volume, at *apis.Path) string {
	name, ok := strings.CutPrefix(v.Claim, p.Name+"-")
	if !ok || name == "" {
		e.add(at, "is ephemeral, but its claim %s is not named after the pod", apis.Quote(v.Claim))
	}
	return name
}

// volume returns the wire form of a pod's volume, without a name.
func (e *encoder) volume(v *outrank.Volume, at *apis.Path) manifest.Volume {
	if v.Claim == "" {
		e.unclaimed(v, at)
		switch {
		case v.Disk.Kind != "":
			return e.disk(&v.Disk, at)
		case attachedInPod(v) && v.Driver == apis.Azure:
			return manifest.Volume{Azure: &manifest.AzureDisk{URI: v.Handle}}
		case attachedInPod(v) && v.Driver == apis.Portworx:
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

// attachedInPod reports whether a pod's spec can name the volume directly, without a claim and without being a Disk.
func attachedInPod(v *outrank.Volume) bool {
	inPod := v.Driver == apis.Azure || v.Driver == apis.Cinder || v.Driver == apis.Portworx
	return inPod && v.Handle != "" && v.Disk.Kind == ""
}

// unclaimed records a problem for each field of a volume without a claim that only a claim can give.
func (e *encoder) unclaimed(v *outrank.Volume, at *apis.Path) {
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

// noDisk records a problem if a volume that is not written as a disk has a field of Disk.
func (e *encoder) noDisk(d *outrank.Disk, at *apis.Path) {
	if d.Kind != "" || d.ID != "" || d.ReadOnly || len(d.Monitors) > 0 {
		kind := at.Field("(disk).kind")
		e.add(&kind, "%s does not go with the rest of the volume", apis.Quote(string(d.Kind)))
	}
}

// disk returns the wire form of a volume that is a disk.
func (e *encoder) disk(d *outrank.Disk, at *apis.Path) manifest.Volume {
	if d.Kind != outrank.RBD && len(d.Monitors) > 0 {
		monitors := at.Field("(disk).monitors")
		e.add(&monitors, "a disk of kind %s has none", d.Kind)
	}

	switch d.Kind {
	case outrank.GCEPersistentDisk:
		return manifest.Volume{GCE: &manifest.GCEDisk{Name: d.ID, ReadOnly: d.ReadOnly}}
	case outrank.AWSElasticBlockStore:
		return manifest.Volume{AWS: &manifest.AWSDisk{ID: d.ID, ReadOnly: d.ReadOnly}}
	case outrank.ISCSI:
		return manifest.Volume{ISCSI: &manifest.ISCSITarget{IQN: d.ID, ReadOnly: d.ReadOnly}}
	case outrank.RBD:
		pool, image, ok := strings.Cut(d.ID, "/")
		if !ok || pool == "" {
			id := at.Field("(disk).id")
			e.add(&id, "%s is not of the form pool/image", apis.Quote(d.ID))
		}
		return manifest.Volume{RBD: &manifest.RBDImage{Monitors: d.Monitors, Pool: pool, Image: image, ReadOnly: d.ReadOnly}}
	}

	kind := at.Field("(disk).kind")
	e.add(&kind, "%s is no kind of disk", apis.Quote(string(d.Kind)))
	return manifest.Volume{}
}
