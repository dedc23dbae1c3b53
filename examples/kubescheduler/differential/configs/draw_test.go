package configs

import (
	"math/rand/v2"
)

// object is an object of a file in JSON.
type object = map[string]any

// clerk draws files of a scheduler's configuration. Most are such that kube-scheduler starts with them.
type clerk struct{ *rand.Rand }

// in reports whether a chance of one in n has come true.
func (c clerk) in(n int) bool { return c.IntN(n) == 0 }

// one draws one of the values.
func one[T any](c clerk, values ...T) T { return values[c.IntN(len(values))] }

// others is a plugin that no default profile has.
const others = "Coscheduling"

// serving has the plugins of each point, so that most that are drawn serve it.
var serving = map[string][]string{
	"preEnqueue": {"SchedulingGates", "DefaultPreemption", "DynamicResources"}, "queueSort": {"PrioritySort"},
	"preFilter": {
		"NodeAffinity", "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread",
		"InterPodAffinity", "NodeName", "NodeUnschedulable", "TaintToleration", "DynamicResources", "NodeDeclaredFeatures",
	},
	"filter": {
		"NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits",
		"VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures",
	},
	"postFilter": {"DefaultPreemption", "DynamicResources"},
	"preScore":   {"TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity", "NodeResourcesBalancedAllocation", "VolumeBinding"},
	"score": {
		"TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity", "NodeResourcesBalancedAllocation",
		"ImageLocality", "VolumeBinding", "DynamicResources",
	},
	"reserve": {"VolumeBinding", "DynamicResources"}, "permit": nil, "preBind": {"VolumeBinding", "DynamicResources"}, "bind": {"DefaultBinder"}, "postBind": nil,
	"placementGenerate": nil, "placementScore": {"NodeResourcesFit"}, "podGroupPostFilter": {"DefaultPreemption", "DynamicResources"},
	"multiPoint": everyPlugin,
}

// everyPlugin lists the plugins of the default profile.
var everyPlugin = []string{
	"SchedulingGates", "PrioritySort", "NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
	"VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity", "DefaultPreemption",
	"NodeResourcesBalancedAllocation", "ImageLocality", "DefaultBinder", "DynamicResources", "NodeDeclaredFeatures",
}

// plugin draws the name of a plugin, which mostly serves the point.
func (c clerk) plugin(point string) string {
	if list := serving[point]; len(list) > 0 && !c.in(25) {
		return one(c, list...)
	}
	return one(c, append([]string{"Nobody", "", "*", others}, everyPlugin...)...)
}

// set draws what is enabled and disabled at a point.
func (c clerk) set(point string) object {
	set := object{}
	if c.in(2) {
		var enabled []any
		for range 1 + c.IntN(3) {
			p := object{"name": c.plugin(point)}
			if c.in(2) {
				p["weight"] = one(c, 0, 1, 2, 7, 100, 50000)
			}
			if c.in(30) {
				p["weight"] = one[any](c, -1, -1, -5, -20, "3", 1.5, 9223372036854775807, 2147483647, -2147483648)
			}
			enabled = append(enabled, p)
		}
		set["enabled"] = enabled
	}
	if c.in(2) {
		var disabled []any
		for range 1 + c.IntN(2) {
			name := c.plugin(point)
			if c.in(5) {
				name = "*"
			}
			disabled = append(disabled, object{"name": name})
		}
		set["disabled"] = disabled
	}
	return set
}

// shape draws the points of a scoring shape, at times none.
func (c clerk) shape() (shape []any) {
	for at := c.IntN(30); at <= 100; at += 1 + c.IntN(50) {
		shape = append(shape, object{"utilization": at, "score": c.IntN(11)})
	}
	if c.in(8) {
		shape = append(shape, object{"utilization": one(c, 0, 50, 101, -1), "score": one(c, 11, -1, 5)})
	}
	if c.in(15) {
		return nil
	}
	return shape
}

// resources draws resources with weights up to most.
func (c clerk) resources(most int) (list []any) {
	for range c.IntN(4) {
		r := object{"name": one(c, "cpu", "memory", "example.com/x", "pods", "hugepages-2Mi", "storage")}
		if !c.in(3) {
			r["weight"] = one(c, 0, 1, 1, 1, min(most, 5), most)
		}
		if c.in(25) {
			r["weight"] = one(c, -1, 101, 1000)
		}
		if c.in(40) {
			r["name"] = one(c, "", "Bad Name!", "CPU")
		}
		list = append(list, r)
	}
	return list
}

// term draws a term of node affinity.
func (c clerk) term() object {
	t := object{}
	if !c.in(10) {
		r := object{"key": one(c, "disk", "zone", "example.com/k"), "operator": one(c, "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")}
		switch r["operator"] {
		case "In", "NotIn":
			r["values"] = []any{one(c, "a", "b", "1")}
		case "Gt", "Lt":
			r["values"] = []any{one(c, "1", "5", "5", "-1", "x")}
		}
		if c.in(25) {
			r["values"] = []any{"a b", "x"}[:c.IntN(3)]
		}
		if c.in(40) {
			r["key"] = one(c, "", "a b", "-")
		}
		t["matchExpressions"] = []any{r}
	}
	if c.in(6) {
		t["matchFields"] = []any{object{
			"key": one(c, "metadata.name", "metadata.name", "metadata.uid"), "operator": one(c, "In", "NotIn", "Exists"), "values": []any{"n1", "n2"}[:1+c.IntN(5)/4],
		}}
	}
	return t
}
