package filters

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// CloneProfile copies a profile and its slices.
func CloneProfile(p *preemption.Profile) preemption.Profile {
	c := *p
	c.Schedulers = slices.Clone(p.Schedulers)
	c.Off, c.OffOnNodes = slices.Clone(p.Off), slices.Clone(p.OffOnNodes)
	c.IgnoredResources = slices.Clone(p.IgnoredResources)
	c.IgnoredResourceGroups = slices.Clone(p.IgnoredResourceGroups)
	c.DefaultConstraints = slices.Clone(p.DefaultConstraints)
	return c
}

// enforced reports whether a node meets the affinity that the configuration adds (rule
// 7.18.3).
func enforced(p *preemption.Profile, node *outrank.Node) bool {
	return p.AddedAffinity == nil || slices.ContainsFunc(p.AddedAffinity.NodeSelectorTerms, func(t outrank.NodeSelectorTerm) bool {
		return fit.MatchesTerm(t, node)
	})
}

// HardSpread reports whether any default constraint can keep a pod from a node.
func HardSpread(p *preemption.Profile) bool {
	return slices.ContainsFunc(p.DefaultConstraints, func(c outrank.TopologySpreadConstraint) bool {
		return c.WhenUnsatisfiable != outrank.ScheduleAnyway
	})
}

// appendPlugins appends the parts of the configuration that change an answer and show neither in the needs
// nor in the pod. Default constraints are not needed here: the shape of PodTopologySpread's counts covers
// them.
func appendPlugins(p *preemption.Profile, key *state.KeyWriter, off, silent state.FilterSet) {
	key.Number(int(off))
	key.Number(int(silent))
	key.NodeSelector(p.AddedAffinity)
}

// BoundByResources reports whether NodeResourcesFit is asked about nodes. Without it no bound of the search
// holds.
func BoundByResources(p *preemption.Profile) bool {
	return !slices.Contains(p.Off, filter.NodeResourcesFit) && !slices.Contains(p.OffOnNodes, filter.NodeResourcesFit)
}
