package plugin

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// framework is a filter that asks the scheduler's own filters in dry runs, as
// DefaultPreemption does: for profiles with filters that the module does not know. It is
// asked after those that it knows, so that the slow way is taken on nodes alone that all of
// them pass.
type framework struct {
	handle fwk.Handle
	ctx    context.Context
	cycle  fwk.CycleState
	pod    *v1.Pod
}

// begin is called before each decision.
func (f *framework) begin(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod) {
	f.ctx, f.cycle, f.pod = ctx, cycle, pod
}

// Name stands in the statuses of filters that the module does not know.
func (*framework) Name() string { return "Framework" }

// Start begins an attempt with the state of the scheduler's attempt.
func (f *framework) Start(*outrank.Pod, *preemption.Snapshot) (preemption.FilterState, error) {
	return &frameworkState{framework: f, cycle: f.cycle.Clone(), nodes: map[string]*frameworkNode{}}, nil
}

// frameworkState follows the pods of an attempt in copies of the scheduler's nodes.
type frameworkState struct {
	*framework
	cycle fwk.CycleState
	nodes map[string]*frameworkNode
	// failed is what went wrong while pods came and went.
	failed error
}

// frameworkNode is a node with the pods that it had at first and those nominated to it.
type frameworkNode struct {
	now  fwk.NodeInfo
	pods map[string]fwk.PodInfo
}

// node is the copy of a node, which is made when it is first asked for.
func (s *frameworkState) node(name string) (*frameworkNode, error) {
	if n := s.nodes[name]; n != nil {
		return n, nil
	}
	info, err := s.handle.SnapshotSharedLister().NodeInfos().Get(name)
	if err != nil {
		return nil, err
	}
	n := &frameworkNode{now: info.Snapshot(), pods: map[string]fwk.PodInfo{}}
	for _, pod := range s.handle.NominatedPodsForNode(name) {
		n.pods[string(pod.GetPod().UID)] = pod
	}
	for _, pod := range info.GetPods() {
		n.pods[string(pod.GetPod().UID)] = pod
	}
	s.nodes[name] = n
	return n, nil
}

// change has a pod come or go, in the node and in what the filters have prepared.
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
		return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Reasons: []string{err.Error()}}
	}
	return status(s.handle.RunFilterPlugins(s.ctx, s.cycle, s.pod, n.now))
}

// Clone copies the state.
func (s *frameworkState) Clone() preemption.FilterState {
	c := &frameworkState{framework: s.framework, cycle: s.cycle.Clone(), nodes: make(map[string]*frameworkNode, len(s.nodes)), failed: s.failed}
	for name, n := range s.nodes {
		c.nodes[name] = &frameworkNode{now: n.now.Snapshot(), pods: n.pods}
	}
	return c
}
