package preemption

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// Plugins is what a KubeSchedulerConfiguration can change about the built-in
// filters (group 7.18). The zero value is the default profile. Package
// schedulerconfig reads it from a file.
type Plugins struct {
	// Off names built-in filters that are switched off: they are asked neither
	// about nodes nor before the first node.
	Off []string
	// OffOnNodes names built-in filters of which only the question about nodes is
	// switched off. What they say before the first node still counts (group
	// 7.15): the nodes that NodeAffinity narrows the search to, and the pods that
	// VolumeBinding and VolumeZone refuse. For all others it is the same as Off.
	OffOnNodes []string
	// AddedAffinity is what a node has to meet for any pod, beside the pod's own
	// demands; nil for nothing. A selector without terms matches no node.
	AddedAffinity *outrank.NodeSelector
	// IgnoredResources are extended resources that NodeResourcesFit does not look
	// at, and IgnoredResourceGroups what stands before the slash in the names of
	// more of them ("example.com"). Names of other resources have no effect.
	IgnoredResources      []resource.Name
	IgnoredResourceGroups []string
	// DefaultSpread are the constraints of pods that have none of their own. They
	// carry no selector: SpreadSelector says which pods count. Only those of
	// DoNotSchedule matter here.
	DefaultSpread []outrank.TopologySpreadConstraint
	// SpreadSelector returns what the services of a pod and the controller that
	// made it select, all of it together; nil or empty for a pod that has neither,
	// to which no default constraint applies. It is asked once in an attempt, for
	// the preemptor, and must be there if DefaultSpread has a constraint of
	// DoNotSchedule. Several goroutines may call it at once.
	SpreadSelector func(pod *outrank.Pod) *outrank.LabelSelector
}

// clone copies the slices.
func (p *Plugins) clone() Plugins {
	c := *p
	c.Off, c.OffOnNodes = slices.Clone(p.Off), slices.Clone(p.OffOnNodes)
	c.IgnoredResources = slices.Clone(p.IgnoredResources)
	c.IgnoredResourceGroups = slices.Clone(p.IgnoredResourceGroups)
	c.DefaultSpread = slices.Clone(p.DefaultSpread)
	return c
}

// ignores reports whether NodeResourcesFit passes over a resource (rule 7.18.5;
// fitsRequest).
func (p *Plugins) ignores(name resource.Name) bool {
	if !name.IsExtended() {
		return false
	}
	group, _, _ := strings.Cut(string(name), "/")
	return slices.Contains(p.IgnoredResources, name) || slices.Contains(p.IgnoredResourceGroups, group)
}

// enforced reports whether a node meets what the configuration adds (rule
// 7.18.3).
func (p *Plugins) enforced(node *outrank.Node) bool {
	return p.AddedAffinity == nil || slices.ContainsFunc(p.AddedAffinity.Terms, func(t outrank.NodeSelectorTerm) bool {
		return fit.MatchesTerm(t, node)
	})
}

// hardSpread reports whether a default constraint can keep a pod out.
func (p *Plugins) hardSpread() bool {
	return slices.ContainsFunc(p.DefaultSpread, func(c outrank.TopologySpreadConstraint) bool {
		return c.WhenUnsatisfiable != outrank.ScheduleAnyway
	})
}

// spreadOf returns the constraints of a pod: its own, or the default ones with
// the selector that goes with the pod (rules 7.18.7 to 7.18.9;
// buildDefaultConstraints).
func (p *Plugins) spreadOf(pod *outrank.Pod) ([]outrank.TopologySpreadConstraint, error) {
	if len(pod.TopologySpread) > 0 || p.SpreadSelector == nil || !p.hardSpread() {
		return pod.TopologySpread, nil
	}
	selector := p.SpreadSelector(pod)
	if err := selector.Validate(); err != nil {
		return nil, fmt.Errorf("pod %s: Plugins.SpreadSelector: %w: %w", pod.Key(), outrank.ErrInvalid, err)
	}
	if selector == nil || selector.Empty() {
		return nil, nil
	}
	constraints := slices.Clone(p.DefaultSpread)
	for i := range constraints {
		constraints[i].Selector, constraints[i].MatchLabelKeys = selector, nil
	}
	return constraints, nil
}

// appendSignature appends what is left of the configuration once the needs and the
// pod's own demands are known. Default constraints are no part of it: where they
// have something to say, no answer is kept.
func (p *Plugins) appendSignature(key *state.KeyWriter, off, silent state.FilterSet) {
	key.Number(int(off))
	key.Number(int(silent))
	key.NodeSelector(p.AddedAffinity)
}

// boundByResources reports whether NodeResourcesFit is asked, without which no
// bound of the search holds.
func (p *Plugins) boundByResources() bool {
	return !slices.Contains(p.Off, filter.NodeResourcesFit) && !slices.Contains(p.OffOnNodes, NodeResourcesFit)
}
