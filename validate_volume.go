package outrank

import (
	"slices"

	"github.com/outrank-go/outrank/internal/apis"
)

// volume refuses a volume with unknown words or with invalid demands on nodes. The path shows
// a field of an object other than the pod in parentheses.
func (v *validator) volume(vol *Volume, at *apis.Path) {
	switch vol.Disk.Kind {
	case "", GCEPersistentDisk, AWSElasticBlockStore, ISCSI, RBD:
	default:
		kind := at.Field("(disk).kind")
		v.add(&kind, "%s is none of %s, %s, %s, %s", apis.Quote(string(vol.Disk.Kind)), GCEPersistentDisk, AWSElasticBlockStore, ISCSI, RBD)
	}

	switch vol.State {
	case "", ClaimDeleting, ClaimLost, ClaimUnbound, ClaimVolumeMissing:
	default:
		state := at.Field("(claim).state")
		v.add(&state, "%s is none of %s, %s, %s, %s", apis.Quote(string(vol.State)), ClaimDeleting, ClaimLost, ClaimUnbound, ClaimVolumeMissing)
	}

	terms := at.Field("(volume).nodeAffinity.required.nodeSelectorTerms")
	v.nodeTerms(vol.Node, &terms)

	// Most volumes have no zones, and to sort the keys would allocate.
	if len(vol.Zones) == 0 {
		return
	}
	for _, key := range apis.SortedKeys(vol.Zones) {
		if !slices.Contains(zoneLabels, key) {
			labels := at.Field("(volume).labels")
			v.add(&labels, "%s is no label of a zone or region", apis.Quote(key))
		}
	}
}

func (v *validator) attachLimits(limits map[string]int64) {
	if len(limits) == 0 {
		return
	}
	for _, driver := range apis.SortedKeys(limits) {
		if limits[driver] < 0 {
			v.add(apis.LimitPath(driver), "%d is negative", limits[driver])
		}
	}
}

func (v *validator) claim(vc *VolumeClaim) {
	if vc != nil {
		v.volume(&vc.Volume, &apis.Path{Name: "spec", Index: -1})
	}
}
