package outrank

import "github.com/outrank-go/outrank/internal/fields"

// VolumeClaim is a persistent volume claim together with the volume bound to
// it. Only [Cluster.ResolveVolumes] looks at claims; a decision uses what
// stands in Pod.Volumes.
type VolumeClaim struct {
	// Name and Namespace identify the claim; an empty Namespace is "default".
	Name, Namespace string
	// Volume is what every pod that uses the claim has. Its Claim and Ephemeral
	// are not looked at. While no volume is bound, only OncePod, State and Driver
	// are set, and MissingVolume where there was one.
	Volume Volume
}

// ClaimState is what keeps a claim from being used. Where several things do, it
// is the first of these.
type ClaimState string

// The states.
const (
	// ClaimLost: the volume that it was bound to is gone, as its status says.
	ClaimLost ClaimState = "Lost"
	// ClaimDeleting: it is being deleted.
	ClaimDeleting ClaimState = "Deleting"
	// ClaimUnbound: it has no volume yet, and does not wait for a pod to get one.
	ClaimUnbound ClaimState = "Unbound"
	// ClaimVolumeMissing: there is no volume of the name that it is bound to.
	ClaimVolumeMissing ClaimState = "VolumeMissing"
)

// Key names the claim.
func (vc *VolumeClaim) Key() Key { return NewKey(vc.Namespace, vc.Name) }

// ResolveVolumes fills in what the claims of the pods stand for, as far as
// Cluster.Claims has them. Pods from [ReadCluster] are resolved already; others
// need this call. A volume whose claim is not in Cluster.Claims stays as it is.
// A pod with volumes gets a new slice of them, whose selectors and zones are
// shared with the claims. Nil pods and claims are passed over. Time is linear in the
// claims and the volumes.
func (c *Cluster) ResolveVolumes(pods ...*Pod) {
	if len(c.Claims) == 0 {
		return
	}
	claims := make(map[Key]*VolumeClaim, len(c.Claims))
	for _, vc := range c.Claims {
		if vc != nil {
			claims[vc.Key()] = vc
		}
	}
	for _, p := range pods {
		if p != nil {
			p.resolve(claims)
		}
	}
}

func (p *Pod) resolve(claims map[Key]*VolumeClaim) {
	if len(p.Volumes) == 0 {
		return
	}
	volumes := make([]Volume, len(p.Volumes))
	for i, v := range p.Volumes {
		vc := claims[NewKey(p.Namespace, v.Claim)]
		if v.Claim != "" && vc != nil {
			name, ephemeral := v.Claim, v.Ephemeral
			v = vc.Volume
			v.Claim, v.Ephemeral = name, ephemeral
		}
		volumes[i] = v
	}
	p.Volumes = volumes
}

func (v *validator) claim(vc *VolumeClaim) {
	if vc != nil {
		v.volume(&vc.Volume, &fields.Path{Name: "spec", Index: -1})
	}
}
