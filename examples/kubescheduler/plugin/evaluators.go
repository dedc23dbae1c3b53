package plugin

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// evaluators decide as the profile does. They are made at the first decision: while a
// plugin is made, its handle does not know the other plugins of the profile yet.
type evaluators struct {
	// config, workers and asks are what usual is made of.
	config  preemption.Config
	workers int
	asks    *framework
	// usual are those of groups and, without DRAPreemption, of pods. pods are made anew where the
	// filter of devices is another one.
	usual, pods *pair
}

// pair are two evaluators: plain knows all filters that concern the pod, and asking asks the
// scheduler's own filters in dry runs besides, for the sake of those that are unknown.
type pair struct {
	plain, asking *engine.Evaluator
	framework     *framework
	// devices is the filter of devices, nil for none.
	devices *preemption.Filter
}

// lister is the framework's part beside a [fwk.Handle].
type lister interface{ ListPlugins() *config.Plugins }

func (p *Plugin) makeEvaluators() (*evaluators, error) {
	usual, err := engine.New(preemption.Config{})
	if err != nil {
		return nil, err
	}
	c := p.baseConfig()
	of := &framework{handle: p.handle}
	if l, ok := p.handle.(lister); ok {
		of.unknown = p.switches(&c, usual.Filters(p.release), l.ListPlugins())
	}
	e := &evaluators{config: c, workers: p.args.Workers, asks: of}
	e.usual, err = newPair(c, e.workers, of)
	return e, err
}

func newPair(c preemption.Config, workers int, of *framework) (*pair, error) {
	plain, err := engine.New(c)
	if err != nil {
		return nil, err
	}
	c.Filters = append(slices.Clone(c.Filters), of.filter())
	asking, err := engine.New(c)
	return &pair{plain: plain.Parallel(workers), asking: asking.Parallel(workers), framework: of}, err
}

// baseConfig is the configuration but for the filters that are off.
func (p *Plugin) baseConfig() preemption.Config {
	c := preemption.Config{}
	if p.options.Configuration != nil {
		if profile, ok := p.options.Configuration.Profile(p.handle.ProfileName()); ok {
			c = profile.Config
			c.Profile.Off, c.Profile.OffOnNodes = nil, nil // DefaultPreemption, too, is off there
		}
	}
	c.Sample = p.args.sample()
	c.Profile.Schedulers = nil // the nominator of the process has its profiles' pods alone
	c.Profile.SpreadSelector, c.Extenders = p.spreadSelector, extenders(p.handle)
	return c
}

// switches returns the profile's filters that are on and not known to this
// module, and switches off those that are off.
func (p *Plugin) switches(c *preemption.Config, known []string, on *config.Plugins) (unknown []string) {
	has := func(set config.PluginSet, name string) bool {
		return slices.ContainsFunc(set.Enabled, func(p config.Plugin) bool { return p.Name == name })
	}
	for _, name := range known {
		switch {
		case has(on.Filter, name):
		case has(on.PreFilter, name):
			c.Profile.OffOnNodes = append(c.Profile.OffOnNodes, name)
		default:
			c.Profile.Off = append(c.Profile.Off, name)
		}
	}
	for _, filter := range on.Filter.Enabled {
		if !slices.Contains(known, filter.Name) {
			unknown = append(unknown, filter.Name)
		}
	}
	return unknown
}

// evaluators makes them when they are first asked for.
func (p *Plugin) evaluators() (*evaluators, error) {
	if p.evaluator == nil {
		made, err := p.makeEvaluators()
		if err != nil {
			return nil, err
		}
		p.evaluator = made
	}
	return p.evaluator, nil
}

// evaluatorFor returns the evaluator for a pod: the one that asks the scheduler's
// filters only where one of those that are not known has a say about it.
func (p *Plugin) evaluatorFor(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod) (*engine.Evaluator, error) {
	all, err := p.evaluators()
	if err != nil {
		return nil, err
	}
	if all.pods, err = p.process.devices.pair(all); err != nil {
		return nil, err
	}
	e := all.pods
	if e.framework.concerned(cycle) {
		e.framework.begin(ctx, cycle, pod)
		return e.asking, nil
	}
	return e.plain, nil
}
