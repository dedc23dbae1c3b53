package state

import (
	"cmp"

	"github.com/outrank-go/outrank"
)

// ClassOf returns the class of a pod, a new one if the snapshot has none. A new class enters the snapshot
// when the first pod of it joins.
func (s *Snapshot) ClassOf(p *outrank.Pod) *PodClass { return s.classFor(p, s.covering) }

// covering lists the indexes of the budgets that cover a pod.
func (s *Snapshot) covering(p *outrank.Pod) []int32 {
	return s.BudgetSet.matcher.AppendCovering(nil, p)
}

// classFor is ClassOf with the function that finds the budgets of a new class. load passes one that is faster
// for many pods.
func (s *Snapshot) classFor(p *outrank.Pod, covering func(*outrank.Pod) []int32) *PodClass {
	key := classKey(p, s.Rules.VictimUnits)
	if m, ok := s.Classes.find(key); ok {
		return m.Class
	}

	k := &PodClass{
		Key: string(key), Namespace: p.NamespaceName(), Labels: p.Labels,
		antiAffinity: termsOf(p, p.Affinity.PodAntiAffinity),
		Terminating:  p.Terminating(), Hash: classHash(key),
		Covering: covering(p),
	}
	if s.Rules.VictimUnits {
		k.Group = string(p.GroupKey())
	}
	return k
}

// NewPodState returns the state of a pod that runs on node or, if that is empty, is nominated to nominated.
// Both may be empty. The state enters the snapshot with Put.
func (s *Snapshot) NewPodState(p *outrank.Pod, node, nominated string, k *PodClass) *PodState {
	return newPodState(p, k, s.taking(p, node != ""), s.refOf(cmp.Or(node, nominated)))
}

// RunningPod returns the state of a pod that will run on a node yet to be chosen.
func (s *Snapshot) RunningPod(p *outrank.Pod, k *PodClass) *PodState {
	return newPodState(p, k, s.taking(p, true), nil)
}

// newPodState returns a state with a Taking of its own, both in one allocation.
func newPodState(p *outrank.Pod, k *PodClass, takes Taking, at *nodeRef) *PodState {
	x := &struct {
		PodState
		Taking
	}{PodState{Pod: p, Class: k, At: at}, takes}
	x.PodState.Taking = &x.Taking
	return &x.PodState
}

// taking returns the amounts that a running pod takes of its node, or a pending one asks for.
func (s *Snapshot) taking(p *outrank.Pod, running bool) Taking {
	if running {
		return Taking{s.Columns.Running(p, s.Of), true}
	}
	return Taking{s.Columns.Pending(p), false}
}

// refOf returns the reference to a node by its name, nil for an empty name. If the node has a state, it is
// the state's own reference.
func (s *Snapshot) refOf(name string) *nodeRef {
	if name == "" {
		return nil
	}
	if n := s.NodeState(name); n != nil {
		return n.nodeRef
	}
	return &nodeRef{name}
}

// Moved returns the state of the pod on another node or with another nomination. It shares with p everything
// that stays the same.
func (s *Snapshot) Moved(p *PodState, node, nominated string) *PodState {
	running, at := node != "", p.At

	// A pod whose status reports requests may take other amounts on a node than it asks for while pending.
	if p.Running != running && reportsRequests(p.Pod) {
		return s.NewPodState(p.Pod, node, nominated, p.Class)
	}

	if to := cmp.Or(node, nominated); at == nil || at.Name != to {
		at = s.refOf(to)
	}
	if p.Running != running {
		return newPodState(p.Pod, p.Class, Taking{p.Takes, running}, at)
	}
	return &PodState{p.Pod, p.Class, p.Taking, at}
}

// join adds a pod to its class.
func (s *Snapshot) join(p *PodState) {
	m := s.membersOf(p.Class)
	m.Pods++
	if p.Running {
		slot, _ := s.Slots.Get(p.At.Name)
		m.start(slot, p.Priority())
	}
}

// leave removes a pod from its class, and with the last pod the class itself.
func (s *Snapshot) leave(p *PodState) {
	m := s.membersOf(p.Class)
	if p.Running {
		slot, _ := s.Slots.Get(p.At.Name)
		m.stop(slot)
	}

	if m.Pods--; m.Pods == 0 {
		s.Classes.remove(p.Class, s.Owner)
	}
}

// membersOf returns the members of a class for writing. If the class is new to the snapshot, it informs the
// filters' counts, so that they count its pods from then on.
func (s *Snapshot) membersOf(k *PodClass) *ClassMembers {
	m, isNew := s.Classes.writable(k, s.Owner)
	if isNew {
		s.Topology.Counts.joined(k)
	}
	return m
}
