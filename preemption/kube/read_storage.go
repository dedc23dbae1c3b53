package kube

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// joinStorage sets the volumes of claims, and the limits and missing drivers of nodes, once all objects are read.
func (rd *reader) joinStorage() {
	for i, vc := range rd.cluster.Claims {
		rd.storage.join(vc, &rd.storage.bound[i])
	}
	rd.waitingUnread()
	missing := rd.missingDrivers()
	for _, n := range rd.cluster.Nodes {
		n.AttachLimits = rd.storage.limits[n.Name]
		n.MissingDrivers = missing(n.Name)
	}
}

// claim reads a claim, and stores the names of its volume and its class, which are looked up later.
func (rd *reader) claim(it manifest.Item) {
	var w manifest.Claim
	cv := rd.decode(it, objectKind{"persistentvolumeclaim", true}, &w, &w.Metadata)
	cv.accessModes(w.Spec.AccessModes)
	rd.keep(cv.problems...)
	if w.Metadata.Name == "" {
		return
	}
	rd.claimUnread(&cv, &w)

	vc := &outrank.VolumeClaim{Name: cv.text(w.Metadata.Name), Namespace: cv.text(w.Metadata.Namespace)}
	vc.Volume.OncePod = slices.Contains(w.Spec.AccessModes, oncePodMode)
	switch {
	case w.Status.Phase == phaseLost:
		vc.Volume.State, vc.Volume.MissingVolume = outrank.ClaimLost, w.Spec.VolumeName
	case w.Metadata.DeletionTimestamp != "":
		vc.Volume.State = outrank.ClaimDeleting
	}

	// The annotation is the older form of storageClassName, and takes precedence.
	b := binding{volume: w.Spec.VolumeName, class: w.Spec.ClassName, completed: w.Metadata.Annotations.BindCompleted != nil}
	if old := w.Metadata.Annotations.StorageClass; old != nil {
		b.class = *old
	}
	rd.cluster.Claims = append(rd.cluster.Claims, vc)
	rd.storage.bound = append(rd.storage.bound, b)
}

// storageClass reads a storage class, and stores it by name.
func (rd *reader) storageClass(it manifest.Item) {
	var w manifest.StorageClass
	cv := rd.decode(it, objectKind{"storageclass", false}, &w, &w.Metadata)
	onlyOne(&cv, rd.storage.classes, w.Metadata.Name)
	cv.word(w.BindingMode, bindingModes, "volumeBindingMode", nil)
	rd.keep(cv.problems...)
	if w.Metadata.Name != "" {
		rd.storage.classes[w.Metadata.Name] = class{
			provisioner: w.Provisioner, driver: apis.DriverOf(cv.text(w.Provisioner)),
			waits: w.BindingMode == waitsForPod, limited: len(w.AllowedTopologies) > 0,
		}
	}
}

// volume reads a PersistentVolume, and stores it by name.
func (rd *reader) volume(it manifest.Item) {
	var w manifest.PersistentVolume
	cv := rd.decode(it, objectKind{"persistentvolume", false}, &w, &w.Metadata)
	onlyOne(&cv, rd.storage.volumes, w.Metadata.Name)
	rd.keep(cv.problems...)

	v := outrank.Volume{Node: cv.nodeSelector(w.Spec.NodeAffinity.Required), Zones: cv.zones(w.Metadata.Labels)}
	v.Driver, v.Handle = cv.attached(&w)
	rd.storage.volumes[w.Metadata.Name] = v
}
