package plugin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/outrank-go/outrank"
)

// Name is the plugin's name in a KubeSchedulerConfiguration.
const Name = "Outrank"

// Plugin decides about preemption and carries it out.
type Plugin struct {
	handle  fwk.Handle
	options Options
	args    Args
	release outrank.Release
	pods    corelisters.PodLister

	// evaluator is nil until the first decision; the deciding lock of the process guards it.
	evaluator *evaluators
	// fallback decides and carries out while an object in the cluster is not understood. It is nil if this plugin
	// decides all the same.
	fallback *defaultpreemption.DefaultPreemption

	// stock finds the victims of decisions that are handed over ([HandOver]). It carries nothing out.
	stock *defaultpreemption.DefaultPreemption
	// found is the candidate of stock's last decision about a group.
	found found
	// unfollowed are the feature gates for which this module has no rules, so that stock finds the victims.
	unfollowed []string
	// foreign returns the profile's plugins that are not the scheduler's own. It looks for them once.
	foreign func() foreign
	// toldWhy logs once that decisions are handed over.
	toldWhy sync.Once

	// process is shared with the plugins of the other profiles.
	process *process
	// leave takes this plugin out of the process, once.
	leave func()
}

var (
	_ fwk.PostFilterPlugin  = (*Plugin)(nil)
	_ fwk.PreEnqueuePlugin  = (*Plugin)(nil)
	_ fwk.EnqueueExtensions = (*Plugin)(nil)
)

// New makes a plugin with the zero [Options].
func New(ctx context.Context, args apiruntime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return Factory(Options{})(ctx, args, handle)
}

// Factory returns a function that makes the plugin, for app.WithPlugin or a registry. All plugins that one
// factory makes, one for each profile, share the options. Those of one scheduler also share the snapshot that
// they decide on and the executor, even if different factories make them: no victim is told to go twice because
// two profiles need it away.
func Factory(options Options) runtime.PluginFactory {
	return func(ctx context.Context, args apiruntime.Object, handle fwk.Handle) (fwk.Plugin, error) {
		p, err := newPlugin(ctx, options, args, handle)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Name, err)
		}
		if p.args.DRAPreemption {
			return p.forDevices(), nil
		}
		return p, nil
	}
}

func newPlugin(ctx context.Context, options Options, raw apiruntime.Object, handle fwk.Handle) (*Plugin, error) {
	p := &Plugin{handle: handle, options: options, pods: handle.SharedInformerFactory().Core().V1().Pods().Lister()}
	var err error
	if p.args, err = readArgs(raw); err != nil {
		return nil, err
	}
	if p.release, p.unfollowed, err = options.release(); err != nil {
		return nil, err
	}

	p.foreign = sync.OnceValue(p.foreignPlugins)
	if err = errors.Join(p.makeFallback(ctx), p.makeStock(ctx)); err != nil {
		return nil, err
	}

	// The scheduler starts the informers that were asked for by the time it has made its plugins, so that this
	// cannot wait for the first decision.
	p.startSpread()
	if err = p.checkDRAPreemption(); err != nil {
		return nil, err
	}

	// The process comes last: a plugin that joined it and then failed would never leave it.
	shared := terms{release: p.release, order: p.options.order(), metrics: p.options.Metrics, devices: p.args.DRAPreemption}
	if p.process, err = processes.join(ctx, handle, shared); err != nil {
		return nil, err
	}
	p.options.Metrics = p.process.metrics
	p.leave = sync.OnceFunc(func() { processes.leave(p.process) })
	return p, nil
}

// checkDRAPreemption refuses the argument draPreemption where the plugin cannot honour it: with feature gates that the
// filter of devices does not follow, or where DefaultPreemption finds the victims of all pods.
func (p *Plugin) checkDRAPreemption() error {
	if !p.args.DRAPreemption {
		return nil
	}
	if err := deviceGates(); err != nil {
		return err
	}
	if because := p.alwaysHandsOver(); because != "" {
		return fmt.Errorf("args: draPreemption: DefaultPreemption decides because of %s, which does not preempt for devices", because)
	}
	return nil
}

// Name returns the plugin's name.
func (p *Plugin) Name() string { return Name }

// Close takes the plugin out of its scheduler. When the plugin of the last profile closes, the executions that
// are under way end, and Close waits for them. The scheduler calls it when it ends.
func (p *Plugin) Close() error {
	p.leave()
	return nil
}

// EventsToRegister lets the scheduler ask PreEnqueue again when a pod on a node is deleted. The event lets no
// other pod be tried: the filters that turned a pod down name the events that help it.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	// PreEnqueue keeps no pod out if plans are carried out before the attempt ends.
	if !p.options.asynchronous() {
		return nil, nil
	}

	skip := func(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) { return fwk.QueueSkip, nil }
	return []fwk.ClusterEventWithHint{{Event: podDeleted, QueueingHintFn: skip}}, nil
}

// now returns the time of a decision.
func (p *Plugin) now() time.Time {
	if p.options.Now != nil {
		return p.options.Now()
	}
	return time.Now()
}
