package plainkubelet

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// This file is the kubelet's choice of pods (groups 17.5 and 17.6), written to
// be read. It keeps no figures: every step asks each pod again.

// Evict returns the pods that the kubelet evicts for the preemptor, in order of eviction. If all pods that it
// may preempt do not cover the shortages, it returns those that would remain instead. Shortages of 0 and less
// are covered from the start (rule 17.6.7). The release decides which class a pod has.
func Evict(r outrank.Release, preemptor *outrank.Pod, active []*outrank.Pod, shortages []Shortage) (evict []*outrank.Pod, missing []Shortage) {
	class := map[outrank.QOSClass][]*outrank.Pod{}
	for _, pod := range active {
		if !pod.Finished() && kubeletMayPreempt(preemptor, pod) {
			class[qos.Of(r, pod)] = append(class[qos.Of(r, pod)], pod)
		}
	}

	bestEffort, burstable, guaranteed := class[outrank.BestEffort], class[outrank.Burstable], class[outrank.Guaranteed]
	all := without(shortages) // drops shortages that are not above 0
	if missing := without(all, bestEffort, burstable, guaranteed); len(missing) > 0 {
		return nil, missing
	}

	// What a class must cover is what is left once all pods of the classes below it are gone, and the chosen
	// pods of the classes above it (rules 17.5.3 to 17.5.5). So the most important class is settled first.
	guaranteed = byDistance(guaranteed, without(all, bestEffort, burstable))
	burstable = byDistance(burstable, without(all, bestEffort, guaranteed))
	bestEffort = byDistance(bestEffort, without(all, burstable, guaranteed))
	return slices.Concat(bestEffort, burstable, guaranteed), nil
}

// kubeletMayPreempt reports whether the preemptor may push out the pod. A critical preemptor may push out any
// pod that is not critical; otherwise both must have a priority, and the preemptor the higher one.
func kubeletMayPreempt(preemptor, pod *outrank.Pod) bool {
	if kubeletCritical(preemptor) && !kubeletCritical(pod) {
		return true
	}
	return preemptor.Priority != nil && pod.Priority != nil && *preemptor.Priority > *pod.Priority
}

// kubeletCritical reports whether the kubelet treats a pod as critical.
func kubeletCritical(p *outrank.Pod) bool {
	return p.Static || p.Mirror || p.Priority != nil && *p.Priority >= 2_000_000_000
}

// Shortage is an amount of a resource that a node lacks: cpu in thousandths of a core, anything else in whole
// units.
type Shortage struct {
	Resource resource.Name
	Amount   int64
}

// request returns the amount of a resource that is freed by evicting the pod (rule 17.5.8).
func request(pod *outrank.Pod, name resource.Name) int64 {
	if name == resource.Pods {
		return 1
	}
	return pod.KubeletRequests().Amount(name)
}

// without returns the shortages that remain once the pods are gone. It keeps their order.
func without(shortages []Shortage, pods ...[]*outrank.Pod) []Shortage {
	var left []Shortage
	for _, s := range shortages {
		for _, pod := range slices.Concat(pods...) {
			if s.Amount > 0 {
				s.Amount -= request(pod, s.Resource)
			}
		}
		if s.Amount > 0 {
			left = append(left, s)
		}
	}
	return left
}

// far returns how far a pod alone is from covering the shortages: the sum of the squares of the parts that it
// leaves (rule 17.6.2). It is 0 for a pod that covers all of them.
func far(pod *outrank.Pod, shortages []Shortage) float64 {
	distance := 0.0
	for _, s := range shortages {
		if rest := s.Amount - request(pod, s.Resource); rest > 0 {
			distance += math.Pow(float64(rest)/float64(s.Amount), 2)
		}
	}
	return distance
}

// least returns those of the places at which key is smallest, in their order.
func least[K float64 | int64](places []int, key func(int) K) []int {
	keys := make([]K, len(places))
	for i, at := range places {
		keys[i] = key(at)
	}
	var kept []int
	for i, at := range places {
		if keys[i] == slices.Min(keys) {
			kept = append(kept, at)
		}
	}
	return kept
}

// byDistance chooses pods from the list, in order of distance, until no shortage is left (group 17.6). The
// pods together must cover the shortages.
func byDistance(pods []*outrank.Pod, shortages []Shortage) []*outrank.Pod {
	list, chosen := slices.Clone(pods), []*outrank.Pod(nil)
	for len(shortages) > 0 {
		places := make([]int, len(list))
		for i := range places {
			places[i] = i
		}

		// Each criterion breaks the ties of the one before it (rule 17.6.4), and the later place the last
		// ones (17.6.5).
		places = least(places, func(i int) float64 { return far(list[i], shortages) })
		places = least(places, func(i int) int64 { return request(list[i], resource.Memory) })
		places = least(places, func(i int) int64 { return request(list[i], resource.CPU) })
		chosenAt := places[len(places)-1]
		pod := list[chosenAt]
		chosen = append(chosen, pod)

		// The last pod takes the chosen one's place, which later ties depend on (rule 17.6.6).
		list[chosenAt] = list[len(list)-1]
		list = list[:len(list)-1]
		shortages = without(shortages, []*outrank.Pod{pod})
	}
	return chosen
}
