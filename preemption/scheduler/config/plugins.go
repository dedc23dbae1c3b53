package config

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// Names of plugins that are no filters, or none of this module.
const (
	defaultPreemption = "DefaultPreemption"
	dynamicResources  = "DynamicResources"
	balanced          = score.BalancedAllocation
	queueSort         = "queueSort"
	preScore          = "preScore"
	everything        = "*"
)

// point is an extension point that has a part in preemption or in scores.
type point string

// The points. Plugins of multiPoint are at every point that they serve.
const (
	scores     point = "score"
	preFilter  point = "preFilter"
	filter     point = "filter"
	postFilter point = "postFilter"
	multiPoint point = "multiPoint"
)

// otherPoints have no part in preemption. Those of pod groups do, but only for groups.
var (
	otherPoints = []string{"preEnqueue", queueSort, preScore, "reserve", "permit", "preBind", "bind", "postBind"}
	groupPoints = []string{"placementGenerate", "placementScore", "placementFeasible", "podGroupPostFilter"}
)

// plugin is a plugin of kube-scheduler itself, with its points among those that
// have a part in preemption.
type plugin struct {
	name   string
	serves []point
}

// pluginList is the plugins of a default profile, in its order.
type pluginList []plugin

// defaults are the plugins of v1.36.
var defaults = pluginList{
	{"SchedulingGates", nil},
	{"PrioritySort", nil},
	{preemption.NodeUnschedulable, []point{filter}},
	{preemption.NodeName, []point{filter}},
	{preemption.TaintToleration, []point{filter, scores}},
	{preemption.NodeAffinity, []point{preFilter, filter, scores}},
	{preemption.NodePorts, []point{preFilter, filter}},
	{preemption.NodeResourcesFit, []point{preFilter, filter, scores}},
	{preemption.VolumeRestrictions, []point{preFilter, filter}},
	{preemption.NodeVolumeLimits, []point{preFilter, filter}},
	{preemption.VolumeBinding, []point{preFilter, filter}},
	{preemption.VolumeZone, []point{preFilter, filter}},
	{preemption.PodTopologySpread, []point{preFilter, filter, scores}},
	{preemption.InterPodAffinity, []point{preFilter, filter, scores}},
	{dynamicResources, []point{preFilter, filter, postFilter}},
	{defaultPreemption, []point{postFilter}},
	{balanced, []point{scores}},
	{score.ImageLocality, []point{scores}},
	{"DefaultBinder", nil},
	{preemption.NodeDeclaredFeatures, []point{preFilter, filter}},
}

// defaultsIn are the plugins of a release's default profile (rules 7.1.7 and 7.19.3):
// from v1.37 on NodeName comes first among the filters, and speaks before the first
// node, too.
func defaultsIn(r outrank.Release) pluginList {
	rules := release.Of(release.Release(r))
	list := slices.Clone(defaults)
	if rules.NodeNameFirst {
		i := list.index(preemption.NodeName)
		list = slices.Delete(list, i, i+1)
		list = slices.Insert(list, list.index(preemption.NodeUnschedulable), plugin{preemption.NodeName, []point{preFilter, filter}})
	}
	if rules.DeferredResizes {
		list = slices.Insert(list, list.index(preemption.NodeResourcesFit), plugin{preemption.DeferredPodScheduling, []point{preFilter, filter}})
	}
	return list
}

func (l pluginList) index(name string) int {
	return slices.IndexFunc(l, func(p plugin) bool { return p.name == name })
}

// removed are plugins that this version refuses.
var removed = []string{"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"}

// known returns a plugin of the default profile.
func (l pluginList) known(name string) (plugin, bool) {
	i := l.index(name)
	if i < 0 {
		return plugin{}, false
	}
	return l[i], true
}

// at returns the plugins of the default profile that serve a point, in order.
func (l pluginList) at(where point) []string {
	var names []string
	for _, p := range l {
		if slices.Contains(p.serves, where) {
			names = append(names, p.name)
		}
	}
	return names
}

// pluginSet is a profile's setting of one point.
type pluginSet struct {
	enabled, disabled []string
	// weights are those of enabled plugins, 1 where there is none (rule 19.5.2).
	weights map[string]int64
}

// readSet reads one point.
func (l pluginList) readSet(o *object, name string) pluginSet {
	set := pluginSet{weights: map[string]int64{}}
	o = o.object(name)
	each := func(list string, into *[]string) {
		taken := map[string]bool{}
		o.objects(list, func(p *object) {
			plugin := p.text("name")
			weight := p.int32("weight")
			if list == "enabled" {
				set.weights[plugin] = max(1, int64(weight))
			}
			switch {
			case plugin == "":
				p.ps.add(p.path("name"), "missing")
			case list == "enabled" && slices.Contains(removed, plugin):
				p.ps.add(p.path("name"), "%s has been removed", plugin)
			case list == "enabled" && taken[plugin]:
				p.ps.add(p.path("name"), "%q is enabled twice", cut(plugin))
			case list == "enabled" && name != string(multiPoint) && !l.serves(plugin, point(name)):
				p.ps.add(p.path("name"), "%s does not serve %s", plugin, name)
			}
			taken[plugin] = true
			*into = append(*into, plugin)
		})
	}
	each("enabled", &set.enabled)
	each("disabled", &set.disabled)
	o.done()
	return set
}

// serves reports whether a plugin can be enabled at a point, as far as is known.
func (l pluginList) serves(name string, where point) bool {
	p, ok := l.known(name)
	switch where {
	case preFilter, filter, postFilter:
		return !ok || slices.Contains(p.serves, where)
	}
	return true
}

// merged returns the plugins that a profile has everywhere, before single points
// are looked at (rule 19.2.1; mergePluginSet).
func (l pluginList) merged(custom pluginSet) []string {
	var out []string
	placed := map[string]bool{}
	if !slices.Contains(custom.disabled, everything) {
		for _, p := range l {
			if slices.Contains(custom.disabled, p.name) {
				continue
			}
			out = append(out, p.name)
			placed[p.name] = slices.Contains(custom.enabled, p.name)
		}
	}
	for _, name := range custom.enabled {
		if !placed[name] {
			out = append(out, name)
		}
	}
	return out
}

// expand returns the plugins that run at a point, in order (rule 19.2.2;
// expandMultiPointPlugins).
func (l pluginList) expand(where point, everywhere []string, custom pluginSet) []string {
	if slices.Contains(custom.disabled, everything) {
		return custom.enabled
	}
	enabled, disabled := setOf(custom.enabled), setOf(custom.disabled)
	overrides, others := map[string]bool{}, []string(nil)
	for _, name := range everywhere {
		p, ok := l.known(name)
		switch {
		case ok && !slices.Contains(p.serves, where), disabled[name]:
		case enabled[name]:
			overrides[name] = true
		default:
			others = append(others, name)
		}
	}
	var first, last []string
	for _, name := range custom.enabled {
		if overrides[name] {
			first = append(first, name)
		} else {
			last = append(last, name)
		}
	}
	return slices.Concat(first, others, last)
}

// setOf has names that a file may list by the ten thousand.
func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
