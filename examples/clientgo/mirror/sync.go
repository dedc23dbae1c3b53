package mirror

import (
	"errors"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
)

// PodInfo is what [Sync] reads of a pod in the framework's snapshot. The PodInfo of
// k8s.io/kube-scheduler/framework is one.
type PodInfo interface {
	GetPod() *corev1.Pod
}

// NodeInfo is what [Sync] reads of a node in the framework's snapshot, with pods of type P. The
// NodeInfo of k8s.io/kube-scheduler/framework is one.
type NodeInfo[P PodInfo] interface {
	// Node may be nil, because pods may be known before their node and after it.
	Node() *corev1.Node
	GetPods() []P
	// GetGeneration returns a different number whenever the node or its pods have changed.
	GetGeneration() int64
}

// Sync brings the mirror up to date with the framework's snapshot: the nodes and the pods on them, including
// assumed pods, and the pods nominated to each node. nominated may be nil. Only nodes whose NodeInfo or
// generation differs from the last call are examined, and of their pods only those that are different objects.
// A pod counts where the framework counts it: on the node that lists it, finished or not.
//
// Sync is a function and not a method, so that this module does not require the framework: the types of its arguments
// determine the version of the framework.
//
// The lists belong to the framework and are only read. Pods and nodes must not change afterwards, as in the
// framework. New nodes keep their order, and a known node keeps its place. The error names every object that
// was refused ([Mirror.Problems]), wraps [ErrSource], or wraps [outrank.ErrInvalid] for a nil info or one
// without a pod. All other objects are up to date then.
//
// The time is linear in the number of nodes, with some nanoseconds for each, plus the time of the changes. Any number of
// goroutines may call it concurrently; they wait for each other.
func Sync[P PodInfo, N NodeInfo[P]](m *Mirror, nodes []N, nominated func(node string) []P) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.told {
		return fmt.Errorf("%w: they were told one by one", ErrSource)
	}
	if m.frame == nil {
		m.frame = &frame{nodes: map[string]*seenNode{}, nominated: map[outrank.Key]nomination{}}
	}
	m.frame.round++

	// Pods leave before others arrive, because a pod that has moved to another node is in both lists.
	gone, come, errs := look[P](m, nodes)
	for _, p := range gone {
		errs = append(errs, m.leave(p.pod))
	}
	for _, p := range come {
		errs = append(errs, m.arrive(p.pod, p.node, ""))
	}

	pending := pendingOf(m.frame, nominated)
	errs = append(append(errs, pending.errs...), m.syncNominations(pending.pods)...)
	return errors.Join(errs...)
}

// look finds the differences from the last call. It adds new and changed nodes and removes missing ones. Pods
// that have come or gone are only listed.
func look[P PodInfo, N NodeInfo[P]](m *Mirror, nodes []N) (gone, come []placed, errs []error) {
	// If the number of nodes is the same, the order is updated in place, because most calls change only few of
	// them.
	f := m.frame
	before, resized := f.order, len(f.order) != len(nodes)
	if resized {
		f.order = make([]seenAt, len(nodes))
	}
	others := resized // whether the set of nodes may have changed
	for i, info := range nodes {
		if any(info) == nil {
			errs = append(errs, fmt.Errorf("nodes[%d]: %w: no info", i, outrank.ErrInvalid))
			others, f.order[i] = true, seenAt{}
			continue
		}

		if i < len(before) && before[i].unchanged(info) {
			if resized {
				f.order[i] = before[i]
			}
			continue
		}

		// A changed info may be about another node than the one at its place before, or about none.
		n := info.Node()
		s := f.at(before, i, n)
		others = others || i >= len(before) || before[i].node != s
		f.order[i] = seenAt{identity(info), info.GetGeneration(), s}
		if s == nil {
			continue
		}

		if n != s.node {
			s.node = n
			errs = append(errs, m.note(id{nodeKind, n.Name}, n, m.putNode(n)))
		}
		pods, wrong := podsOf(s.name, "pods", info.GetPods())
		errs = append(errs, wrong...)
		gone, come = s.compare(pods, gone, come)
	}

	if others {
		lost, wrong := m.forgetOthers()
		gone, errs = append(gone, lost...), append(errs, wrong...)
	}
	return gone, come, errs
}

// identity returns the info, or nil if infos of its type cannot be compared.
func identity(info generations) generations {
	if !reflect.ValueOf(info).Comparable() {
		return nil
	}
	return info
}

// podsOf returns the pods in one of a node's lists, in a new slice. Infos without a pod are errors.
func podsOf[P PodInfo](node, list string, infos []P) (pods []*corev1.Pod, errs []error) {
	pods = make([]*corev1.Pod, 0, len(infos))
	for i, info := range infos {
		var p *corev1.Pod
		if any(info) != nil {
			p = info.GetPod()
		}
		if p == nil {
			errs = append(errs, fmt.Errorf("node %s: %s[%d]: %w: no pod", node, list, i, outrank.ErrInvalid))
			continue
		}
		pods = append(pods, p)
	}
	return pods, errs
}

// pending has nominated pods, and errors about infos without a pod.
type pending struct {
	pods []placed
	errs []error
}

// pendingOf lists the pods that are nominated to the nodes of the last list, in the order of the nodes.
func pendingOf[P PodInfo](f *frame, nominated func(node string) []P) (out pending) {
	if nominated == nil {
		return out
	}
	for i := range f.order {
		s := f.order[i].node
		if s == nil {
			continue
		}
		if infos := nominated(s.name); len(infos) > 0 {
			addPending(&out, s.name, infos)
		}
	}
	return out
}

// addPending adds the pods that are nominated to one node.
func addPending[P PodInfo](out *pending, node string, infos []P) {
	pods, errs := podsOf(node, "nominated", infos)
	out.errs = append(out.errs, errs...)
	for _, p := range pods {
		out.pods = append(out.pods, placed{p, node})
	}
}
