//go:build tools

package main

// Importing the programs of the control plane makes go.mod pin their modules.
import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "k8s.io/kubernetes/cmd/kubectl"

	_ "github.com/outrank-go/outrank"
	_ "github.com/outrank-go/outrank/examples/kubectl-whatif"
	_ "github.com/outrank-go/outrank/examples/kubescheduler/cmd/kube-scheduler-outrank"
	_ "k8s.io/client-go/kubernetes"
)
