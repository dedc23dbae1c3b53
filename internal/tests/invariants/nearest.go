package invariants

import (
	"fmt"
	"slices"
	"testing"

	"github.com/outrank-go/outrank/kubeletadmit"
)

// EachTimeTheNearestLeaves holds that of the pods that are left in a tier each time the one leaves that is nearest to what
// is still short, by the sum of squares of the parts that it would leave, as it is said of each; of those that tie the one
// that asks for less memory, then for less cpu, then the later one in the list (group 17.6).
func (k Kubelet) EachTimeTheNearestLeaves(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		for i, t := range h.tiers() {
			left, lack := h.candidates(t), h.short(a.othersThan(h, i)...)
			for _, p := range a.of(t) {
				if !slices.Contains(left, p) {
					continue // it may not leave at all, which is not this invariant's business
				}
				if broken := a.notNearest(p, left, lack); broken != "" {
					return fmt.Sprintf("of the tier %s, with %s short, %s", t, amounts(lack), broken)
				}
				for r := range numResources {
					lack[r] = max(0, lack[r]-p.Amounts[r])
				}
				at := slices.Index(left, p)
				left[at] = left[len(left)-1]
				left = left[:len(left)-1]
			}
		}
		return ""
	})
}

// notNearest says what is wrong about a pod that leaves while these are left and so much is short.
func (a *hostAnswer) notNearest(p *HostPod, left []*HostPod, lack [numResources]int64) string {
	nearest := slices.MaxFunc(left, func(p, q *HostPod) int { return nearer(p, q, &lack, left) })
	if p != nearest {
		return fmt.Sprintf("%s is evicted at a distance of %v, and %s is at %v", p.Name, p.distance(&lack), nearest.Name, nearest.distance(&lack))
	}
	said := a.reasons[p]
	if is := p.distance(&lack); said.Distance != is {
		return fmt.Sprintf("%s is said to be evicted at a distance of %v, and is at %v", p.Name, said.Distance, is)
	}
	if is := p.contributes(&lack); !slices.Equal(said.Contributions, is) {
		return fmt.Sprintf("%s is said to contribute %v, and contributes %v", p.Name, said.Contributions, is)
	}
	return ""
}

// contributes lists how far the pod covers each resource that is short.
func (p *HostPod) contributes(lack *[numResources]int64) (list []kubeletadmit.Contribution) {
	for r, short := range lack {
		if short > 0 {
			list = append(list, kubeletadmit.Contribution{Resource: Resources[r], Needed: short * units[r], Frees: p.Amounts[r] * units[r]})
		}
	}
	return list
}

// missing lists what is short as an answer does.
func missing(lack [numResources]int64) (list []kubeletadmit.ResourceNeed) {
	for r, short := range lack {
		if short > 0 {
			list = append(list, kubeletadmit.ResourceNeed{Resource: Resources[r], Amount: short * units[r]})
		}
	}
	return list
}

// units are what the library counts each of Resources in: thousandths of a core, bytes.
var units = [numResources]int64{1, 1000, 1 << 30, 1}

// distance is the sum, over what is short, of the square of the part that the pod would leave (rule 17.6.2).
func (p *HostPod) distance(lack *[numResources]int64) (sum float64) {
	for r, short := range lack {
		if rest := short - p.Amounts[r]; short > 0 && rest > 0 {
			part := float64(rest) / float64(short)
			sum += float64(part * part) // not fused into the sum, which would round otherwise
		}
	}
	return sum
}

// nearer is positive if p leaves before q.
func nearer(p, q *HostPod, lack *[numResources]int64, list []*HostPod) int {
	for _, by := range [][2]float64{
		{q.distance(lack), p.distance(lack)}, {float64(q.Amounts[2]), float64(p.Amounts[2])}, {float64(q.Amounts[1]), float64(p.Amounts[1])},
		{float64(slices.Index(list, p)), float64(slices.Index(list, q))},
	} {
		if by[0] != by[1] {
			if by[0] > by[1] {
				return 1
			}
			return -1
		}
	}
	return 0
}
