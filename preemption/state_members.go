package preemption

import (
	"maps"

	"github.com/outrank-go/outrank"
)

// classMembers counts the pods of a class that run on each node, by slot. The
// snapshot that owns it may write it; any other snapshot copies it first.
type classMembers struct {
	owner *owner
	class *podClass
	nodes map[int32]int32
	// pods counts all pods of the class, pending ones included.
	pods int
}

// classOf returns the class of a pod, a new one if the snapshot has none.
func (s *Snapshot) classOf(p *outrank.Pod) *podClass { return s.classWith(p, s.covering) }

// covering lists the budgets that cover a pod.
func (s *Snapshot) covering(p *outrank.Pod) []int32 { return s.budgets.matcher.AppendCovering(nil, p) }

// classWith is classOf where the budgets that cover a pod are found in a way that
// suits many pods.
func (s *Snapshot) classWith(p *outrank.Pod, covering func(*outrank.Pod) []int32) *podClass {
	key := classKey(p, s.rules.VictimUnits)
	if m, ok := s.classes.get(string(key)); ok {
		return m.class
	}
	k := &podClass{
		key: string(key), namespace: p.NamespaceName(), labels: p.Labels,
		antiAffinity: termsOf(p, p.Affinity.AntiPods),
		terminating:  p.Terminating(), bit: bitOf(key),
		covering: covering(p),
	}
	if s.rules.VictimUnits {
		k.group = string(p.GroupKey())
	}
	return k
}

// newPodState prepares a pod that runs on node or, if that is empty, is
// nominated to nominated; both may be empty.
func (s *Snapshot) newPodState(p *outrank.Pod, node, nominated string, k *podClass) *podState {
	ps := &podState{pod: p, class: k, running: node != ""}
	if ps.running {
		ps.takes, ps.at = s.columns.running(p, s.of), s.refOf(node)
	} else {
		ps.takes, ps.at = s.columns.pending(p), s.refOf(nominated)
	}
	return ps
}

// refOf returns the reference to a node by its name, nil for an empty name.
func (s *Snapshot) refOf(name string) *nodeRef {
	if name == "" {
		return nil
	}
	if n := s.node(name); n != nil {
		return n.nodeRef
	}
	return &nodeRef{name}
}

// moved returns the pod on another node or with another nomination.
func (s *Snapshot) moved(p *podState, node, nominated string) *podState {
	return s.newPodState(p.pod, node, nominated, p.class)
}

// join counts a pod in its class. leave counts it out.
func (s *Snapshot) join(p *podState) {
	m := s.membersOf(p.class)
	if m.pods++; m.pods == 1 && len(p.class.antiAffinity) > 0 {
		s.antiAffinityClasses++
	}
	if p.running {
		slot, _ := s.slots.get(p.at.name)
		m.nodes[slot]++
	}
}

func (s *Snapshot) leave(p *podState) {
	m := s.membersOf(p.class)
	if p.running {
		slot, _ := s.slots.get(p.at.name)
		if m.nodes[slot]--; m.nodes[slot] == 0 {
			delete(m.nodes, slot)
		}
	}
	if m.pods--; m.pods == 0 {
		s.classes.remove(p.class.key)
		if len(p.class.antiAffinity) > 0 {
			s.antiAffinityClasses--
		}
	}
}

// membersOf returns the members of a class for writing.
func (s *Snapshot) membersOf(k *podClass) *classMembers {
	m, ok := s.classes.get(k.key)
	switch {
	case !ok:
		m = &classMembers{owner: s.owner, class: k, nodes: map[int32]int32{}}
	case m.owner != s.owner:
		m = &classMembers{owner: s.owner, class: k, nodes: maps.Clone(m.nodes), pods: m.pods}
	default:
		return m
	}
	s.classes.set(k.key, m)
	return m
}
