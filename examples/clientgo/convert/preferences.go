package convert

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
)

// preferences converts the preferences of a pod. It is nil if the pod has none.
func preferences(s *corev1.PodSpec) *outrank.Preferences {
	var out outrank.Preferences
	if a := s.Affinity; a != nil {
		if a.NodeAffinity != nil {
			for i := range a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
				t := &a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution[i]
				out.NodeAffinity = append(out.NodeAffinity, outrank.PreferredSchedulingTerm{Weight: t.Weight, Preference: nodeTerm(&t.Preference)})
			}
		}
		if a.PodAffinity != nil {
			out.PodAffinity = weightedTerms(a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
		}
		if a.PodAntiAffinity != nil {
			out.PodAntiAffinity = weightedTerms(a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
		}
	}
	for i := range s.Volumes {
		if image := s.Volumes[i].Image; image != nil {
			out.ImageVolumes = append(out.ImageVolumes, image.Reference)
		}
	}
	if len(out.NodeAffinity)+len(out.PodAffinity)+len(out.PodAntiAffinity)+len(out.ImageVolumes) == 0 {
		return nil
	}
	return &out
}

func weightedTerms(ts []corev1.WeightedPodAffinityTerm) []outrank.WeightedPodAffinityTerm {
	var out []outrank.WeightedPodAffinityTerm
	for i := range ts {
		out = append(out, outrank.WeightedPodAffinityTerm{Weight: ts[i].Weight, PodAffinityTerm: podTerm(&ts[i].PodAffinityTerm)})
	}
	return out
}

// images converts the images on a node.
func images(is []corev1.ContainerImage) []outrank.NodeImage {
	var out []outrank.NodeImage
	for i := range is {
		out = append(out, outrank.NodeImage{Names: list(is[i].Names), SizeBytes: is[i].SizeBytes})
	}
	return out
}
