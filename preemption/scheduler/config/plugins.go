package config

import (
	"slices"
)

// removed are the names of plugins that kube-scheduler once had. A file that names one is invalid.
var removed = []string{"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"}

// known returns the plugin with a name. The result is false if the default profile has none.
func (l pluginList) known(name string) (plugin, bool) {
	i := l.index(name)
	if i < 0 {
		return plugin{}, false
	}
	return l[i], true
}

// servingPoint returns the names of the plugins that serve a point, in order.
func (l pluginList) servingPoint(where point) []string {
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
	// weights has the weight of each enabled plugin, 1 if the file gives none (rule 19.5.2).
	weights map[string]int64
}

// readSet reads the setting of one point. Only enabled plugins are checked, because disabling a plugin that
// does not exist has no effect.
func (l pluginList) readSet(o *object, where point) pluginSet {
	set := pluginSet{weights: map[string]int64{}}
	o = o.object(string(where))

	// The lists enabled and disabled are read alike, except for the checks and the weights.
	each := func(list string, into *[]string) {
		taken := map[string]bool{}
		o.objects(list, func(p *object) {
			plugin := p.text("name")
			weight := p.int32("weight")
			if list == "enabled" {
				set.weights[plugin] = int64(weight)
				if weight == 0 {
					set.weights[plugin] = 1
				}
			}

			switch {
			case list == "enabled" && plugin == "":
				p.ps.add(p.path("name"), "missing")
			case list == "enabled" && slices.Contains(removed, plugin):
				p.ps.add(p.path("name"), "%s has been removed", plugin)
			case list == "enabled" && taken[plugin]:
				p.ps.add(p.path("name"), "%q is enabled twice", cut(plugin))
			case list == "enabled" && where != multiPoint && !l.serves(plugin, where):
				p.ps.add(p.path("name"), "%s does not serve %s", plugin, where)
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

// serves reports whether a plugin can be enabled at a point. A plugin that is not known may serve any point.
func (l pluginList) serves(name string, where point) bool {
	p, ok := l.known(name)
	return !ok || slices.Contains(p.serves, where)
}

// merged returns the plugins that a profile has at multiPoint, before single points are looked at: the default
// ones, and then those that the profile adds (rule 19.2.1; mergePluginSet).
func (l pluginList) merged(custom pluginSet) []string {
	var out []string

	// A default plugin that is enabled as well keeps its place.
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

	// Plugins of multiPoint run here, too, unless they do not serve the point or are disabled at it.
	// Those that the point enables again take the place that it gives them.
	enabled, disabled := setOf(custom.enabled), setOf(custom.disabled)
	overrides := map[string]bool{}
	var others []string
	for _, name := range everywhere {
		p, ok := l.known(name)
		switch {
		case ok && !slices.Contains(p.serves, where), disabled[name]:
			// The plugin does not run at this point.
		case enabled[name]:
			overrides[name] = true
		default:
			others = append(others, name)
		}
	}

	// Overrides come first, then the other plugins of multiPoint, and then those of the point alone.
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

// setOf returns a set of names. A file may list tens of thousands, too many to search a list for each.
func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
