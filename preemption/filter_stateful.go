package preemption

import (
	"fmt"
	"reflect"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
)

// SelectiveFilter is a [Filter] that says which pods have a part in its answers. A
// decision then calls Remove and Add for no others, and asks only about nodes that can
// still be the best. In return [Plan.Unhelpful] is empty where there are victims,
// because no status is found on the other nodes.
type SelectiveFilter interface {
	Filter
	// Concerns reports whether a pod that runs on a node or is nominated to one can
	// have a part in what the filter says of that node or any other. If not, every
	// answer is the same whether the pod is there or not. It always returns the same
	// for the same pod, and whichever pod looks for a place. Several goroutines may
	// call it at once.
	Concerns(pod *outrank.Pod) bool
}

// StatefulFilter is a [SelectiveFilter] whose knowledge of the cluster a snapshot can
// keep ([Snapshot.Attach]). Its Start asks [Snapshot.StateOf] for it, and returns a
// [FilterState] that looks the cluster up there and has changes of its own: what was
// removed and added since, mostly on one node. It must not change the cluster's.
type StatefulFilter interface {
	SelectiveFilter
	// NewState returns the state of a cluster without pods.
	NewState() ClusterState
}

// Attach makes the snapshot keep the state of a filter. It adds all pods that run on
// nodes of the cluster and concern the filter, and from then on tells the state of
// every change of one of them, of its node, of [Snapshot.Undo], and in clones that are
// made later. So a decision begins with what there is, instead of counting the cluster
// anew; it also finds the pods of a node that concern the filter without asking about
// the others. Attach itself is no change that Undo takes back.
//
// The attached filter is the one that an [Evaluator] is configured with if the two are
// of one type, have one name, and are equal where Go can compare them.
//
// Errors: [ErrExists] if a filter of that name is attached, [outrank.ErrInvalid] for
// no filter, no name or no state. Attaching counts as a change. Time is that of asking
// about all pods.
func (s *Snapshot) Attach(f StatefulFilter) error {
	s.begin()
	if f == nil || f.Name() == "" {
		return fmt.Errorf("%w: attached filter without a name", outrank.ErrInvalid)
	}
	for i := range s.attachments {
		if s.attachments[i].filter.(StatefulFilter).Name() == f.Name() {
			return fmt.Errorf("filter %s: %w: it is attached", f.Name(), decision.ErrExists)
		}
	}
	state := f.NewState()
	if state == nil {
		return fmt.Errorf("filter %s: %w: its state is nil", f.Name(), outrank.ErrInvalid)
	}
	// The filter is called first: where it panics, nothing is attached.
	concerned := map[string][]*podState{}
	for _, n := range s.nodes {
		if n == nil {
			continue
		}
		for _, p := range n.pods {
			if !f.Concerns(p.pod) {
				continue
			}
			concerned[n.name] = append(concerned[n.name], p)
			if n.node != nil {
				state.Add(p.pod, n.node)
			}
		}
	}
	at := len(s.attachments)
	s.attachments = append(s.attachments, attachedFilter{f, f.Concerns, state, s.owner})
	for name, pods := range concerned {
		n := s.writable(name)
		for _, p := range pods {
			n.list(p, at, 1)
		}
	}
	return nil
}

// StateOf returns what a filter knows of the cluster, for the filter's own Start: the
// state that the snapshot keeps, or a new one, which takes the time of asking about
// every pod, if the filter is not attached. It is only to be read, and it is valid as
// long as the snapshot does not change. Any number of goroutines may call it at once.
// It is nil for no filter.
func (s *Snapshot) StateOf(f StatefulFilter) ClusterState {
	if f == nil {
		return nil
	}
	if i := s.attachmentOf(f); i >= 0 {
		return s.attachments[i].state
	}
	state := f.NewState()
	if state == nil {
		return nil
	}
	for _, slot := range s.order {
		n := s.nodes[slot]
		for _, p := range n.pods {
			if f.Concerns(p.pod) {
				state.Add(p.pod, n.node)
			}
		}
	}
	return state
}

// attachmentOf returns the index of a filter that is attached, -1 for any other.
func (s *Snapshot) attachmentOf(f Filter) int {
	for i := range s.attachments {
		if sameFilter(s.attachments[i].filter, f) {
			return i
		}
	}
	return -1
}

// sameFilter reports whether two filters are the same, as far as that can be seen.
func sameFilter(a any, f Filter) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(f) || a.(Filter).Name() != f.Name() {
		return false
	}
	return !reflect.ValueOf(a).Comparable() || a == any(f)
}
