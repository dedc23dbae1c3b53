package plugin

import (
	"context"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// HandOver is the reason why DefaultPreemption's code finds the victims in place of this module's.
type HandOver string

// The reasons, which a metric counts.
const (
	// ForFilters says that a filter that is not the scheduler's own has a say about the pod. Only the scheduler
	// can ask it, and it may notice how often it is asked and in which order.
	ForFilters HandOver = "filters"
	// ForHooks says that the options have a hook.
	ForHooks HandOver = "hooks"
	// ForGates says that a feature gate is on for which this module has no rules.
	ForGates HandOver = "gates"
	// ForObjects says that an object is not understood and that the arguments name DefaultPreemption for this
	// case, which then carries the plan out, too.
	ForObjects HandOver = "objects"
)

// makeStock makes the DefaultPreemption that finds victims in place of this module. It has the arguments of this
// plugin: without a sample it looks at every node. It carries nothing out.
func (p *Plugin) makeStock(ctx context.Context) (err error) {
	args := &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 100}
	if percent, minimum, sampled := p.args.enough(); sampled {
		args.MinCandidateNodesPercentage, args.MinCandidateNodesAbsolute = percent, minimum
	}
	gates := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	gates.EnableAsyncPreemption = false
	p.groupFeatures(&gates)

	if p.stock, err = defaultpreemption.New(ctx, args, idle{p.handle}, gates); err != nil {
		return err
	}
	p.options.setHooks(p.stock)
	p.found.follow(p.stock)
	return nil
}

// idle is the handle of a plugin that carries nothing out. It hides the nominations, so that none is cleared.
type idle struct{ fwk.Handle }

// NominatedPodsForNode returns none.
func (idle) NominatedPodsForNode(string) []fwk.PodInfo { return nil }

// foreign are the profile's plugins that are not the scheduler's own.
type foreign struct {
	// filters are the plugins that have a say in dry runs. A plugin that has PreFilter alone is one of them: it
	// hears which pods come and go, and may fail.
	filters []string
	// reserve is true if one of the plugins has Reserve, which the dry runs for a group ask as well.
	reserve bool
}

// foreignPlugins looks for the plugins of others in the profile. It must not be called before the first decision:
// while a plugin is made, its handle does not know the other plugins of the profile yet.
func (p *Plugin) foreignPlugins() foreign {
	l, ok := p.handle.(lister)
	if !ok {
		return foreign{}
	}

	own := plugins.NewInTreeRegistry()
	others := func(set config.PluginSet) (names []string) {
		for _, on := range set.Enabled {
			if _, known := own[on.Name]; !known && on.Name != Name {
				names = append(names, on.Name)
			}
		}
		return names
	}

	on := l.ListPlugins()
	f := foreign{filters: append(others(on.PreFilter), others(on.Filter)...), reserve: len(others(on.Reserve)) > 0}
	slices.Sort(f.filters)
	f.filters = slices.Compact(f.filters)
	return f
}

// handsOver returns the reason why DefaultPreemption must find the victims for a pod; it is empty if this module
// finds them.
func (p *Plugin) handsOver(cycle fwk.CycleState, pod *v1.Pod) HandOver {
	if because := p.alwaysHandsOver(); because != "" {
		return because
	}

	// A filter that was skipped for the pod has no say: dry runs do not ask it, either. DefaultPreemption does
	// not preempt for devices, so that pods that want some stay with this module all the same.
	asked := slices.ContainsFunc(p.foreign().filters, func(name string) bool { return !cycle.GetSkipFilterPlugins().Has(name) })
	if asked && !p.process.devices.wants(pod) {
		return ForFilters
	}
	return ""
}

// alwaysHandsOver returns the reason why DefaultPreemption must find the victims for every pod.
func (p *Plugin) alwaysHandsOver() HandOver {
	switch {
	case p.options.hooked():
		return ForHooks
	case len(p.unfollowed) > 0:
		return ForGates
	}
	return ""
}

// decideByStock asks DefaultPreemption for a plan. As in decide the plan is for the informer's version of the
// pod.
func (p *Plugin) decideByStock(ctx context.Context, because HandOver, cycle fwk.CycleState, tried *v1.Pod, said fwk.NodeToStatusReader) (d Decision, err error) {
	p.tellWhy(ctx)
	begun := time.Now()
	d.HandedOver = because
	defer func() {
		d.Err, d.Decided = err, time.Since(begun)
		p.observe("pod", d)
	}()

	pod, err := p.pods.Pods(tried.Namespace).Get(tried.Name)
	if err != nil {
		return d, err
	}

	p.process.deciding.Lock()
	defer p.process.deciding.Unlock()
	err = (&stockAttempt{Plugin: p, pod: pod, said: said}).run(ctx, cycle, &d)
	if err != nil {
		d.Plan = nil
	}
	return d, err
}

// tellWhy logs once for a profile why decisions are handed over, and which settings mean nothing then.
func (p *Plugin) tellWhy(ctx context.Context) {
	p.toldWhy.Do(func() {
		klog.FromContext(ctx).Info("Decisions are handed over", "to", defaultpreemption.Name, "profile", p.handle.ProfileName(), "filters", p.foreign().filters,
			"hooks", p.options.hooked(), "gates", p.unfollowed, "withoutEffect", "workers, Options.Configuration, Options.Release, Options.Now")
	})
}
