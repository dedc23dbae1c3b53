package reference

import (
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
)

// Input has everything that a decision depends on.
type Input struct {
	// Cluster is the state of things. Pods with a NodeName are on that node;
	// the others are pending, and nominated if NominatedNodeName is set. Finished
	// pods and pods on unknown nodes count nowhere. The order of Nodes breaks
	// the last tie.
	Cluster *outrank.Cluster
	// Pod is the preemptor. If it is also among the pending pods, that entry
	// has its nomination, which does not stand in its own way.
	Pod *outrank.Pod
	// Now is the start time of every pod that has none. Zero is later than any.
	Now time.Time
	// Setup has the changes of a configuration to the filters.
	Setup Setup
	// Ranks compare candidates, in this order; nil means the five of chapter 11.
	Ranks []Rank
	// Variant has the changes of a configuration beside the filters.
	Variant Variant
}

// Setup has the changes of a configuration to the filters (group 7.18). The zero
// value changes nothing.
type Setup struct {
	// Schedulers are the schedulers whose pods' nominations count; nil means all.
	Schedulers []string
	// Off are filters that do not exist; OffOnNodes those that only speak before
	// the first node.
	Off, OffOnNodes []string
	// Added is a further demand on every node.
	Added *outrank.NodeSelector
	// IgnoredResources and IgnoredGroups are extended resources that do not
	// count, by name and by the part before the slash.
	IgnoredResources, IgnoredGroups []string
	// DefaultSpread is for pods without constraints, and counts the pods of
	// SpreadSelector.
	DefaultSpread  []outrank.TopologySpreadConstraint
	SpreadSelector func(*outrank.Pod) *outrank.LabelSelector
}

// shares: the nominations of this scheduler's pods count (rule 7.16.3).
func (s *Setup) shares(scheduler string) bool {
	return s.Schedulers == nil || slices.Contains(s.Schedulers, scheduler)
}

func (s *Setup) off(filter string) bool { return slices.Contains(s.Off, filter) }

func (s *Setup) silent(filter string) bool {
	return s.off(filter) || slices.Contains(s.OffOnNodes, filter)
}

// ignores: only extended resources can be ignored.
func (s *Setup) ignores(resource string) bool {
	slash := strings.Index(resource, "/")
	if slash < 0 || strings.Contains(resource, "kubernetes.io/") || strings.HasPrefix(resource, "requests.") {
		return false
	}
	return slices.Contains(s.IgnoredResources, resource) || slices.Contains(s.IgnoredGroups, resource[:slash])
}

// spreadOf: a pod's own constraints, or else the default ones if anything selects
// the pod together with others. Its labels narrow only its own.
func (s *Setup) spreadOf(p *outrank.Pod) []outrank.TopologySpreadConstraint {
	if len(p.TopologySpreadConstraints) > 0 || len(s.DefaultSpread) == 0 || s.SpreadSelector == nil {
		return p.TopologySpreadConstraints
	}
	selector := s.SpreadSelector(p)
	if selector == nil || selector.Empty() {
		return nil
	}
	var list []outrank.TopologySpreadConstraint
	for _, c := range s.DefaultSpread {
		c.LabelSelector, c.MatchLabelKeys = selector, nil
		list = append(list, c)
	}
	return list
}
