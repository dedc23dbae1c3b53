package differential

import (
	"slices"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential/thirdparty"
)

// Around is what a scheduler has beside its own plugins. The zero value is nothing.
type Around struct {
	// Extenders are asked in this order, but the ignorable ones last (rule 10.2.1).
	Extenders []*thirdparty.Extender `json:",omitempty"`
	// Contrary is a filter that answers otherwise in dry runs than in the attempt itself; nil for none.
	Contrary *thirdparty.Contrary `json:",omitempty"`
	// Foreign is a plugin that outrank cannot ask; nil for none.
	Foreign *thirdparty.Foreign `json:",omitempty"`
	// Plugins are the settings of the preemptor's profile.
	Plugins Plugins
	// Other is another way out. It counts if Plugins switches it on.
	Other thirdparty.Other
}

// Any reports whether the scheduler has anything beside its own plugins.
func (a *Around) Any() bool {
	return len(a.Extenders) > 0 || a.Contrary != nil || a.Foreign != nil || !a.Plugins.usual()
}

// Plugins are a profile's settings of its plugins at the extension points that concern ways out.
type Plugins struct{ MultiPoint, PostFilter PluginSet }

// PluginSet is the setting of one extension point.
type PluginSet struct{ Enabled, Disabled []string }

func (p *Plugins) usual() bool {
	sets := [][]string{p.MultiPoint.Enabled, p.MultiPoint.Disabled, p.PostFilter.Enabled, p.PostFilter.Disabled}
	return !slices.ContainsFunc(sets, func(s []string) bool { return len(s) > 0 })
}

// around draws what the scheduler has beside its own plugins, if the case is about that.
func (g *generator) around() {
	a := &g.c.Around
	if g.extenders {
		for range g.between(1, 3) {
			a.Extenders = append(a.Extenders, thirdparty.DrawExtender(g.Rand, g.c.Nodes))
		}
	}
	if g.contrary {
		a.Contrary = thirdparty.DrawContrary(g.Rand, g.c.Nodes)
	}
	if g.ways {
		g.waysOut()
	}
}

// waysOut draws which plugins are asked for a way out, and in which order.
func (g *generator) waysOut() {
	const devices, preempts = "DynamicResources", "DefaultPreemption"
	a := &g.c.Around
	a.Other = thirdparty.DrawOther(g.Rand, g.c.Nodes)
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
		p.PostFilter.Enabled = []string{thirdparty.OtherName}
	case 6:
		p.MultiPoint.Enabled = []string{thirdparty.OtherName}
	default:
		all := []string{devices, preempts, thirdparty.OtherName}
		g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		p.PostFilter = PluginSet{Disabled: []string{"*"}, Enabled: all[:g.between(1, 3)]}
	}
}
