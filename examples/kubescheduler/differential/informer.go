package differential

import (
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// still is an informer that is given its objects by method calls, and passes them on at once. It lists them in
// the order in which it was given them; the real one lists them in the order of a map.
type still struct {
	cache.SharedIndexInformer
	indexer  *ordered
	handlers []cache.ResourceEventHandler
	// heard, if set, is called after the handlers with what they were told.
	heard func(before, after any)
}

func newStill(example runtime.Object) *still {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	return &still{
		SharedIndexInformer: cache.NewSharedIndexInformer(&cache.ListWatch{}, example, 0, cache.Indexers{}),
		indexer:             &ordered{Indexer: indexer, place: map[string]int{}},
	}
}

// add passes a new object on.
func (s *still) add(o runtime.Object) error {
	if err := s.indexer.Add(o); err != nil {
		return err
	}
	for _, h := range s.handlers {
		h.OnAdd(o, false)
	}
	s.pass(nil, o)
	return nil
}

// set passes a new object, or a new version of one, on.
func (s *still) set(o runtime.Object) error {
	before, there, err := s.indexer.Get(o)
	if err != nil || !there {
		return errors.Join(err, s.add(o))
	}
	if err := s.indexer.Update(o); err != nil {
		return err
	}
	for _, h := range s.handlers {
		h.OnUpdate(before, o)
	}
	s.pass(before, o)
	return nil
}

// remove passes on that an object is gone.
func (s *still) remove(o runtime.Object) error {
	last, there, err := s.indexer.Get(o)
	if err != nil || !there {
		return err
	}
	if err := s.indexer.Delete(last); err != nil {
		return err
	}
	for _, h := range s.handlers {
		h.OnDelete(last)
	}
	s.pass(last, nil)
	return nil
}

func (s *still) pass(before, after any) {
	if s.heard != nil {
		s.heard(before, after)
	}
}

func (s *still) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	s.handlers = append(s.handlers, h)
	for _, o := range s.indexer.List() {
		h.OnAdd(o, true)
	}
	return synced{}, nil
}

func (s *still) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandler(h)
}

func (s *still) AddEventHandlerWithOptions(h cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandler(h)
}

func (s *still) AddIndexers(indexers cache.Indexers) error {
	for name := range s.indexer.GetIndexers() {
		delete(indexers, name)
	}
	return s.indexer.AddIndexers(indexers)
}

func (s *still) GetIndexer() cache.Indexer              { return s.indexer }
func (s *still) GetStore() cache.Store                  { return s.indexer }
func (s *still) HasSynced() bool                        { return true }
func (s *still) HasSyncedChecker() cache.DoneChecker    { return synced{} }
func (s *still) LastSyncResourceVersion() string        { return "1" }
func (s *still) SetTransform(cache.TransformFunc) error { return nil }

// synced is the registration of a handler, which is always in step.
type synced struct{}

var done = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (synced) HasSynced() bool                     { return true }
func (synced) HasSyncedChecker() cache.DoneChecker { return synced{} }
func (synced) Name() string                        { return "still" }
func (synced) Done() <-chan struct{}               { return done }

// ordered lists objects in the order in which they were added.
type ordered struct {
	cache.Indexer
	place map[string]int
}

func (i *ordered) Add(o any) error {
	if key := keyOf(o); i.place[key] == 0 {
		i.place[key] = len(i.place) + 1
	}
	return i.Indexer.Add(o)
}

func (i *ordered) List() []any {
	list := i.Indexer.List()
	slices.SortFunc(list, func(a, b any) int { return i.place[keyOf(a)] - i.place[keyOf(b)] })
	return list
}

func keyOf(o any) string {
	m, err := meta.Accessor(o)
	if err != nil {
		return ""
	}
	return m.GetNamespace() + "/" + m.GetName()
}

// stillInformers are the informers of a factory that the scheduler's code looks at.
type stillInformers struct {
	informers.SharedInformerFactory
	pods, nodes, namespaces, budgets, claims, volumes, classes, csiNodes, csiDrivers, groups *still
	deviceClaims, slices, deviceClasses, taintRules                                          *still
}

func newInformers(client kubernetes.Interface) *stillInformers {
	f := &stillInformers{SharedInformerFactory: informers.NewSharedInformerFactory(client, 0)}
	put := func(example runtime.Object) *still {
		s := newStill(example)
		f.InformerFor(example, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return s })
		return s
	}
	f.pods, f.nodes, f.namespaces = put(&corev1.Pod{}), put(&corev1.Node{}), put(&corev1.Namespace{})
	put(&schedulingv1.PriorityClass{})
	f.budgets = put(&policyv1.PodDisruptionBudget{})
	f.claims, f.volumes = put(&corev1.PersistentVolumeClaim{}), put(&corev1.PersistentVolume{})
	f.classes, f.csiNodes, f.csiDrivers = put(&storagev1.StorageClass{}), put(&storagev1.CSINode{}), put(&storagev1.CSIDriver{})
	if group, err := newGroup(); err == nil { // else the release has none
		f.groups = put(group)
	}
	f.deviceClaims, f.slices, f.deviceClasses = put(&resourcev1.ResourceClaim{}), put(&resourcev1.ResourceSlice{}), put(&resourcev1.DeviceClass{})
	if rule, err := newOf(resourcev1.SchemeGroupVersion.WithKind("DeviceTaintRule")); err == nil {
		f.taintRules = put(rule)
	}
	return f
}

// fill passes on all objects of a case except pods and groups.
func (f *stillInformers) fill(c *Case) error {
	for _, err := range []error{
		addAll(f.namespaces, c.Namespaces), addAll(f.classes, c.StorageClasses), addAll(f.csiDrivers, c.CSIDrivers),
		addAll(f.csiNodes, c.CSINodes), addAll(f.volumes, c.Volumes), addAll(f.claims, c.Claims),
		addAll(f.budgets, c.Budgets), addAll(f.nodes, c.Nodes),
		addAll(f.deviceClasses, c.Devices.Classes), addAll(f.slices, c.Devices.Slices), addAll(f.deviceClaims, c.Devices.Claims),
		addAll(f.taintRules, c.Devices.TaintRules),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

func addAll[T runtime.Object](s *still, objects []T) error {
	for _, o := range objects {
		if err := s.add(o); err != nil {
			return err
		}
	}
	return nil
}
