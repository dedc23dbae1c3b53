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

// HandOver is why DefaultPreemption's code finds the victims in place of this module's.
type HandOver string

// The reasons, which a metric counts.
const (
	// ForFilters: the profile has filters that are not the scheduler's own, and one of them has
	// a say about the pod. Only the scheduler can ask them, and they may notice how often and in
	// which order they are asked.
	ForFilters HandOver = "filters"
	// ForHooks: the options have a hook.
	ForHooks HandOver = "hooks"
	// ForGates: a feature gate is on whose rules this module does not have.
	ForGates HandOver = "gates"
	// ForObjects: an object is not understood, and the arguments ask for DefaultPreemption then,
	// which carries out, too.
	ForObjects HandOver = "objects"
)

// makeStock makes the DefaultPreemption that finds victims in place of this module. It has the
// arguments of this plugin: without a sample it looks at every node. Nothing is carried out by it.
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

// idle is the handle of a plugin that carries nothing out: it has no nominations to clear.
type idle struct{ fwk.Handle }

// NominatedPodsForNode returns none.
func (idle) NominatedPodsForNode(string) []fwk.PodInfo { return nil }

// foreign are the profile's plugins that are not the scheduler's own.
type foreign struct {
	// filters have a say in dry runs: also a plugin without Filter hears which pods come and go
	// there, and may fail.
	filters []string
	// reserve is set if there is one at Reserve, which the dry runs for a group ask as well.
	reserve bool
}

// foreignPlugins finds them at the first decision: while a plugin is made, its handle does not know
// the other plugins of the profile yet.
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

// handsOver returns why DefaultPreemption has to find the victims for a pod, and nothing where this
// module does. A filter has no say about a pod for which it was skipped: dry runs do not ask it,
// either. No DefaultPreemption preempts for devices, so that this module decides about pods with
// claims where it is to.
func (p *Plugin) handsOver(cycle fwk.CycleState, pod *v1.Pod) HandOver {
	if because := p.alwaysHandsOver(); because != "" {
		return because
	}
	asked := slices.ContainsFunc(p.foreign().filters, func(name string) bool { return !cycle.GetSkipFilterPlugins().Has(name) })
	if asked && !p.process.devices.wants(pod) {
		return ForFilters
	}
	return ""
}

func (p *Plugin) alwaysHandsOver() HandOver {
	switch {
	case p.options.hooked():
		return ForHooks
	case len(p.unfollowed) > 0:
		return ForGates
	}
	return ""
}

// decideByStock asks DefaultPreemption for a plan. The pod is the informer's version, as for decide.
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

// tellWhy says once for a profile what is handed over, and which settings mean nothing then.
func (p *Plugin) tellWhy(ctx context.Context) {
	p.toldWhy.Do(func() {
		klog.FromContext(ctx).Info("Decisions are handed over", "to", defaultpreemption.Name, "profile", p.handle.ProfileName(), "filters", p.foreign().filters,
			"hooks", p.options.hooked(), "gates", p.unfollowed, "withoutEffect", "workers, Options.Configuration, Options.Release, Options.Now")
	})
}
