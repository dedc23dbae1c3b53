//go:build !kube136

package plugin

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// groupsCount reports whether groups of pods mean anything to the scheduler.
func (p *Plugin) groupsCount() bool { return p.release.Gates()["GenericWorkload"] }

// rootUID returns the UID of the group that the pod is queued with: its own group, or the topmost group above
// that one. It reports false if the group is not known.
func (p *Plugin) rootUID(pod *v1.Pod) (types.UID, bool) {
	// Without composite groups no group is above another.
	manager, name := p.handle.PodGroupManager(), *pod.Spec.SchedulingGroup.PodGroupName
	if !p.release.Gates()["CompositePodGroup"] {
		group, err := manager.PodGroups().Get(pod.Namespace, name)
		if err != nil {
			return "", false
		}
		return group.UID, true
	}

	// The root of the pod's tree is a composite group, or the pod's own group.
	tree, err := manager.BuildHierarchySnapshotFromPod(pod)
	if err != nil {
		return "", false
	}
	root, ok, err := tree.GetRootKeyForGroup(fwk.PodGroupKey(pod.Namespace, name))
	if err != nil || !ok {
		return "", false
	}
	if root.Type == fwk.CompositePodGroupKeyType {
		if group, err := tree.CompositePodGroups().Get(root.Namespace, root.Name); err == nil {
			return group.UID, true
		}
		return "", false
	}

	group, err := tree.PodGroups().Get(root.Namespace, root.Name)
	if err != nil {
		return "", false
	}
	return group.UID, true
}
