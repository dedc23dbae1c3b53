package plugin

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// framework makes a filter that asks the scheduler's own filters in dry runs, as DefaultPreemption does. It
// stands for filters of Kubernetes that the module does not know, and, for pods that preempt for devices, for
// filters of others. The evaluator asks it after the filters that the module knows, so that only nodes that pass
// all of those pay for this slow way.
type framework struct {
	handle fwk.Handle
	// unknown are the filters that the module does not know.
	unknown []string
	// known are filters of the scheduler that are not asked because another filter of the evaluator stands for
	// them.
	known []string
	// ctx is the context of the present decision.
	ctx context.Context
	// attempts are the scheduler's attempts for the pods that are to be placed, by their keys.
	attempts map[outrank.Key]attempt
	// group is the group that the decision is about; nil for a pod.
	group *placedGroup
}

// attempt is the state of the scheduler's attempt to place a pod.
type attempt struct {
	pod   *v1.Pod
	cycle fwk.CycleState
}

// begin prepares the filter for the decision about a pod. The method beginGroup does so for a group.
func (f *framework) begin(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod) {
	f.ctx, f.group, f.attempts = ctx, nil, map[outrank.Key]attempt{keyOf(pod): {pod, cycle}}
}

// concerned reports whether one of the unknown filters has a say in an attempt. A filter that was skipped has
// none.
func (f *framework) concerned(cycle fwk.CycleState) bool {
	skipped := cycle.GetSkipFilterPlugins()
	return slices.ContainsFunc(f.unknown, func(name string) bool { return !skipped.Has(name) })
}

// filter returns f as a filter of an evaluator.
func (f *framework) filter() *preemption.Filter {
	return &preemption.Filter{Name: "Framework", Start: f.start}
}

// start begins a dry run with the state of the scheduler's attempt for the pod. The pods of a group that have
// their places in the view count as if they ran there.
func (f *framework) start(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	mine, ok := f.attempts[pod.Key()]
	if !ok || !f.concerned(mine.cycle) {
		return nil, nil
	}
	cycle := mine.cycle.Clone()
	if len(f.known) > 0 {
		cycle.SetSkipFilterPlugins(cycle.GetSkipFilterPlugins().Union(sets.New(f.known...)))
	}
	return &frameworkState{
		framework: f, pod: mine.pod, cycle: cycle, nodes: map[string]*frameworkNode{}, placed: f.group.on(view),
	}, nil
}

// frameworkState follows the pods that come and go in a dry run, in copies of the scheduler's nodes.
type frameworkState struct {
	*framework
	pod   *v1.Pod
	cycle fwk.CycleState
	nodes map[string]*frameworkNode
	// placed are the pods of the same group that have their places, by node.
	placed map[string][]fwk.PodInfo
	// failed is the first error of a pod that came or went. Every later check reports it.
	failed error
}

// frameworkNode is the copy of a node.
type frameworkNode struct {
	// now is the node as it is at this point of the dry run.
	now fwk.NodeInfo
	// pods are all pods that may come or go, by UID: those that the node had at first and those nominated to it.
	pods map[string]fwk.PodInfo
}

// node returns the copy of a node, and makes it at the first call.
func (s *frameworkState) node(name string) (*frameworkNode, error) {
	if n := s.nodes[name]; n != nil {
		return n, nil
	}

	// In a decision about a group the scheduler's snapshot has been changed by then: the possible victims are
	// away, and are found in group.away.
	info, err := s.handle.SnapshotSharedLister().NodeInfos().Get(name)
	if err != nil {
		return nil, err
	}

	// A pod that is nominated to the node and also on it counts as one on it.
	n := &frameworkNode{now: info.Snapshot(), pods: map[string]fwk.PodInfo{}}
	for _, pod := range s.handle.NominatedPodsForNode(name) {
		n.pods[string(pod.GetPod().UID)] = pod
	}
	for _, pod := range info.GetPods() {
		n.pods[string(pod.GetPod().UID)] = pod
	}
	if s.group != nil {
		for _, pod := range s.group.away[name] {
			n.pods[string(pod.GetPod().UID)] = pod
		}
	}

	for _, pod := range s.placed[name] {
		n.now.AddPodInfo(pod)
	}
	s.nodes[name] = n
	return n, nil
}

// change calls how with the copy of a node and a pod that comes or goes there, and keeps the first error.
func (s *frameworkState) change(pod *outrank.Pod, at *outrank.Node, how func(*frameworkNode, fwk.PodInfo) error) {
	n, err := s.node(at.Name)
	if err == nil {
		if info := n.pods[pod.UID]; info == nil {
			err = fmt.Errorf("pod %s is not on node %s in the scheduler's snapshot", pod.Key(), at.Name)
		} else {
			err = how(n, info)
		}
	}
	if err != nil && s.failed == nil {
		s.failed = err
	}
}

// Remove takes a pod off its node.
func (s *frameworkState) Remove(pod *outrank.Pod, at *outrank.Node) {
	s.change(pod, at, func(n *frameworkNode, info fwk.PodInfo) error {
		if err := n.now.RemovePod(klog.FromContext(s.ctx), info.GetPod()); err != nil {
			return err
		}
		return s.handle.RunPreFilterExtensionRemovePod(s.ctx, s.cycle, s.pod, info, n.now).AsError()
	})
}

// Add puts a pod on a node.
func (s *frameworkState) Add(pod *outrank.Pod, at *outrank.Node) {
	s.change(pod, at, func(n *frameworkNode, info fwk.PodInfo) error {
		n.now.AddPodInfo(info)
		return s.handle.RunPreFilterExtensionAddPod(s.ctx, s.cycle, s.pod, info, n.now).AsError()
	})
}

// Check asks the scheduler's filters.
func (s *frameworkState) Check(at *outrank.Node) preemption.Status {
	n, err := s.node(at.Name)
	if err == nil {
		err = s.failed
	}
	if err != nil {
		return preemption.Contradiction.Because(err.Error())
	}
	return status(s.handle.RunFilterPlugins(s.ctx, s.cycle, s.pod, n.now))
}

// Clone copies the state. The pods of a node are shared: they do not change once the node is copied.
func (s *frameworkState) Clone() preemption.FilterState {
	c := &frameworkState{framework: s.framework, pod: s.pod, cycle: s.cycle.Clone(), nodes: make(map[string]*frameworkNode, len(s.nodes)), placed: s.placed, failed: s.failed}
	for name, n := range s.nodes {
		c.nodes[name] = &frameworkNode{now: n.now.Snapshot(), pods: n.pods}
	}
	return c
}

func keyOf(pod *v1.Pod) outrank.Key { return outrank.NewKey(pod.Namespace, pod.Name) }
