package config

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// argsOf reads the arguments of plugins that have any.
var argsOf = map[string]func(p *profileReader, o *object){
	defaultPreemption:            (*profileReader).readPreemptionArgs,
	preemption.NodeAffinity:      (*profileReader).readAffinityArgs,
	preemption.NodeResourcesFit:  (*profileReader).readResourcesArgs,
	preemption.PodTopologySpread: (*profileReader).readSpreadArgs,
	preemption.InterPodAffinity:  (*profileReader).readInterPodArgs,
	preemption.VolumeBinding:     (*profileReader).readBindingArgs,
	dynamicResources:             (*profileReader).readDynamicArgs,
	balanced:                     (*profileReader).readBalanceArgs,
}

// readProfile reads one profile, and returns its settings of the queue's order.
func (l pluginList) readProfile(o *object, x *extenders) (Profile, pluginSet) {
	p := &profileReader{o: o, usual: l}
	p.Unsupported = slices.Clone(x.unsupported)
	p.SchedulerName = o.text("schedulerName")
	if p.SchedulerName == "" && o.has("schedulerName") {
		o.ps.add(o.path("schedulerName"), "empty")
	}
	o.number("percentageOfNodesToScore", 0, 100)
	o.number("percentageOfPlacementsToScore", 0, 100)
	sort := p.readPlugins(o.object("plugins"))
	p.readArgs()
	if len(x.ignored) > 0 {
		p.Config.Profile.IgnoredResources = slices.Clip(x.ignored) // of all profiles
	}
	return p.Profile, sort
}

// unsupported names a setting that the configuration cannot express.
func (p *profileReader) unsupported(field, format string, args ...any) {
	p.Unsupported = append(p.Unsupported, outrank.Problem{Object: kind, Field: field, Text: fmt.Sprintf(format, args...)})
}

// readPlugins finds the plugins that are on at the points that matter. It returns
// the settings of queueSort.
func (p *profileReader) readPlugins(o *object) (sort pluginSet) {
	sets := map[point]pluginSet{}
	for _, where := range []point{multiPoint, preFilter, filter, postFilter, scores} {
		sets[where] = p.usual.readSet(o, string(where))
	}
	var asked pluginSet
	for _, name := range otherPoints {
		switch set := p.usual.readSet(o, name); name {
		case queueSort:
			sort = set
		case preScore:
			asked = set
		}
	}
	for _, name := range groupPoints {
		if set := p.usual.readSet(o, name); len(set.enabled)+len(set.disabled) > 0 {
			p.unsupported(o.path(name), "what is changed about pod groups is not looked at")
		}
	}
	o.done()
	everywhere := p.usual.merged(sets[multiPoint])
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
		p.Config.Profile.Off = append(p.Config.Profile.Off, defaultPreemption)
	}
	p.readWeights(p.usual.expand(scores, everywhere, sets[scores]), sets)
	p.keepReaders(p.usual.expand(scores, everywhere, asked))
	p.switchOff(o.path(string(preFilter)), running[preFilter], running[filter])
	return sort
}

// inspect names unknown plugins, and known ones in another order than the
// default one.
func (p *profileReader) inspect(at string, where point, running []string, custom pluginSet) {
	for _, name := range custom.enabled {
		if _, ok := p.usual.known(name); !ok {
			p.unsupported(at, "plugin %s is not one of kube-scheduler's default profile: what it says is not known", cut(name))
		}
	}
	if where == postFilter {
		return
	}
	usual := slices.DeleteFunc(slices.Clone(p.usual.filtersAt(where)), func(name string) bool { return !slices.Contains(running, name) })
	now := slices.DeleteFunc(slices.Clone(running), func(name string) bool { return !slices.Contains(usual, name) })
	if !slices.Equal(usual, now) {
		p.unsupported(at, "the plugins run in another order than the default one, which decides what a node is said to lack")
	}
}

// filtersAt returns the filters of this module that serve a point, in order.
func (l pluginList) filtersAt(where point) []string {
	return slices.DeleteFunc(l.at(where), func(name string) bool { return name == dynamicResources })
}

// switchOff finds the filters that are off (rules 19.2.3 and 19.2.4).
func (p *profileReader) switchOff(at string, before, onNodes []string) {
	plugins := &p.Config.Profile
	for _, name := range p.usual.filtersAt(filter) {
		begins := slices.Contains(before, name)
		hasBegin := slices.Contains(p.usual.filtersAt(preFilter), name)
		switch {
		case slices.Contains(onNodes, name):
			// Before the nodes these only step aside.
			aside := name == preemption.NodeVolumeLimits || name == preemption.DeferredPodScheduling
			switch {
			case !hasBegin || begins || aside:
			case name == preemption.NodeName:
				p.unsupported(at, "%s is off here and on in filter: every node is then asked about a pod that names one, and here that node alone", name)
			default:
				p.unsupported(at, "%s is off here and on in filter: kube-scheduler then fails for pods that it concerns, and this does as if it were on", name)
			}
		case begins:
			plugins.OffOnNodes = append(plugins.OffOnNodes, name)
		default:
			plugins.Off = append(plugins.Off, name)
		}
	}
}

// readArgs reads the arguments of all plugins, and leaves out those of plugins
// that are not kube-scheduler's own.
func (p *profileReader) readArgs() {
	taken := map[string]bool{}
	p.o.objects("pluginConfig", func(c *object) {
		name := c.text("name")
		switch {
		case name == "":
			c.ps.add(c.path("name"), "missing")
		case taken[name]:
			c.ps.add(c.path("name"), "%q is configured twice", cut(name))
		case slices.Contains(removed, name):
			c.ps.add(c.path("name"), "%s has been removed", name)
		}
		taken[name] = true
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
