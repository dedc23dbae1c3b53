package reference

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// refusal is the reason to end the attempt before any node is filtered: the first
// failure in the order of the filters. VolumeBinding goes through all claims for
// one that is lost or being deleted, and then for one that is not bound;
// VolumeZone looks for the volumes of claims, but not of ephemeral ones.
func (a *attempt) refusal() Status {
	switch names, all := a.namedNodes(); {
	case all:
	case len(names) == 0:
		return unresolvable(filter.NodeAffinity, "pod affinity terms conflict")
	case a.namesItsNode() && !names[a.pod.NodeName]:
		status := unresolvable("", "node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] simultaneously")
		status.ExcludedBy = filter.NodeAffinity
		return status
	}
	for _, v := range a.pod.Volumes {
		switch {
		case v.Claim == "" || a.setup.off(filter.VolumeBinding):
		case v.State == outrank.ClaimLost:
			return unresolvable(filter.VolumeBinding, fmt.Sprintf("persistentvolumeclaim %q bound to non-existent persistentvolume %q", v.Claim, v.MissingVolume))
		case v.State == outrank.ClaimDeleting:
			return unresolvable(filter.VolumeBinding, fmt.Sprintf("persistentvolumeclaim %q is being deleted", v.Claim))
		}
	}
	for _, v := range a.pod.Volumes {
		if v.Claim != "" && v.State == outrank.ClaimUnbound && !a.setup.off(filter.VolumeBinding) {
			return unresolvable(filter.VolumeBinding, "pod has unbound immediate PersistentVolumeClaims")
		}
	}
	for _, v := range a.pod.Volumes {
		if isUse(v) && v.State == outrank.ClaimVolumeMissing && !a.setup.off(filter.VolumeZone) {
			return unresolvable(filter.VolumeZone, fmt.Sprintf("persistentvolume %q not found", v.MissingVolume))
		}
	}
	return Status{}
}
