package differential

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// hintDraw draws pods that wait and changes for [Hints].
type hintDraw struct {
	*generator
	hints *Hints
	list  []hintChange
}

// waiting returns the preemptor of the case, and some pods like those on its nodes. They have no node, unless they
// wait for a resize there.
func (d *hintDraw) waiting() []*corev1.Pod {
	pods := []*corev1.Pod{d.c.Preemptor.DeepCopy()}
	for _, p := range d.c.Pods {
		if len(pods) < 4 && d.oneIn(3) {
			pods = append(pods, p.DeepCopy())
		}
	}
	for i, p := range pods {
		p.Name = fmt.Sprintf("waiting-%d", i)
		p.UID = uid(p.Name)
		p.Spec.NodeName = ""
		p.Status = corev1.PodStatus{Phase: corev1.PodPending}
		if d.hints.Resizes {
			d.deferResize(p)
		}
	}
	return pods
}

// deferResize puts a pod on a node that has deferred its resize.
func (d *hintDraw) deferResize(p *corev1.Pod) {
	p.Spec.NodeName = d.c.Nodes[d.IntN(len(d.c.Nodes))].Name
	d.generator.resize(p)
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: corev1.PodReasonDeferred}}
}

// changes draws changes of nodes, of pods on them, and of storage.
func (d *hintDraw) changes() ([]hintChange, error) {
	for _, n := range d.c.Nodes {
		if d.hints.Alter != nil {
			d.hints.Alter(n, d.IntN(2))
		}
		altered := n.DeepCopy()
		for range d.between(1, 2) {
			d.alterNode(altered)
		}
		for _, versions := range [][2]*corev1.Node{{nil, n}, {n, altered}, {n, nil}} {
			if err := d.nodeChange(versions[0], versions[1]); err != nil {
				return nil, err
			}
		}
	}

	for _, p := range d.c.Pods {
		altered := p.DeepCopy()
		d.alterPod(altered)
		for _, versions := range [][2]*corev1.Pod{{nil, p}, {p, altered}, {p, nil}} {
			if p.Spec.NodeName == "" && (versions[1] != nil || p.Status.NominatedNodeName == "") {
				continue // the scheduler tells of other pods without a node only when they give up room
			}
			if err := d.podChange(versions[0], versions[1]); err != nil {
				return nil, err
			}
		}
	}
	d.storageChanges()
	return d.list, nil
}

// ownChange draws an update of a pod that waits. The pod is afterwards the new version.
func (d *hintDraw) ownChange(p *corev1.Pod) ([]hintChange, error) {
	old := p.DeepCopy()
	d.alterPod(p)
	if d.oneIn(2) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{
			Key: pick(d.generator, "dedicated", corev1.TaintNodeUnschedulable), Operator: corev1.TolerationOpExists,
		})
	}
	c := hintChange{name: "itself", events: podChanges(p, old, true), old: old, object: p}
	c.ours.Kind = queue.EventPodUpdated
	var err error
	if c.ours.Before, err = d.hints.Pod(old); err != nil {
		return nil, err
	}
	c.ours.Pod, err = d.hints.Pod(p)
	return []hintChange{c}, err
}

func (d *hintDraw) nodeChange(old, new *corev1.Node) (err error) {
	c := hintChange{name: "node updated", old: old, object: new}
	c.ours.Kind = queue.EventNodeUpdated
	switch {
	case old == nil:
		c.name, c.old, c.ours.Kind = "node added", nil, queue.EventNodeAdded
		c.events = []fwk.ClusterEvent{{Resource: fwk.Node, ActionType: fwk.Add}}
	case new == nil:
		c.name, c.object, c.ours.Kind = "node deleted", nil, queue.EventNodeDeleted
		c.events = []fwk.ClusterEvent{{Resource: fwk.Node, ActionType: fwk.Delete}}
		new, old = old, nil
	default:
		c.events = framework.NodeSchedulingPropertiesChange(new, old)
		if c.ours.NodeBefore, err = d.hints.Node(old); err != nil {
			return err
		}
	}
	c.ours.Node, err = d.hints.Node(new)
	d.list = append(d.list, c)
	return err
}

