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

// evaluators decide with the filters of the profile. They are made at the first decision: while a plugin is made,
// its handle does not know the other plugins of the profile yet.
type evaluators struct {
	// config is the configuration of usual.
	config preemption.Config
	// workers is the number of goroutines that share a decision.
	workers int
	// asks has the filters that the module does not know.
	asks *framework
	// usual decides about groups and, without DRAPreemption, about pods.
	usual *pair
	// pods decides about pods. With DRAPreemption it is made anew when the filter of devices is another one.
	pods *pair
}

// pair holds two evaluators with the same configuration. Plain has the filters that the module knows. Asking has
// one more, which asks the scheduler's own filters in dry runs: for pods that an unknown filter concerns.
type pair struct {
	plain, asking *engine.Evaluator
	framework     *framework
	// devices is the filter of devices, nil for none.
	devices *preemption.Filter
}

// lister is a method of the scheduler's framework that [fwk.Handle] does not have.
type lister interface{ ListPlugins() *config.Plugins }

func (p *Plugin) makeEvaluators() (*evaluators, error) {
	usual, err := engine.New(preemption.Config{})
	if err != nil {
		return nil, err
	}

	c := p.baseConfig()
	asks := &framework{handle: p.handle}
	if l, ok := p.handle.(lister); ok {
		asks.unknown = p.switches(&c, usual.Filters(p.release), l.ListPlugins())
	}
	e := &evaluators{config: c, workers: p.args.Workers, asks: asks}
	e.usual, err = newPair(c, e.workers, asks)
	return e, err
}

func newPair(c preemption.Config, workers int, asks *framework) (*pair, error) {
	plain, err := engine.New(c)
	if err != nil {
		return nil, err
	}
	c.Filters = append(slices.Clone(c.Filters), asks.filter())
	asking, err := engine.New(c)
	return &pair{plain: plain.Parallel(workers), asking: asking.Parallel(workers), framework: asks}, err
}

// baseConfig returns the configuration of the profile without the filters that are off, which switches adds.
func (p *Plugin) baseConfig() preemption.Config {
	c := preemption.Config{}
	if p.options.Configuration != nil {
		if profile, ok := p.options.Configuration.Profile(p.handle.ProfileName()); ok {
			c = profile.Config
			c.Profile.Off, c.Profile.OffOnNodes = nil, nil // the file has DefaultPreemption among them
		}
	}

	c.Sample = p.args.sample()
	c.Profile.Schedulers = nil // the nominations come from this scheduler, which knows only its profiles' pods
	c.Profile.SpreadSelector, c.Extenders = p.spreadSelector, extenders(p.handle)
	return c
}

// switches switches known filters off that the profile does not have, and returns the profile's filters that are
// not known to this module. A filter that is on at PreFilter alone is off on nodes: it is never asked about one.
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

// evaluators returns the evaluators of the profile, which it makes at the first call.
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

// evaluatorFor returns the evaluator for a pod. It asks the scheduler's filters only if an unknown filter has a
// say about the pod.
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
