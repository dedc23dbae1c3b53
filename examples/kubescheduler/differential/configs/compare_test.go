package configs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	ourconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// comparison compares what both read out of one profile.
type comparison struct {
	ours    *ourconfig.Profile
	theirs  *config.KubeSchedulerProfile
	plugins *config.Plugins
	// extended says that the file has extenders, which may change what is ignored.
	extended    bool
	differences []string
}

// same notes a difference if the two texts of something differ.
func (c *comparison) same(what string, theirs, ours any) {
	if a, b := fmt.Sprint(theirs), fmt.Sprint(ours); a != b {
		c.differences = append(c.differences, fmt.Sprintf("%s: kube-scheduler has %s, here it is %s", what, a, b))
	}
}

// told reports whether a plugin is named among what is not supported.
func (c *comparison) told(name string) bool {
	return strings.Contains(fmt.Sprint(c.ours.Unsupported, c.ours.UnsupportedScores), name)
}

func (c *comparison) compare() {
	c.compareFilters()
	c.compareScorers()
	c.same("ways out", namesOf(c.plugins.PostFilter), c.ours.WaysOut)
	off := slices.Contains(c.ours.Config.Profile.Off, preemption.DefaultPreemption)
	c.same("preemption off", !slices.Contains(namesOf(c.plugins.PostFilter), preemption.DefaultPreemption), off)
	for _, p := range c.theirs.PluginConfig {
		c.compareArgs(p.Args)
	}
	if _, err := score.New(c.ours.Scores); err != nil {
		c.same("what makes a scorer", nil, err)
	}
}

func namesOf(set config.PluginSet) (names []string) {
	for _, p := range set.Enabled {
		names = append(names, p.Name)
	}
	return names
}

// compareFilters compares which filters run on nodes, and which before them.
func (c *comparison) compareFilters() {
	on, before := namesOf(c.plugins.Filter), namesOf(c.plugins.PreFilter)
	profile := &c.ours.Config.Profile
	for _, name := range serving["filter"] {
		if name == "DynamicResources" || c.told(name) {
			continue
		}
		off, offOnNodes := slices.Contains(profile.Off, name), slices.Contains(profile.OffOnNodes, name)
		c.same(name+" runs on nodes", slices.Contains(on, name), !off && !offOnNodes)

		// NodeUnschedulable and TaintToleration say nothing before the nodes.
		silent := name == preemption.NodeUnschedulable || name == preemption.TaintToleration
		if offOnNodes || off && !silent {
			c.same(name+" runs before the nodes", slices.Contains(before, name), offOnNodes)
		}
		if !off && !offOnNodes && !silent && name != preemption.NodeVolumeLimits {
			c.same(name+" runs before the nodes, too", slices.Contains(before, name), slices.Contains(serving["preFilter"], name))
		}
	}
}

// compareScorers compares which plugins give scores, and their weights.
func (c *comparison) compareScorers() {
	theirs, ours := map[string]int64{}, c.ours.Scores.Weights
	if ours == nil {
		ours = score.DefaultWeights()
	}
	ours = maps.Clone(ours)
	maps.DeleteFunc(ours, func(_ string, weight int64) bool { return weight == 0 })
	for _, p := range c.plugins.Score.Enabled {
		switch _, known := score.DefaultWeights()[p.Name]; {
		case known:
			theirs[p.Name] = int64(p.Weight)
		case p.Name != preemption.VolumeBinding && p.Name != "DynamicResources" && !c.told(p.Name):
			c.same("scorer", p.Name, "not told")
		}
	}
	c.same("weights", theirs, ours)
}