func (d *hintDraw) podChange(old, new *corev1.Pod) (err error) {
	c := hintChange{name: "pod updated", old: old, object: new}
	c.ours.Kind = queue.EventAssignedPodUpdated
	switch {
	case old == nil:
		c.name, c.old, c.ours.Kind = "pod added", nil, queue.EventAssignedPodAdded
		c.events = []fwk.ClusterEvent{framework.EventAssignedPodAdd}
	case new == nil:
		c.name, c.object, c.ours.Kind = "pod deleted", nil, queue.EventAssignedPodDeleted
		c.events = []fwk.ClusterEvent{framework.EventAssignedPodDelete}
		new, old = old, nil
	default:
		c.events = podChanges(new, old, false)
		if c.ours.Before, err = d.hints.Pod(old); err != nil {
			return err
		}
	}
	c.ours.Pod, err = d.hints.Pod(new)
	d.list = append(d.list, c)
	return err
}

// alterNode changes one property of a node.
func (d *hintDraw) alterNode(n *corev1.Node) {
	switch choice := d.IntN(9); choice {
	case 0:
		n.Spec.Unschedulable = !n.Spec.Unschedulable
	case 1:
		n.Spec.Taints = nil
		if d.oneIn(2) {
			n.Spec.Taints = append(n.Spec.Taints, d.taint())
		}

	case 2, 3: // labels are what selectors, affinity and spread look at
		key := pick(d.generator, corev1.LabelTopologyZone, "rack", "disk", "cores", corev1.LabelHostname)
		n.Labels[key] = pick(d.generator, "z1", "r1", "ssd", "hdd", "8")
		if d.oneIn(3) {
			delete(n.Labels, key)
		}
	case 4:
		n.Status.DeclaredFeatures = pick(d.generator, nil, []string{"RestartAllContainersOnContainerExits"}, []string{"UserNamespacesHostNetworkSupport"})
	case 5:
		if d.hints.Alter != nil { // fields that one release alone has
			d.hints.Alter(n, d.IntN(2))
		}

	default:
		// Most changes are of amounts: whether the node has more of what the pod is short of takes the most cases.
		name := pick(d.generator, corev1.ResourceCPU, corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods, "example.com/gpu", corev1.ResourceEphemeralStorage)
		n.Status.Allocatable[name] = resource.MustParse(pick(d.generator, "0", "1", "3", "4000", "8Gi"))
		if d.oneIn(6) {
			delete(n.Status.Allocatable, name)
		}
	}
}

// alterPod changes one property of a pod that may change.
func (d *hintDraw) alterPod(p *corev1.Pod) {
	switch d.IntN(5) {
	case 0, 1:
		if p.Labels == nil {
			p.Labels = map[string]string{}
		}
		p.Labels["app"] = pick(d.generator, "web", "db", "cache")
	case 2:
		c := &p.Spec.Containers[d.IntN(len(p.Spec.Containers))]
		name := pick(d.generator, corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, "example.com/gpu")
		if c.Resources.Requests = c.Resources.Requests.DeepCopy(); c.Resources.Requests == nil {
			c.Resources.Requests = corev1.ResourceList{}
		}
		c.Resources.Requests[name] = resource.MustParse(pick(d.generator, "0", "1", "2", "1Gi"))
	case 3:
		if p.Spec.NodeName != "" {
			p.Status.ContainerStatuses, p.Status.InitContainerStatuses = nil, nil
			conditions := p.Status.Conditions
			d.generator.resize(p)
			p.Status.Conditions = conditions
		}
	}
}

