package config

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// Names of plugins that are not filters of this module, and "*", which stands for all plugins of a point.
const (
	defaultPreemption = "DefaultPreemption"
	dynamicResources  = "DynamicResources"
	balanced          = score.BalancedAllocation
	everything        = "*"
)

// point is the name of an extension point.
type point string

// The points. Plugins of multiPoint are at every point that they serve.
const (
	preEnqueue         point = "preEnqueue"
	queueSort          point = "queueSort"
	preFilter          point = "preFilter"
	filter             point = "filter"
	postFilter         point = "postFilter"
	preScore           point = "preScore"
	scores             point = "score"
	reserve            point = "reserve"
	permit             point = "permit"
	preBind            point = "preBind"
	bind               point = "bind"
	postBind           point = "postBind"
	placementGenerate  point = "placementGenerate"
	placementScore     point = "placementScore"
	podGroupPostFilter point = "podGroupPostFilter"
	multiPoint         point = "multiPoint"
)

// points lists the points of all releases. A change at one of groupPoints, which matter for pod groups, is unsupported.
var (
	points = []point{
		multiPoint, preEnqueue, queueSort, preFilter, filter, postFilter, preScore, scores, reserve, permit, preBind, bind, postBind,
		placementGenerate, placementScore, podGroupPostFilter,
	}
	groupPoints = []point{placementGenerate, placementScore, podGroupPostFilter}
)

// plugin is a plugin of kube-scheduler, with the points that it serves.
type plugin struct {
	name   string
	serves []point
}

// pluginList lists the plugins of a default profile, in its order.
type pluginList []plugin

// filtering are the points that most filters serve, and scoring those of most that give scores as well.
var (
	filtering = []point{preFilter, filter}
	scoring   = []point{preFilter, filter, preScore, scores}
)

// defaults are the plugins of the default profile of v1.36, in its order.
var defaults = pluginList{
	{"SchedulingGates", []point{preEnqueue}},
	{"PrioritySort", []point{queueSort}},
	{preemption.NodeUnschedulable, []point{filter}},
	{preemption.NodeName, []point{filter}},
	{preemption.TaintToleration, []point{filter, preScore, scores}},
	{preemption.NodeAffinity, scoring},
	{preemption.NodePorts, filtering},
	{preemption.NodeResourcesFit, []point{preFilter, filter, preScore, scores, placementScore}},
	{preemption.VolumeRestrictions, filtering},
	{preemption.NodeVolumeLimits, filtering},
	{preemption.VolumeBinding, []point{preFilter, filter, preScore, scores, reserve, preBind}},
	{preemption.VolumeZone, filtering},
	{preemption.PodTopologySpread, scoring},
	{preemption.InterPodAffinity, scoring},
	{dynamicResources, []point{preEnqueue, preFilter, filter, postFilter, scores, reserve, preBind}},
	{defaultPreemption, []point{preEnqueue, postFilter}},
	{balanced, []point{preScore, scores}},
	{score.ImageLocality, []point{scores}},
	{"DefaultBinder", []point{bind}},
	{preemption.NodeDeclaredFeatures, filtering},
}

// defaultsIn returns the plugins of a release's default profile (rules 7.1.7, 7.19.3 and 19.2.8). From v1.37 on
// NodeName comes first among the filters, and it is asked before the first node, as are NodeUnschedulable and
// TaintToleration, which say nothing there.
func defaultsIn(r outrank.Release) pluginList {
	rules := release.Of(release.Release(r))
	list := slices.Clone(defaults)
	if rules.NodeNameFirst {
		i := list.index(preemption.NodeName)
		list = slices.Delete(list, i, i+1)
		list = slices.Insert(list, list.index(preemption.NodeUnschedulable), plugin{preemption.NodeName, filtering})
		for _, name := range silentBefore {
			list.serve(name, preFilter)
		}
		list.serve(dynamicResources, podGroupPostFilter)
		list.serve(defaultPreemption, podGroupPostFilter)
	}
	if rules.DeferredResizes {
		list = slices.Insert(list, list.index(preemption.NodeResourcesFit), plugin{preemption.DeferredPodScheduling, []point{preFilter, filter, permit}})
	}
	return list
}

// silentBefore are the filters that serve preFilter from v1.37 on and say nothing there.
var silentBefore = []string{preemption.NodeUnschedulable, preemption.TaintToleration}

// points returns the points that a file for the release may name. podGroupPostFilter came with the plugins that serve
// it, in v1.37 (rule 19.2.11).
func (l pluginList) points() []point {
	if len(l.servingPoint(podGroupPostFilter)) > 0 {
		return points
	}
	return slices.DeleteFunc(slices.Clone(points), func(where point) bool { return where == podGroupPostFilter })
}

// serve adds a point to those of a plugin. The list of points is a new one.
func (l pluginList) serve(name string, where point) {
	p := &l[l.index(name)]
	p.serves = slices.Concat(p.serves, []point{where})
}

// index returns the index of the plugin with a name, -1 if there is none.
func (l pluginList) index(name string) int {
	return slices.IndexFunc(l, func(p plugin) bool { return p.name == name })
}