// compareArgs compares the arguments of a plugin.
func (c *comparison) compareArgs(args any) {
	scores, profile := &c.ours.Scores, &c.ours.Config.Profile
	switch a := args.(type) {
	case *config.DefaultPreemptionArgs:
		if s := c.ours.Config.Sample; s != nil {
			c.same("sample", [2]int32{a.MinCandidateNodesPercentage, a.MinCandidateNodesAbsolute}, [2]int{max(0, s.Percent), max(0, s.Minimum)})
		}
	case *config.InterPodAffinityArgs:
		weight := int32(1)
		if scores.HardPodAffinityWeight != nil {
			weight = *scores.HardPodAffinityWeight
		}
		c.same("hard weight", a.HardPodAffinityWeight, weight)
		c.same("preferred terms ignored", a.IgnorePreferredTermsOfExistingPods, scores.IgnorePreferredTermsOfExistingPods)
	case *config.NodeResourcesFitArgs:
		if running := slices.Concat(c.plugins.Filter.Enabled, c.plugins.PreFilter.Enabled, c.plugins.Score.Enabled); slices.ContainsFunc(running, func(p config.Plugin) bool { return p.Name == preemption.NodeResourcesFit }) {
			c.compareFit(a)
		}
	case *config.NodeResourcesBalancedAllocationArgs:
		var theirs []string
		for _, r := range a.Resources {
			if r.Name != "" { // no node has it
				theirs = append(theirs, r.Name)
			}
		}
		ours := scores.Balanced
		if ours == nil {
			ours = append(ours, "cpu", "memory")
		}
		c.same("balanced", theirs, ours)
	case *config.PodTopologySpreadArgs:
		c.compareSpread(a)
	case *config.NodeAffinityArgs:
		added := a.AddedAffinity
		if added == nil {
			added = &corev1.NodeAffinity{}
		}
		c.same("required affinity", selectorText(added.RequiredDuringSchedulingIgnoredDuringExecution), ourSelectorText(profile.AddedAffinity))
		c.same("preferred affinity", c.preferredText(added.PreferredDuringSchedulingIgnoredDuringExecution), ourPreferredText(scores.AddedAffinity))
	}
}

// compareFit compares the arguments of NodeResourcesFit. A resource that is there twice counts with both weights.
func (c *comparison) compareFit(a *config.NodeResourcesFitArgs) {
	fit, profile := &c.ours.Scores.Fit, &c.ours.Config.Profile
	c.same("strategy", a.ScoringStrategy.Type, cmp.Or(fit.Type, score.LeastAllocated))

	theirs, ours := map[string]int64{}, map[string]int64{}
	for _, r := range a.ScoringStrategy.Resources {
		if r.Name != "" { // no node has it
			theirs[r.Name] += r.Weight
		}
	}
	for name, weight := range fit.Resources {
		ours[string(name)] = weight
	}
	if fit.Resources == nil {
		ours = map[string]int64{"cpu": 1, "memory": 1}
	}
	c.same("resources of the strategy", theirs, ours)

	if ratio := a.ScoringStrategy.RequestedToCapacityRatio; ratio != nil {
		var shape []score.Point
		for _, p := range ratio.Shape {
			shape = append(shape, score.Point{Utilization: p.Utilization, Score: p.Score})
		}
		c.same("shape", shape, fit.Shape)
	}
	if !c.extended {
		c.same("ignored resources", a.IgnoredResources, profile.IgnoredResources)
		c.same("ignored groups", a.IgnoredResourceGroups, profile.IgnoredResourceGroups)
	}
}

// compareSpread compares the default constraints: the hard ones, which filter, and the soft ones, which give scores.
func (c *comparison) compareSpread(a *config.PodTopologySpreadArgs) {
	only := func(policy corev1.UnsatisfiableConstraintAction) (texts []string) {
		for i := range a.DefaultConstraints {
			if x := &a.DefaultConstraints[i]; x.WhenUnsatisfiable == policy {
				texts = append(texts, constraintText(x))
			}
		}
		return texts
	}
	c.same("hard constraints", only(corev1.DoNotSchedule), ourConstraints(c.ours.Config.Profile.DefaultConstraints, outrank.DoNotSchedule))
	if a.DefaultingType == config.SystemDefaulting {
		c.same("constraints of the system", true, c.ours.Scores.DefaultSpread == nil)
		return
	}
	c.same("constraints of a list", true, c.ours.Scores.DefaultSpread != nil)
	c.same("soft constraints", only(corev1.ScheduleAnyway), ourConstraints(c.ours.Scores.DefaultSpread, outrank.ScheduleAnyway))
}

