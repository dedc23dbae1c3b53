package outrank

// VolumeClaim is a persistent volume claim together with the volume bound to
// it. Only [Cluster.ResolveVolumes] looks at claims; a decision uses what
// stands in Pod.Volumes.
type VolumeClaim struct {
	// Name and Namespace identify the claim; an empty Namespace is "default".
	Name, Namespace string
	// Volume is what every pod that uses the claim has. Its Claim is not looked
	// at. While no volume is bound, only OncePod is set.
	Volume Volume
}

// Key names the claim as namespace/name.
func (vc *VolumeClaim) Key() string { return namespaceOr(vc.Namespace) + "/" + vc.Name }

// ResolveVolumes fills in what the claims of the pods stand for, as far as
// Cluster.Claims has them. Pods from [ReadCluster] are resolved already; others
// need this call. A volume whose claim is not in Cluster.Claims stays as it is.
// A pod with volumes gets a new slice of them, whose selectors and zones are
// shared with the claims. Time is linear in the claims and the volumes.
func (c *Cluster) ResolveVolumes(pods ...*Pod) {
	if len(c.Claims) == 0 {
		return
	}
	claims := make(map[string]*VolumeClaim, len(c.Claims))
	for _, vc := range c.Claims {
		claims[vc.Key()] = vc
	}
	for _, p := range pods {
		p.resolve(claims)
	}
}

func (p *Pod) resolve(claims map[string]*VolumeClaim) {
	if len(p.Volumes) == 0 {
		return
	}
	volumes := make([]Volume, len(p.Volumes))
	for i, v := range p.Volumes {
		vc := claims[p.NamespaceName()+"/"+v.Claim]
		if v.Claim != "" && vc != nil {
			name := v.Claim
			v = vc.Volume
			v.Claim = name
		}
		volumes[i] = v
	}
	p.Volumes = volumes
}

func (v *validator) claim(vc *VolumeClaim) {
	if vc != nil {
		v.volume(&vc.Volume, &path{name: "spec", index: -1})
	}
}
