package plugin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// extender asks one of the scheduler's extenders about candidates. The objects of the API are
// those that the pods in the snapshot were made of.
type extender struct {
	fwk.Extender
	handle fwk.Handle
}

// extenders are those that have a say in preemption, in their order.
func extenders(handle fwk.Handle) []preemption.Extender {
	var list []preemption.Extender
	for _, e := range handle.Extenders() {
		if e.SupportsPreemption() {
			x := &extender{e, handle}
			list = append(list, preemption.Extender{Name: e.Name(), Interested: x.interested, Process: x.process, Ignorable: e.IsIgnorable()})
		}
	}
	return list
}

// interested asks the extender whether it has a part in the pod.
func (e *extender) interested(pod *outrank.Pod) bool {
	object, ok := pod.Value.(*v1.Pod)
	return ok && e.IsInterested(object)
}

// process asks the extender for the remaining candidates.
func (e *extender) process(_ context.Context, pod *outrank.Pod, candidates []preemption.Candidate) ([]preemption.Candidate, error) {
	preemptor, _ := pod.Value.(*v1.Pod)
	asked := make(map[string]*extenderv1.Victims, len(candidates))
	for _, c := range candidates {
		victims := &extenderv1.Victims{NumPDBViolations: int64(c.Score.Violations)}
		for _, v := range c.Victims {
			object, ok := v.Pod.Value.(*v1.Pod)
			if !ok {
				return nil, fmt.Errorf("pod %s is not one of the API", v.Pod.Key())
			}
			victims.Pods = append(victims.Pods, object)
		}
		asked[c.Node] = victims
	}
	left, err := e.ProcessPreemption(preemptor, asked, e.handle.SnapshotSharedLister().NodeInfos())
	if err != nil {
		return nil, err
	}
	var answer []preemption.Candidate
	for _, node := range slices.Sorted(maps.Keys(left)) { // also nodes that it was not asked about
		c := preemption.Candidate{Node: node}
		if victims := left[node]; victims != nil {
			c.Score.Violations = int(victims.NumPDBViolations)
			for _, object := range victims.Pods {
				v := &outrank.Pod{Namespace: object.Namespace, Name: object.Name, UID: string(object.UID)}
				c.Victims = append(c.Victims, preemption.Victim{Pod: v})
			}
		}
		if len(c.Victims) == 0 && !e.IsIgnorable() {
			return nil, fmt.Errorf("expected at least one victim pod on node %q", node)
		}
		answer = append(answer, c)
	}
	return answer, nil
}

// told is the error of an extender in its own words, where it is the extender's.
func told(err error) error {
	if cause := errors.Unwrap(err); cause != nil && cause != outrank.ErrInvalid {
		return cause
	}
	return err
}
