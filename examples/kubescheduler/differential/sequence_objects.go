package differential

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// replaced puts a new version in place of the object at a position of a list, passes it on and returns the new
// list. At a position below 0 the object is new. The list itself is not changed: cases that were made of the
// world keep it.
func replaced[T Object](s *sequenceRun, where *still, list []T, at int, o T) ([]T, error) {
	o.SetResourceVersion(s.next())
	list = slices.Clone(list)
	if at < 0 {
		list = append(list, o)
	} else {
		list[at] = o
	}
	return list, where.set(o)
}

// removed takes an object off a list and passes on that it is gone.
func removed[T Object](where *still, list []T, at int) ([]T, error) {
	return slices.Delete(slices.Clone(list), at, at+1), where.remove(list[at])
}

// changeNode changes a property of a node.
func (s *sequenceRun) changeNode() (err error) {
	if len(s.objects.Nodes) == 0 {
		return nil
	}
	at := s.IntN(len(s.objects.Nodes))
	n := s.objects.Nodes[at].DeepCopy()
	s.alter(n)
	s.note("other node", "%s", n.Name)
	s.objects.Nodes, err = replaced(s, s.told.nodes, s.objects.Nodes, at, n)
	return err
}

// alter draws another value for one of the properties of a node: whether it is schedulable, its taints, its zone,
// its rack or, most often, its CPU.
func (s *sequenceRun) alter(n *corev1.Node) {
	switch s.IntN(6) {
	case 0:
		// The node controller puts this taint on a cordoned node, and no other is left beside it.
		n.Spec.Unschedulable, n.Spec.Taints = !n.Spec.Unschedulable, nil
		if n.Spec.Unschedulable {
			n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}
		}

	case 1:
		n.Spec.Taints = nil
		if s.oneIn(2) {
			n.Spec.Taints = append(n.Spec.Taints, s.taint())
		}

	case 2:
		// Without the label the node is in no domain of spreads and affinity by zone.
		n.Labels[corev1.LabelTopologyZone] = fmt.Sprintf("z%d", s.IntN(3))
		if s.oneIn(3) {
			delete(n.Labels, corev1.LabelTopologyZone)
		}

	case 3:
		n.Labels["rack"] = pick(s.generator, "r1", "r2")

	default:
		// A node that shrinks may hold more than it offers, as one does whose kubelet reserves more.
		cpu := n.Status.Allocatable[corev1.ResourceCPU]
		cpu.Add(*resource.NewMilliQuantity(int64(pick(s.generator, -500, -200, 200, 500)), resource.DecimalSI))
		if cpu.Sign() < 0 {
			cpu = resource.MustParse("0")
		}
		n.Status.Allocatable[corev1.ResourceCPU] = cpu
		n.Status.Capacity = n.Status.Allocatable
	}
}

// replaceNode removes a node, or adds one. The pods of a node that is removed stay for now.
func (s *sequenceRun) replaceNode() (err error) {
	if s.oneIn(2) && len(s.objects.Nodes) > 1 {
		at := s.IntN(len(s.objects.Nodes))
		s.note("end of a node", "%s", s.objects.Nodes[at].Name)
		s.miscount(s.objects.Nodes[at].Name)
		s.objects.Nodes, err = removed(s.told.nodes, s.objects.Nodes, at)
		return err
	}
	for i := range 8 {
		name := fmt.Sprintf("n%d", i)
		if !slices.ContainsFunc(s.objects.Nodes, func(n *corev1.Node) bool { return n.Name == name }) {
			return s.newNode(i)
		}
	}
	return nil
}

// newNode adds a node with pods. Some of the pods become known before the node.
func (s *sequenceRun) newNode(i int) (err error) {
	// The generator appends to the objects. What it has made is taken off again, because the informers are told
	// of each object by itself.
	nodes, csi := s.objects.Nodes, s.objects.CSINodes
	s.generator.node(i)
	n, pods := s.objects.Nodes[len(nodes)], s.objects.Pods
	attached := s.objects.CSINodes[len(csi):]
	s.objects.Nodes, s.objects.Pods = nodes, nil
	s.objects.CSINodes = csi

	// A node of that name may have left its CSINode behind.
	for _, o := range attached {
		at := slices.IndexFunc(csi, func(c *storagev1.CSINode) bool { return c.Name == o.Name })
		if s.objects.CSINodes, err = replaced(s, s.told.csiNodes, csi, at, o); err != nil {
			return err
		}
	}

	// The node comes after the first early pods.
	s.note("new node", "%s with %d pods", n.Name, len(pods))
	early := s.between(0, len(pods))
	for at, p := range pods {
		if at == early {
			if s.objects.Nodes, err = replaced(s, s.told.nodes, nodes, -1, n); err != nil {
				return err
			}
		}

		s.begun(p)
		s.join(p)
		if err := s.put(p); err != nil {
			return err
		}
	}
	if early == len(pods) {
		s.objects.Nodes, err = replaced(s, s.told.nodes, nodes, -1, n)
	}
	return err
}

