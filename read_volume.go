package outrank

import (
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/manifest"
)

// storage is what a dump says about volumes, until all of it is read: claims,
// volumes and nodes come in any order.
type storage struct {
	volumes map[string]Volume           // by name of the PersistentVolume
	bound   []string                    // name of the volume, by claim of the cluster
	limits  map[string]map[string]int64 // by node, then driver
}

func newStorage() storage {
	return storage{volumes: map[string]Volume{}, limits: map[string]map[string]int64{}}
}

// joinStorage brings together what stood in different objects.
func (rd *reader) joinStorage() {
	for i, vc := range rd.cluster.Claims {
		if v, ok := rd.storage.volumes[rd.storage.bound[i]]; ok {
			v.OncePod = vc.Volume.OncePod
			vc.Volume = v
		}
	}
	for _, n := range rd.cluster.Nodes {
		n.AttachLimits = rd.storage.limits[n.Name]
	}
}

func (rd *reader) claim(it manifest.Item) {
	var w manifest.Claim
	cv := rd.decode(it, "persistentvolumeclaim", &w, &w.Metadata, true)
	rd.keep(cv.problems...)
	if w.Metadata.Name == "" {
		return
	}
	vc := &VolumeClaim{Name: cv.text(w.Metadata.Name), Namespace: cv.text(w.Metadata.Namespace)}
	vc.Volume.OncePod = slices.Contains(w.Spec.AccessModes, "ReadWriteOncePod")
	rd.cluster.Claims = append(rd.cluster.Claims, vc)
	rd.storage.bound = append(rd.storage.bound, w.Spec.VolumeName)
}

func (rd *reader) volume(it manifest.Item) {
	var w manifest.PersistentVolume
	cv := rd.decode(it, "persistentvolume", &w, &w.Metadata, false)
	if _, twice := rd.storage.volumes[w.Metadata.Name]; twice && w.Metadata.Name != "" {
		cv.add(&path{name: "metadata.name", index: -1}, "there are two of this name")
	}
	rd.keep(cv.problems...)
	rd.storage.volumes[w.Metadata.Name] = Volume{
		Driver: cv.text(w.Spec.CSI.Driver), Handle: w.Spec.CSI.Handle,
		Node: cv.nodeSelector(w.Spec.NodeAffinity.Required), Zones: cv.zones(w.Metadata.Labels),
	}
}

func (rd *reader) csiNode(it manifest.Item) {
	var w manifest.CSINode
	cv := rd.decode(it, "csinode", &w, &w.Metadata, false)
	if _, twice := rd.storage.limits[w.Metadata.Name]; twice && w.Metadata.Name != "" {
		cv.add(&path{name: "metadata.name", index: -1}, "there are two of this name")
	}
	rd.keep(cv.problems...)
	var limits map[string]int64
	for _, d := range w.Spec.Drivers {
		if d.Allocatable.Count == nil {
			continue
		}
		if limits == nil {
			limits = map[string]int64{}
		}
		limits[cv.text(d.Name)] = int64(*d.Allocatable.Count)
	}
	rd.storage.limits[w.Metadata.Name] = limits
}

// zones reads the labels of a volume that say where it is. Several values are
// parted by two underscores; a label with an empty one among them says nothing
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

// zoneValues takes the value of such a label apart, nil where it says nothing.
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

// volumes keeps those that limit where the pod can run.
func (cv *converter) volumes(w *manifest.Pod) []Volume {
	var out []Volume
	for i := range w.Spec.Volumes {
		if v, ok := cv.podVolume(w, &w.Spec.Volumes[i]); ok {
			out = append(out, v)
		}
	}
	return out
}

func (cv *converter) podVolume(p *manifest.Pod, w *manifest.Volume) (Volume, bool) {
	switch {
	case w.Claim != nil:
		return Volume{Claim: cv.text(w.Claim.Name)}, true
	case w.Ephemeral != nil:
		// The name that the claim gets when it is made for the pod.
		return Volume{Claim: p.Metadata.Name + "-" + w.Name}, true
	case w.GCE != nil:
		return Volume{Disk: Disk{Kind: GCEPersistentDisk, ID: w.GCE.Name, ReadOnly: w.GCE.ReadOnly}}, true
	case w.AWS != nil:
		return Volume{Disk: Disk{Kind: AWSElasticBlockStore, ID: w.AWS.ID, ReadOnly: w.AWS.ReadOnly}}, true
	case w.ISCSI != nil:
		return Volume{Disk: Disk{Kind: ISCSI, ID: w.ISCSI.IQN, ReadOnly: w.ISCSI.ReadOnly}}, true
	case w.RBD != nil:
		pool := w.RBD.Pool
		if pool == "" {
			pool = "rbd" // what the API server fills in
		}
		return Volume{Disk: Disk{Kind: RBD, ID: pool + "/" + w.RBD.Image, Monitors: cv.list(w.RBD.Monitors), ReadOnly: w.RBD.ReadOnly}}, true
	}
	return Volume{}, false
}
