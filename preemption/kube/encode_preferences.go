package kube

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/manifest"
)

// wirePreferences adds preferred terms to the affinity w, which has the required terms and may be nil. It returns nil if
// there are no terms at all.
func wirePreferences(w *manifest.Affinity, p *outrank.Preferences) *manifest.Affinity {
	if p == nil || len(p.NodeAffinity)+len(p.PodAffinity)+len(p.PodAntiAffinity) == 0 {
		return w
	}
	if w == nil {
		w = &manifest.Affinity{}
	}

	if len(p.NodeAffinity) > 0 && w.NodeAffinity == nil {
		w.NodeAffinity = &manifest.NodeAffinity{}
	}
	for _, t := range p.NodeAffinity {
		w.NodeAffinity.Preferred = append(w.NodeAffinity.Preferred, manifest.PreferredTerm{Weight: t.Weight, Preference: wireNodeTerm(&t.Preference)})
	}
	w.PodAffinity = wireWeightedTerms(w.PodAffinity, p.PodAffinity)
	w.PodAntiAffinity = wireWeightedTerms(w.PodAntiAffinity, p.PodAntiAffinity)
	return w
}

// wireWeightedTerms adds preferred terms to the pod affinity w, which has the required terms and may be nil.
func wireWeightedTerms(w *manifest.PodAffinity, ts []outrank.WeightedPodAffinityTerm) *manifest.PodAffinity {
	if len(ts) > 0 && w == nil {
		w = &manifest.PodAffinity{}
	}
	for i := range ts {
		w.Preferred = append(w.Preferred, manifest.WeightedTerm{Weight: ts[i].Weight, Term: wirePodTerm(&ts[i].PodAffinityTerm)})
	}
	return w
}

// imageVolumes returns the wire form of the volumes by which a pod mounts images.
func imageVolumes(p *outrank.Preferences) []manifest.Volume {
	if p == nil {
		return nil
	}
	var out []manifest.Volume
	for _, reference := range p.ImageVolumes {
		out = append(out, manifest.Volume{Image: &manifest.ImageVolume{Reference: reference}})
	}
	return out
}
