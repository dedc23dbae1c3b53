package main

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// workloadOf returns the object that makes the pods of a template, in the form that package question takes.
func workloadOf(t *input.Template, pod *outrank.Pod) *question.Workload {
	limited := t.Limited()
	return &question.Workload{
		Kind: t.Kind, Namespace: pod.NamespaceName(), Name: t.Name, Pod: pod, Replicas: t.Replicas, PerNode: t.Kind == "DaemonSet", Ordinal: t.Ordinal,
		Deadline: limited.Deadline, PrefersAcross: limited.PrefersAcross,
	}
}

// whole reports whether the question is about all pods that the object makes.
func (o *options) whole(t *input.Template) bool {
	return o.ask == askLeast && t != nil && !o.about.one && (t.Replicas != 1 || t.Kind == "DaemonSet")
}
