//go:build !kube136

package plugin_test

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	kubepreemption "k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// notOn lets no pod of a node leave.
func notOn(name string) func(fwk.NodeInfo, kubepreemption.Victim, *v1.Pod) bool {
	return func(on fwk.NodeInfo, _ kubepreemption.Victim, _ *v1.Pod) bool { return on.Node().Name != name }
}

// lowFirst puts the lower priority back first.
func lowFirst(a, b kubepreemption.Victim) bool { return a.Priority() < b.Priority() }
