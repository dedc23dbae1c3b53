package mirror

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// frame is what the framework's snapshot was at the last [Mirror.Sync].
type frame struct {
	round uint64
	nodes map[string]*seenNode
	order []*seenNode
	// nominated are the pending pods, by key.
	nominated map[outrank.Key]nomination
}

// seenNode is a node with the pods on it.
type seenNode struct {
	name       string
	generation int64
	round      uint64
	node       *corev1.Node
	pods       []*corev1.Pod
}

type nomination struct {
	pod   *corev1.Pod
	node  string
	round uint64
}

// placed is a pod that came to a node or is gone from it.
type placed struct {
	pod  *corev1.Pod
	node string
}

// Sync brings the mirror up to date with the framework's snapshot: the nodes and the
// pods on them, assumed ones included, and the pods nominated to each node, for which
// nominated may be nil. Only nodes of another generation than at the last call are
// looked at again, and of their pods those that are another object. Pods count as the
// framework counts them: on the node that they are listed under, finished or not.
//
// The lists are those of the framework and only read; pods and nodes must not change
// afterwards, as in the framework. The order of new nodes is kept, and a known node
// keeps its place. The error names every object that was refused ([Mirror.Problems]) or
// wraps [ErrSource]; all the others are in step.
//
// Time is linear in the number of nodes, some nanoseconds each, beside that of the
// changes.
func (m *Mirror) Sync(nodes []fwk.NodeInfo, nominated func(node string) []fwk.PodInfo) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.told {
		return fmt.Errorf("%w: they were told one by one", ErrSource)
	}
	if m.frame == nil {
		m.frame = &frame{nodes: map[string]*seenNode{}, nominated: map[outrank.Key]nomination{}}
	}
	f := m.frame
	f.round++
	gone, come, errs := m.look(nodes)
	for _, p := range gone {
		errs = append(errs, m.leave(p.pod))
	}
	errs = append(errs, m.syncNominations(nodes, nominated)...)
	for _, p := range come {
		errs = append(errs, m.arrive(p.pod, p.node, ""))
	}
	return errors.Join(errs...)
}

// look finds what differs from the last time. New and changed nodes are taken in and
// those that are no more are removed, while pods are only listed.
func (m *Mirror) look(nodes []fwk.NodeInfo) (gone, come []placed, errs []error) {
	f := m.frame
	order := make([]*seenNode, 0, len(nodes))
	for i, info := range nodes {
		n := info.Node()
		if n == nil {
			continue
		}
		s := f.at(i, n.Name)
		s.round = f.round
		order = append(order, s)
		if generation := info.GetGeneration(); generation != s.generation || s.node == nil {
			s.generation = generation
			if n != s.node {
				s.node = n
				at := id{nodeKind, n.Name}
				errs = append(errs, m.note(at, n, m.putNode(n)))
			}
			gone, come = s.compare(info.GetPods(), gone, come)
		}
	}
	if len(order) != len(f.nodes) {
		for name, s := range f.nodes {
			if s.round == f.round {
				continue
			}
			for _, p := range s.pods {
				gone = append(gone, placed{p, name})
			}
			delete(f.nodes, name)
			at := id{nodeKind, name}
			delete(m.problems, at)
			delete(m.known, at)
			errs = append(errs, m.drop(at))
		}
	}
	f.order = order
	return gone, come, errs
}

// at is what is known of a node, which is mostly at the same place of the list as
// before.
func (f *frame) at(i int, name string) *seenNode {
	if i < len(f.order) && f.order[i].name == name {
		return f.order[i]
	}
	s := f.nodes[name]
	if s == nil {
		s = &seenNode{name: name}
		f.nodes[name] = s
	}
	return s
}

