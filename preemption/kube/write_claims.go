package kube

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
)

// claimIndex collects the claims of a cluster.
type claimIndex struct {
	// known maps each claim in list to its volume.
	known map[outrank.Key]*outrank.Volume
	// list has the claims that are written.
	list []*outrank.VolumeClaim
}

// claims returns the claims of the cluster, and those of its pods that have more than a name, together with the storage
// classes for claims whose volumes do not exist yet. A volume of a pod that differs from the volume of its claim is a
// problem.
func (e *encoder) claims(c *outrank.Cluster) ([]boundClaim, []class) {
	ix := claimIndex{known: make(map[outrank.Key]*outrank.Volume, len(c.Claims))}
	for _, vc := range c.Claims {
		ix.known[vc.Key()] = &vc.Volume
		ix.list = append(ix.list, vc)
	}

	// All claims must be known before any pod is compared with them.
	for _, p := range c.Pods {
		ix.add(p)
	}
	for _, p := range c.Pods {
		e.agrees(p, &ix)
	}
	return e.named(ix.list)
}

// add adds the claims of a pod that are not known yet and have more than a name.
func (ix *claimIndex) add(p *outrank.Pod) {
	for i := range p.Volumes {
		v := &p.Volumes[i]
		key := outrank.NewKey(p.Namespace, v.Claim)
		if v.Claim == "" || ix.known[key] != nil || sameStorage(v, &outrank.Volume{}) {
			continue
		}

		vc := &outrank.VolumeClaim{Name: v.Claim, Namespace: p.Namespace, Volume: *v}
		vc.Volume.Claim, vc.Volume.Ephemeral = "", false // a claim's volume does not have these fields
		vc.Volume.Disk = outrank.Disk{}
		ix.known[key] = &vc.Volume
		ix.list = append(ix.list, vc)
	}
}

// agrees records a problem for each volume of a pod that differs from the volume of its claim.
func (e *encoder) agrees(p *outrank.Pod, ix *claimIndex) {
	for i := range p.Volumes {
		v := &p.Volumes[i]
		known := ix.known[outrank.NewKey(p.Namespace, v.Claim)]
		if v.Claim == "" || known == nil || sameStorage(v, known) {
			continue
		}

		e.subject = "pod " + string(p.Key())
		spec := apis.Path{Name: "spec", Index: -1}
		list := spec.Field("volumes")
		at := list.At(i)
		e.add(&at, "the claim %s stands for something else elsewhere in the cluster", apis.Quote(v.Claim))
	}
}

// sameStorage reports whether two volumes are equal in all fields that a claim gives.
func sameStorage(a, b *outrank.Volume) bool {
	return a.State == b.State && a.MissingVolume == b.MissingVolume && a.OncePod == b.OncePod && a.Driver == b.Driver && a.Handle == b.Handle &&
		sameNodes(a.Node, b.Node) && sameZones(a.Zones, b.Zones)
}

// sameNodes reports whether two selectors have the same wire form. Nil and empty lists count as equal.
func sameNodes(a, b *outrank.NodeSelector) bool {
	return a == b || reflect.DeepEqual(wireNodeSelector(a), wireNodeSelector(b))
}

// sameZones reports whether two volumes are in the same zones. Nil and an empty map count as equal.
func sameZones(a, b map[string][]string) bool {
	if len(a) != len(b) {
		return false
	}
	for key, values := range a {
		others, ok := b[key]
		if !ok || !slices.Equal(values, others) {
			return false
		}
	}
	return true
}

// named assigns each bound claim a volume that is named after it, and each claim whose volume does not exist yet a
// storage class. Claims with the same driver and the same binding mode share a class.
func (e *encoder) named(claims []*outrank.VolumeClaim) ([]boundClaim, []class) {
	out := make([]boundClaim, len(claims))
	taken := make(map[string]bool, len(claims))
	var classes []class
	for i, vc := range claims {
		e.claimVolume(vc)
		out[i].claim = vc

		switch v := &vc.Volume; {
		case v.Driver != "" && !hasVolume(v):
			c := class{driver: v.Driver, waits: v.State != outrank.ClaimUnbound}
			at := slices.Index(classes, c)
			if at < 0 {
				at = len(classes)
				classes = append(classes, c)
			}
			out[i].class = className(at)
		case v.State == outrank.ClaimLost, v.State == outrank.ClaimVolumeMissing, v.State == outrank.ClaimUnbound && !hasVolume(v):
		default:
			out[i].volume = volumeName(vc, taken)
		}
	}
	return out, classes
}

// volumeName returns a name for a claim's volume that is not taken yet. Two names can only collide if a namespace
// contains a dot, which Kubernetes does not allow; even then a number makes them different.
func volumeName(vc *outrank.VolumeClaim, taken map[string]bool) string {
	first := cmp.Or(vc.Namespace, outrank.DefaultNamespace) + "." + vc.Name
	name := first
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s-%d", first, n)
	}
	taken[name] = true
	return name
}
