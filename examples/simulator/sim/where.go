package sim

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/resource"
)

// Place is the place of a pod.
type Place struct {
	Phase Phase
	// Pod is its latest version, nil for an unknown one.
	Pod *outrank.Pod
	// Lineage is the name that the pod shares with those that it replaces.
	Lineage string
	// Node is the node that the pod is on, or was on last; Nominated is the node on which room is being
	// made for it.
	Node, Nominated string
	// Pool is the part of the queue that the pod waits in: active, backoff, unschedulable,
	// gated, incomplete or pending.
	Pool string
	// Until is the time by which a terminating pod is gone.
	Until time.Duration
}

// Where returns the present place of the pod with this key. Time is that of
// listing the queue for a pod that waits.
func (s *Simulation) Where(key outrank.Key) Place {
	p := s.lives.pods[key]
	if p == nil {
		return Place{}
	}

	place := Place{Phase: p.phase, Pod: p.obj, Lineage: p.lineage.name, Node: p.obj.NodeName}
	switch p.phase {
	case Queued:
		place.Nominated = s.cluster.nominationOf(key)
		place.Pool = s.poolOf(key)
	case Terminating:
		place.Until = p.until
	}
	return place
}

// poolOf names the part of the queue that a pod waits in, empty for none.
func (s *Simulation) poolOf(key outrank.Key) string {
	pending := s.line.pending()
	for _, pool := range []struct {
		name    string
		entries []queue.Entry
	}{
		{"active", pending.Active}, {"backoff", pending.Backoff}, {"unschedulable", pending.Unschedulable},
		{"gated", pending.Gated}, {"incomplete", pending.Incomplete}, {"pending", pending.Waiting},
	} {
		if slices.ContainsFunc(podsOf(pool.entries), func(e queue.Entry) bool { return e.Pod.Key() == key }) {
			return pool.name
		}
	}
	return ""
}

// Lives lists the keys of all pods of a lineage so far, in the order in which
// they were made. The slice is the caller's.
func (s *Simulation) Lives(lineage string) []outrank.Key {
	l := s.lives.byLineage[lineage]
	if l == nil {
		return nil
	}
	keys := make([]outrank.Key, len(l.lives))
	for i, p := range l.lives {
		keys[i] = p.obj.Key()
	}
	return keys
}

// Snapshot returns the cluster as the schedulers see it now. It is only to be read,
// and another one may take its place with the next step.
func (s *Simulation) Snapshot() *engine.Snapshot { return s.cluster.snap }

// Pending lists the pods in the queue; it belongs to the caller.
func (s *Simulation) Pending() queue.Parts[[]queue.Entry] { return s.line.pending() }

// Waiting returns the number of pods in the queue, those of gangs one by one.
func (s *Simulation) Waiting() int { return s.line.inQueue }

// Budgets lists the budgets with their present allowances. They are only to be read.
func (s *Simulation) Budgets() []*outrank.PodDisruptionBudget {
	s.cluster.syncBudgets(s.Time())
	return slices.Clone(s.cluster.allowances())
}

// Resources lists the counted resources in the order of the levels of a sample:
// cpu, memory, and whatever else the nodes offered at the beginning but slots
// for pods, by name. The slice is the caller's.
func (s *Simulation) Resources() []resource.Name { return slices.Clone(s.meter.columns) }
