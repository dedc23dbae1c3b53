package score

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// The names of the plugins that only give scores. Plugins that also filter are named in package preemption:
// TaintToleration, NodeAffinity, NodeResourcesFit, PodTopologySpread and InterPodAffinity.
const (
	BalancedAllocation = "NodeResourcesBalancedAllocation"
	ImageLocality      = "ImageLocality"
)

// maxScore is the best score of a node by one plugin, before its weight.
const maxScore = 100

// DefaultWeights returns the weights of the default profile, by plugin (rule 27.1.3). The map belongs to the
// caller.
func DefaultWeights() map[string]int64 {
	return map[string]int64{
		preemption.TaintToleration: 3, preemption.NodeAffinity: 2, preemption.NodeResourcesFit: 1, preemption.PodTopologySpread: 2,
		preemption.InterPodAffinity: 2, BalancedAllocation: 1, ImageLocality: 1,
	}
}

// Config has the settings of a profile that affect scores. The zero value is the default profile,
// but without the default constraints of PodTopologySpread, which need SpreadSelector.
type Config struct {
	// Weights has the weight of each plugin by its name; nil means DefaultWeights. A plugin that is not
	// listed, or has the weight 0, gives no score, and one with a weight below 0 takes from the total. A plugin that is listed with 0 is still asked, and its
	// error for what it cannot read ends the call (rule 27.1.7).
	Weights map[string]int64
	// Fit says how NodeResourcesFit scores.
	Fit Strategy
	// Balanced are the resources of NodeResourcesBalancedAllocation; nil means cpu and
	// memory.
	Balanced []resource.Name
	// AddedAffinity has preferred terms of NodeAffinity that count for every pod.
	AddedAffinity []outrank.PreferredSchedulingTerm
	// DefaultSpread are the constraints of pods that have none of their own. Only constraints with
	// ScheduleAnyway matter for scores. Nil means the constraints of the system (rule 27.5.3), and an empty
	// list means none. They have no selector: SpreadSelector says which pods count.
	DefaultSpread []outrank.TopologySpreadConstraint
	// SpreadSelector returns the selector of a pod's services and of the controller that made it, nil or empty
	// if it has neither. Without the function no default constraint applies. See
	// preemption.Profile.SpreadSelector.
	SpreadSelector func(pod *outrank.Pod) *outrank.LabelSelector
	// HardPodAffinityWeight is the weight of a required affinity term that a pod in the
	// cluster has and that the scored pod matches; nil means 1.
	HardPodAffinityWeight *int32
	// IgnorePreferredTermsOfExistingPods makes InterPodAffinity give no scores for a pod without
	// preferred terms of its own.
	IgnorePreferredTermsOfExistingPods bool
}

// Strategy says how NodeResourcesFit scores a node by its resources. The zero value is
// LeastAllocated by cpu and memory.
type Strategy struct {
	// Type is the kind of score. Empty means LeastAllocated.
	Type StrategyType
	// Resources are the resources that count, each with its weight among the others. A weight of 0 means 1.
	// Nil means cpu and memory, with the weight 1.
	Resources map[resource.Name]int64
	// Shape maps utilization to score. RequestedToCapacityRatio needs it, and other types must not have it.
	Shape []Point
}

// StrategyType is a way to score a node by its resources.
type StrategyType string

// LeastAllocated prefers nodes with much left, MostAllocated nodes with little left, and
// RequestedToCapacityRatio scores by a shape.
const (
	LeastAllocated           StrategyType = "LeastAllocated"
	MostAllocated            StrategyType = "MostAllocated"
	RequestedToCapacityRatio StrategyType = "RequestedToCapacityRatio"
)

// Point is a corner of a shape: the score, from 0 to 10, of a node with this utilization, in percent.
type Point struct{ Utilization, Score int32 }

