package mirror

import (
	"errors"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// frame is the state of the framework's snapshot at the last [Sync].
type frame struct {
	round uint64
	nodes map[string]*seenNode
	// order is the list of nodes of the last call. Most of its places are unchanged at the next call, which is
	// cheap to check.
	order []seenAt
	// nominated has the pending pods that are nominated, by key.
	nominated map[outrank.Key]nomination
}

// seenAt is one place in the framework's list of nodes.
type seenAt struct {
	// info is nil if it cannot be compared, in which case the node is examined at every call.
	info       generations
	generation int64
	node       *seenNode
}

// generations is the part of a [NodeInfo] that does not depend on the types of the framework.
type generations interface{ GetGeneration() int64 }

// unchanged reports whether the same info was at this place before, with the same generation. info must not be
// nil.
func (s *seenAt) unchanged(info any) bool {
	return any(s.info) == info && s.info.GetGeneration() == s.generation
}

// seenNode is a node with the pods that were on it.
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

// placed is a pod that has come to a node or left it.
type placed struct {
	pod  *corev1.Pod
	node string
}

// at returns the known state of a node, or nil for a nil node. Mostly the node is at the same place of the list
// as before, which saves a look-up.
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

// forgetOthers removes the nodes that are no longer in the list, and returns their pods.
func (m *Mirror) forgetOthers() (gone []placed, errs []error) {
	f := m.frame
	for _, at := range f.order {
		if at.node != nil {
			at.node.round = f.round
		}
	}

	// A node without the present round is nowhere in the list. Sorting makes the order of the errors
	// deterministic.
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

// compare appends to gone and come the pods that have left the node and come to it, and keeps the list. A
// different object of the same version of a pod is no change.
func (s *seenNode) compare(now []*corev1.Pod, gone, come []placed) (_, _ []placed) {
	before := make(map[*corev1.Pod]bool, len(s.pods))
	for _, p := range s.pods {
		before[p] = true
	}

	// In the end, before has only the objects that are no longer listed.
	first := len(come)
	for _, p := range now {
		if before[p] {
			delete(before, p)
		} else {
			come = append(come, placed{p, s.name})
		}
	}

	// If another object of the same version replaces one that is no longer listed, neither counts.
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

// same reports whether two objects are the same version of the same pod on the same node.
func same(a, b *corev1.Pod) bool {
	return a == b || a != nil && b != nil && a.UID == b.UID && a.UID != "" &&
		a.ResourceVersion == b.ResourceVersion && a.ResourceVersion != "" && a.Spec.NodeName == b.Spec.NodeName
}

// leave removes a pod, if it is the version that the mirror knows.
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

// arrive puts a pod on a node, or nominates it to one, wherever it was before. A nomination counts as long as
// the scheduler's nominator has it, even if the pod is being deleted and has not been removed from the queue
// yet (rule 7.16.6).
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
		return m.take(one)
	})
	return m.note(at, p, err)
}

// counted returns a phase that makes the pod count, even if it has finished.
func counted(p *outrank.Pod) outrank.Phase {
	if p.Finished() {
		return ""
	}
	return p.Phase
}

// syncNominations updates the pending pods.
func (m *Mirror) syncNominations(pending []placed) (errs []error) {
	f := m.frame
	for _, p := range pending {
		errs = append(errs, m.nominate(p.pod, p.node))
	}
	for _, key := range slices.Sorted(maps.Keys(f.nominated)) {
		was := f.nominated[key]
		if was.round == f.round {
			continue
		}
		delete(f.nominated, key)
		if m.snap.NodeOf(key) == "" { // a pod that was bound is a new object by now
			errs = append(errs, m.leave(was.pod))
		}
	}
	return errs
}

// nominate records that a pod is nominated to a node. A pod on a node is not pending, even if it is nominated.
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
