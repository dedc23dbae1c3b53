package plugin

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank/examples/clientgo/actions"
)

// memory does what a scheduler does in its memory, without the API server. It goes by a plugin's handle.
type memory struct{ handle fwk.Handle }

var _ actions.Scheduler = memory{}

// Reject stops the binding of a victim that waits to be bound, or that is about to be. It reports false if the
// victim is neither.
func (m memory) Reject(victim types.UID) bool {
	if waiting := m.handle.GetWaitingPod(victim); waiting != nil {
		return waiting.Preempt(Name, "preempted")
	}
	if binding := m.handle.GetPodInPreBind(victim); binding != nil {
		return binding.CancelPod("preempted by " + Name)
	}
	return false
}

// Activate moves the pod to the active queue.
func (m memory) Activate(pod *v1.Pod) {
	m.handle.Activate(klog.Background(), map[string]*v1.Pod{pod.Name: pod})
}

// Nominate hands the nomination to the scheduler's queue of API calls. It reports false if there is no such
// queue.
func (m memory) Nominate(pod *v1.Pod, node string) (queued bool, err error) {
	cacher := m.handle.APICacher()
	if cacher == nil {
		return false, nil
	}
	_, err = cacher.PatchPodStatus(pod, nil, &fwk.NominatingInfo{NominatedNodeName: node, NominatingMode: fwk.ModeOverride})
	return true, err
}
