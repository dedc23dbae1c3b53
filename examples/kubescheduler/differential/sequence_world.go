package differential

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// world is the state of the API, and of the informers.
type world struct {
	told    *stillInformers
	objects Case // without pods
	// all are the pods by their keys, order lists the keys in the order in which the pods came.
	all   map[string]*corev1.Pod
	order []string
	// version is the last resource version, begins the number of start times that were given to pods.
	version, begins int
	// shared are the nodes on which two pods have held a host port at once. The scheduler's memory does not
	// recover from that (rule 7.6.8).
	shared map[string]bool
	// miscounted are the claims, by namespace and name, of pods whose nodes have gone. The scheduler's count of
	// such a claim may be off (rule 7.8.8).
	miscounted map[string]bool
	// lost are claims that have gone and may come again.
	lost []*corev1.PersistentVolumeClaim
	// together are the groups, by namespace and name, whose pods leave together.
	together map[string]bool
	// priorityOf has the priorities of the groups that have one, by UID.
	priorityOf map[types.UID]int32
}

func newWorld(client kubernetes.Interface) *world {
	return &world{told: newInformers(client), all: map[string]*corev1.Pod{}, shared: map[string]bool{}, miscounted: map[string]bool{}, together: map[string]bool{}, priorityOf: map[types.UID]int32{}}
}

// known lists the pods in the order in which they came.
func (w *world) known() []*corev1.Pod {
	list := make([]*corev1.Pod, len(w.order))
	for i, key := range w.order {
		list[i] = w.all[key]
	}
	return list
}

// next returns the next resource version.
func (w *world) next() string {
	w.version++
	return fmt.Sprint(w.version)
}

// put passes on a new pod or a new version of one.
func (w *world) put(p *corev1.Pod) error {
	p.ResourceVersion = w.next()
	key := podKey(p)
	if w.all[key] == nil {
		w.order = append(w.order, key)
	}
	w.all[key] = p
	w.notePorts(p)
	return w.told.pods.set(p)
}

// gone passes on that a pod has ended.
func (w *world) gone(p *corev1.Pod) error {
	key := podKey(p)
	delete(w.all, key)
	w.order = slices.DeleteFunc(w.order, func(o string) bool { return o == key })
	return w.told.pods.remove(p)
}

// gone passes on that a pod has ended. The clerks forget its deletion: a later pod may have its name, and be told
// to go.
func (s *sequenceRun) gone(p *corev1.Pod) error {
	s.rival.clerk.forget(podKey(p))
	s.scheduler.forget(podKey(p))
	return s.world.gone(p)
}

// notePorts records the node of a pod if another pod there has one of its host ports.
func (w *world) notePorts(p *corev1.Pod) {
	ports := hostPorts(p)
	if len(ports) == 0 || p.Spec.NodeName == "" {
		return
	}
	for _, other := range w.all {
		if other.Spec.NodeName == p.Spec.NodeName && podKey(other) != podKey(p) && slices.ContainsFunc(hostPorts(other), func(port int32) bool { return slices.Contains(ports, port) }) {
			w.shared[p.Spec.NodeName] = true
		}
	}
}

// miscount records the claims of the pods on a node that is removed.
func (w *world) miscount(node string) {
	for _, p := range w.all {
		if p.Spec.NodeName != node {
			continue
		}
		for _, claim := range claimsOf(p) {
			w.miscounted[p.Namespace+"/"+claim] = true
		}
	}
}

func hostPorts(p *corev1.Pod) []int32 {
	var list []int32
	for _, containers := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for i := range containers {
			for _, port := range containers[i].Ports {
				if port.HostPort > 0 {
					list = append(list, port.HostPort)
				}
			}
		}
	}
	return list
}

// fill adds the generated objects and passes them on.
func (s *sequenceRun) fill(g *generator) error {
	pods := append(g.c.Pods, g.c.Preemptor)
	s.objects = *g.c
	s.objects.Pods, s.objects.Preemptor = nil, nil
	g.c = &s.objects
	if err := s.told.fill(&s.objects); err != nil {
		return err
	}
	for _, p := range pods {
		if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			continue // the scheduler's informer leaves them out
		}
		if isRunning(p) {
			s.begun(p)
			s.join(p)
		}
		if err := s.put(p); err != nil {
			return err
		}
	}
	return nil
}
