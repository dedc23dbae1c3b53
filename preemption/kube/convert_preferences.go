package kube

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/manifest"
)

// preferences converts the preferences of a pod about its node. It returns nil if there are none.
func (cv *converter) preferences(w *manifest.PodSpec) *outrank.Preferences {
	var p outrank.Preferences
	if a := w.Affinity; a != nil {
		if a.NodeAffinity != nil {
			for _, t := range a.NodeAffinity.Preferred {
				p.NodeAffinity = append(p.NodeAffinity, outrank.PreferredSchedulingTerm{Weight: t.Weight, Preference: cv.nodeTerm(&t.Preference)})
			}
		}
		p.PodAffinity, p.PodAntiAffinity = cv.weightedTerms(a.PodAffinity), cv.weightedTerms(a.PodAntiAffinity)
	}

	// Nodes that already have the image of a volume are preferred, as with the image of a container.
	for i := range w.Volumes {
		if image := w.Volumes[i].Image; image != nil {
			p.ImageVolumes = append(p.ImageVolumes, cv.text(image.Reference))
		}
	}

	if len(p.NodeAffinity)+len(p.PodAffinity)+len(p.PodAntiAffinity)+len(p.ImageVolumes) == 0 {
		return nil
	}
	return &p
}

// weightedTerms converts the preferred terms of a pod affinity or anti-affinity.
func (cv *converter) weightedTerms(w *manifest.PodAffinity) []outrank.WeightedPodAffinityTerm {
	if w == nil {
		return nil
	}
	var out []outrank.WeightedPodAffinityTerm
	for i := range w.Preferred {
		out = append(out, outrank.WeightedPodAffinityTerm{Weight: w.Preferred[i].Weight, PodAffinityTerm: cv.podTerm(&w.Preferred[i].Term)})
	}
	return out
}