func constraintText(x *corev1.TopologySpreadConstraint) string {
	domains, affinity, taints := int32(0), corev1.NodeInclusionPolicy(""), corev1.NodeInclusionPolicy("")
	if x.MinDomains != nil {
		domains = *x.MinDomains
	}
	if x.NodeAffinityPolicy != nil {
		affinity = *x.NodeAffinityPolicy
	}
	if x.NodeTaintsPolicy != nil {
		taints = *x.NodeTaintsPolicy
	}
	return fmt.Sprintln(x.MaxSkew, x.TopologyKey, domains, affinity, taints, x.MatchLabelKeys)
}

func ourConstraints(all []outrank.TopologySpreadConstraint, policy outrank.UnsatisfiablePolicy) (texts []string) {
	for _, x := range all {
		if x.WhenUnsatisfiable == policy {
			texts = append(texts, fmt.Sprintln(x.MaxSkew, x.TopologyKey, x.MinDomains, x.NodeAffinityPolicy, x.NodeTaintsPolicy, x.MatchLabelKeys))
		}
	}
	return texts
}

func selectorText(s *corev1.NodeSelector) string {
	if s == nil {
		return "none"
	}
	text := ""
	for i := range s.NodeSelectorTerms {
		text += termText(&s.NodeSelectorTerms[i])
	}
	return text
}

func ourSelectorText(s *outrank.NodeSelector) string {
	if s == nil {
		return "none"
	}
	text := ""
	for i := range s.NodeSelectorTerms {
		text += ourTermText(&s.NodeSelectorTerms[i])
	}
	return text
}

func termText(t *corev1.NodeSelectorTerm) (text string) {
	for _, r := range t.MatchExpressions {
		text += fmt.Sprint(r.Key, r.Operator, r.Values, ";")
	}
	text += "|"
	for _, r := range t.MatchFields {
		// Of another field than the name each node has an empty value, and no node has an empty name.
		switch key := string(r.Operator) + " " + r.Values[0]; {
		case r.Key == "metadata.name":
			text += fmt.Sprint(r.Key, r.Operator, r.Values, ";")
		case key == "In " || r.Operator == "NotIn" && r.Values[0] != "":
			text += "metadata.nameNotIn[];"
		default:
			text += "metadata.nameIn[];"
		}
	}
	return text + "\n"
}

func ourTermText(t *outrank.NodeSelectorTerm) (text string) {
	for _, r := range t.MatchExpressions {
		text += fmt.Sprint(r.Key, r.Operator, r.Values, ";")
	}
	text += "|"
	for _, r := range t.MatchFields {
		text += fmt.Sprint(r.Key, r.Operator, r.Values, ";")
	}
	return text + "\n"
}

// preferredText lists the preferred terms that count. Those with a weight of 0 do not, and those with a weight that no
// pod could have are told (rule 19.5.4).
func (c *comparison) preferredText(terms []corev1.PreferredSchedulingTerm) (text string) {
	for i := range terms {
		switch weight := terms[i].Weight; {
		case weight >= 1 && weight <= 100:
			text += fmt.Sprint(weight, " ", termText(&terms[i].Preference))
		case weight != 0 && !c.told(fmt.Sprint(weight, " is not between 1 and 100")):
			c.same("weight of a preferred term", weight, "not told")
		}
	}
	return text
}

func ourPreferredText(terms []outrank.PreferredSchedulingTerm) (text string) {
	for i := range terms {
		text += fmt.Sprint(terms[i].Weight, " ", ourTermText(&terms[i].Preference))
	}
	return text
}
