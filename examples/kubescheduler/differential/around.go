package differential

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Around is what a scheduler has beside its own plugins. The zero value is nothing.
type Around struct {
	// Extenders are asked in this order.
	Extenders []*Extender `json:",omitempty"`
	// Contrary is a filter that answers otherwise in dry runs than in the attempt itself; nil for none.
	Contrary *Contrary `json:",omitempty"`
	// Foreign is a plugin that this module cannot ask; nil for none.
	Foreign *Foreign `json:",omitempty"`
	// Plugins are the settings of the preemptor's profile.
	Plugins Plugins
	// Other is another way out. It counts if Plugins switches it on.
	Other Other
}

// Any reports whether the scheduler has anything beside its own plugins.
func (a *Around) Any() bool {
	return len(a.Extenders) > 0 || a.Contrary != nil || a.Foreign != nil || !a.Plugins.usual()
}

// Extender is one of the scheduler's extenders.
type Extender struct {
	// Filters, Preempts and Ignorable are settings of the scheduler's file. Cached is nodeCacheCapable there. Gpu
	// says that only pods that ask for a GPU concern the extender.
	Filters, Preempts, Ignorable, Cached, Gpu bool
	// Fails makes every call fail, by its code or by the error in its answer.
	Fails bool `json:",omitempty"`
	// Turns has the answer about each node in the attempt itself: one of the turns below, or nothing.
	Turns map[string]string `json:",omitempty"`
	// Changes says for each node how the extender changes the candidate: one of the changes below, or nothing.
	Changes map[string]string `json:",omitempty"`
}

// The turns: an extender's answers about a node in the attempt itself.
const (
	turnsDown    = "no"
	turnsForGood = "never"
	leavesOut    = "leaves it out"
)

// The changes of a candidate by an extender.
const (
	drops      = "drops it"
	spares     = "spares the last victim"
	adds       = "adds a victim"
	emptied    = "leaves no victim"
	strange    = "adds a pod of another node"
	violating  = "counts one more violation"
	uninvited  = "names the node although it was not asked about it"
	nowhere    = "names a node that there is not"
	absentNode = "n-absent"
)

// Contrary has a filter's answers about nodes, by the nodes' names.
type Contrary struct{ Says map[string]Moods }

// Moods are a filter's answers about one node: Now in the attempt itself, Then in dry runs.
type Moods struct{ Now, Then string }

// The answers of a contrary filter. An empty one lets the node take the pod; byWhatIsHere depends on the pods on
// the node.
const (
	no           = "no"
	never        = "never"
	breaks       = "breaks"
	byWhatIsHere = "by what is there"
)

// Plugins are a profile's settings of its plugins at the extension points that concern ways out.
type Plugins struct{ MultiPoint, PostFilter PluginSet }

// PluginSet is the setting of one extension point.
type PluginSet struct{ Enabled, Disabled []string }

func (p *Plugins) usual() bool {
	sets := [][]string{p.MultiPoint.Enabled, p.MultiPoint.Disabled, p.PostFilter.Enabled, p.PostFilter.Disabled}
	return !slices.ContainsFunc(sets, func(s []string) bool { return len(s) > 0 })
}

// Other is a way out that is neither preemption nor the one for devices.
type Other struct {
	// Does is one of the actions below; empty for none.
	Does string `json:",omitempty"`
	// Node is the node that it finds.
	Node string `json:",omitempty"`
}

// The actions of another way out.
const (
	clears = "clears the nomination"
	helps  = "finds a node"
	fails  = "fails"
)

// The name and the texts of the other way out.
const (
	otherName = "Other"
	otherText = "nothing else helps"
	otherHelp = "something else helps"
	otherFail = "something else is broken"
)

// asksForGpu reports whether a container of the pod requests a GPU or limits its GPUs. The reference asks an
// extender that manages GPUs about such pods alone.
func asksForGpu(p *corev1.Pod) bool {
	const gpu = "example.com/gpu"
	for _, containers := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for i := range containers {
			_, requested := containers[i].Resources.Requests[gpu]
			_, limited := containers[i].Resources.Limits[gpu]
			if requested || limited {
				return true
			}
		}
	}
	return false
}

func (x *Extender) interested(p *corev1.Pod) bool { return !x.Gpu || asksForGpu(p) }

// around draws what the scheduler has beside its own plugins, if the case is about that.
func (g *generator) around() {
	a := &g.c.Around
	if g.extenders {
		for range g.between(1, 3) {
			a.Extenders = append(a.Extenders, g.extender())
		}
	}
	if g.contrary {
		a.Contrary = g.contraryFilter()
	}
	if g.ways {
		g.waysOut()
	}
}

func (g *generator) extender() *Extender {
	x := &Extender{
		Filters: g.oneIn(3), Preempts: !g.oneIn(4), Ignorable: g.oneIn(3), Cached: g.oneIn(2), Gpu: g.oneIn(8), Fails: g.oneIn(10),
		Turns: map[string]string{}, Changes: map[string]string{},
	}
	most, turns := pick(g, 1, 2, 4, 8), pick(g, 1, 2, 4)
	for _, n := range g.c.Nodes {
		if g.oneIn(turns) {
			x.Turns[n.Name] = pick(g, turnsDown, turnsDown, turnsDown, turnsForGood, leavesOut)
		}
		if g.oneIn(most) {
			x.Changes[n.Name] = pick(g, drops, drops, drops, drops, spares, adds, violating, uninvited, emptied)
		}
		if g.oneIn(40) {
			x.Changes[n.Name] = pick(g, strange, nowhere)
		}
	}
	if g.oneIn(5) { // the extender leaves no candidate
		for _, n := range g.c.Nodes {
			x.Changes[n.Name] = drops
		}
	}
	return x
}

func (g *generator) contraryFilter() *Contrary {
	c := &Contrary{Says: map[string]Moods{}}
	now := pick(g, []string{no}, []string{no, never, ""}, []string{"", "", no})
	then := pick(g, []string{""}, []string{breaks}, []string{"", no, never, breaks, byWhatIsHere}, []string{byWhatIsHere}, []string{"", breaks})
	for _, n := range g.c.Nodes {
		c.Says[n.Name] = Moods{Now: pick(g, now...), Then: pick(g, then...)}
	}
	return c
}

// waysOut draws which plugins are asked for a way out, and in which order.
func (g *generator) waysOut() {
	const devices, preempts = "DynamicResources", "DefaultPreemption"
	a := &g.c.Around
	a.Other = Other{Does: pick(g, "", clears, helps, fails), Node: pick(g, g.c.Nodes...).Name}
	p := &a.Plugins
	switch g.IntN(9) {
	case 0:
		p.PostFilter.Disabled = []string{preempts}
	case 1:
		p.PostFilter.Disabled = []string{"*"}
	case 2:
		p.PostFilter.Disabled = []string{devices}
	case 3:
		p.PostFilter.Disabled = []string{devices, preempts}
	case 4:
		p.MultiPoint.Disabled = []string{preempts}
	case 5:
		p.PostFilter.Enabled = []string{otherName}
	case 6:
		p.MultiPoint.Enabled = []string{otherName}
	default:
		all := []string{devices, preempts, otherName}
		g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		p.PostFilter = PluginSet{Disabled: []string{"*"}, Enabled: all[:g.between(1, 3)]}
	}
}
