package kubescheduler

import (
	_ "k8s.io/kubernetes/pkg/kubelet/lifecycle"
	_ "k8s.io/kubernetes/pkg/kubelet/preemption"
	_ "k8s.io/kubernetes/pkg/scheduler/testing"
	_ "k8s.io/kubernetes/pkg/scheduler/testing/framework"
)
