//go:build kube136

package plugin

import (
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// MoreImportantFunc is the type of the hook [Options].MoreImportantVictim.
type MoreImportantFunc = defaultpreemption.MoreImportantPodFunc

// groupFeatures changes nothing: the gates of groups are off.
func (p *Plugin) groupFeatures(*feature.Features) {}

// setHooks gives DefaultPreemption the hooks of the options.
func (o *Options) setHooks(of *defaultpreemption.DefaultPreemption) {
	if o.IsEligiblePod != nil {
		of.IsEligiblePod = o.IsEligiblePod
	}
	if o.MoreImportantVictim != nil {
		of.MoreImportantPod = o.MoreImportantVictim
	}
}

// found is empty: groups do not preempt.
type found struct{}

func (*found) follow(*defaultpreemption.DefaultPreemption) {}
