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

// extender asks one of the scheduler's extenders about candidates. It passes on the API's objects, from which the
// pods in the snapshot were made.
type extender struct {
	fwk.Extender
	handle fwk.Handle
}

// extenders returns the scheduler's extenders that have a say in preemption, in the scheduler's order.
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

// interested asks the extender whether the pod concerns it.
func (e *extender) interested(pod *outrank.Pod) bool {
	object, ok := pod.Value.(*v1.Pod)
	return ok && e.IsInterested(object)
}

// process asks the extender which candidates remain, and with which victims.
func (e *extender) process(_ context.Context, pod *outrank.Pod, candidates []preemption.Candidate) ([]preemption.Candidate, error) {
	preemptor, _ := pod.Value.(*v1.Pod)
	question, err := victimsByNode(candidates)
	if err != nil {
		return nil, err
	}
	left, err := e.ProcessPreemption(preemptor, question, e.handle.SnapshotSharedLister().NodeInfos())
	if err != nil {
		return nil, err
	}

	// An extender may name nodes that it was not asked about. Victims are passed on by name and UID: the caller
	// knows the pods.
	var answer []preemption.Candidate
	for _, node := range slices.Sorted(maps.Keys(left)) {
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

// victimsByNode puts candidates into the form in which extenders are asked.
func victimsByNode(candidates []preemption.Candidate) (map[string]*extenderv1.Victims, error) {
	byNode := make(map[string]*extenderv1.Victims, len(candidates))
	for _, c := range candidates {
		victims := &extenderv1.Victims{NumPDBViolations: int64(c.Score.Violations)}
		for _, v := range c.Victims {
			object, ok := v.Pod.Value.(*v1.Pod)
			if !ok {
				return nil, fmt.Errorf("pod %s is not one of the API", v.Pod.Key())
			}
			victims.Pods = append(victims.Pods, object)
		}
		byNode[c.Node] = victims
	}
	return byNode, nil
}

// told returns the error that a failed search wraps, as the extender worded it. An error about invalid objects,
// or one that wraps nothing, is returned as it is.
func told(err error) error {
	if cause := errors.Unwrap(err); cause != nil && cause != outrank.ErrInvalid {
		return cause
	}
	return err
}
