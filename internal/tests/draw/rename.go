package draw

import (
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
)

// Rename gives a pod another name. Claims of its ephemeral volumes are named after the pod, and change theirs
// with it. If there are any, the pod gets a list of volumes of its own first, because it may share one with
// other pods.
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
