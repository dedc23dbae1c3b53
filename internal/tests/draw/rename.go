package draw

import (
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
)

// Rename gives a pod another name, and with it the claims that are made for it, which are named
// after it. The list of volumes is the pod's own afterwards where such a claim is in it.
func Rename(p *outrank.Pod, name string) {
	isEphemeral := func(v outrank.Volume) bool { return v.Ephemeral }
	if slices.ContainsFunc(p.Volumes, isEphemeral) {
		p.Volumes = slices.Clone(p.Volumes)
	}
	for i := range p.Volumes {
		if v := &p.Volumes[i]; v.Ephemeral {
			v.Claim = name + strings.TrimPrefix(v.Claim, p.Name)
		}
	}
	p.Name = name
}
