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

// framework makes a filter that asks the scheduler's own filters in dry runs, as
// DefaultPreemption does: for filters of Kubernetes that the module does not know, and for
// those of others about pods that preempt for devices. It is
// asked after those that it knows, so that the slow way is taken on nodes alone that all of
// them pass.
type framework struct {
	handle fwk.Handle
	// unknown are the filters that the module does not know, and known those of the scheduler
	// that are not asked because another filter of the evaluator stands for them.
	unknown, known []string
	ctx            context.Context
	// attempts are those of the pods that are to be placed, by key.
	attempts map[outrank.Key]attempt
	// group is set for a group.
	group *placedGroup
}

// attempt is the scheduler's state for a pod.
type attempt struct {
	pod   *v1.Pod
	cycle fwk.CycleState
}

// begin is called before the decision about a pod, beginGroup before that about a group.
func (f *framework) begin(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod) {
	f.ctx, f.group, f.attempts = ctx, nil, map[outrank.Key]attempt{keyOf(pod): {pod, cycle}}
}

// concerned reports whether one of the unknown filters has a say in an attempt.
func (f *framework) concerned(cycle fwk.CycleState) bool {
	skipped := cycle.GetSkipFilterPlugins()
	return slices.ContainsFunc(f.unknown, func(name string) bool { return !skipped.Has(name) })
}

// filter returns the filter. Its name stands in the statuses of filters that the module does not know.
func (f *framework) filter() *preemption.Filter {
	return &preemption.Filter{Name: "Framework", Start: f.start}
}

// start begins an attempt with the state of the scheduler's attempt. The pods of a group that
// have their places by then count as if they were there.
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

// frameworkState follows the pods of an attempt in copies of the scheduler's nodes.
type frameworkState struct {
	*framework
	pod   *v1.Pod
	cycle fwk.CycleState
	nodes map[string]*frameworkNode
	// placed are the pods of the same group that have their places, by node.
	placed map[string][]fwk.PodInfo
	// failed is the error while pods came and went.
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
	info, err := s.handle.SnapshotSharedLister().NodeInfos().Get(name) // of a group, as it is changed
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

// change lets a pod come or go, in the node and in the filters' state.
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

// Clone copies the state.
func (s *frameworkState) Clone() preemption.FilterState {
	c := &frameworkState{framework: s.framework, pod: s.pod, cycle: s.cycle.Clone(), nodes: make(map[string]*frameworkNode, len(s.nodes)), placed: s.placed, failed: s.failed}
	for name, n := range s.nodes {
		c.nodes[name] = &frameworkNode{now: n.now.Snapshot(), pods: n.pods}
	}
	return c
}

func keyOf(pod *v1.Pod) outrank.Key { return outrank.NewKey(pod.Namespace, pod.Name) }
