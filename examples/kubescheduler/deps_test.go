package kubescheduler

import (
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/outrank-go/outrank"
	_ "github.com/outrank-go/outrank/preemption"
	_ "github.com/prometheus/client_golang/prometheus"
	_ "github.com/stretchr/testify/require"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/client-go/informers"
	_ "k8s.io/client-go/kubernetes/fake"
	_ "k8s.io/kube-scheduler/framework"
	_ "k8s.io/kubernetes/cmd/kube-scheduler/app"
	_ "k8s.io/kubernetes/pkg/kubelet/lifecycle"
	_ "k8s.io/kubernetes/pkg/kubelet/preemption"
	_ "k8s.io/kubernetes/pkg/scheduler"
	_ "k8s.io/kubernetes/pkg/scheduler/testing"
	_ "k8s.io/kubernetes/pkg/scheduler/testing/framework"
	_ "pgregory.net/rapid"
)
