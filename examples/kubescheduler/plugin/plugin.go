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
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/actions"
	"github.com/outrank-go/outrank/examples/kubescheduler/metrics"
	"github.com/outrank-go/outrank/preemption/execution"
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

	// deciding guards what follows. The scheduler asks for one preemption at a time; a
	// caller of its own may not.
	deciding  sync.Mutex
	state     *state
	evaluator *evaluators
	aside     aside
	// fallback decides while objects are not understood; nil where this plugin does.
	fallback *defaultpreemption.DefaultPreemption

	executor *execution.Executor
	under    underway
	// background has the executions that are under way; end ends them.
	background sync.WaitGroup
	ctx        context.Context
	end        context.CancelCauseFunc
}

var (
	_ fwk.PostFilterPlugin  = (*Plugin)(nil)
	_ fwk.PreEnqueuePlugin  = (*Plugin)(nil)
	_ fwk.EnqueueExtensions = (*Plugin)(nil)
)

// errClosed is why executions end when the scheduler does.
var errClosed = errors.New("the scheduler ends")

// New makes the plugin, with the options that a scheduler has by itself.
func New(ctx context.Context, args apiruntime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return Factory(Options{})(ctx, args, handle)
}

// Factory returns what makes the plugin, for app.WithPlugin or a registry. All plugins
// that one factory makes, one for each profile, share the options.
func Factory(options Options) runtime.PluginFactory {
	return func(ctx context.Context, args apiruntime.Object, handle fwk.Handle) (fwk.Plugin, error) {
		p, err := newPlugin(ctx, options, args, handle)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Name, err)
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
	if p.release, err = options.release(); err != nil {
		return nil, err
	}
	if err = p.makeFallback(ctx); err != nil {
		return nil, err
	}
	if p.options.Metrics == nil {
		p.options.Metrics = metrics.New()
	}
	p.options.Metrics.Counts.Release = p.release
	p.startSpread()
	if p.state, err = newState(handle, p.release); err != nil {
		return nil, err
	}
	client, err := actions.New(actions.Config{
		API: handle.ClientSet(), Pods: p.pods, Events: handle.EventRecorder(), Scheduler: handle, Name: Name,
	})
	if err != nil {
		return nil, err
	}
	p.executor, err = execution.NewExecutor(execution.Config{
		Actions: &carrying{Client: client, under: &p.under}, Release: p.release, Order: p.options.order(),
		Retry: execution.Retry{Wait: actions.Wait}, Metrics: p.options.Metrics.Counts,
	})
	if err != nil {
		return nil, err
	}
	p.ctx, p.end = context.WithCancelCause(ctx)
	return p, p.watch()
}

// watch tells the executor of pods that are gone, so that it need not remember them.
func (p *Plugin) watch() error {
	_, err := p.handle.SharedInformerFactory().Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			if pod, ok := object.(*v1.Pod); ok {
				p.executor.Gone(&outrank.Pod{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)})
			}
		},
	})
	return err
}

// Name returns the plugin's name.
func (p *Plugin) Name() string { return Name }

// Close ends the executions that are under way and waits for them. The scheduler calls
// it when it ends.
func (p *Plugin) Close() error {
	p.end(errClosed)
	p.background.Wait()
	return nil
}

// EventsToRegister has pods that PreEnqueue refused looked at again when a pod on a node is
// deleted, and no pod tried for it: what turned the pod down on the nodes says what helps.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	if !p.options.asynchronous() {
		return nil, nil
	}
	skip := func(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) { return fwk.QueueSkip, nil }
	return []fwk.ClusterEventWithHint{{Event: fwk.ClusterEvent{Resource: fwk.AssignedPod, ActionType: fwk.Delete}, QueueingHintFn: skip}}, nil
}

// now is the clock of the decisions.
func (p *Plugin) now() time.Time {
	if p.options.Now != nil {
		return p.options.Now()
	}
	return time.Now()
}
