package config

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// readPreemptionArgs reads how many candidates are enough (rule 19.3.1).
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

// orNone returns a figure of a Sample, where zero is the default and less than that is none.
func orNone(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// readResourcesArgs reads the resources that NodeResourcesFit passes over (rule 19.3.3).
func (p *profileReader) readResourcesArgs(o *object) {
	for i, name := range o.texts("ignoredResources") {
		if !qualified(name) {
			o.ps.add(o.path("ignoredResources")+"["+itoa(i)+"]", "%q is no name of a resource", cut(name))
		}
		p.Config.Profile.IgnoredResources = append(p.Config.Profile.IgnoredResources, resource.Name(name))
	}
	for i, group := range o.texts("ignoredResourceGroups") {
		// The rules for a group are those for a name without a prefix.
		if !qualified(group) || hasSlash(group) {
			o.ps.add(o.path("ignoredResourceGroups")+"["+itoa(i)+"]", "%q is no group of resources", cut(group))
		}
		p.Config.Profile.IgnoredResourceGroups = append(p.Config.Profile.IgnoredResourceGroups, group)
	}
	if !o.has("scoringStrategy") {
		o.object("scoringStrategy")
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
	r.done()
	s.done()
}

// readSpreadArgs reads the constraints of pods without any (rule 19.3.4).
func (p *profileReader) readSpreadArgs(o *object) {
	kind := o.text("defaultingType")
	if kind != "" && kind != "System" && kind != "List" {
		o.ps.add(o.path("defaultingType"), "%q is neither System nor List", cut(kind))
	}
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
	p.Config.Profile.DefaultConstraints = constraints
	if kind == "List" {
		p.Scores.DefaultSpread = append([]outrank.TopologySpreadConstraint{}, constraints...)
	}
}

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
	if c.asked["labelSelector"] = true; c.has("labelSelector") {
		c.ps.add(c.path("labelSelector"), "default constraints have none: which pods count depends on the pod")
	}
	x.MinDomains = max(0, c.int32("minDomains"))
	x.NodeAffinityPolicy = readInclusion(c, "nodeAffinityPolicy")
	x.NodeTaintsPolicy = readInclusion(c, "nodeTaintsPolicy")
	x.MatchLabelKeys = c.texts("matchLabelKeys")
	return x
}

func readInclusion(c *object, name string) outrank.NodeInclusionPolicy {
	p := outrank.NodeInclusionPolicy(c.text(name))
	if p != "" && p != outrank.NodeHonor && p != outrank.NodeIgnore {
		c.ps.add(c.path(name), "%q is neither Honor nor Ignore", cut(string(p)))
	}
	return p
}

func (p *profileReader) readBindingArgs(o *object) {
	o.number("bindTimeoutSeconds", 0, math.MaxInt64)
	if o.has("shape") {
		readShape(o)
	}
	o.asked["shape"] = true
}

func (p *profileReader) readDynamicArgs(o *object) {
	o.duration("filterTimeout")
	o.duration("bindingTimeout")
}
