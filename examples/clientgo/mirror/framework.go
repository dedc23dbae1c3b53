package mirror

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// frame is the framework's snapshot at the last [Mirror.Sync].
type frame struct {
	round uint64
	nodes map[string]*seenNode
	// order is the list of the last time, for the fast way: most of it is the same.
	order []seenAt
	// nominated are the pending pods, by key.
	nominated map[outrank.Key]nomination
}

// seenAt is a place in the framework's list.
type seenAt struct {
	info       fwk.NodeInfo
	generation int64
	node       *seenNode
}

// seenNode is a node with the pods on it.
type seenNode struct {
	name  string
	round uint64
	node  *corev1.Node
	pods  []*corev1.Pod
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
	for _, p := range come {
		errs = append(errs, m.arrive(p.pod, p.node, ""))
	}
	errs = append(errs, m.syncNominations(nominated)...)
	return errors.Join(errs...)
}

// look finds the differences from the last time. New and changed nodes are added
// and missing ones are removed, while pods are only listed.
func (m *Mirror) look(nodes []fwk.NodeInfo) (gone, come []placed, errs []error) {
	f := m.frame
	before := f.order
	if len(before) != len(nodes) {
		f.order = make([]seenAt, len(nodes))
	}
	others := len(before) != len(nodes) // whether there are other nodes than before
	for i, info := range nodes {
		generation := info.GetGeneration()
		if i < len(before) && before[i].info == info && before[i].generation == generation {
			f.order[i] = before[i]
			continue
		}
		s := f.at(before, i, info.Node())
		others = others || i >= len(before) || before[i].node != s
		f.order[i] = seenAt{info, generation, s}
		if s == nil {
			continue
		}
		if n := info.Node(); n != s.node {
			s.node = n
			errs = append(errs, m.note(id{nodeKind, n.Name}, n, m.putNode(n)))
		}
		gone, come = s.compare(info.GetPods(), gone, come)
	}
	if others {
		lost, wrong := m.forgetOthers()
		gone, errs = append(gone, lost...), append(errs, wrong...)
	}
	return gone, come, errs
}

// at is the known state of a node, which is mostly at the same place of the list
// as before; nil for no node.
func (f *frame) at(before []seenAt, i int, n *corev1.Node) *seenNode {
	if n == nil {
		return nil
	}
	if i < len(before) && before[i].node != nil && before[i].node.name == n.Name {
		return before[i].node
	}
	s := f.nodes[n.Name]
	if s == nil {
		s = &seenNode{name: n.Name}
		f.nodes[n.Name] = s
	}
	return s
}

// forgetOthers removes the nodes that are not on the list any more, and lists their
// pods.
func (m *Mirror) forgetOthers() (gone []placed, errs []error) {
	f := m.frame
	for _, at := range f.order {
		if at.node != nil {
			at.node.round = f.round
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.nodes)) {
		s := f.nodes[name]
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
	return gone, errs
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

// leave removes a pod, if it is that pod that is known.
func (m *Mirror) leave(p *corev1.Pod) error {
	at := id{podKind, string(outrank.NewKey(p.Namespace, p.Name))}
	known, _ := m.last(at).(*corev1.Pod)
	if known == nil || !same(known, p) {
		return nil
	}
	delete(m.problems, at)
	delete(m.known, at)
	return m.drop(at)
}

// arrive puts a pod on a node, or nominated to one, wherever it was before. A nomination
// counts for as long as the scheduler's nominator has it, also that of a pod which is being
// deleted and has not been taken out of the queue yet (rule 7.16.6).
func (m *Mirror) arrive(p *corev1.Pod, node, nominated string) error {
	at := id{podKind, string(outrank.NewKey(p.Namespace, p.Name))}
	key := outrank.Key(at.name)
	one, err := m.convert(p)
	if err == nil {
		one.NodeName, one.NominatedNodeName, one.Phase = node, nominated, counted(one)
		if node == "" {
			one.DeletionTimestamp = time.Time{}
		}
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
func (m *Mirror) syncNominations(nominated func(node string) []fwk.PodInfo) (errs []error) {
	f := m.frame
	for i := range f.order {
		s := f.order[i].node
		if s == nil || nominated == nil {
			continue
		}
		for _, p := range nominated(s.name) {
			errs = append(errs, m.nominate(p.GetPod(), s.name))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.nominated)) {
		was := f.nominated[key]
		if was.round == f.round {
			continue
		}
		delete(f.nominated, key)
		if m.snap.NodeOf(key) == "" { // one that is bound is another object
			errs = append(errs, m.leave(was.pod))
		}
	}
	return errs
}

// nominate records that a pod is nominated to a node. A pod that is on a node is
// not pending, even if it is nominated.
func (m *Mirror) nominate(p *corev1.Pod, node string) error {
	f, key := m.frame, outrank.NewKey(p.Namespace, p.Name)
	at := id{podKind, string(key)}
	refused, _ := m.known[at].(*corev1.Pod)
	if m.snap.NodeOf(key) != "" || refused != nil && refused.Spec.NodeName != "" {
		return nil
	}
	was, known := f.nominated[key]
	f.nominated[key] = nomination{p, node, f.round}
	if known && was.node == node && same(was.pod, p) && (m.snap.NominationOf(key) == node || refused != nil) {
		return nil
	}
	return m.arrive(p, "", node)
}
