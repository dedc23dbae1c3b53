package outrank

import (
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/internal/intree"
	"github.com/outrank-go/outrank/internal/manifest"
)

// storage is what a dump says about volumes, until all of it is read: claims,
// volumes, classes and nodes come in any order.
type storage struct {
	volumes map[string]Volume           // by name of the PersistentVolume
	classes map[string]class            // by name of the StorageClass
	bound   []binding                   // by claim of the cluster
	limits  map[string]map[string]int64 // by node, then driver
	drivers map[string][]string         // by node: what its CSINode lists
	// required are the drivers that have to be on a node, by name: false for one of
	// which that is not so.
	required map[string]bool
}

// class is what counts of a StorageClass: who makes its volumes, and whether they
// are made only when a pod has been placed.
type class struct {
	driver string
	waits  bool
}

// binding is what a claim says about its volume: the name of it, whether it is
// bound to it for good, and its class.
type binding struct {
	volume, class string
	completed     bool
}

func newStorage() storage {
	return storage{volumes: map[string]Volume{}, classes: map[string]class{}, limits: map[string]map[string]int64{}, drivers: map[string][]string{}, required: map[string]bool{}}
}

// joinStorage brings together what stood in different objects.
func (rd *reader) joinStorage() {
	for i, vc := range rd.cluster.Claims {
		rd.storage.join(vc, &rd.storage.bound[i])
	}
	missing := rd.missingDrivers()
	for _, n := range rd.cluster.Nodes {
		n.AttachLimits = rd.storage.limits[n.Name]
		n.MissingDrivers = missing(n.Name)
	}
}

// join fills in what the claim stands for. A state that the claim itself tells
// comes before the others.
func (s *storage) join(vc *VolumeClaim, b *binding) {
	v := &vc.Volume
	volume, there := s.volumes[b.volume]
	there = there && b.volume != "" && v.State != ClaimLost
	if there {
		volume.OncePod, volume.State = v.OncePod, v.State
		*v = volume
	} else {
		v.Driver = s.classes[b.class].driver
	}
	if v.State != "" {
		return
	}
	switch {
	case b.volume != "" && b.completed && !there:
		v.State, v.MissingVolume = ClaimVolumeMissing, b.volume
	case b.volume != "" && !b.completed, b.volume == "" && !s.classes[b.class].waits:
		v.State = ClaimUnbound
	}
}

func (rd *reader) claim(it manifest.Item) {
	var w manifest.Claim
	cv := rd.decode(it, "persistentvolumeclaim", &w, &w.Metadata, true)
	cv.accessModes(w.Spec.AccessModes)
	rd.keep(cv.problems...)
	if w.Metadata.Name == "" {
		return
	}
	vc := &VolumeClaim{Name: cv.text(w.Metadata.Name), Namespace: cv.text(w.Metadata.Namespace)}
	vc.Volume.OncePod = slices.Contains(w.Spec.AccessModes, oncePodMode)
	switch {
	case w.Status.Phase == phaseLost:
		vc.Volume.State, vc.Volume.MissingVolume = ClaimLost, w.Spec.VolumeName
	case w.Metadata.DeletionTimestamp != "":
		vc.Volume.State = ClaimDeleting
	}
	b := binding{volume: w.Spec.VolumeName, class: w.Spec.ClassName, completed: w.Metadata.Annotations.BindCompleted != nil}
	if old := w.Metadata.Annotations.StorageClass; old != nil {
		b.class = *old
	}
	rd.cluster.Claims = append(rd.cluster.Claims, vc)
	rd.storage.bound = append(rd.storage.bound, b)
}

func (cv *converter) accessModes(modes []string) {
	for i, mode := range modes {
		if !fields.IsWord(mode, accessModes) {
			list := fields.Path{Name: "spec.accessModes", Index: -1}
			at := list.At(i)
			cv.add(&at, "%s", fields.NoWord(mode, accessModes))
		}
	}
}

// What claims and classes say.
const (
	oncePodMode = "ReadWriteOncePod"
	phaseLost   = "Lost"
	waitsForPod = "WaitForFirstConsumer"
	bindsAtOnce = "Immediate"
)

// onlyOne refuses a second object of a name; those that were read are the keys of seen.
func onlyOne[T any](cv *converter, seen map[string]T, name string) {
	if _, twice := seen[name]; twice && name != "" {
		cv.add(&fields.Path{Name: "metadata.name", Index: -1}, "there are two of this name")
	}
}

func (rd *reader) storageClass(it manifest.Item) {
	var w manifest.StorageClass
	cv := rd.decode(it, "storageclass", &w, &w.Metadata, false)
	onlyOne(&cv, rd.storage.classes, w.Metadata.Name)
	cv.word(w.BindingMode, bindingModes, "volumeBindingMode", nil)
	rd.keep(cv.problems...)
	if w.Metadata.Name != "" {
		rd.storage.classes[w.Metadata.Name] = class{driver: intree.DriverOf(cv.text(w.Provisioner)), waits: w.BindingMode == waitsForPod}
	}
}

func (rd *reader) volume(it manifest.Item) {
	var w manifest.PersistentVolume
	cv := rd.decode(it, "persistentvolume", &w, &w.Metadata, false)
	onlyOne(&cv, rd.storage.volumes, w.Metadata.Name)
	rd.keep(cv.problems...)
	v := Volume{Node: cv.nodeSelector(w.Spec.NodeAffinity.Required), Zones: cv.zones(w.Metadata.Labels)}
	v.Driver, v.Handle = cv.attached(&w)
	rd.storage.volumes[w.Metadata.Name] = v
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
		return Volume{Claim: p.Metadata.Name + "-" + w.Name, Ephemeral: true}, true
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
	case w.Azure != nil && w.Azure.URI != "":
		return Volume{Driver: intree.Azure, Handle: w.Azure.URI}, true
	case w.Cinder != nil && w.Cinder.ID != "":
		return Volume{Driver: intree.Cinder, Handle: w.Cinder.ID}, true
	case w.Portworx != nil && w.Portworx.ID != "":
		return Volume{Driver: intree.Portworx, Handle: w.Portworx.ID}, true
	}
	return Volume{}, false
}
