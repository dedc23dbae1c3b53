package config

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// argsOf maps each plugin with arguments to the function that reads them.
var argsOf = map[string]func(p *profileReader, o *object){
	defaultPreemption:            (*profileReader).readPreemptionArgs,
	preemption.NodeAffinity:      (*profileReader).readAffinityArgs,
	preemption.NodeResourcesFit:  (*profileReader).readFitArgs,
	preemption.PodTopologySpread: (*profileReader).readSpreadArgs,
	preemption.InterPodAffinity:  (*profileReader).readInterPodArgs,
	preemption.VolumeBinding:     (*profileReader).readBindingArgs,
	dynamicResources:             (*profileReader).readDynamicArgs,
	balanced:                     (*profileReader).readBalanceArgs,
}

// readProfile reads one profile.
func (l pluginList) readProfile(o *object, x *extenders) *profileReader {
	p := &profileReader{o: o, usual: l, runs: map[string]bool{}, given: map[string]value{}}
	p.Unsupported = slices.Clone(x.unsupported)
	p.UnsupportedScores = slices.Clone(x.unsupportedScores)
	p.SchedulerName = o.text("schedulerName")
	if p.SchedulerName == "" && o.has("schedulerName") {
		o.ps.add(o.path("schedulerName"), "empty")
	}
	o.number("percentageOfNodesToScore", 0, 100)

	// The resources that extenders manage replace those of the arguments, so they come second.
	p.readPlugins(o.object("plugins"))
	p.readArgs()
	if len(x.ignored) > 0 {
		p.settings().IgnoredResources = slices.Clip(x.ignored) // shared by all profiles
	}
	return p
}

// unsupported adds a problem for a setting that preemption.Config cannot express.
func (p *profileReader) unsupported(field, format string, args ...any) {
	p.Unsupported = append(p.Unsupported, outrank.Problem{Object: kind, Field: field, Text: fmt.Sprintf(format, args...)})
}

// readPlugins works out which plugins run at each point that matters, and sets the profile accordingly.
func (p *profileReader) readPlugins(o *object) {
	// All points are read before any is judged, because multiPoint affects all others.
	sets := map[point]pluginSet{}
	for _, where := range p.usual.points() {
		set := p.usual.readSet(o, where)
		sets[where] = set
		if slices.Contains(groupPoints, where) && len(set.enabled)+len(set.disabled) > 0 {
			p.unsupported(o.path(string(where)), "what is changed about pod groups is not looked at")
		}
	}
	o.done()

	everywhere := p.usual.merged(sets[multiPoint])
	p.sorting = sets[queueSort]
	for _, names := range [][]string{everywhere, allEnabled(sets)} {
		for _, name := range names {
			p.runs[name] = true
		}
	}
	for _, name := range everywhere {
		if _, ok := p.usual.known(name); !ok {
			p.unsupported(o.path(string(multiPoint)), "plugin %s is not one of kube-scheduler's default profile: whatever it filters or preempts is not known", cut(name))
		}
	}
	running := map[point][]string{}
	for _, where := range []point{preFilter, filter, postFilter} {
		running[where] = p.usual.expand(where, everywhere, sets[where])
		p.inspect(o.path(string(where)), where, running[where], sets[where])
	}

	p.WaysOut = running[postFilter]
	if !slices.Contains(running[postFilter], defaultPreemption) {
		settings := p.settings()
		settings.Off = append(settings.Off, defaultPreemption)
	}

	p.readWeights(p.usual.expand(scores, everywhere, sets[scores]), everywhere, sets)
	p.keepReaders(p.usual.expand(preScore, everywhere, sets[preScore]))
	p.switchOff(o.path(string(preFilter)), running[preFilter], running[filter])
	p.checkEnds(o, everywhere, sets)
}

// allEnabled returns the plugins that single points enable, in any order.
func allEnabled(sets map[point]pluginSet) (names []string) {
	for where, set := range sets {
		if where != multiPoint {
			names = append(names, set.enabled...)
		}
	}
	return names
}

