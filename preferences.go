package outrank

// Preferences are the wishes of a pod about its node. Only scores look at them; no decision
// of preemption does.
type Preferences struct {
	// NodeAffinity lists terms that the pod would like its node to match.
	NodeAffinity []PreferredSchedulingTerm
	// PodAffinity lists terms that the pod would like pods in its topology domain to match,
	// and PodAntiAffinity terms that it would like none of them to match.
	PodAffinity, PodAntiAffinity []WeightedPodAffinityTerm
	// ImageVolumes are the references of the images that the pod mounts as volumes.
	// The images of its containers are Container.Image.
	ImageVolumes []string
}

// PreferredSchedulingTerm is a term of a preferred node affinity.
type PreferredSchedulingTerm struct {
	// Weight is added to the score of a node that the term matches; from 1 to 100.
	Weight     int32            `json:"weight"`
	Preference NodeSelectorTerm `json:"preference"`
}

// WeightedPodAffinityTerm is a term of a preferred pod affinity or anti-affinity.
type WeightedPodAffinityTerm struct {
	// Weight is added to the score for each pod that the term matches in the domain of a
	// node, or subtracted from it for anti-affinity; from 1 to 100.
	Weight          int32           `json:"weight"`
	PodAffinityTerm PodAffinityTerm `json:"podAffinityTerm"`
}

// NodeImage is a container image on a node.
type NodeImage struct {
	// Names are the names by which the image is known.
	Names []string `json:"names,omitempty"`
	// SizeBytes is the size of the image.
	SizeBytes int64 `json:"sizeBytes,omitempty"`
}