// compare finds the pods that are gone from the node and that came to it, and keeps the
// list. A pod that is another object with the same content has not changed.
func (s *seenNode) compare(pods []fwk.PodInfo, gone, come []placed) (_, _ []placed) {
	before := make(map[*corev1.Pod]bool, len(s.pods))
	for _, p := range s.pods {
		before[p] = true
	}
	now, first := make([]*corev1.Pod, len(pods)), len(come)
	for i, info := range pods {
		now[i] = info.GetPod()
		if before[now[i]] {
			delete(before, now[i])
		} else {
			come = append(come, placed{now[i], s.name})
		}
	}
	for _, p := range s.pods {
		if !before[p] {
			continue
		}
		if i := slices.IndexFunc(come[first:], func(c placed) bool { return same(c.pod, p) }); i >= 0 {
			come = slices.Delete(come, first+i, first+i+1)
		} else {
			gone = append(gone, placed{p, s.name})
		}
	}
	s.pods = now
	return gone, come
}

// same reports whether two objects are one version of one pod in one place.
func same(a, b *corev1.Pod) bool {
	return a == b || a != nil && b != nil && a.UID == b.UID && a.UID != "" &&
		a.ResourceVersion == b.ResourceVersion && a.ResourceVersion != "" && a.Spec.NodeName == b.Spec.NodeName
}

// leave takes a pod out, if it is that pod that is known.
func (m *Mirror) leave(p *corev1.Pod) error {
	key := outrank.NewKey(p.Namespace, p.Name)
	known := m.apiPod(key)
	if r := m.refused[key]; r != nil {
		known, _ = r.Value.(*corev1.Pod)
	}
	if known == nil || !same(known, p) {
		return nil
	}
	delete(m.problems, id{podKind, string(key)})
	return ignoreMissing(m.removePod(key))
}

// arrive puts a pod on a node, or nominated to one, wherever it was before.
func (m *Mirror) arrive(p *corev1.Pod, node, nominated string) error {
	at := id{podKind, string(outrank.NewKey(p.Namespace, p.Name))}
	key := outrank.Key(at.name)
	one, err := m.convert(p)
	if err == nil {
		one.NodeName, one.NominatedNode, one.Phase = node, nominated, counted(one)
	}
	err = m.place(key, one, err, func(one *outrank.Pod) error {
		if err := m.snap.RemovePod(key); err != nil && !errors.Is(err, preemption.ErrNotFound) {
			return err
		}
		return m.snap.AddPod(one)
	})
	return m.note(at, p, err)
}

// counted is the phase of a pod that counts, whatever its own.
func counted(p *outrank.Pod) outrank.Phase {
	if p.Finished() {
		return ""
	}
	return p.Phase
}

// syncNominations brings the pending pods up to date.
func (m *Mirror) syncNominations(nodes []fwk.NodeInfo, nominated func(node string) []fwk.PodInfo) (errs []error) {
	f := m.frame
	if nominated != nil {
		for _, info := range nodes {
			if n := info.Node(); n != nil {
				for _, p := range nominated(n.Name) {
					errs = append(errs, m.nominate(p.GetPod(), n.Name))
				}
			}
		}
	}
	for key, was := range f.nominated {
		if was.round == f.round {
			continue
		}
		delete(f.nominated, key)
		if m.snap.NodeOf(key) == "" {
			delete(m.problems, id{podKind, string(key)})
			errs = append(errs, m.leave(was.pod))
		}
	}
	return errs
}

// nominate takes in that a pod is nominated to a node. A pod that is on a node is not
// pending, whatever is said of it.
func (m *Mirror) nominate(p *corev1.Pod, node string) error {
	f, key := m.frame, outrank.NewKey(p.Namespace, p.Name)
	if m.snap.NodeOf(key) != "" {
		return nil
	}
	was, known := f.nominated[key]
	f.nominated[key] = nomination{p, node, f.round}
	if known && was.node == node && same(was.pod, p) && (m.snap.NominationOf(key) == node || m.problems[id{podKind, string(key)}] != nil) {
		return nil
	}
	return m.arrive(p, "", node)
}