// checkEnds checks the two points at which kube-scheduler needs a plugin: one that sorts the queue, and any that
// binds (rule 19.2.7). A plugin of multiPoint that is not known may serve either.
func (p *profileReader) checkEnds(o *object, everywhere []string, sets map[point]pluginSet) {
	sorting := p.usual.expand(queueSort, everywhere, sets[queueSort])
	certain := slices.DeleteFunc(slices.Clone(sorting), func(name string) bool {
		_, known := p.usual.known(name)
		return !known && !slices.Contains(sets[queueSort].enabled, name)
	})
	switch {
	case len(sorting) == 0:
		o.ps.add(o.path(string(queueSort)), "no plugin is left to sort the queue")
	case len(certain) > 1:
		o.ps.add(o.path(string(queueSort)), "%d plugins, and one can sort", len(certain))
	}
	if len(p.usual.expand(bind, everywhere, sets[bind])) == 0 {
		o.ps.add(o.path(string(bind)), "no plugin is left to bind pods")
	}
}

// inspect adds problems to Unsupported: for plugins that are not known, and for known filters that run in
// another order than the default one.
func (p *profileReader) inspect(at string, where point, running []string, custom pluginSet) {
	for _, name := range custom.enabled {
		if _, ok := p.usual.known(name); !ok {
			p.unsupported(at, "plugin %s is not one of kube-scheduler's default profile: what it says is not known", cut(name))
		}
	}
	if where == postFilter {
		return
	}

	// Only the order of the filters that both lists have is compared.
	usual := slices.DeleteFunc(slices.Clone(p.usual.filtersAt(where)), func(name string) bool { return !slices.Contains(running, name) })
	now := slices.DeleteFunc(slices.Clone(running), func(name string) bool { return !slices.Contains(usual, name) })
	if !slices.Equal(usual, now) {
		p.unsupported(at, "the plugins run in another order than the default one, which decides what a node is said to lack")
	}
}

// filtersAt returns the filters of this module that say something at a point, in order.
func (l pluginList) filtersAt(where point) []string {
	return slices.DeleteFunc(l.servingPoint(where), func(name string) bool {
		return name == dynamicResources || where == preFilter && slices.Contains(silentBefore, name)
	})
}

// switchOff turns off the filters that do not run (rules 19.2.3 and 19.2.4). before are the plugins that
// run before the nodes are asked, and onNodes the plugins that run on each node. at is the path of preFilter.
func (p *profileReader) switchOff(at string, before, onNodes []string) {
	settings := p.settings()
	for _, name := range p.usual.filtersAt(filter) {
		runsBefore := slices.Contains(before, name) && slices.Contains(p.usual.filtersAt(preFilter), name)
		switch {
		case slices.Contains(onNodes, name):
			if !runsBefore {
				p.inspectOnNodesAlone(at, name)
			}
		case runsBefore:
			settings.OffOnNodes = append(settings.OffOnNodes, name)
		default:
			settings.Off = append(settings.Off, name)
		}
	}
}

// inspectOnNodesAlone looks at a filter that runs on nodes and not before them. It adds a problem to
// Unsupported if the filter should run before them, too.
func (p *profileReader) inspectOnNodesAlone(at, name string) {
	switch {
	case !slices.Contains(p.usual.filtersAt(preFilter), name):
		// The filter never runs before the nodes.
	case name == preemption.NodeVolumeLimits || name == preemption.DeferredPodScheduling:
		// Before the nodes these filters only skip pods that they do not concern.
	case name == preemption.NodeName:
		p.unsupported(at, "%s is off here and on in filter: every node is then asked about a pod that names one, and here that node alone", name)
	default:
		p.unsupported(at, "%s is off here and on in filter: kube-scheduler then fails for pods that it concerns, and this does as if it were on", name)
	}
}

// readArgs reads the arguments of all plugins. It skips the arguments of plugins that are not in argsOf.
func (p *profileReader) readArgs() {
	taken := map[string]bool{}
	p.o.objects("pluginConfig", func(c *object) {
		name := c.text("name")
		switch {
		case taken[name]:
			c.ps.add(c.path("name"), "%q is configured twice", cut(name))
		case slices.Contains(removed, name):
			c.ps.add(c.path("name"), "%s has been removed", name)
		}
		taken[name] = true
		if v, ok := c.value["args"]; ok && v.kind != 'n' {
			p.given[name] = v
		}

		read := argsOf[name]
		if read == nil {
			c.asked["args"] = true
			return
		}
		args := c.object("args")
		args.typed(fileVersion, name+"Args")
		read(p, args)
		args.done()
	})
}
