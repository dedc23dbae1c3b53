package ledger

import (
	"reflect"

	configv1 "k8s.io/kube-scheduler/config/v1"
)

// Configurations lists the kinds of a file that kube-scheduler is started with: the file, and the arguments of its
// plugins.
func Configurations() []Kind {
	const version = "kubescheduler.config.k8s.io/v1"
	return []Kind{
		{"KubeSchedulerConfiguration", version, reflect.TypeFor[configv1.KubeSchedulerConfiguration]()},
		{"DefaultPreemptionArgs", version, reflect.TypeFor[configv1.DefaultPreemptionArgs]()},
		{"DynamicResourcesArgs", version, reflect.TypeFor[configv1.DynamicResourcesArgs]()},
		{"InterPodAffinityArgs", version, reflect.TypeFor[configv1.InterPodAffinityArgs]()},
		{"NodeAffinityArgs", version, reflect.TypeFor[configv1.NodeAffinityArgs]()},
		{"NodeResourcesBalancedAllocationArgs", version, reflect.TypeFor[configv1.NodeResourcesBalancedAllocationArgs]()},
		{"NodeResourcesFitArgs", version, reflect.TypeFor[configv1.NodeResourcesFitArgs]()},
		{"PodTopologySpreadArgs", version, reflect.TypeFor[configv1.PodTopologySpreadArgs]()},
		{"VolumeBindingArgs", version, reflect.TypeFor[configv1.VolumeBindingArgs]()},
	}
}