// validate returns an error that joins every problem of the configuration, each wrapping
// [outrank.ErrInvalid].
func (c *Config) validate() error {
	var errs []error
	add := func(field, format string, args ...any) {
		errs = append(errs, fmt.Errorf("score configuration: %s: %w: %s", field, outrank.ErrInvalid, fmt.Sprintf(format, args...)))
	}

	for _, name := range slices.Sorted(maps.Keys(c.Weights)) {
		if !slices.ContainsFunc(plugins, func(p plugin) bool { return p.name == name }) {
			add("Weights", "there is no plugin %q that gives scores", name)
		}
		if w := c.Weights[name]; w < math.MinInt32 || w > math.MaxInt32 {
			add("Weights", "%d of %s is not between %d and %d", w, name, math.MinInt32, math.MaxInt32)
		}
	}
	c.Fit.validate(add)

	balanced := make(map[resource.Name]bool, len(c.Balanced))
	for _, name := range c.Balanced {
		if name == "" || balanced[name] {
			add("Balanced", "%q is empty or there twice", name)
		}
		balanced[name] = true
	}
	if w := c.HardPodAffinityWeight; w != nil && (*w < 0 || *w > 100) {
		add("HardPodAffinityWeight", "%d is not between 0 and 100", *w)
	}

	// Constraints and terms are checked by the validation of a pod that has them.
	held := func(field string, pod outrank.Pod) {
		var invalid *outrank.InputError
		pod.Name = "every"
		if errors.As(pod.Validate(), &invalid) {
			for _, p := range invalid.Problems {
				add(field, "%s: %s", p.Field, p.Text)
			}
		}
	}
	held("DefaultSpread", outrank.Pod{TopologySpreadConstraints: c.DefaultSpread})
	held("AddedAffinity", outrank.Pod{Preferences: &outrank.Preferences{NodeAffinity: c.AddedAffinity}})

	// A pod may have terms that kube-scheduler cannot read; a configuration may not.
	for i := range c.AddedAffinity {
		if err := checkTerm(&c.AddedAffinity[i].Preference); err != nil {
			add("AddedAffinity", "%v", err)
		}
	}
	return errors.Join(errs...)
}

// validate calls add for every problem of the strategy.
func (s *Strategy) validate(add func(field, format string, args ...any)) {
	switch s.Type {
	case "", LeastAllocated, MostAllocated, RequestedToCapacityRatio:
	default:
		add("Fit.Type", "%q is none of LeastAllocated, MostAllocated, RequestedToCapacityRatio", s.Type)
	}

	for _, name := range slices.Sorted(maps.Keys(s.Resources)) {
		if name == "" {
			add("Fit.Resources", "a resource without a name")
		}
		if w := s.Resources[name]; w < 0 || w > math.MaxInt32 {
			add("Fit.Resources", "the weight %d of %s is not between 0 and %d", w, name, math.MaxInt32)
		}
	}

	// Only one type has a shape. Its points go from left to right.
	if (s.Type == RequestedToCapacityRatio) != (len(s.Shape) > 0) {
		add("Fit.Shape", "a shape goes with RequestedToCapacityRatio, and with no other type")
	}
	for i, p := range s.Shape {
		if p.Utilization < 0 || p.Utilization > 100 || i > 0 && p.Utilization <= s.Shape[i-1].Utilization {
			add("Fit.Shape", "the utilization %d is not between 0 and 100, or does not come after the one before", p.Utilization)
		}
		if p.Score < 0 || p.Score > 10 {
			add("Fit.Shape", "the score %d is not between 0 and 10", p.Score)
		}
	}
}

// clone returns a copy that shares no list or map.
func (c *Config) clone() Config {
	d := *c
	d.Weights = maps.Clone(c.Weights)
	d.Fit.Resources, d.Fit.Shape = maps.Clone(c.Fit.Resources), slices.Clone(c.Fit.Shape)
	d.Balanced, d.AddedAffinity = slices.Clone(c.Balanced), slices.Clone(c.AddedAffinity)

	// An empty list means no constraints and must not become nil, which means the system's.
	if c.DefaultSpread != nil {
		d.DefaultSpread = append([]outrank.TopologySpreadConstraint{}, c.DefaultSpread...)
	}
	return d
}