// changeBudget removes a disruption budget, changes one or adds one.
func (s *sequenceRun) changeBudget() (err error) {
	if !s.features.budgets {
		return nil
	}
	list := s.objects.Budgets
	switch {
	case len(list) > 0 && s.oneIn(3):
		at := s.IntN(len(list))
		s.note("end of a budget", "%s", list[at].Name)
		s.objects.Budgets, err = removed(s.told.budgets, list, at)

	case len(list) > 0 && s.oneIn(2):
		at := s.IntN(len(list))
		b := list[at].DeepCopy()
		b.Status.DisruptionsAllowed = pick(s.generator, int32(0), 0, 1, 2)
		if s.oneIn(3) {
			b.Spec.Selector = s.selector()
		}
		s.note("other budget", "%s", b.Name)
		s.objects.Budgets, err = replaced(s, s.told.budgets, list, at, b)

	default:
		name := "budget-" + s.next()
		b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: pick(s.generator, "default", "default", "red", "blue"), UID: uid(name)}}
		b.Spec.Selector, b.Status.DisruptionsAllowed = s.selector(), pick(s.generator, int32(0), 0, 1, 1, 2)
		s.note("new budget", "%s", name)
		s.objects.Budgets, err = replaced(s, s.told.budgets, list, -1, b)
	}
	return err
}

// changeNamespace removes a namespace, changes its labels or adds it.
func (s *sequenceRun) changeNamespace() (err error) {
	list, name := s.objects.Namespaces, pick(s.generator, "red", "blue")
	at := slices.IndexFunc(list, func(n *corev1.Namespace) bool { return n.Name == name })
	if at >= 0 && s.oneIn(3) {
		s.note("end of a namespace", "%s", name)
		s.objects.Namespaces, err = removed(s.told.namespaces, list, at)
		return err
	}
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}}}
	if s.oneIn(2) {
		n.Labels["team"] = pick(s.generator, "red", "blue")
	}
	s.note("other namespace", "%s %v", name, n.Labels)
	s.objects.Namespaces, err = replaced(s, s.told.namespaces, list, at, n)
	return err
}

// changeStorage changes an object that says where volumes can be used: a CSINode, a claim, a volume or a
// CSIDriver.
func (s *sequenceRun) changeStorage() (err error) {
	if !s.volumes {
		return nil
	}
	if s.oneIn(3) {
		return s.changeClaims()
	}

	kind := s.IntN(4)
	n := []int{len(s.objects.CSINodes), len(s.objects.Claims), len(s.objects.Volumes), len(s.objects.CSIDrivers)}[kind]
	if n == 0 {
		return nil
	}
	at := s.IntN(n)
	switch kind {
	case 0:
		return s.changeCSINode(at)

	case 1:
		o := s.objects.Claims[at].DeepCopy()
		o.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{pick(s.generator, corev1.ReadWriteOnce, corev1.ReadWriteOncePod)}
		s.note("other claim", "%s", o.Name)
		s.objects.Claims, err = replaced(s, s.told.claims, s.objects.Claims, at, o)

	case 2:
		o := s.objects.Volumes[at].DeepCopy()
		if o.Spec.CSI == nil {
			return nil // outrank does not follow the zone labels of in-tree volumes (rule 7.10.9)
		}
		o.Labels[corev1.LabelTopologyZone] = fmt.Sprintf("z%d", s.IntN(3))
		s.note("other volume", "%s", o.Name)
		s.objects.Volumes, err = replaced(s, s.told.volumes, s.objects.Volumes, at, o)

	default:
		s.note("end of a CSIDriver", "%s", s.objects.CSIDrivers[at].Name)
		s.objects.CSIDrivers, err = removed(s.told.csiDrivers, s.objects.CSIDrivers, at)
	}
	return err
}

// changeCSINode removes a CSINode or changes how many volumes its drivers take. The last one stays: a dump
// without any says nothing of drivers.
func (s *sequenceRun) changeCSINode(at int) (err error) {
	o := s.objects.CSINodes[at].DeepCopy()
	if s.oneIn(3) && len(s.objects.CSINodes) > 1 {
		s.note("end of a CSINode", "%s", o.Name)
		s.objects.CSINodes, err = removed(s.told.csiNodes, s.objects.CSINodes, at)
		return err
	}

	for i := range o.Spec.Drivers {
		o.Spec.Drivers[i].Allocatable = &storagev1.VolumeNodeResources{Count: new(int32)}
		*o.Spec.Drivers[i].Allocatable.Count = int32(s.IntN(4))
	}
	s.note("other CSINode", "%s", o.Name)
	s.objects.CSINodes, err = replaced(s, s.told.csiNodes, s.objects.CSINodes, at, o)
	return err
}

// changeClaims marks a claim that pods use as being deleted, removes it, or adds a removed one again, with the
// same name and perhaps another UID.
func (s *sequenceRun) changeClaims() (err error) {
	list := s.objects.Claims
	switch {
	case len(s.lost) > 0 && s.oneIn(2):
		at := s.IntN(len(s.lost))
		o := s.lost[at].DeepCopy()
		s.lost = slices.Delete(s.lost, at, at+1)
		o.DeletionTimestamp = nil
		if s.oneIn(2) {
			o.UID = uid(o.Namespace + o.Name + "-" + s.next())
		}
		s.note("claim again", "%s/%s", o.Namespace, o.Name)
		s.objects.Claims, err = replaced(s, s.told.claims, list, -1, o)

	case len(list) > 0 && s.oneIn(3):
		at := s.IntN(len(list))
		o := list[at].DeepCopy()
		o.DeletionTimestamp = &metav1.Time{Time: start}
		s.note("deletion of a claim", "%s/%s", o.Namespace, o.Name)
		s.objects.Claims, err = replaced(s, s.told.claims, list, at, o)

	case len(list) > 0:
		at := s.IntN(len(list))
		s.lost = append(s.lost, list[at])
		s.note("end of a claim", "%s/%s", list[at].Namespace, list[at].Name)
		s.objects.Claims, err = removed(s.told.claims, list, at)
	}
	return err
}
