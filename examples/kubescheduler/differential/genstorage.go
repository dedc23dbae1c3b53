package differential

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// drivers are the CSI drivers of volumes. The last one replaces the in-tree disks of AWS.
var drivers = []string{"disk.example.com", "file.example.com", "ebs.csi.aws.com"}

// storage draws classes, drivers, and claims with their volumes. Each namespace has claims of the same names.
func (g *generator) storage() {
	// One CSINode is always there, of a node that is gone: without any, a dump says nothing of drivers.
	g.c.CSINodes = append(g.c.CSINodes, &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "gone", UID: "csi-gone"}})
	immediate, late := storagev1.VolumeBindingImmediate, storagev1.VolumeBindingWaitForFirstConsumer
	for _, sc := range []struct {
		name string
		mode *storagev1.VolumeBindingMode
	}{{"now", &immediate}, {"late", &late}} {
		g.c.StorageClasses = append(g.c.StorageClasses, &storagev1.StorageClass{
			ObjectMeta: metav1.ObjectMeta{Name: sc.name, UID: uid(sc.name)}, Provisioner: drivers[0], VolumeBindingMode: sc.mode,
		})
	}

	for _, namespace := range []string{"default", "red", "blue"} {
		for i := range 6 {
			g.claim(namespace, i)
		}
	}

	// At most one driver is required: if several were missing, chance would say which is named (rule 7.9.9).
	required := false
	for _, driver := range drivers[:2] {
		d := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: driver, UID: uid(driver)}}
		if g.oneIn(4) && !required {
			yes := true
			required = true
			d.Spec.PreventPodSchedulingIfMissing = &yes
		}
		g.c.CSIDrivers = append(g.c.CSIDrivers, d)
	}
}

// claim draws a claim, which is bound with few exceptions, and its volume.
func (g *generator) claim(namespace string, i int) {
	name := fmt.Sprintf("claim%d", i)
	volume := "pv-" + namespace + "-" + name
	class := pick(g, "now", "now", "late")
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, UID: uid(namespace + name), Annotations: map[string]string{}}}
	c.Spec.StorageClassName = &class
	c.Spec.VolumeName = volume
	c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{pick(g, corev1.ReadWriteOnce, corev1.ReadWriteMany, corev1.ReadWriteOncePod)}
	c.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	c.Annotations["pv.kubernetes.io/bind-completed"] = "yes"
	c.Status.Phase = corev1.ClaimBound

	switch g.IntN(30) {
	case 0:
		c.Status.Phase = corev1.ClaimLost
	case 1:
		t := metav1.NewTime(start)
		c.DeletionTimestamp = &t
	case 2:
		// The class is now: outrank leaves out on purpose which volumes a waiting claim may get.
		class = "now"
		c.Spec.VolumeName, c.Status.Phase = "", corev1.ClaimPending
		delete(c.Annotations, "pv.kubernetes.io/bind-completed")
	}
	g.c.Claims = append(g.c.Claims, c)

	// A lost claim has no volume any more, and sometimes a bound one has none either.
	if c.Status.Phase == corev1.ClaimLost || g.oneIn(30) {
		return
	}
	g.volume(volume, class, c)
}

// volume draws the volume of a claim: who provides it, and where it can be used.
func (g *generator) volume(volume, class string, c *corev1.PersistentVolumeClaim) {
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: volume, UID: uid(volume), Labels: map[string]string{}}}
	v.Spec.StorageClassName = class
	v.Spec.AccessModes = c.Spec.AccessModes
	v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	v.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: c.Namespace, Name: c.Name, UID: c.UID}
	v.Status.Phase = corev1.VolumeBound

	v.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: pick(g, drivers[:2]...), VolumeHandle: pick(g, volume, volume, "shared")}
	if g.oneIn(5) {
		v.Spec.CSI = nil
		v.Spec.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: volume}
	}

	if v.Spec.CSI != nil && g.oneIn(5) {
		v.Labels["topology.kubernetes.io/zone"] = pick(g, "z0", "z1", "z0__z1")
	}
	if v.Spec.CSI != nil && g.oneIn(6) {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "topology.kubernetes.io/zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"z0", "z1"}}},
		}}}}
		if g.oneIn(3) {
			g.makeOdd(v.Spec.NodeAffinity.Required)
		}
	}
	g.c.Volumes = append(g.c.Volumes, v)
}

// mount gives a pod one to three volumes.
func (g *generator) mount(p *corev1.Pod) {
	for i := range g.between(1, 3) {
		v := corev1.Volume{Name: fmt.Sprintf("v%d", i)}
		switch g.IntN(8) {
		case 0:
			v.GCEPersistentDisk = &corev1.GCEPersistentDiskVolumeSource{PDName: pick(g, "d1", "d2"), ReadOnly: g.oneIn(2)}
		case 1:
			v.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: pick(g, "vol-1", "vol-2")}
		case 2:
			v.ISCSI = &corev1.ISCSIVolumeSource{TargetPortal: "10.0.0.9", IQN: pick(g, "iqn-1", "iqn-2"), ReadOnly: g.oneIn(2)}
		case 3:
			v.RBD = &corev1.RBDVolumeSource{CephMonitors: pick(g, []string{"m1", "m2"}, []string{"m2"}, []string{"m3"}), RBDImage: "i1", RBDPool: "rbd", ReadOnly: g.oneIn(2)}
		default:
			name := fmt.Sprintf("claim%d", pick(g, 0, 1, 2, 3, 4, 5))
			if g.oneIn(25) {
				name = "claim9" // there is no such claim
			}
			v.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}
		}
		p.Spec.Volumes = append(p.Spec.Volumes, v)
	}
}

// attach draws the CSINode of a node, which says how many volumes of each driver the node takes. Few nodes have
// none.
func (g *generator) attach(n *corev1.Node) {
	if g.oneIn(8) {
		return
	}
	node := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: n.Name, UID: "csi-" + uid(n.Name), Annotations: map[string]string{}}}
	if g.oneIn(2) {
		node.Annotations["storage.alpha.kubernetes.io/migrated-plugins"] = "kubernetes.io/aws-ebs,kubernetes.io/gce-pd"
	}
	for _, driver := range drivers {
		if g.oneIn(5) {
			continue
		}
		d := storagev1.CSINodeDriver{Name: driver, NodeID: n.Name}
		if limit := pick(g, int32(-1), 1, 2, 2, 3, 0); limit >= 0 {
			d.Allocatable = &storagev1.VolumeNodeResources{Count: &limit}
		}
		node.Spec.Drivers = append(node.Spec.Drivers, d)
	}
	g.c.CSINodes = append(g.c.CSINodes, node)
}
