package score

import (
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// taints counts, for each node, the taints with PreferNoSchedule that the pod does not tolerate (group 27.2).
func (q *question) taints() ([]int64, error) {
	raw := make([]int64, len(q.nodes))
	for i, n := range q.nodes {
		if q.Ended(1) {
			return nil, nil
		}
		if !q.table.avoids[q.at[i]] {
			continue
		}
		q.Ended(len(n.Taints))
		for _, t := range n.Taints {
			if t.Effect == outrank.PreferNoSchedule && !q.tolerations.Cover(t) {
				raw[i]++
			}
		}
	}
	return raw, nil
}

// affinity sums, for each node, the weights of the preferred terms that it meets (group 27.4). The result is
// nil if there are no terms.
func (q *question) affinity() ([]int64, error) {
	var own []outrank.PreferredSchedulingTerm
	if p := q.pod.Preferences; p != nil {
		own = p.NodeAffinity
	}
	if len(own)+len(q.config.AddedAffinity) == 0 {
		return nil, nil
	}

	// The terms of the configuration were checked when the scorer was made.
	for i := range own {
		if err := checkTerm(&own[i].Preference); err != nil {
			return nil, err
		}
	}

	raw := make([]int64, len(q.nodes))
	for _, terms := range [...][]outrank.PreferredSchedulingTerm{q.config.AddedAffinity, own} {
		for i := range terms {
			for j, n := range q.nodes {
				if q.Ended(1) {
					return nil, nil
				}
				if fit.MatchesTerm(terms[i].Preference, n) {
					raw[j] += int64(terms[i].Weight)
				}
			}
		}
	}
	return raw, nil
}

// checkTerm returns an error if kube-scheduler cannot read a preferred term (rule 27.1.7).
func checkTerm(t *outrank.NodeSelectorTerm) error {
	if text := fit.TermProblem(t); text != "" {
		return errors.New("preferred term: " + text)
	}
	return nil
}

// A node with less than leastImage bytes of the pod's images gets no score. A node with mostImage bytes for
// each image of the pod gets the full score (rule 27.8.3). mostSize caps the size of one image; beyond it
// the size makes no difference.
const (
	leastImage = 23 << 20
	mostImage  = 1000 << 20
	mostSize   = 1 << 50
)

// images scores each node by how many bytes of the pod's images it has (group 27.8).
func (q *question) images() ([]int64, error) {
	wanted, count := q.wantedImages()
	most := int64(count) * mostImage
	sums := make([]int64, len(q.nodes))
	if len(wanted) > 0 {
		q.addImages(wanted, sums)
	}

	raw := make([]int64, len(q.nodes))
	for i, sum := range sums {
		if q.Ended(1) {
			return nil, nil
		}
		if sum >= leastImage {
			raw[i] = maxScore * (min(sum, most) - leastImage) / (most - leastImage)
		}
	}
	return raw, nil
}

// wantedImages returns how often the pod wants each image, and the number of images that count.
func (q *question) wantedImages() (wanted map[string]int64, count int) {
	wanted = map[string]int64{}
	for _, containers := range [...][]outrank.Container{q.pod.InitContainers, q.pod.Containers} {
		for i := range containers {
			wanted[normalImage(containers[i].Image)]++
		}
		count += len(containers)
	}
	if p := q.pod.Preferences; p != nil {
		for _, reference := range p.ImageVolumes {
			wanted[normalImage(reference)]++
		}
		if q.rules().ImageVolumesCount {
			count += len(p.ImageVolumes)
		}
	}
	return wanted, count
}

// addImages adds, for each node, the sizes of the wanted images that it has. The size of an image is scaled by
// the fraction of nodes that have it, so that a rare image does not draw all its pods to one node.
func (q *question) addImages(wanted map[string]int64, sums []int64) {
	all := float64(len(q.table.nodes))
	counted := make([]int64, len(q.table.nodes))
	for name, times := range wanted {
		m := q.table.image(name)
		if m == nil {
			continue
		}
		count := times * int64(min(mostSize, float64(m.size)*(float64(len(m.nodes))/all)))
		for _, at := range m.nodes {
			if q.Ended(1) {
				return
			}
			counted[at] += count
		}
	}

	for i, at := range q.at {
		sums[i] = counted[at]
	}
}

// normalImage returns the name of an image with a tag: latest if it names none (rule 27.8.2).
func normalImage(name string) string {
	for i := len(name) - 1; i >= 0 && name[i] != '/'; i-- {
		if name[i] == ':' {
			return name
		}
	}
	return name + ":latest"
}
