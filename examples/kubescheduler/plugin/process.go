package plugin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/actions"
	"github.com/outrank-go/outrank/examples/clientgo/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// process holds what the profiles of one scheduler share: the snapshot, the executor, which knows the victims
// that were told to go, and the preemptors that are under way. If each profile had an executor of its own, a
// victim that two of them need away would be told to go twice.
type process struct {
	terms terms
	// users is the number of open plugins. The registry guards it.
	users int

	// deciding guards state and aside, and the evaluators of the plugins. A scheduler asks for one preemption at
	// a time, but a program that calls the plugins by itself may ask for several.
	deciding sync.Mutex
	state    *state
	aside    aside

	executor *execution.Executor
	carrying *carrying
	under    underway
	devices  *deviceDesk // nil without DRAPreemption
	metrics  *metrics.Collector
	// unwatch stops the process from hearing of pods.
	unwatch func()
	// forget removes the process from the registry.
	forget func()
	// background waits for the executions that are under way, and flying is their number.
	background sync.WaitGroup
	flying     atomic.Int64
	// ctx is the context of the executions in the background, and end cancels it.
	ctx context.Context
	end context.CancelCauseFunc
}

// errClosed is the cause with which executions end when the scheduler ends.
var errClosed = errors.New("the scheduler ends")

// terms are the settings in which all plugins of a process must agree.
type terms struct {
	release outrank.Release
	order   execution.Order
	// metrics is the collector of the options; nil if they have none.
	metrics *metrics.Collector
	// devices is set to preempt for devices.
	devices bool
}

// identity identifies a scheduler by what its profiles have in common.
type identity struct {
	informers informers.SharedInformerFactory
	api       kubernetes.Interface
	snapshot  fwk.SharedLister
}

// registry holds the processes that are in use.
type registry struct {
	mu sync.Mutex
	by map[identity]*process
}

// processes has a process for each scheduler in this program. A process lives from its scheduler's first plugin
// until all its plugins are closed, or until the context of the first plugin ends.
var processes = registry{by: map[identity]*process{}}

// join returns the process of a scheduler and adds a plugin to it. The first plugin makes the process; it is an
// error if a later one comes with other terms.
func (r *registry) join(ctx context.Context, handle fwk.Handle, agreed terms) (*process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()

	id := identity{handle.SharedInformerFactory(), handle.ClientSet(), handle.SnapshotSharedLister()}
	p := r.by[id]
	if p == nil || p.ctx.Err() != nil {
		made, err := newProcess(ctx, handle, agreed)
		if err != nil {
			return nil, err
		}
		p, r.by[id] = made, made

		// A scheduler whose context ends may never close its plugins. Either way the process is forgotten once.
		forget := sync.OnceFunc(func() { r.forget(id, made) })
		stop := context.AfterFunc(ctx, forget)
		made.forget = func() { stop(); forget() }
	}

	if p.terms != agreed {
		return nil, fmt.Errorf("profile %s differs from an earlier one in release, order, metrics or draPreemption, which the profiles of a scheduler share", handle.ProfileName())
	}
	p.users++
	p.carrying.add(handle)
	return p, nil
}

// leave takes one plugin out of a process. With the last plugin the executions that are under way end, and leave
// waits for them.
func (r *registry) leave(p *process) {
	r.mu.Lock()
	p.users--
	last := p.users == 0
	r.mu.Unlock()

	if last {
		p.end(errClosed)
		p.forget()
		p.background.Wait()
	}
}

// forget removes a process from the registry. A later plugin of the same scheduler makes a new one.
func (r *registry) forget(id identity, p *process) {
	r.mu.Lock()
	if r.by[id] == p {
		delete(r.by, id)
	}
	r.mu.Unlock()
	p.unwatch()
}

func newProcess(ctx context.Context, handle fwk.Handle, agreed terms) (*process, error) {
	p := &process{terms: agreed, metrics: agreed.metrics}
	if p.metrics == nil {
		p.metrics = metrics.New()
	}
	p.metrics.Release = agreed.release

	var err error
	if p.state, err = newState(handle, agreed.release); err != nil {
		return nil, err
	}
	if p.devices, err = newDeviceDesk(handle, agreed); err != nil {
		return nil, err
	}

	if p.carrying, err = newCarrying(handle, &p.under); err != nil {
		return nil, err
	}
	p.executor, err = execution.NewExecutor(execution.Config{
		Actions: p.carrying.actions(), Order: agreed.order, Wait: actions.Wait,
	})
	if err != nil {
		return nil, err
	}

	// The watch is the last step that can fail: nothing would end it.
	if p.unwatch, err = p.watch(handle.SharedInformerFactory().Core().V1().Pods().Informer()); err != nil {
		return nil, err
	}
	p.ctx, p.end = context.WithCancelCause(ctx)
	return p, nil
}

// watch tells the executor of pods that are gone, and the metrics of pods that are gone or have a node, so that
// neither remembers them for ever. The devices hear of every change.
func (p *process) watch(pods cache.SharedIndexInformer) (unwatch func(), err error) {
	registration, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, object any) {
			pod, ok := object.(*v1.Pod)
			if ok && pod.Spec.NodeName != "" {
				p.metrics.EndPreemptor(string(pod.UID))
			}

			if was, known := before.(*v1.Pod); ok && known {
				p.devices.changed(was, pod)
			}
		},
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			if pod, ok := object.(*v1.Pod); ok {
				p.metrics.EndPreemptor(string(pod.UID))
				p.devices.changed(pod, nil)
				p.executor.Gone(&outrank.Pod{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)})
			}
		},
	})
	return func() { _ = pods.RemoveEventHandler(registration) }, err
}
