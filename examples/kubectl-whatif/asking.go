package main

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/spelling"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
)

// asking is the pod in question, with its priority resolved.
type asking struct {
	pod *outrank.Pod
	// from says where the pod is from, and source where its priority is from.
	from   string
	source PrioritySource
	// warnings name what the manifest leaves open about the pod.
	warnings []outrank.Problem
	// template is the object that would make the pod, nil for a pod that nothing makes.
	template *input.Template
	// limited has the fields of a manifest that quotas look at and outrank.Pod lacks.
	limited input.Limited
}

// The sources of a pod.
const (
	fromDump     = "dump"
	fromManifest = "manifest"
	fromFlags    = "flags"
)

// isPending reports whether a pod has no node.
func isPending(p *outrank.Pod) bool { return p.NodeName == "" }

// namespaceKnown refuses a pod whose namespace the dump does not have. A dump without namespaces
// says nothing about them, and the default one is always there.
func namespaceKnown(c *outrank.Cluster, pod *outrank.Pod) error {
	name := pod.NamespaceName()
	if len(c.Namespaces) == 0 || name == outrank.DefaultNamespace || slices.ContainsFunc(c.Namespaces, func(ns *outrank.Namespace) bool { return ns.Name == name }) {
		return nil
	}

	var known, near []string
	for _, ns := range c.Namespaces {
		known = append(known, ns.Name)
		if spelling.Distance(ns.Name, name) <= 2 {
			near = append(near, ns.Name)
		}
	}

	if near != nil {
		known = near
	}
	slices.Sort(known)
	return fmt.Errorf("pod %s cannot be created: there is no namespace %s in the dump; it has %s",
		pod.Key(), name, some(known, mostNear, len(known)))
}

// runsOn returns the node of the pod of the cluster with the same name, empty for none.
func runsOn(c *outrank.Cluster, pod *outrank.Pod) string {
	if same := c.Pod(pod.Namespace, pod.Name); same != nil {
		return same.NodeName
	}
	return ""
}

// resizeGate is the feature gate with which a pod on a node preempts there while its resize in place is
// deferred.
const resizeGate = "InPlacePodVerticalScalingSchedulerPreemption"

// isDeferred reports whether a pod on a node waits for room to be resized.
func isDeferred(p *outrank.Pod) bool { return p.NodeName != "" && p.ResizeDeferred }

// alreadyRuns returns the error about a pod that has a node. It is nil if the pod's resize can be
// asked about.
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
