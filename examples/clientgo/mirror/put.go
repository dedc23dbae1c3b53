package mirror

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

// ErrKind is wrapped by errors about an object of a kind that a mirror does not use.
var ErrKind = errors.New("no kind that a mirror has a use for")

// ErrSource is wrapped by errors about pods or nodes that come one by one to a mirror that takes them from the
// framework, or the other way round.
var ErrSource = errors.New("pods and nodes come from elsewhere")

// id identifies an object.
type id struct{ kind, name string }

func (a id) compare(b id) int {
	if c := strings.Compare(a.kind, b.kind); c != 0 {
		return c
	}
	return strings.Compare(a.name, b.name)
}

// Put adds an object, whether it is new, has changed, or is known already: a Pod, Node, PodDisruptionBudget,
// PriorityClass, Namespace, PersistentVolumeClaim, PersistentVolume, StorageClass, CSINode, CSIDriver,
// PodGroup, CompositePodGroup or Workload. The object must not change afterwards.
//
// A pod that has finished is removed. The other rules for pods are those of [engine.Snapshot.PutPod]. The error is
// an outrank.InputError for an object that makes no sense, which is then not in the mirror; or it wraps
// [ErrKind] or [ErrSource].
//
// For a pod, the time is linear in the number of pods on its node. A claim, volume or class takes that time for each
// pod that uses it, and a CSIDriver that nodes must have takes it for each node.
func (m *Mirror) Put(object any) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.put(object)
}

func (m *Mirror) put(object any) error {
	id, meta, err := m.identify(object)
	if err != nil {
		return err
	}
	known := m.last(id)
	if older(meta, known) {
		return nil
	}

	// A pod with another UID is another pod. The end of the known pod is told before the new one comes.
	if m.tell != nil && id.kind == podKind && another(meta, known) {
		_ = m.telling(id, func() error { return m.drop(id) })
	}
	return m.telling(id, func() error { return m.note(id, meta, m.putKnown(id, object)) })
}

// note records the latest version of an object, and its problem if there is one. A pod that was accepted is in
// the snapshot, and not recorded a second time.
func (m *Mirror) note(id id, meta metav1.Object, err error) error {
	delete(m.problems, id)
	if err != nil {
		m.problems[id] = err
	}
	if id.kind != podKind || err != nil {
		m.known[id] = meta
	} else {
		delete(m.known, id)
	}
	return err
}

// putKnown puts an object in place of the known one of the same name. If the object is refused, neither is
// known.
func (m *Mirror) putKnown(id id, object any) error {
	switch o := object.(type) {
	case *corev1.Pod:
		return m.putPod(o)
	case *corev1.Node:
		return m.putNode(o)
	case *policyv1.PodDisruptionBudget:
		return m.orDrop(id, converted(o, convert.Budget, m.snap.PutBudget))
	case *schedulingv1.PriorityClass:
		return m.orDrop(id, converted(o, convert.PriorityClass, func(pc *outrank.PriorityClass) error { m.classes[pc.Name] = pc; return nil }))
	case *corev1.Namespace:
		return m.orDrop(id, converted(o, convert.Namespace, m.snap.PutNamespace))
	case *corev1.PersistentVolumeClaim:
		return m.putClaim(id, o)
	case *corev1.PersistentVolume:
		return m.orDrop(id, converted(o, convert.Volume, func(v *outrank.Volume) error { return m.putVolume(o.Name, v) }))
	case *storagev1.StorageClass:
		return m.orDrop(id, converted(o, convert.StorageClass, func(c *convert.Class) error { return m.putClass(o.Name, c) }))
	case *storagev1.CSINode:
		return m.orDrop(id, converted(o, convert.CSINode, m.putDrivers))
	case *storagev1.CSIDriver:
		return m.orDrop(id, converted(o, convert.CSIDriver, m.putDriver))
	}
	return m.putGroupKind(id, object)
}

// converted converts an object and calls take with the result.
func converted[A, T any](o A, convert func(A) (T, error), take func(T) error) error {
	one, err := convert(o)
	if err != nil {
		return err
	}
	return take(one)
}

// orDrop drops the older version of an object that was refused with an error, and returns the error.
func (m *Mirror) orDrop(id id, refused error) error {
	if refused == nil {
		return nil
	}
	return errors.Join(refused, m.drop(id))
}

func (m *Mirror) putWorkload(w *outrank.Workload) error {
	m.workloads[w.Key()] = w
	return nil
}

// Delete forgets an object. An object whose UID differs from that of the known object with the same name was
// gone before, and is ignored. The error wraps [ErrKind] or [ErrSource].
func (m *Mirror) Delete(object any) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, meta, err := m.identify(object)
	if err != nil {
		return err
	}
	known := m.last(id)
	if another(meta, known) {
		return nil
	}
	delete(m.problems, id)
	delete(m.known, id)
	return m.telling(id, func() error { return m.drop(id) })
}

