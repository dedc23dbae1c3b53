package kubescheduler

import (
	_ "github.com/outrank-go/outrank"
	_ "github.com/outrank-go/outrank/preemption"
	_ "github.com/stretchr/testify/require"
	_ "github.com/google/go-cmp/cmp"
	_ "pgregory.net/rapid"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/client-go/informers"
	_ "k8s.io/kube-scheduler/framework"
	_ "k8s.io/kubernetes/pkg/kubelet/lifecycle"
	_ "k8s.io/kubernetes/pkg/kubelet/preemption"
	_ "k8s.io/kubernetes/pkg/scheduler"
	_ "k8s.io/kubernetes/pkg/scheduler/testing"
	_ "k8s.io/kubernetes/pkg/scheduler/testing/framework"
)
