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

	// evaluator is guarded by deciding of the process.
	evaluator *evaluators
	// fallback decides and carries out while objects are not understood; nil where this plugin does.
	fallback *defaultpreemption.DefaultPreemption

	// stock finds the victims where this module does not, and found is what it found: unfollowed
	// are the feature gates that ask for it, and foreign finds the plugins of others in the
	// profile, once.
	stock      *defaultpreemption.DefaultPreemption
	found      found
	unfollowed []string
	foreign    func() foreign
	toldWhy    sync.Once

	// process is shared with the plugins of the other profiles.
	process *process
	leave   func()
}

var (
	_ fwk.PostFilterPlugin  = (*Plugin)(nil)
	_ fwk.PreEnqueuePlugin  = (*Plugin)(nil)
	_ fwk.EnqueueExtensions = (*Plugin)(nil)
)

// New makes the plugin with the zero [Options].
func New(ctx context.Context, args apiruntime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return Factory(Options{})(ctx, args, handle)
}

// Factory returns a function that makes the plugin, for app.WithPlugin or a registry.
// All plugins that one factory makes, one for each profile, share the options. Those of
// one scheduler also share the snapshot that they decide on and the executor, whichever
// factory makes them: no victim is told to go twice because two profiles need it away.
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
	p.startSpread()
	if p.args.DRAPreemption {
		if err = deviceGates(); err != nil {
			return nil, err
		}
		if because := p.alwaysHandsOver(); because != "" {
			return nil, fmt.Errorf("args: draPreemption: DefaultPreemption decides because of %s, which does not preempt for devices", because)
		}
	}
	of := terms{release: p.release, order: p.options.order(), metrics: p.options.Metrics, devices: p.args.DRAPreemption}
	if p.process, err = processes.join(ctx, handle, of); err != nil {
		return nil, err
	}
	p.options.Metrics = p.process.metrics
	p.leave = sync.OnceFunc(func() { processes.leave(p.process) })
	return p, nil
}

// Name returns the plugin's name.
func (p *Plugin) Name() string { return Name }

// Close ends the executions that are under way and waits for them, where no other profile of
// the scheduler has a plugin that is open. The scheduler calls it when it ends.
func (p *Plugin) Close() error {
	p.leave()
	return nil
}

// EventsToRegister lets pods that PreEnqueue refused be looked at again when a pod on a
// node is deleted, and no pod tried for it: the filters that turned the pod down name the
// helpful events.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	if !p.options.asynchronous() {
		return nil, nil
	}
	skip := func(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) { return fwk.QueueSkip, nil }
	return []fwk.ClusterEventWithHint{{Event: podDeleted, QueueingHintFn: skip}}, nil
}

// now is the clock of the decisions.
func (p *Plugin) now() time.Time {
	if p.options.Now != nil {
		return p.options.Now()
	}
	return time.Now()
}
