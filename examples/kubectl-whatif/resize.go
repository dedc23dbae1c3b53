package main

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// resizeGate lets a pod that is on a node preempt there while its resize in place is
// deferred.
const resizeGate = "InPlacePodVerticalScalingSchedulerPreemption"

// isDeferred reports whether a pod on a node waits for room for its resize.
func isDeferred(p *outrank.Pod) bool { return p.NodeName != "" && p.ResizeDeferred }

// alreadyRuns says why a pod that has a node cannot be asked about; nil where its
// resize can.
func alreadyRuns(c *outrank.Cluster, pod *outrank.Pod) error {
	switch {
	case isDeferred(pod) && c.Release.Gates()[resizeGate]:
		return nil
	case isDeferred(pod):
		return fmt.Errorf("pod %s already runs on node %s, which has deferred its resize in place; "+
			"a scheduler preempts for that with the gate %s alone: --release v1.37,%s=true",
			pod.Key(), pod.NodeName, resizeGate, resizeGate)
	}
	return fmt.Errorf("pod %s is not pending, it already runs on node %s%s",
		pod.Key(), pod.NodeName, suggest("; pending pods like it: ", nearPods(c, pod.Key(), isPending)))
}

// needsOf is what has to be free on the node for the pod, by the names of what it
// requests: all of that and one more pod or, for a resize, what the node does not
// count for it yet.
func needsOf(d *decision) resource.List {
	needs := d.question.pod.Requests()
	if !d.Resize {
		needs[resource.Pods] = resource.New(1)
		return needs
	}
	counted := d.question.pod.RunningRequestsIn(d.cluster.Release)
	for name := range needs {
		needs[name] = quantity(name, max(0, needs.Amount(name)-counted.Amount(name)))
	}
	needs[resource.Pods] = resource.New(0)
	return needs
}

// resizeOf is what there is to say about a resize; nil for any other question.
func resizeOf(d *decision) *Resize {
	if !d.Resize {
		return nil
	}
	return &Resize{d.question.pod.NodeName, d.question.pod.RunningRequestsIn(d.cluster.Release)}
}

// writeResize says what becomes of a resize.
func writeResize(p console.Page, a *Answer, list int) {
	node := a.Resize.Node
	switch a.Outcome {
	case preemption.Fits:
		p.Line("\nNobody has to leave: node %s has room for the resize, and its kubelet carries it out.", node)
	case preemption.Preempt:
		p.Line("\nNode %s has no room for the resize as things are. %s to leave; its kubelet can carry it out once they", node, have(len(a.Victims)))
		p.Line("are gone.")
		writeChosen(p, a, list)
		if slices.ContainsFunc(a.TurnedDown, func(r Reason) bool { return slices.Contains(r.Reasons, tooManyPods) }) {
			p.Line("\nkube-scheduler counts the pod itself among the pods of the node and adds one for it.")
		}
	case preemption.NotEligible:
		p.Line("\nNobody leaves, and the resize stays deferred: there is no room for it, and the pod may not push others")
		p.Line("out: %s", whyIneligible(a))
	case preemption.NothingHelps:
		p.Line("\nNobody leaves, and the resize stays deferred: on node %s preemption does not help.", node)
		for _, h := range a.Hints {
			p.Line("  Hint for %s", h)
		}
	}
}

const tooManyPods = "Too many pods"
