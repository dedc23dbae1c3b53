package sim

import (
	"context"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// Score rates a feasible node for a pod; the highest score wins. It must give equal answers to equal
// questions, and must not change anything.
type Score func(c *Choice) int64

// Choice is a feasible node for a pod. It is valid during one call of a [Score].
type Choice struct {
	Pod  *outrank.Pod
	Node *outrank.Node
	// CPU is in thousandths of a core, Memory in bytes. Choice.Level has other resources.
	CPU, Memory Level
	// Snapshot is the cluster as the pod finds it. Members of its gang that were placed before it count as on
	// their nodes. It must only be read.
	Snapshot *engine.Snapshot
	// asks caches the requests of the pod. It is nil until they are first needed.
	asks resource.List
}

// Level has the sum of the requests of the pods on a node and of the pod to be placed, and the amount that
// the node offers.
type Level struct {
	Used, Allocatable int64
}

// Level returns the level of any resource, in the unit of [resource.Amount]: thousandths of a core for cpu,
// and otherwise the unit of the resource. Both amounts are 0 for a resource that neither the pods nor the
// node name. It takes as long as [engine.Snapshot.Used].
func (c *Choice) Level(name resource.Name) Level {
	switch name {
	case resource.CPU:
		return c.CPU
	case resource.Memory:
		return c.Memory
	}

	node, asked := c.Node, c.requests().Amount(name)
	if name == resource.Pods {
		asked = 1 // each pod takes one slot
	}
	return Level{Used: resource.AddSat(c.Snapshot.Used(node.Name, name), asked), Allocatable: node.Allocatable.Amount(name)}
}

// Resources returns the resources that the pod requests or the node offers, by name. The caller owns the
// slice.
func (c *Choice) Resources() []resource.Name {
	names := slices.AppendSeq(slices.Collect(maps.Keys(c.requests())), maps.Keys(c.Node.Allocatable))
	slices.Sort(names)
	return slices.Compact(names)
}

// requests returns the requests of the pod. They are summed on the first call.
func (c *Choice) requests() resource.List {
	if c.asks == nil {
		c.asks = c.Pod.RunningRequests(outrank.DefaultRelease)
	}
	return c.asks
}

// Scorer rates all feasible nodes for a pod at once, for scores that compare nodes with each other.
// [score.Scorer] is one: it has the plugins of kube-scheduler, and its zero value is the default profile. The
// ranking must have one total for each node; the highest wins. The rest of the ranking is ignored. A Scorer
// must not change anything.
type Scorer interface {
	Score(ctx context.Context, snap *engine.Snapshot, pod *outrank.Pod, nodes []*outrank.Node) (*score.Ranking, error)
}

// FilterByPods makes a filter from a function that looks at the pod, the node, and the pods on the node. Pods
// that an attempt has removed are left out; nominated pods that count on the node come behind the others. The
// filter applies to placing and to preempting, as one of [preemption.Config].Filters of a [Scheduler]. The
// function must only read, and must give equal answers to equal questions; several goroutines may call it at
// once. The filter is asked about every victim that is tried, as [preemption.Filter] says; a filter that
// keeps counts is faster.
func FilterByPods(name string, takes func(pod *outrank.Pod, node *outrank.Node, pods []*outrank.Pod) preemption.Status) *preemption.Filter {
	start := func(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		return &podsState{takes: takes, pod: pod, view: view, changed: map[string][]*outrank.Pod{}}, nil
	}
	return &preemption.Filter{Name: name, Start: start}
}

// podsState follows the pods on the nodes through an attempt.
type podsState struct {
	takes func(pod *outrank.Pod, node *outrank.Node, pods []*outrank.Pod) preemption.Status
	pod   *outrank.Pod
	view  preemption.View
	// changed has the pods of each node that the attempt has changed. A list is never changed in place,
	// because clones share it.
	changed map[string][]*outrank.Pod
}

// podsOn returns the pods that the attempt has on a node. The caller owns the list.
func (s *podsState) podsOn(node *outrank.Node) []*outrank.Pod {
	if pods, ok := s.changed[node.Name]; ok {
		return slices.Clone(pods)
	}
	return s.view.PodsOn(node.Name)
}

// Check implements [preemption.FilterState].
func (s *podsState) Check(node *outrank.Node) preemption.Status {
	return s.takes(s.pod, node, s.podsOn(node))
}

// Remove implements [preemption.FilterState].
func (s *podsState) Remove(pod *outrank.Pod, node *outrank.Node) {
	s.changed[node.Name] = slices.DeleteFunc(s.podsOn(node), func(p *outrank.Pod) bool { return p.Key() == pod.Key() })
}

// Add implements [preemption.FilterState].
func (s *podsState) Add(pod *outrank.Pod, node *outrank.Node) {
	s.changed[node.Name] = append(s.podsOn(node), pod)
}

// Clone implements [preemption.FilterState].
func (s *podsState) Clone() preemption.FilterState {
	clone := *s
	clone.changed = maps.Clone(s.changed)
	return &clone
}

// mostScore is the score that [LeastAllocated] gives an empty node.
const mostScore = 100

// LeastAllocated spreads pods out: the score is the mean of the free shares of cpu and memory, each in whole
// percent (the default scoring of NodeResourcesFit).
func LeastAllocated(c *Choice) int64 {
	return (free(c.CPU) + free(c.Memory)) / 2
}

// MostAllocated packs pods together: the score is the mean of the used shares of cpu and memory.
func MostAllocated(c *Choice) int64 {
	return (mostScore - free(c.CPU) + mostScore - free(c.Memory)) / 2
}

// free returns the free share in percent. It is 0 if the node offers nothing.
func free(l Level) int64 {
	if l.Allocatable <= 0 || l.Used >= l.Allocatable {
		return 0
	}
	return int64(float64(l.Allocatable-l.Used) / float64(l.Allocatable) * mostScore)
}
