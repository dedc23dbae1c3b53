package lockstep

import (
	"context"
	_ "unsafe" // for the name of a method

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// actuatePod has the reference's executor carry a candidate out for a pod.
//
//go:linkname actuatePod k8s.io/kubernetes/pkg/scheduler/framework/preemption.(*Executor).actuatePodPreemption
func actuatePod(e *preemption.Executor, ctx context.Context, c preemption.Candidate, preemptor *corev1.Pod, plugin string) *fwk.Status
