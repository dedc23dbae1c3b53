package main

import "github.com/outrank-go/outrank/resource"

// needsOf returns what has to be free on the node for the pod: its requests, and a place for one more pod. A
// resize needs only what exceeds the amounts that the node counts for the pod already.
func needsOf(d *decision) resource.List {
	needs := d.scene.question.pod.Requests()
	if !d.explained.Resize {
		needs[resource.Pods] = resource.New(1)
		return needs
	}

	counted := d.scene.question.pod.RunningRequests(d.scene.cluster.Release)
	for name := range needs {
		needs[name] = quantity(name, max(0, needs.Amount(name)-counted.Amount(name)))
	}
	needs[resource.Pods] = resource.New(0)
	return needs
}

// resizeOf describes the resize in question. It is nil for any other question.
func resizeOf(d *decision) *Resize {
	if !d.explained.Resize {
		return nil
	}
	return &Resize{d.scene.question.pod.NodeName, d.scene.question.pod.RunningRequests(d.scene.cluster.Release)}
}
