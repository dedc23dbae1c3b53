package config

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// readPreemptionArgs reads how many candidates DefaultPreemption looks for (rule 19.3.1).
func (p *profileReader) readPreemptionArgs(o *object) {
	s := preemption.Sample{Percent: 10, Minimum: 100}
	if n, ok := o.number("minCandidateNodesPercentage", 0, 100); ok {
		s.Percent = orNone(int(n))
	}
	if n, ok := o.number("minCandidateNodesAbsolute", 0, math.MaxInt32); ok {
		s.Minimum = orNone(int(n))
	}
	if s.Percent < 0 && s.Minimum < 0 {
		o.ps.add(o.path("minCandidateNodesPercentage"), "0 at the same time as minCandidateNodesAbsolute")
	}
	p.Config.Sample = &s
}

// orNone returns a number of the file for a field of [preemption.Sample], where 0 means the default and -1
// means zero.
func orNone(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// readFitArgs reads the arguments of NodeResourcesFit. kube-scheduler looks into them only as it makes the plugin, so
// that those of a plugin that runs at no point have to have the right fields and no more (rule 19.3.8).
func (p *profileReader) readFitArgs(o *object) {
	if p.runs[preemption.NodeResourcesFit] {
		p.readResourcesArgs(o)
		return
	}

	trial, alone := *p, *o
	alone.ps, alone.asked = &problems{}, map[string]bool{}
	if trial.readResourcesArgs(&alone); len(alone.ps.list) == 0 {
		p.readResourcesArgs(o)
		return
	}
	o.texts("ignoredResources")
	o.texts("ignoredResourceGroups")
	s := o.object("scoringStrategy")
	s.text("type")
	s.objects("resources", func(r *object) {
		r.text("name")
		r.number("weight", math.MinInt64, math.MaxInt64)
	})
	ratio := s.object("requestedToCapacityRatio")
	ratio.objects("shape", func(point *object) {
		point.int32("utilization")
		point.int32("score")
	})
	ratio.done()
	s.done()
}

// readResourcesArgs reads the resources that NodeResourcesFit ignores (rule 19.3.3), and how it scores.
func (p *profileReader) readResourcesArgs(o *object) {
	settings := p.settings()
	for i, name := range o.texts("ignoredResources") {
		if !qualified(name) {
			o.ps.add(o.path("ignoredResources")+"["+itoa(i)+"]", "%q is no name of a resource", cut(name))
		}
		settings.IgnoredResources = append(settings.IgnoredResources, resource.Name(name))
	}
	for i, group := range o.texts("ignoredResourceGroups") {
		// A group must be a valid name without a prefix.
		if !qualified(group) || hasSlash(group) {
			o.ps.add(o.path("ignoredResourceGroups")+"["+itoa(i)+"]", "%q is no group of resources", cut(group))
		}
		settings.IgnoredResourceGroups = append(settings.IgnoredResourceGroups, group)
	}

	if !o.has("scoringStrategy") {
		o.object("scoringStrategy") // marks the field as known: it may be null
		return
	}
	s := o.object("scoringStrategy")
	strategy := s.text("type")
	if !slices.Contains([]string{"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"}, strategy) {
		s.ps.add(s.path("type"), "there is no strategy %q", cut(strategy))
	}
	p.readStrategy(s, strategy)

	if ratio := strategy == "RequestedToCapacityRatio"; ratio != s.has("requestedToCapacityRatio") {
		s.ps.add(s.path("requestedToCapacityRatio"), "goes with the type RequestedToCapacityRatio alone")
	}
	r := s.object("requestedToCapacityRatio")
	p.Scores.Fit.Shape = readShape(r)
	if strategy == "RequestedToCapacityRatio" && len(p.Scores.Fit.Shape) == 0 {
		r.ps.add(r.path("shape"), "needs a point")
	}
	r.done()
	s.done()
}

// readSpreadArgs reads the default constraints, which apply to pods without constraints of their own (rule
// 19.3.4).
func (p *profileReader) readSpreadArgs(o *object) {
	kind := o.text("defaultingType")
	if kind != "" && kind != "System" && kind != "List" {
		o.ps.add(o.path("defaultingType"), "%q is neither System nor List", cut(kind))
	}

	// Two constraints with one topology key must differ in whenUnsatisfiable.
	type pair struct {
		key string
		outrank.UnsatisfiablePolicy
	}
	taken := map[pair]bool{}
	var constraints []outrank.TopologySpreadConstraint
	o.objects("defaultConstraints", func(c *object) {
		x := readConstraint(c)
		at := pair{x.TopologyKey, x.WhenUnsatisfiable}
		if taken[at] {
			c.ps.add(c.at, "there is another constraint of %s and %s", cut(x.TopologyKey), x.WhenUnsatisfiable)
		}
		taken[at] = true
		constraints = append(constraints, x)
	})
	if kind != "List" && len(constraints) > 0 {
		o.ps.add(o.path("defaultingType"), "has to be List where there are defaultConstraints")
	}

	// The system's default constraints are only preferred, so the filter has none if the type is System.
	// For scores an empty list means no constraints, and nil means the system's.
	p.settings().DefaultConstraints = constraints
	if kind == "List" {
		p.Scores.DefaultSpread = append([]outrank.TopologySpreadConstraint{}, constraints...)
	}
}

// readConstraint reads a default constraint.
func readConstraint(c *object) outrank.TopologySpreadConstraint {
	x := outrank.TopologySpreadConstraint{TopologyKey: c.text("topologyKey")}
	x.MaxSkew = c.int32("maxSkew")
	if x.MaxSkew <= 0 {
		c.ps.add(c.path("maxSkew"), "%d is not positive", x.MaxSkew)
	}
	if !qualified(x.TopologyKey) {
		c.ps.add(c.path("topologyKey"), "%q is no name of a label", cut(x.TopologyKey))
	}
	x.WhenUnsatisfiable = outrank.UnsatisfiablePolicy(c.text("whenUnsatisfiable"))
	if x.WhenUnsatisfiable != outrank.DoNotSchedule && x.WhenUnsatisfiable != outrank.ScheduleAnyway {
		c.ps.add(c.path("whenUnsatisfiable"), "%q is neither DoNotSchedule nor ScheduleAnyway", cut(string(x.WhenUnsatisfiable)))
	}

	c.asked["labelSelector"] = true
	if c.has("labelSelector") {
		c.ps.add(c.path("labelSelector"), "default constraints have none: which pods count depends on the pod")
	}

	x.MinDomains = max(0, c.int32("minDomains"))
	x.NodeAffinityPolicy = readInclusion(c, "nodeAffinityPolicy")
	x.NodeTaintsPolicy = readInclusion(c, "nodeTaintsPolicy")
	x.MatchLabelKeys = c.texts("matchLabelKeys")
	return x
}

// readInclusion reads a policy that says which nodes a constraint counts.
func readInclusion(c *object, name string) outrank.NodeInclusionPolicy {
	p := outrank.NodeInclusionPolicy(c.text(name))
	if p != "" && p != outrank.NodeHonor && p != outrank.NodeIgnore {
		c.ps.add(c.path(name), "%q is neither Honor nor Ignore", cut(string(p)))
	}
	return p
}

// readBindingArgs checks the arguments of VolumeBinding, which have no effect here.
func (p *profileReader) readBindingArgs(o *object) {
	o.number("bindTimeoutSeconds", 0, math.MaxInt64)
	if o.has("shape") {
		readShape(o)
	}
	o.asked["shape"] = true
}

// readDynamicArgs checks the arguments of DynamicResources, which have no effect here.
func (p *profileReader) readDynamicArgs(o *object) {
	o.duration("filterTimeout")
	o.duration("bindingTimeout")
}
