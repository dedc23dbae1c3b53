package sim

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/resource"
)

// Place says where a pod is in a run.
type Place struct {
	Phase Phase
	// Pod is the latest version of the pod, or nil for an unknown one.
	Pod *outrank.Pod
	// Lineage is the name that the pod shares with the pods that it replaces and that replace it.
	Lineage string
	// Node is the node that the pod is on, or was on last. Nominated is the node on which room is being made
	// for it.
	Node, Nominated string
	// Pool is the part of the queue in which the pod waits: active, backoff, unschedulable, gated, incomplete
	// or pending.
	Pool string
	// Until is the time by which a terminating pod is gone.
	Until time.Duration
}

// Where returns the place of the pod with this key. For a waiting pod it takes as long as listing the queue.
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

// poolOf returns the name of the part of the queue in which a pod waits, or "".
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

// Lives returns the keys of all pods of a lineage so far, in the order in which they were made. The caller
// owns the slice.
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

// Snapshot returns the cluster as the schedulers see it now. It must only be read, and the next step may
// replace it.
func (s *Simulation) Snapshot() *engine.Snapshot { return s.cluster.snap }

// Pending returns the entries of the queue, by its parts. The caller owns them.
func (s *Simulation) Pending() queue.Parts[[]queue.Entry] { return s.line.pending() }

// Waiting returns the number of pods in the queue. Each pod of a gang counts.
func (s *Simulation) Waiting() int { return s.line.inQueue }

// Budgets returns the budgets with their present numbers of allowed disruptions. They must only be read.
func (s *Simulation) Budgets() []*outrank.PodDisruptionBudget {
	s.cluster.syncBudgets(s.Time())
	return slices.Clone(s.cluster.allowances())
}

// Resources returns the counted resources in the order of the levels of a sample: cpu, memory, and every
// other resource that a node offered at the beginning except slots for pods, by name. The caller owns the
// slice.
func (s *Simulation) Resources() []resource.Name { return slices.Clone(s.meter.columns) }
