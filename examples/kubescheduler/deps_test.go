package kubescheduler

import (
	_ "github.com/prometheus/client_golang/prometheus"
	_ "k8s.io/kubernetes/cmd/kube-scheduler/app"
	_ "k8s.io/kubernetes/pkg/kubelet/lifecycle"
	_ "k8s.io/kubernetes/pkg/kubelet/preemption"
	_ "k8s.io/kubernetes/pkg/scheduler"
	_ "k8s.io/kubernetes/pkg/scheduler/testing"
	_ "k8s.io/kubernetes/pkg/scheduler/testing/framework"
)