// drop removes an object from the snapshot and the indices. It is no error if the object is unknown.
func (m *Mirror) drop(id id) error {
	key := outrank.Key(id.name)
	var err error
	switch id.kind {
	case podKind:
		err = m.removePod(key)
	case nodeKind:
		delete(m.nodes, id.name)
		err = m.snap.RemoveNode(id.name)
	case budgetKind:
		err = m.snap.RemoveBudget(key)
	case priorityClassKind:
		delete(m.classes, id.name)
	case namespaceKind:
		err = m.snap.RemoveNamespace(id.name)

	case claimKind:
		err = m.removeClaim(key)
	case volumeKind:
		err = m.putVolume(id.name, nil)
	case storageClassKind:
		err = m.putClass(id.name, nil)
	case csiNodeKind:
		err = m.removeDrivers(id.name)
	case csiDriverKind:
		err = m.putDriver(&convert.Driver{Name: id.name})

	case groupKind:
		err = m.snap.RemoveGroup(key)
	case compositeKind:
		err = m.snap.RemoveComposite(key)
	case workloadKind:
		delete(m.workloads, key)
	}
	return ignoreMissing(err)
}

// The kinds, under the names that problems use.
const (
	podKind           = "pod"
	nodeKind          = "node"
	budgetKind        = "poddisruptionbudget"
	priorityClassKind = "priorityclass"
	namespaceKind     = "namespace"
	claimKind         = "persistentvolumeclaim"
	volumeKind        = "persistentvolume"
	storageClassKind  = "storageclass"
	csiNodeKind       = "csinode"
	csiDriverKind     = "csidriver"
	groupKind         = "podgroup"
	compositeKind     = "compositepodgroup"
	workloadKind      = "workload"
)

// identify returns the id of an object. The first pod or node determines from which source they have to come.
func (m *Mirror) identify(object any) (id, metav1.Object, error) {
	kind, namespaced := kindOf(object)
	if kind == "" {
		return id{}, nil, fmt.Errorf("%T: %w", object, ErrKind)
	}
	meta := object.(metav1.Object)
	if kind == podKind || kind == nodeKind {
		if m.frame != nil {
			return id{}, nil, fmt.Errorf("%s %s: %w: from the framework", kind, meta.GetName(), ErrSource)
		}
		m.told = true
	}
	if namespaced {
		return id{kind, string(outrank.NewKey(meta.GetNamespace(), meta.GetName()))}, meta, nil
	}
	return id{kind, meta.GetName()}, meta, nil
}

// kindOf returns the kind of an object. It is empty for a kind that is not used and for a nil object.
func kindOf(object any) (kind string, namespaced bool) {
	switch o := object.(type) {
	case *corev1.Pod:
		return unlessNil(o, podKind), true
	case *corev1.Node:
		return unlessNil(o, nodeKind), false
	case *policyv1.PodDisruptionBudget:
		return unlessNil(o, budgetKind), true
	case *schedulingv1.PriorityClass:
		return unlessNil(o, priorityClassKind), false
	case *corev1.Namespace:
		return unlessNil(o, namespaceKind), false
	case *corev1.PersistentVolumeClaim:
		return unlessNil(o, claimKind), true
	case *corev1.PersistentVolume:
		return unlessNil(o, volumeKind), false
	case *storagev1.StorageClass:
		return unlessNil(o, storageClassKind), false
	case *storagev1.CSINode:
		return unlessNil(o, csiNodeKind), false
	case *storagev1.CSIDriver:
		return unlessNil(o, csiDriverKind), false
	}
	return groupKindOf(object)
}

func unlessNil[T any](o *T, kind string) string {
	if o == nil {
		return ""
	}
	return kind
}

// last returns the latest version of an object, or nil if the object is unknown.
func (m *Mirror) last(id id) metav1.Object {
	if o := m.known[id]; o != nil || id.kind != podKind {
		return o
	}
	if p := m.apiPod(outrank.Key(id.name)); p != nil {
		return p
	}
	return nil
}

// another reports whether two objects of the same name have different UIDs. An object without a UID equals any
// other.
func another(a, b metav1.Object) bool {
	return b != nil && a.GetUID() != b.GetUID() && a.GetUID() != "" && b.GetUID() != ""
}

// older reports whether a version of an object is older than the known one, by their resource versions. It is
// false if these cannot be compared.
func older(version, known metav1.Object) bool {
	if known == nil || version.GetUID() != known.GetUID() || version.GetUID() == "" {
		return false
	}
	a, errA := strconv.ParseUint(version.GetResourceVersion(), 10, 64)
	b, errB := strconv.ParseUint(known.GetResourceVersion(), 10, 64)
	return errA == nil && errB == nil && a < b
}