// storageChanges draws changes of the objects of the case that storage consists of, and of some others. What changes in
// each is what the hint of a volume plugin looks at.
func (d *hintDraw) storageChanges() {
	for _, o := range d.c.Volumes {
		altered := o.DeepCopy()
		if altered.Labels == nil {
			altered.Labels = map[string]string{}
		}
		// A label can name several zones. The same ones in another order are no change to VolumeZone.
		altered.Labels[pick(d.generator, corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaRegion, "other")] = pick(d.generator, "z1", "z1__z2", "z2__z1", "__")
		storageChange(d, fwk.PersistentVolume, o, altered)
	}

	for _, o := range d.c.Claims {
		altered := o.DeepCopy()
		altered.Spec.VolumeName = "other"
		storageChange(d, fwk.PersistentVolumeClaim, o, altered)
	}

	for _, o := range d.c.StorageClasses {
		altered := o.DeepCopy()
		if d.oneIn(2) { // the other half are told, and have not changed
			altered.AllowedTopologies = []corev1.TopologySelectorTerm{{}}
		}
		storageChange(d, fwk.StorageClass, o, altered)
	}

	for _, o := range d.c.CSINodes {
		storageChange(d, fwk.CSINode, o, d.alteredCSINode(o))
	}

	// A driver that begins to check capacities can only keep pods out, and one that ends it can let them in.
	for _, o := range d.c.CSIDrivers {
		yes := true
		checks, altered := o.DeepCopy(), o.DeepCopy()
		checks.Spec.StorageCapacity = &yes
		storageChange(d, fwk.CSIDriver, altered, checks)
	}

	if d.volumes {
		d.otherStorage()
	}
}

// alteredCSINode draws how many volumes each driver takes on a node. A driver that has taken over an in-tree plugin
// counts the volumes of that as well.
func (d *hintDraw) alteredCSINode(n *storagev1.CSINode) *storagev1.CSINode {
	altered := n.DeepCopy()
	if d.oneIn(3) {
		altered.Annotations = map[string]string{corev1.MigratedPluginsAnnotationKey: "kubernetes.io/gce-pd"}
	}
	for i := range altered.Spec.Drivers {
		count := int32(d.IntN(4))
		altered.Spec.Drivers[i].Allocatable = pick(d.generator, nil, &storagev1.VolumeNodeResources{Count: &count})
	}
	return altered
}

// otherStorage draws changes of objects that no case has.
func (d *hintDraw) otherStorage() {
	size := func() *resource.Quantity {
		q := resource.MustParse(pick(d.generator, "1Gi", "2Gi"))
		return pick(d.generator, nil, &q)
	}
	small, large := &storagev1.CSIStorageCapacity{ObjectMeta: metav1.ObjectMeta{Name: "capacity"}}, &storagev1.CSIStorageCapacity{ObjectMeta: metav1.ObjectMeta{Name: "capacity"}}
	small.Capacity, small.MaximumVolumeSize, large.Capacity, large.MaximumVolumeSize = size(), size(), size(), size()
	storageChange(d, fwk.CSIStorageCapacity, small, large)

	attached := &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: "attachment"}}
	attached.Spec.Attacher = pick(d.generator, drivers...)
	storageChange(d, fwk.VolumeAttachment, attached, attached.DeepCopy())
}

// storageChange adds that an object comes, is updated, and goes.
func storageChange[T any](d *hintDraw, of fwk.EventResource, o, altered *T) {
	add := func(action fwk.ActionType, what string, old, new any) {
		c := hintChange{name: string(of) + " " + what, events: []fwk.ClusterEvent{{Resource: of, ActionType: action}}, old: old, object: new}
		c.ours = queue.ClusterEvent{Kind: queue.EventStorageChanged, Storage: d.hints.Storage(old, new)}
		d.list = append(d.list, c)
	}
	add(fwk.Add, "added", nil, o)
	add(fwk.Update, "updated", o, altered)
	add(fwk.Delete, "deleted", o, nil)
}
