package invariants

import (
	"fmt"
	"slices"
	"testing"

	"github.com/outrank-go/outrank"
)

// tier is a set of pods that leave before those of the tiers behind it: those of a class or, if priorities come first,
// those of a priority and class.
type tier struct {
	class outrank.QOSClass
	// priority means nothing if the class alone counts.
	priority   int32
	byPriority bool
}

// has reports whether a pod is of the tier. A pod without a priority counts with 0 (rule 17.8.2).
func (t tier) has(p *HostPod) bool {
	return t.class == p.Class && (!t.byPriority || t.priority == p.priority())
}

func (t tier) String() string {
	if t.byPriority {
		return fmt.Sprintf("%s of priority %d", t.class, t.priority)
	}
	return string(t.class)
}

func (p *HostPod) priority() int32 {
	if p.Unset {
		return 0
	}
	return p.Priority
}

// classes are in the order in which they leave.
var classes = []outrank.QOSClass{outrank.BestEffort, outrank.Burstable, outrank.Guaranteed}

// tiers are those of the host, the lowest first (rules 17.5.1 and 17.8.2).
func (h *Host) tiers() (tiers []tier) {
	if !h.PriorityFirst {
		return []tier{{class: classes[0]}, {class: classes[1]}, {class: classes[2]}}
	}
	var priorities []int32
	for i := range h.Pods {
		priorities = append(priorities, h.Pods[i].priority())
	}
	slices.Sort(priorities)
	for _, priority := range slices.Compact(priorities) {
		for _, class := range classes {
			tiers = append(tiers, tier{class, priority, true})
		}
	}
	return tiers
}

// candidates are the pods of some tiers that may be evicted, in their order on the host.
func (h *Host) candidates(tiers ...tier) (pods []*HostPod) {
	for i := range h.Pods {
		p := &h.Pods[i]
		if h.mayEvict(p) && slices.ContainsFunc(tiers, func(t tier) bool { return t.has(p) }) {
			pods = append(pods, p)
		}
	}
	return pods
}

// of has the evicted pods of a tier, in the order in which they were chosen.
func (a *hostAnswer) of(t tier) (pods []*HostPod) {
	for _, p := range a.evicted {
		if t.has(p) {
			pods = append(pods, p)
		}
	}
	return pods
}

// ATierLeavesOnlyIfTheLowerOnesWouldNotDo holds that somebody of a tier is evicted only if all of the lower tiers, and
// those chosen of the higher ones, would not make enough room (rules 17.5.3 to 17.5.5).
func (k Kubelet) ATierLeavesOnlyIfTheLowerOnesWouldNotDo(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		for i, t := range h.tiers() {
			chosen := a.of(t)
			if others := a.othersThan(h, i); len(chosen) > 0 && h.short(others...) == enough {
				return fmt.Sprintf("%s of the tier %s is evicted, and %s would do", chosen[0].Name, t, hostNames(others))
			}
		}
		return ""
	})
}

// othersThan returns all that may be evicted of the tiers below one, and those chosen of the tiers above it.
func (a *hostAnswer) othersThan(h *Host, at int) []*HostPod {
	tiers := h.tiers()
	others := h.candidates(tiers[:at]...)
	for _, above := range tiers[at+1:] {
		others = append(others, a.of(above)...)
	}
	return others
}

// LowerTiersStandFirst holds that the answer lists the evictions by their tiers, the lowest first, each with its class
// (rules 17.5.6 and 17.8.3).
func (k Kubelet) LowerTiersStandFirst(t *testing.T) {
	k.always(t, func(h *Host, a *hostAnswer) string {
		tiers, before := h.tiers(), 0
		for i, p := range a.evicted {
			at := slices.IndexFunc(tiers, func(t tier) bool { return t.has(p) })
			if at < before {
				return fmt.Sprintf("%s of the tier %s is listed before %s of the tier %s", a.evicted[i-1].Name, tiers[before], p.Name, tiers[at])
			}
			if said := a.reasons[p].Tier; said != p.Class {
				return fmt.Sprintf("%s of the class %s is evicted from the tier %s", p.Name, p.Class, said)
			}
			before = at
		}
		return ""
	})
}
