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

// Score rates a node for a pod that fits there; the highest wins. It must give the same answer
// to the same question, and change nothing.
type Score func(c *Choice) int64

// Choice is a node that takes a pod. It lasts for one call of a [Score].
type Choice struct {
	Pod  *outrank.Pod
	Node *outrank.Node
	// CPU is in thousandths of a core, Memory in bytes. Choice.Level has the others.
	CPU, Memory Level
	// Snapshot is the cluster as the pod finds it, the members of its gang that have a place
	// before it among the pods on nodes. It is only to be read.
	Snapshot *engine.Snapshot
	// asks remembers the pod's request, nil before the first question about it.
	asks resource.List
}

// Level is the sum of the requests of the pods on a node and of the pod to be
// placed, and the node's capacity.
type Level struct {
	Used, Allocatable int64
}

// Level returns the level of any resource, in the unit of [resource.Amount]: thousandths of a
// core for cpu, else what the resource counts. Both amounts are 0 for a resource that neither
// the pods nor the node name. Time is that of [engine.Snapshot.Used].
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

// Resources lists the resources that the pod asks for or the node offers, by name. The slice is
// the caller's.
func (c *Choice) Resources() []resource.Name {
	names := slices.AppendSeq(slices.Collect(maps.Keys(c.requests())), maps.Keys(c.Node.Allocatable))
	slices.Sort(names)
	return slices.Compact(names)
}

// requests returns the pod's request, which is summed once.
func (c *Choice) requests() resource.List {
	if c.asks == nil {
		c.asks = c.Pod.RunningRequests(outrank.DefaultRelease)
	}
	return c.asks
}

// Scorer rates all nodes that take a pod beside each other, where one node's score depends on
// the others: [score.Scorer] is one, with the plugins of kube-scheduler, and its zero value is
// the default profile. The ranking has one total for each node; the highest wins. Its other parts
// are not looked at. It must change nothing.
type Scorer interface {
	Score(ctx context.Context, snap *engine.Snapshot, pod *outrank.Pod, nodes []*outrank.Node) (*score.Ranking, error)
}

// FilterByPods makes a filter of a function that looks at the pod, the node, and the pods on it. Pods that
// an attempt has taken away are left out; pods that are nominated to the node, where they count, stand behind
// the others. The filter holds for placing and for preempting, as part of [preemption.Config].Filters of
// a [Scheduler]. The function must only read, and give the same answer to the same question; several
// goroutines may call it at once. The filter is asked about every victim that is tried, as
// [preemption.Filter] says; a filter that keeps counts of its own is faster.
func FilterByPods(name string, takes func(pod *outrank.Pod, node *outrank.Node, pods []*outrank.Pod) preemption.Status) *preemption.Filter {
	start := func(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		return &podsState{takes: takes, pod: pod, view: view, changed: map[string][]*outrank.Pod{}}, nil
	}
	return &preemption.Filter{Name: name, Start: start}
}

// podsState follows the pods on nodes through an attempt.
type podsState struct {
	takes func(pod *outrank.Pod, node *outrank.Node, pods []*outrank.Pod) preemption.Status
	pod   *outrank.Pod
	view  preemption.View
	// changed has the pods of each node that the attempt has changed. A list is never changed in place,
	// since clones share it.
	changed map[string][]*outrank.Pod
}

// podsOn returns the pods on a node as the attempt has it. The list is the caller's.
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

// mostScore is the score of an empty node by [LeastAllocated].
const mostScore = 100

// LeastAllocated spreads pods out: the score is the mean share of cpu and memory that is left
// free, in whole percent of each (NodeResourcesFit's scoring by default).
func LeastAllocated(c *Choice) int64 {
	return (free(c.CPU) + free(c.Memory)) / 2
}

// MostAllocated packs pods together: the score is the mean share of cpu and memory that is used.
func MostAllocated(c *Choice) int64 {
	return (mostScore - free(c.CPU) + mostScore - free(c.Memory)) / 2
}

// free returns the share that is left free, in percent. It is 0 where the node offers nothing.
func free(l Level) int64 {
	if l.Allocatable <= 0 || l.Used >= l.Allocatable {
		return 0
	}
	return int64(float64(l.Allocatable-l.Used) / float64(l.Allocatable) * mostScore)
}
